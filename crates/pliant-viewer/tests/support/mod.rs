//! A small scene that the tests share.

/// A sheet of 5 x 5 nodes, held at two corners, under gravity.
pub const SHEET: &str = r#"<EDMConfig id="sheet">
  <Simulation duration="1" fps="50" /><MaterialContainer /><RigidObjects />
  <ExternalForces>
    <Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
  </ExternalForces>
  <DeformableBodies>
    <Body id="Sheet" model="Surface" type="GenericBezierPatch">
      <Properties timestep="0.01" order="1" integrator="Implicit" />
      <NaturalShape>
        <Node index="0" pos="[0, 0, 2]" /><Node index="1" pos="[1, 0, 2]" />
        <Node index="2" pos="[0, 1, 2]" /><Node index="3" pos="[1, 1, 2]" />
      </NaturalShape>
      <Particles grid="[5, 5]">
        <All mass="0.1" damping="0.1" tension="[[30, 15], [15, 30]]" rigidity="[[0.1, 0.1], [0.1, 0.1]]" />
        <Region from="[0, 0]" to="[0, 0]" fixed="Yes" />
        <Region from="[4, 0]" to="[4, 0]" fixed="Yes" />
      </Particles>
      <Bind type="Force" ref="Gravity" />
    </Body>
  </DeformableBodies>
</EDMConfig>
"#;

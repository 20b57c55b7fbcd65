//! A small scene that the tests share, and a run of a recording without a viewer.

use pliant::{Frame, Workspace};
use pliant_session::{
    Expectations, Failure, Observer, Recording, Schedule, Script, Simulation, clock,
};

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

struct Nobody;

impl Observer for Nobody {
    fn wants_frames(&self) -> bool {
        false
    }

    fn frame(&mut self, _frame: Frame) -> Result<(), Failure> {
        Ok(())
    }
}

/// The hash of the state that a recording ends in when it is run as `pliant run` does.
#[allow(dead_code, reason = "each test file has its own copy of this module")]
pub fn state_after_run(recording: &Recording) -> u64 {
    let mut source = recording.source(None).unwrap();
    let script = Script::new(recording, &source);
    let mut workspace = Workspace::new(&source.world);
    workspace.bounds = source.scene.simulation.bounds;
    let schedule = Schedule {
        steps: recording.steps,
        steps_a_frame: 2,
    };
    let expected = Expectations::new("", &[]);
    let world = &mut source.world;
    let mut simulation = Simulation::new(world, &mut workspace, schedule, expected, clock::seconds);
    simulation.script = Some(script);
    let stopped = simulation.simulate(world, &mut workspace, &mut Nobody);
    assert!(!stopped.unwrap());
    world.state_hash()
}

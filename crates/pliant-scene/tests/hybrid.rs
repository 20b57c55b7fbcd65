//! The same scene in both formulations, by one attribute.

use pliant::Workspace;
use pliant::formulation::Hybrid;
use pliant_scene::{Override, build, gallery, parse_with_overrides};
use std::path::Path;

fn set(target: &str, attribute: &str, value: &str) -> Override {
    (target.to_owned(), attribute.to_owned(), value.to_owned())
}

#[test]
fn every_scene_of_the_gallery_runs_in_the_hybrid_formulation() {
    for scene in gallery() {
        let plain = pliant_scene::parse(scene.text, scene.name).unwrap();
        if plain.contact.is_some()
            || plain.bodies.iter().any(|body| body.mesh.is_some())
            || scene.text.contains("DynamicNurbs")
        {
            // Meshes have formulations of their own, dynamic NURBS constraints that no other has; hybrid
            // bodies do not meet others yet.
            continue;
        }
        let overrides: Vec<Override> = plain
            .bodies
            .iter()
            .map(|body| set(&body.id, "formulation", "Hybrid"))
            .collect();
        let parsed = parse_with_overrides(scene.text, scene.name, &overrides)
            .unwrap_or_else(|errors| panic!("{errors}"));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut world =
            build(&parsed, scene.name, &folder).unwrap_or_else(|errors| panic!("{errors}"));
        let mut workspace = Workspace::new(&world);
        for _ in 0..3 {
            let report = world.step(&mut workspace);
            let why: Vec<_> = world.bodies.iter().map(|b| b.quarantine.clone()).collect();
            assert_eq!(report.quarantined, 0, "{}: {why:?}", scene.name);
        }
        for body in &world.bodies {
            assert_eq!(body.formulation().name(), Hybrid::NAME);
        }
    }
}

const SOLID: &str = r#"<EDMConfig id="Test">
  <MaterialContainer />
  <ExternalForces />
  <RigidObjects />
  <DeformableBodies>
    <Body id="Brick" model="Solid" type="LinearBezierSolid">
      <Properties timestep="0.01" formulation="Hybrid" coriolis="No" />
      <NaturalShape>
        <Node index="0" pos="[0, 0, 0]" />
        <Node index="1" pos="[2, 0, 0]" />
        <Node index="2" pos="[0, 1, 0]" />
        <Node index="3" pos="[2, 1, 0]" />
        <Node index="4" pos="[0, 0, 1]" />
        <Node index="5" pos="[2, 0, 1]" />
        <Node index="6" pos="[0, 1, 1]" />
        <Node index="7" pos="[2, 1, 1]" />
      </NaturalShape>
      <Particles grid="[4, 3, 3]">
        <All mass="1" hold="2" tension="[[3, 0, 0], [0, 3, 0], [0, 0, 3]]"
             rigidity="[[0.5, 0.2, 0], [0.2, 0.5, 0], [0, 0, 0.5]]" />
        <Field target="hold" rule="u" />
      </Particles>
    </Body>
  </DeformableBodies>
</EDMConfig>"#;

#[test]
fn attributes_of_the_hybrid_formulation_reach_the_body() {
    let scene = parse_with_overrides(SOLID, "test.xml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let world = build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    let description = world.bodies[0].description();
    let terms = description.hybrid().unwrap().inertial_terms;
    assert!(terms.centrifugal && !terms.coriolis && terms.transverse);
    let weights = world.bodies[0].hybrid().unwrap().weights();
    let grid = description.grid().unwrap();
    assert_eq!(weights.zeroth[grid.index([3, 1, 1])], 2.0);
    assert_eq!(weights.zeroth[0], 0.0);
    let middle = grid.index([1, 1, 1]);
    // 2 w |r_u|² with |r_u| = 2 along the first direction.
    assert!((weights.first[middle][0] - 24.0).abs() < 1e-12);
    assert_eq!(weights.second[middle], [0.5; 3]);
    let corner = grid.index([1, 1, 1]);
    assert!((weights.mixed[corner][0] - 0.2).abs() < 1e-15);
    // Without the formulation, rigidity and hold of a solid mean nothing; both are told.
    let primal = [set("Brick", "formulation", "Primal")];
    let scene = parse_with_overrides(SOLID, "test.xml", &primal).unwrap();
    let world = build(&scene, "test.xml", Path::new(".")).unwrap();
    assert!(world.bodies[0].hybrid().is_none());
    assert_eq!(scene.warnings.len(), 2);
}

#[test]
fn a_force_that_is_bound_twice_is_told() {
    let bind = "<Bind type=\"Force\" ref=\"Down\" />";
    let scene = |binds: &str| {
        format!(
            r#"<EDMConfig id="twice"><MaterialContainer />
  <ExternalForces><Force id="Down" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
  <RigidObjects />
  <DeformableBodies>
    <Body id="Rope" model="Curve" type="FormulaCurve">
      <Properties timestep="0.01" x="u" y="0" z="0" />
      <NaturalShape />
      <Particles grid="[5]" />
      {binds}
    </Body>
  </DeformableBodies>
</EDMConfig>"#
        )
    };
    let warnings = |binds: &str| {
        let scene = parse_with_overrides(&scene(binds), "test.xml", &[]);
        scene.unwrap_or_else(|e| panic!("{e}")).warnings
    };
    assert_eq!(warnings(bind), []);
    let twice = warnings(&bind.repeat(2));
    assert_eq!(twice.len(), 1);
    assert!(
        twice[0].to_string().contains("it acts twice"),
        "{}",
        twice[0]
    );
    // On two particles it acts once on each.
    let one = |index: usize| format!("<Bind type=\"Force\" ref=\"Down\" particle=\"[{index}]\" />");
    assert_eq!(warnings(&(one(0) + &one(1))), []);
}

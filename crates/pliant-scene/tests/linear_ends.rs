//! Whatever solves its linear systems, a body that nothing holds falls freely: solves without a limit come to their
//! end. Over-relaxation of 200 sweeps once let a sheet fall a fifth of the way, a stiff solid none of it.

use pliant::linear::SolverKind;
use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

fn world(body: &str) -> World {
    let text = format!(
        r#"<EDMConfig id="S"><Simulation duration="1" fps="100" /><MaterialContainer />
<ExternalForces><Force id="G" type="Gravity"><Properties g="[0, 0, -9]" /></Force></ExternalForces>
<RigidObjects></RigidObjects><DeformableBodies>{body}</DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "fall.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build_with(&scene, "fall.xml", &MemoryAssets::default()).unwrap()
}

fn sheet(solver: &str) -> String {
    format!(
        r#"<Body id="A" model="Surface" type="GenericBezierPatch">
<Properties timestep="0.01" order="1" integrator="SemiImplicit" solver="{solver}" />
<NaturalShape><Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[1, 0, 0]" />
<Node index="2" pos="[0, 1, 0]" /><Node index="3" pos="[1, 1, 0]" /></NaturalShape>
<Particles grid="[20, 20]"><All mass="0.0025" tension="[[40, 10], [10, 40]]" /></Particles>
<Bind type="Force" ref="G" /></Body>"#
    )
}

fn solid(solver: &str) -> String {
    format!(
        r#"<Body id="A" model="Solid" type="FormulaSolid">
<Properties timestep="0.01" x="u" y="v" z="w" integrator="SemiImplicit" solver="{solver}" />
<NaturalShape /><Particles grid="[6, 4, 4]"><All mass="0.01"
tension="[[1e5, 1e5, 1e5], [1e5, 1e5, 1e5], [1e5, 1e5, 1e5]]" /></Particles><Bind type="Force" ref="G" /></Body>"#
    )
}

/// How far the body has fallen after ten steps.
fn fallen(body: &str) -> (f64, usize) {
    let mut world = world(body);
    let height = |world: &World| {
        let places = &world.bodies[0].state.positions;
        places.iter().map(|x| x.z).sum::<f64>() / places.len() as f64
    };
    let start = height(&world);
    let mut workspace = Workspace::new(&world);
    let mut unconverged = 0;
    for _ in 0..10 {
        unconverged += world.step(&mut workspace).unconverged_solves;
    }
    (start - height(&world), unconverged)
}

#[test]
fn free_fall_does_not_depend_on_the_solver() {
    // Steps that end at x + h v with the new velocity: g h² (1 + 2 + … + 10).
    let expected = 9.0 * 1e-4 * 55.0;
    for body in [sheet, solid] {
        for kind in SolverKind::ALL {
            let (way, unconverged) = fallen(&body(kind.name()));
            assert_eq!(unconverged, 0, "{}", kind.name());
            let error = (way / expected - 1.0).abs();
            assert!(error < 1e-3, "{}: {way} for {expected}", kind.name());
        }
    }
}

#[test]
fn solves_that_end_where_they_were_asked_to_are_counted() {
    let few = sheet("ConjugateGradient").replace("solver=", "iterations=\"2\" solver=");
    let (_, unconverged) = fallen(&few);
    assert_eq!(unconverged, 10);
}

//! What drives a body is paid for in full: paths against damping, and springs that let go of a body at rest.

use pliant::report::Dissipation;
use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

fn world(forces: &str, body: &str) -> World {
    let text = format!(
        r#"<EDMConfig id="T"><MaterialContainer /><ExternalForces>{forces}</ExternalForces><RigidObjects />
<DeformableBodies><Body id="B" model="Solid" type="Mesh">{body}</Body></DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Losses by cause, work and energy out of nothing.
fn run(world: &mut World, seconds: f64) -> (Dissipation, [f64; 2]) {
    let mut workspace = Workspace::new(world);
    let (mut losses, mut work, mut created) = (Dissipation::default(), 0.0, 0.0);
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        losses.add(&report.dissipation);
        work += report.work;
        created += report.energy_created;
    }
    assert_eq!(world.bodies[0].quarantine, None);
    (losses, [work, created])
}

/// A bar is twisted by 80 degrees and back: what damping takes comes from what turns its end. (All of it was missing
/// from the work of paths.)
#[test]
fn paths_pay_for_damping() {
    for integrator in ["TwoStage", "Implicit"] {
        for strain in ["Corotated", "NeoHookean"] {
            let body = format!(
                r#"<Properties timestep="0.01" integrator="{integrator}" />
<Mesh cells="[6, 2, 2]"><Box size="[0.6, 0.2, 0.2]" /></Mesh>
<Elastic strain="{strain}" young="1e5" poisson="0.3" density="1000" alpha="0.5" beta="0.02" />
<Fixed box="[[-1, -1, -1], [-0.29, 1, 1]]" />
<Core box="[[0.29, -1, -1], [1, 1, 1]]" motion="Path">
<Pose time="0" /><Pose time="0.5" rotation="[80, 0, 0]" /><Pose time="1" /></Core>"#
            );
            let (losses, [work, created]) = run(&mut world("", &body), 1.5);
            let what = format!("{integrator}, {strain}: {losses:?}, {work} J, {created} J");
            assert!(losses.damping > 0.5, "{what}");
            // The mean of the forces at both ends of a step is not that within it.
            assert!(losses.rest > -0.02 * losses.damping, "{what}");
            assert!(created < 0.02 * losses.damping, "{what}");
        }
    }
}

/// A spring pulls at a static body and lets go: its energy is lost, none is created. (It was taken as if the spring
/// had let go of the body where that comes to rest.)
#[test]
fn springs_let_go_of_what_is_static() {
    for formulation in ["", r#" formulation="Condensed""#] {
        let spring = r#"<Force id="S" type="Spring"><Properties k="4000" r0="[0.3, 0, 0.2]" until="0.5" /></Force>"#;
        let body = format!(
            r#"<Properties timestep="0.1" integrator="Static"{formulation} />
<Mesh cells="[6, 2, 2]"><Box size="[0.6, 0.2, 0.2]" /></Mesh>
<Elastic strain="Linear" young="1e5" poisson="0.3" density="1000" />
<Fixed box="[[-1, -1, -1], [-0.29, 1, 1]]" /><Bind type="Force" ref="S" near="[0.3, 0, 0]" />"#
        );
        let (losses, [work, created]) = run(&mut world(spring, &body), 1.0);
        let taken: f64 = losses.causes().iter().sum();
        let what = format!("{formulation}: {taken} J taken, {work} J, {created} J created");
        assert!(taken > 0.01, "{what}");
        assert!(created <= 1e-9 * taken, "{what}");
    }
}

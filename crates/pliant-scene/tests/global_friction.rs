//! Bodies that polynomial maps deform lose by friction what Coulomb's law says, whatever the step.

use glam::DVec3;
use pliant::Workspace;
use pliant_scene::{build, parse};
use std::path::Path;

/// Without gravity all impulses are those of contact: what is lost along the floor is μ times what is gained across it.
#[test]
fn a_block_that_hits_at_a_slant_is_slowed_by_its_friction() {
    for step in [0.02, 0.01, 0.005, 0.002, 0.001] {
        let text = format!(
            r#"<EDMConfig id="slant"><Simulation duration="0.2" /><MaterialContainer /><ExternalForces />
<RigidObjects><Object id="Floor" type="Plane" friction="0.3"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object></RigidObjects>
<DeformableBodies><Body id="Block" model="Solid" type="Mesh"><Properties timestep="{step}" velocity="[3, 0, -3]" formulation="Global" />
<Mesh cells="[3, 3, 2]" position="[0, 0, 0.15]"><Box size="[0.4, 0.4, 0.2]" /></Mesh>
<Elastic young="1e6" density="1000" poisson="0.3" beta="0.01" /><Bind type="Collision" ref="Floor" /></Body></DeformableBodies></EDMConfig>"#
        );
        let scene = parse(&text, "slant.xml").unwrap_or_else(|errors| panic!("{errors}"));
        let mut world =
            build(&scene, "slant.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
        let mut workspace = Workspace::new(&world);
        while world.time < 0.2 - 1e-9 {
            world.step(&mut workspace);
        }
        let body = &world.bodies[0];
        let mass: f64 = body.description().masses.iter().sum();
        let change = body.momentum() / mass - DVec3::new(3.0, 0.0, -3.0);
        let found = -change.x / change.z;
        assert!(
            change.z > 2.9 && (found - 0.3).abs() < 0.01,
            "step {step}: {found} for 0.3, change of velocity {change}"
        );
    }
}

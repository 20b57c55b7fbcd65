//! A Voigt dashpot takes its whole time by every integrator of Newton's method: the end of a cord that begins to hang creeps by
//! 1 - exp(-t/τ).

use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

const TIME: f64 = 0.3;

fn world(integrator: &str) -> Result<World, String> {
    let text = format!(
        "<EDMConfig id=\"S\"><Simulation duration=\"3\" fps=\"10\" /><MaterialContainer /><ExternalForces><Force \
         id=\"G\" type=\"Gravity\"><Properties g=\"[0, 0, -5]\" /></Force></ExternalForces><RigidObjects>\
         </RigidObjects><DeformableBodies><Body id=\"C\" model=\"Curve\" type=\"LinearBezierCurve\"><Properties \
         timestep=\"0.005\" integrator=\"{integrator}\" /><NaturalShape><Node index=\"0\" pos=\"[0, 0, 0]\" />\
         <Node index=\"1\" pos=\"[0, 0, -0.5]\" /></NaturalShape><Elastic stretching=\"200\" rigidity=\"2\" \
         density=\"1000\" thickness=\"0.01\" /><Particles grid=\"[16]\"><Region from=\"[0]\" to=\"[0]\" \
         fixed=\"Yes\" /></Particles><Process type=\"Voigt\" time=\"{TIME}\" /><Bind type=\"Force\" ref=\"G\" />\
         </Body></DeformableBodies></EDMConfig>"
    );
    let scene = parse(&text, "voigt.xml").map_err(|error| error.to_string())?;
    build_with(&scene, "voigt.xml", &MemoryAssets::default()).map_err(|error| error.to_string())
}

#[test]
fn creep_takes_the_time_of_the_dashpot() {
    for integrator in ["Implicit", "Midpoint", "Newmark", "TwoStage"] {
        let mut world = world(integrator).unwrap();
        let mut workspace = Workspace::new(&world);
        let mut creep = [0.0; 2];
        for step in 1..=600 {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0);
            let end = world.bodies[0].state.positions.last().unwrap().z;
            match step {
                60 => creep[0] = -0.5 - end,
                600 => creep[1] = -0.5 - end,
                _ => {}
            }
        }
        let (share, expected) = (creep[0] / creep[1], 1.0 - (-1.0_f64).exp());
        assert!(
            (share - expected).abs() < 0.012,
            "{integrator}: {share} {expected}"
        );
    }
}

#[test]
fn explicit_steps_are_refused() {
    let error = world("Explicit").err().unwrap();
    assert!(error.contains("Voigt"), "{error}");
}

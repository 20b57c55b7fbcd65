//! Friction with a penalty is no more than μ N, however strong the penalty is: a block slides down a slope.

use pliant::Workspace;
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

#[test]
fn a_block_slides_on_a_penalty_by_one_linear_solve_per_step() {
    for strength in ["1e5", "1e7"] {
        let text = format!(
            "<EDMConfig id=\"S\"><Simulation duration=\"1\" fps=\"20\" /><MaterialContainer /><ExternalForces>\
             <Force id=\"G\" type=\"Gravity\"><Properties g=\"[4.3871653718545875, 0, -8.774330743709175]\" />\
             </Force></ExternalForces><RigidObjects><Object id=\"F\" type=\"Plane\"><Properties n=\"[0, 0, 1]\" \
             x0=\"[0, 0, 0]\" /></Object></RigidObjects><DeformableBodies><Body id=\"B\" model=\"Solid\" \
             type=\"Mesh\"><Properties timestep=\"0.01\" integrator=\"SemiImplicit\" contact=\"Quadratic\" \
             strength=\"{strength}\" friction=\"0.3\" /><Mesh cells=\"[4, 3, 2]\" position=\"[0, 0, 0.1]\">\
             <Box size=\"[0.4, 0.3, 0.2]\" /></Mesh><Elastic young=\"1e6\" density=\"500\" />\
             <Bind type=\"Force\" ref=\"G\" /><Bind type=\"Collision\" ref=\"F\" /></Body>\
             </DeformableBodies></EDMConfig>"
        );
        let scene = parse(&text, "slope.xml").unwrap();
        let mut world = build_with(&scene, "slope.xml", &MemoryAssets::default()).unwrap();
        let mut workspace = Workspace::new(&world);
        for _ in 0..100 {
            assert_eq!(world.step(&mut workspace).quarantined, 0);
        }
        let body = &world.bodies[0];
        let mass: f64 = body.description().masses.iter().sum();
        // g (sin - μ cos) t
        let (speed, expected) = (body.momentum().x / mass, 4.387165 - 0.3 * 8.774331);
        println!("{strength} {speed} {expected}");
        assert!(
            (speed / expected - 1.0).abs() < 0.1,
            "{strength}: {speed} {expected}"
        );
    }
}

//! A balance of forces is found with what the engine chooses by itself: plates, a cube that nothing but a plane
//! holds, what touches itself, a fine curved wire.

use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

/// A world of one body, after so many steps; no linear solve may have ended early.
fn settled(scene: &str, forces: &str, body: &str, steps: usize) -> (World, usize) {
    let text = format!(
        "<EDMConfig id=\"S\"><Simulation duration=\"1\" fps=\"10\" />{scene}<MaterialContainer /><ExternalForces>\
         <Force id=\"G\" type=\"Gravity\"><Properties g=\"{forces}\" /></Force></ExternalForces><RigidObjects>\
         <Object id=\"F\" type=\"Plane\"><Properties n=\"[0, 0, 1]\" x0=\"[0, 0, 0]\" /></Object></RigidObjects>\
         <DeformableBodies>{body}</DeformableBodies></EDMConfig>"
    );
    let scene = parse(&text, "statics.xml").unwrap();
    let mut world = build_with(&scene, "statics.xml", &MemoryAssets::default()).unwrap();
    let mut workspace = Workspace::new(&world);
    let mut iterations = 0;
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        assert_eq!(report.unconverged_solves, 0);
        iterations += report.newton_iterations;
    }
    (world, iterations)
}

/// How far the lowest node is from where it is at rest, in metres.
fn deflection(world: &World) -> f64 {
    let body = &world.bodies[0];
    let nodes = body.state.positions.iter();
    let shifts = nodes.zip(&body.description().rest_positions);
    shifts
        .map(|(x, rest)| (*x - *rest).length())
        .fold(0.0, f64::max)
}

/// A strip clamped at one end bends by q L⁴ / 8 D. Where it is clamped L is unsure by the cell in which it
/// begins to bend.
#[test]
fn a_clamped_plate_bends_as_it_should() {
    let elastic = "<Elastic young=\"1e9\" thickness=\"0.002\" density=\"700\" poisson=\"0.3\" rigidity=\"0.5\" />";
    let mesh = format!(
        "<Body id=\"C\" model=\"Surface\" type=\"Mesh\"><Properties timestep=\"0.01\" integrator=\"Static\" />\
         <Mesh cells=\"[36, 9]\"><Rectangle c=\"[0.45, 0.125, 0]\" width=\"0.9\" height=\"0.25\" /></Mesh>{elastic}\
         <Fixed box=\"[[-1, -1, -1], [0.025025, 2, 1]]\" /><Bind type=\"Force\" ref=\"G\" /></Body>"
    );
    let (world, iterations) = settled("", "[0, 0, -0.05]", &mesh, 1);
    let (load, length, rigidity): (f64, f64, f64) = (700.0 * 0.002 * 0.05, 0.875, 0.5);
    let expected = load * length.powi(4) / (8.0 * rigidity);
    let found = deflection(&world);
    assert!(
        (0.95..1.2).contains(&(found / expected)),
        "{found} {expected}"
    );
    assert!((1..40).contains(&iterations), "{iterations}");
}

#[test]
fn a_cube_that_lies_on_a_plane_is_in_balance() {
    let body = "<Body id=\"B\" model=\"Solid\" type=\"Mesh\"><Properties timestep=\"0.01\" integrator=\"Static\" \
                contact=\"Projection\" /><Mesh cells=\"[4, 4, 4]\" position=\"[0, 0, 0.156]\"><Box size=\"[0.3, 0.3, \
                0.3]\" /></Mesh><Elastic strain=\"Corotated\" young=\"1e5\" poisson=\"0.35\" density=\"900\" />\
                <Bind type=\"Force\" ref=\"G\" /><Bind type=\"Collision\" ref=\"F\" /></Body>";
    let (world, iterations) = settled("", "[0, 0, -9.81]", body, 2);
    let lowest = world.bodies[0].state.positions.iter().map(|x| x.z);
    assert!(lowest.fold(f64::INFINITY, f64::min).abs() < 1e-4);
    assert!((1..40).contains(&iterations), "{iterations}");
}

/// With contact between bodies all of them are one system, which nothing but contact holds.
#[test]
fn a_ring_that_may_touch_itself_settles_on_a_plane() {
    let body = "<Body id=\"B\" model=\"Curve\" type=\"FormulaCurve\"><Properties timestep=\"0.01\" \
                integrator=\"Static\" mcont=\"Yes\" x=\"0.25*cos(2*pi*u)\" y=\"0.05\" \
                z=\"0.256+0.25*sin(2*pi*u)\" /><NaturalShape /><Elastic young=\"1e6\" density=\"1100\" \
                thickness=\"0.02\" /><Particles grid=\"[40]\" /><Bind type=\"Force\" ref=\"G\" />\
                <Bind type=\"Collision\" ref=\"F\" /></Body>";
    let (world, _) = settled("<Contact thickness=\"0.004\" />", "[0, 0, -9.81]", body, 3);
    let places = || world.bodies[0].state.positions.iter().map(|x| x.z);
    let (low, high) = (
        places().fold(f64::INFINITY, f64::min),
        places().fold(0.0, f64::max),
    );
    assert!((-1e-3..5e-3).contains(&low), "{low}");
    // It sags upright or lies on its side: both are in balance.
    assert!((0.0..0.45).contains(&high), "{high}");
}

/// Forces of a fine wire are small differences of large ones: what rounding leaves of them is far less than
/// what its weight is.
#[test]
fn a_fine_arc_of_wire_sags() {
    let sag = |nodes: usize| {
        let body = format!(
            "<Body id=\"W\" model=\"Curve\" type=\"FormulaCurve\"><Properties timestep=\"0.01\" \
             integrator=\"Static\" x=\"0.8*cos(1.2*u)\" y=\"0.8*sin(1.2*u)\" z=\"0\" /><NaturalShape /><Elastic \
             young=\"2e11\" poisson=\"0.3\" density=\"7800\" thickness=\"0.01\" /><Particles grid=\"[{nodes}]\">\
             <Region from=\"[0]\" to=\"[2]\" fixed=\"Yes\" /></Particles><Bind type=\"Force\" ref=\"G\" /></Body>"
        );
        deflection(&settled("", "[0, 0, -9.81]", &body, 1).0)
    };
    let [coarse, fine, finest] = [51, 151, 201].map(sag);
    assert!((fine / coarse - 1.0).abs() < 0.1, "{coarse} {fine}");
    assert!((finest / fine - 1.0).abs() < 0.03, "{fine} {finest}");
}

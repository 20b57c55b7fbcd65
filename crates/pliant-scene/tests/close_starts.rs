//! Bodies that begin within the thickness of contact of each other stay where they are, and meet at the whole
//! thickness once they have been that far apart.

use glam::DVec3;
use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

const THICKNESS: f64 = 0.004;

fn world(objects: &str, bodies: &str, weight: f64) -> World {
    let text = format!(
        "<EDMConfig id=\"Close\"><Contact thickness=\"{THICKNESS}\" friction=\"0.5\" /><MaterialContainer />
         <ExternalForces><Force id=\"Weight\" type=\"Gravity\">
           <Properties g=\"[0, 0, -{weight}]\" /></Force></ExternalForces>
         <RigidObjects><Object id=\"Table\" type=\"Box\">
           <Properties c=\"[0, 0, -0.5]\" size=\"[4, 4, 1]\" /></Object>{objects}</RigidObjects>
         <DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"
    );
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Three boxes on each other, each a little beside the one below.
fn rigid_stack(gap: f64) -> World {
    let boxes = (0..3).map(|number| {
        let (x, z) = (0.01 * f64::from(number), gap + 0.1 + f64::from(number) * (0.2 + gap));
        format!(
            "<Object id=\"Box{number}\" type=\"Box\" motion=\"Free\" density=\"700\" timestep=\"0.01\">
               <Properties c=\"[{x}, 0, {z}]\" size=\"[0.2, 0.2, 0.2]\" />
               <Bind type=\"Force\" ref=\"Weight\" /></Object>"
        )
    });
    world(&boxes.collect::<String>(), "", 9.81)
}

/// The same of stiff rubber.
fn soft_stack(gap: f64) -> World {
    let cubes = (0..2).map(|number| {
        let (x, z) = (0.01 * f64::from(number), gap + 0.1 + f64::from(number) * (0.2 + gap));
        format!(
            "<Body id=\"Cube{number}\" model=\"Solid\" type=\"Mesh\"><Properties timestep=\"0.01\" />
               <Mesh cells=\"[2, 2, 2]\" position=\"[{x}, 0, {z}]\">
                 <Bar from=\"[0, 0, 0]\" to=\"[0.2, 0, 0]\" width=\"0.2\" height=\"0.2\" /></Mesh>
               <Elastic strain=\"NeoHookean\" young=\"1e7\" poisson=\"0.3\" density=\"700\" />
               <Bind type=\"Collision\" ref=\"Table\" /><Bind type=\"Force\" ref=\"Weight\" /></Body>"
        )
    });
    world("", &cubes.collect::<String>(), 9.81)
}

fn highest(world: &World) -> Vec<f64> {
    let of_body = |body: &pliant::Body| {
        let heights = body.state.positions.iter().map(|place| place.z);
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    world.bodies.iter().map(of_body).collect()
}

/// Energy at the beginning is that of places and speeds; none is stored in contact, none comes from it.
fn stands(mut world: World, sinks: f64) {
    let before = highest(&world);
    let mut workspace = Workspace::new(&world);
    let (mut most, mut first) = (f64::NEG_INFINITY, None);
    for _ in 0..60 {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.shortened_steps), (0, 0));
        let total = report.energies.total();
        let first = *first.get_or_insert(total);
        most = f64::max(most, total - first);
        for (now, before) in highest(&world).iter().zip(&before) {
            let risen = now - before;
            assert!(risen < 1e-6, "a body hops by {risen} m");
            assert!(risen > -sinks, "a body sinks by {risen} m");
        }
    }
    assert!(most < 1e-6, "{most} J out of nothing");
    let speeds = world.bodies.iter().flat_map(|body| &body.state.velocities);
    let fastest = speeds.map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 0.01, "still moves with {fastest} m/s");
}

#[test]
fn rigid_boxes_that_begin_close_stand() {
    for gap in [1e-5, 3e-4, 1e-3, 3e-3] {
        stands(rigid_stack(gap), 3.0 * gap);
    }
}

#[test]
fn soft_cubes_that_begin_close_stand() {
    for gap in [1e-5, 3e-4, 1e-3] {
        stands(soft_stack(gap), 2.0 * gap + 1e-3);
    }
}

#[test]
fn cloth_just_above_a_table_does_not_jump() {
    let cloth = "<Body id=\"Cloth\" model=\"Surface\" type=\"GenericBezierPatch\">
                   <Properties timestep=\"0.01\" order=\"1\" />
                   <NaturalShape><Node index=\"0\" pos=\"[-0.2, -0.2, 0.0003]\" />
                     <Node index=\"1\" pos=\"[0.2, -0.2, 0.0003]\" /><Node index=\"2\" pos=\"[-0.2, 0.2, 0.0003]\" />
                     <Node index=\"3\" pos=\"[0.2, 0.2, 0.0003]\" /></NaturalShape>
                   <Elastic young=\"2e5\" density=\"300\" thickness=\"0.001\" rigidity=\"2e-4\" />
                   <Particles grid=\"[9, 9]\" />
                   <Bind type=\"Collision\" ref=\"Table\" /><Bind type=\"Force\" ref=\"Weight\" /></Body>";
    stands(world("", cloth, 9.81), 3e-4);
}

/// A box that begins close and leaves: its range grows as it does, and it meets the table again at the thickness.
#[test]
fn ranges_grow_as_bodies_part_and_are_state() {
    let lifted = "<Object id=\"Box\" type=\"Box\" motion=\"Free\" density=\"700\" timestep=\"0.01\" velocity=\"[0, 0, 0.1]\">
                    <Properties c=\"[0, 0, 0.1005]\" size=\"[0.2, 0.2, 0.2]\" />
                    <Bind type=\"Force\" ref=\"Weight\" /></Object>";
    let mut there = world(lifted, "", 0.5);
    let mut workspace = Workspace::new(&there);
    let range = |world: &World| {
        let lowered = world.contact.as_ref().unwrap().lowered.as_ref();
        lowered.and_then(|all| all.first()).map(|known| known.1)
    };
    there.step(&mut workspace);
    let mut last = range(&there).expect("it has begun close");
    assert!((4e-4..2e-3).contains(&last), "{last}");
    let hash = there.state_hash();
    let settings = there.contact.as_mut().unwrap();
    let kept = settings.lowered.replace(Vec::new());
    assert!(there.state_hash() != hash, "ranges are state");
    there.contact.as_mut().unwrap().lowered = kept;

    let snapshot = there.snapshot();
    let mut again = world(lifted, "", 0.5);
    again.restore(&snapshot).unwrap();
    let mut fresh = Workspace::new(&again);
    while let Some(now) = range(&there) {
        assert!(now >= last && now < THICKNESS, "{last} {now}");
        last = now;
        there.step(&mut workspace);
        again.step(&mut fresh);
        assert_eq!(there.snapshot(), again.snapshot());
        assert!(there.time < 0.2, "it is away by then");
    }
    for _ in 0..100 {
        there.step(&mut workspace);
    }
    let low = there.bodies[0].state.positions.iter().map(|x| x.z);
    let low = low.fold(f64::INFINITY, f64::min);
    assert!(
        (0.5 * THICKNESS..1.01 * THICKNESS).contains(&low),
        "rests at {low}"
    );
    let still = there.bodies[0]
        .state
        .velocities
        .iter()
        .all(|v| v.distance(DVec3::ZERO) < 1e-2);
    assert!(still);
}

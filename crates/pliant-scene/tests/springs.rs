//! Scenes of springs: the fish swims, the face smiles, mistakes are told.

use glam::DVec3;
use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, find, parse};

fn world_of(text: &str) -> Result<World, String> {
    let scene = parse(text, "springs.xml").map_err(|error| error.to_string())?;
    let assets = MemoryAssets::default();
    build_with(&scene, "springs.xml", &assets).map_err(|error| error.to_string())
}

fn centre(world: &World) -> DVec3 {
    let body = &world.bodies[0];
    let masses = &body.description().masses;
    let sum: DVec3 = body
        .state
        .positions
        .iter()
        .zip(masses)
        .map(|(x, m)| *m * *x)
        .sum();
    sum / masses.iter().sum::<f64>()
}

/// How fast the fish of the gallery swims when its tail beats with a frequency, in metres per second: on the
/// way it makes from the third to the seventh second.
fn speed(frequency: f64) -> f64 {
    let text = find("fish").unwrap().text;
    assert!(text.contains("sin(9*w"));
    let text = text.replace("sin(9*w", &format!("sin({frequency}*w"));
    let mut world = world_of(&text).unwrap();
    assert!((85..=95).contains(&world.bodies[0].node_count()));
    let mut workspace = Workspace::new(&world);
    let mut start = DVec3::ZERO;
    for step in 0..350 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        if step == 149 {
            start = centre(&world);
        }
    }
    (centre(&world) - start).length() / 4.0
}

#[test]
fn a_fish_swims_the_faster_the_faster_it_beats() {
    let speeds = [0.0, 4.5, 9.0, 13.5].map(speed);
    println!("{speeds:?}");
    assert!(speeds[0] < 0.02, "{speeds:?}");
    assert!(
        speeds.is_sorted_by(|slow, fast| fast > &(1.15 * slow)),
        "{speeds:?}"
    );
    assert!(speeds[2] > 0.03, "{speeds:?}");
}

fn bar(elastic: &str) -> String {
    format!(
        r#"<EDMConfig id="Bar">
  <MaterialContainer /><ExternalForces></ExternalForces><RigidObjects />
  <DeformableBodies>
    <Body id="Bar" model="Solid" type="Mesh">
      <Properties timestep="0.01" />
      <Mesh cells="[4, 1, 1]"><Box size="[4, 1, 1]" /></Mesh>
      {elastic}
    </Body>
  </DeformableBodies>
</EDMConfig>"#
    )
}

#[test]
fn mistakes_of_muscles_are_told() {
    let fails = |elastic: &str, part: &str| {
        let error = world_of(&bar(elastic)).unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    let whole = r#"box="[[-9, -9, -9], [9, 9, 9]]""#;
    fails(
        &format!(r#"<Elastic><Muscle {whole} contraction="0.1" /></Elastic>"#),
        "only the strain \"Springs\" has muscles",
    );
    fails(
        r#"<Elastic strain="Springs"><Muscle box="[[5, 5, 5], [6, 6, 6]]" contraction="0.1" /></Elastic>"#,
        "no spring of the mesh lies in it",
    );
    fails(
        &format!(r#"<Elastic strain="Springs"><Muscle {whole} contraction="1/w" /></Elastic>"#),
        "its contraction begins with inf",
    );
    fails(
        &format!(
            r#"<Elastic strain="Springs"><Muscle {whole} contraction="0.1" angle="5" /></Elastic>"#
        ),
        "used only with `direction`",
    );
    fails(
        &format!(
            r#"<Elastic strain="Springs" rotation="Svd"><Muscle {whole} contraction="0.1" /></Elastic>"#
        ),
        "muscles",
    );
    let fine = format!(
        r#"<Elastic strain="Springs"><Muscle {whole} direction="[1, 0, 0]" contraction="0.2*step(w-0.05)" /></Elastic>"#
    );
    let mut world = world_of(&bar(&fine)).unwrap();
    let length = |world: &World| {
        let x = world.bodies[0].state.positions.iter().map(|x| x.x);
        x.clone().fold(f64::MIN, f64::max) - x.fold(f64::MAX, f64::min)
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..200 {
        world.step(&mut workspace);
    }
    assert!((2.9..3.9).contains(&length(&world)), "{}", length(&world));
}

//! Forces of images that come from files.

use glam::DVec3;
use pliant::Workspace;
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

fn scene(properties: &str) -> String {
    format!(
        r#"<EDMConfig id="Images">
  <MaterialContainer />
  <ExternalForces>
    <Force id="Scan" type="Image"><Properties {properties} /></Force>
  </ExternalForces>
  <RigidObjects />
  <DeformableBodies>
    <Body id="Snake" model="Curve" type="FormulaCurve">
      <Properties timestep="0.1" integrator="Implicit" formulation="Snake" mcont="Yes"
                  x="0.5+0.3*cos(2*pi*u)" y="0.5+0.3*sin(2*pi*u)" z="0" />
      <NaturalShape />
      <Particles grid="[60]"><All mass="1e-4" damping="0.01" tension="1e-4" rigidity="1e-8" twist="0" /></Particles>
      <Bind type="Force" ref="Scan" />
    </Body>
  </DeformableBodies>
</EDMConfig>"#
    )
}

/// A disc as a grey map of 64 x 64 pixels, whose first row is at the top.
fn disc(centre: [f64; 2], radius: f64) -> Vec<u8> {
    let mut bytes = b"P5 64 64 255\n".to_vec();
    for row in 0..64 {
        for column in 0..64 {
            let (x, y) = (
                (f64::from(column) + 0.5) / 64.0,
                1.0 - (f64::from(row) + 0.5) / 64.0,
            );
            let d = ((x - centre[0]).hypot(y - centre[1]) - radius) * 64.0;
            bytes.push((255.0 * (0.5 - d).clamp(0.0, 1.0)) as u8);
        }
    }
    bytes
}

fn centre_after(text: &str, assets: &MemoryAssets, steps: usize) -> DVec3 {
    let scene = parse(text, "images.xml").unwrap();
    let mut world = build_with(&scene, "images.xml", assets).unwrap();
    let mut workspace = Workspace::new(&world);
    for _ in 0..steps {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    // Particles slide along the curve: the centre is that of what it encloses.
    let outline = &world.bodies[0].state.positions;
    let (mut area, mut sum) = (0.0, DVec3::ZERO);
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        let part = a.cross(b).z;
        area += part;
        sum += part / 3.0 * (*a + b);
    }
    sum / area
}

/// Rows of files are from the top, those of the engine from the bottom: the disc is above the middle.
#[test]
fn a_picture_is_the_right_way_up() {
    let assets = MemoryAssets::default().with("disc.pgm".to_owned(), disc([0.48, 0.56], 0.25));
    let text = scene(r#"file="disc.pgm" width="1" edge="0.01" wide="5" blur="1.5" focus="4""#);
    let centre = centre_after(&text, &assets, 120);
    assert!(
        centre.distance(DVec3::new(0.48, 0.56, 0.0)) < 0.01,
        "{centre}"
    );
}

/// Pictures of a sequence are read by their numbers.
#[test]
fn a_sequence_is_followed() {
    let mut assets = MemoryAssets::default();
    for k in 0..11 {
        let bytes = disc([0.5 + 0.01 * f64::from(k), 0.5], 0.27);
        assets = assets.with(format!("walk-{k:02}.pgm"), bytes);
    }
    let text = scene(r#"file="walk-##.pgm" frames="11" rate="1" width="1" edge="0.01" blur="2""#);
    let centre = centre_after(&text, &assets, 160);
    assert!((centre.x - 0.6).abs() < 0.01, "{centre}");
}

#[test]
fn mistakes_are_told() {
    for (properties, message) in [
        (r#"width="1""#, "expected either `rule` or `file`"),
        (
            r#"file="a-#.png" width="1""#,
            "several `frames` need a `file` with #",
        ),
        (
            r#"rule="u" pixels="[2, 9]" width="1""#,
            "from 4 to 4096 pixels",
        ),
        (r#"rule="1/(u-u)" width="1""#, "finite values"),
    ] {
        let error = parse(&scene(properties), "images.xml")
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

//! Files of meshes in which something stands twice: elements are refused, open seams are warned of.

use pliant::World;
use pliant_scene::{build, open_seams, parse};
use std::fs;
use std::path::PathBuf;

/// A scene of one sheet whose mesh is `obj`: the world and what it was warned of, or why it was refused.
fn sheet(name: &str, obj: &str) -> Result<(World, Vec<String>), String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sheet.obj"), obj).unwrap();
    let text = r#"<EDMConfig id="Test"><MaterialContainer /><ExternalForces /><RigidObjects /><DeformableBodies>
  <Body id="Sheet" model="Surface" type="Mesh"><Properties timestep="0.01" />
    <Mesh file="sheet.obj" /><Elastic young="1e5" density="1000" thickness="0.001" />
  </Body></DeformableBodies></EDMConfig>"#;
    let scene = parse(text, "s.xml").map_err(|errors| errors.to_string())?;
    let world = build(&scene, "s.xml", &folder).map_err(|errors| errors.to_string())?;
    let warnings = open_seams(&scene, &world).into_iter();
    Ok((world, warnings.map(|warning| warning.message).collect()))
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";

#[test]
fn an_element_that_stands_twice_is_refused() {
    let (world, warnings) = sheet("once", SQUARE).unwrap();
    let mass: f64 = world.bodies[0].description().masses.iter().sum();
    assert!((mass - 1.0).abs() < 1e-12);
    assert_eq!(warnings, [""; 0]);
    // In the same order, in another, and turned the other way.
    for (name, face) in [("same", "1 2 3"), ("moved", "3 1 2"), ("turned", "1 3 2")] {
        let error = sheet(name, &format!("{SQUARE}f {face}\n")).unwrap_err();
        assert!(error.contains("elements 1 and 3"), "{error}");
        assert!(error.contains("twice"), "{error}");
    }
}

#[test]
fn an_open_seam_is_warned_of() {
    let apart = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n";
    let (_, warnings) = sheet("seam", apart).unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("2 nodes"), "{}", warnings[0]);
}

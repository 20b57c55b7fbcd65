//! `pliant model`: shapes as files, without a simulation.

use crate::folder::{Folder, png_size};
use pliant::mesh::ElementKind;
use pliant_io::mesh::read_mesh;
use std::fs;

/// A box of 1 x 1 x 3 m that tapers to half of its width, and starts twice as long.
const OBELISK: &str = r#"<EDMConfig id="Obelisk">
  <MaterialContainer />
  <ExternalForces />
  <RigidObjects />
  <DeformableBodies>
    <Body id="Obelisk" model="Solid" type="LinearBezierSolid">
      <Properties timestep="0.01" />
      <NaturalShape>
        <Node index="0" pos="[-0.5, -0.5, 0]" />
        <Node index="1" pos="[0.5, -0.5, 0]" />
        <Node index="2" pos="[-0.5, 0.5, 0]" />
        <Node index="3" pos="[0.5, 0.5, 0]" />
        <Node index="4" pos="[-0.5, -0.5, 3]" />
        <Node index="5" pos="[0.5, -0.5, 3]" />
        <Node index="6" pos="[-0.5, 0.5, 3]" />
        <Node index="7" pos="[0.5, 0.5, 3]" />
        <Taper from="0" to="3" factor="0.5" />
      </NaturalShape>
      <InitialShape><Stretch scale="[1, 1, 2]" /></InitialShape>
      <Particles grid="[3, 3, 41]" />
    </Body>
  </DeformableBodies>
</EDMConfig>
"#;

fn volume(folder: &Folder, file: &str) -> f64 {
    let mesh = read_mesh(&folder.path(file)).unwrap();
    pliant::mesh::tetrahedron_volumes(&mesh).iter().sum()
}

#[test]
fn what_was_modelled_is_written_under_the_names_that_were_asked_for() {
    let folder = Folder::new("model");
    fs::write(folder.path("obelisk.xml"), OBELISK).unwrap();
    let outputs = [
        "--out", "a.msh", "--out", "a.obj", "--out", "a.usda", "--out", "a.png",
    ];
    let model = ["model", "obelisk.xml", "--size", "64x48", "--samples", "1"];
    folder.pliant(&[&model[..], &outputs].concat()).exits(0);
    // A frustum: h (1 + f + f²)/3.
    let frustum = 3.0 * (1.0 + 0.5 + 0.25) / 3.0;
    let found = volume(&folder, "a.msh");
    assert!((found / frustum - 1.0).abs() < 1e-3, "{found} {frustum}");
    assert!(
        fs::read_to_string(folder.path("a.obj"))
            .unwrap()
            .contains("\nv ")
    );
    assert!(
        fs::read_to_string(folder.path("a.usda"))
            .unwrap()
            .contains("Obelisk")
    );
    assert_eq!(png_size(&fs::read(folder.path("a.png")).unwrap()), (64, 48));
    let model = ["model", "obelisk.xml", "--initial", "--out", "b.msh"];
    folder.pliant(&model).exits(0);
    let found = volume(&folder, "b.msh");
    assert!((found / (2.0 * frustum) - 1.0).abs() < 1e-3, "{found}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = Folder::new("model-refused");
    fs::write(folder.path("obelisk.xml"), OBELISK).unwrap();
    for out in ["a.mp4", "a.pliant", "a.doc"] {
        folder
            .pliant(&["model", "obelisk.xml", "--out", out])
            .exits(2);
    }
    folder.pliant(&["model", "obelisk.xml"]).exits(2);
}

#[test]
fn bodies_on_no_grid_are_written_by_their_surface() {
    let folder = Folder::new("model-rigid");
    let ball = r#"<Object id="Ball" type="Sphere" motion="Free" mass="20" timestep="0.02">
      <Properties c="[5, 0, 0]" r="0.5" />
    </Object>"#;
    let rigid = format!("<RigidObjects>{ball}</RigidObjects>");
    let scene = OBELISK.replace("<RigidObjects />", &rigid);
    fs::write(folder.path("both.xml"), scene).unwrap();
    folder
        .pliant(&["model", "both.xml", "--out", "both.msh"])
        .exits(0);
    let mesh = read_mesh(&folder.path("both.msh")).unwrap();
    let counts = |kind| {
        let blocks = mesh.blocks.iter().filter(move |block| block.kind == kind);
        blocks.map(|block| block.nodes.len()).sum::<usize>()
    };
    assert!(counts(ElementKind::Triangle3) > 0 && counts(ElementKind::Tetrahedron4) > 0);
}

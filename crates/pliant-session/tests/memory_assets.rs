//! A scene whose mesh and texture are in memory is built, stepped and drawn without a file system.

use pliant::{FrameMaker, Workspace};
use pliant_io::{Assets, MemoryAssets};
use pliant_session::{PictureSettings, Source, Stage, Studio};
use std::sync::Arc;

const SCENE: &str = r#"<EDMConfig id="Memory">
  <MaterialContainer>
    <Material id="Skin" type="Texture"><Properties file="pictures/skin.bmp" /></Material>
  </MaterialContainer>
  <ExternalForces />
  <RigidObjects>
    <Object id="Ball" type="Sphere"><Properties c="[0, 0, -2]" r="0.5" />
      <Bind type="Material" ref="Skin" /></Object>
  </RigidObjects>
  <DeformableBodies>
    <Body id="Patch" model="Surface" type="Mesh">
      <Properties timestep="0.01" />
      <Mesh file="meshes/patch.obj" />
      <Elastic young="1e4" density="1000" thickness="0.01" />
    </Body>
  </DeformableBodies>
</EDMConfig>"#;

const PATCH: &[u8] = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// A picture of 2 x 2 pixels, all of one colour, as an uncompressed BMP.
fn picture([red, green, blue]: [u8; 3]) -> Vec<u8> {
    let mut bytes = b"BM".to_vec();
    for word in [70_u32, 0, 54, 40, 2, 2, 1 | 24 << 16, 0, 16, 0, 0, 0, 0] {
        bytes.extend(word.to_le_bytes());
    }
    for _ in 0..2 {
        for _ in 0..2 {
            bytes.extend([blue, green, red]);
        }
        // Rows fill whole words.
        bytes.extend([0, 0]);
    }
    bytes
}

fn load(assets: impl Assets + Send + Sync + 'static) -> Result<Source, String> {
    let (name, file, text) = (
        "memory".to_owned(),
        "memory.xml".to_owned(),
        SCENE.to_owned(),
    );
    Source::from_assets(name, file, text, Arc::new(assets), &[], None)
        .map_err(|error| error.to_string())
}

/// Mean colour of a picture of the first frame.
fn drawn(source: &Source) -> [f64; 3] {
    let world = &source.world;
    let first = FrameMaker::new(world).frame(world, &mut Workspace::new(world));
    let settings = PictureSettings {
        size: Some((96, 54)),
        samples: 1,
        ..PictureSettings::default()
    };
    let stage = Stage::new(source, &first, &settings, None).unwrap();
    let mut studio = Studio::new(vec![stage], &source.scene, &settings);
    let picture = studio.draw(&[first]).unwrap();
    let mut sums = [0.0; 3];
    for pixel in picture.bytes().chunks_exact(4) {
        for (sum, &value) in sums.iter_mut().zip(pixel) {
            *sum += f64::from(value);
        }
    }
    sums.map(|sum| sum / (96.0 * 54.0))
}

#[test]
fn a_mesh_and_a_texture_come_from_memory() {
    let with_texture = |color| {
        MemoryAssets::default()
            .with("meshes/patch.obj", PATCH.to_vec())
            .with("pictures/skin.bmp", picture(color))
    };
    let mut source = load(with_texture([255, 0, 0])).unwrap();
    assert_eq!(source.world.node_count(), 4);
    let mut workspace = Workspace::new(&source.world);
    let report = source.world.step(&mut workspace);
    assert_eq!(report.quarantined, 0);
    let (red, blue) = (
        drawn(&source),
        drawn(&load(with_texture([0, 0, 255])).unwrap()),
    );
    assert!(red[0] > blue[0] + 1.0, "{red:?} {blue:?}");
    assert!(blue[2] > red[2] + 1.0, "{red:?} {blue:?}");
}

#[test]
fn what_is_not_in_memory_is_said_with_its_place() {
    let message = load(MemoryAssets::default()).unwrap_err();
    assert!(
        message.contains("memory.xml:3:") && message.contains("`pictures/skin.bmp` is not there"),
        "{message}"
    );
    assert!(
        message.contains("the mesh `meshes/patch.obj` is not there"),
        "{message}"
    );
}

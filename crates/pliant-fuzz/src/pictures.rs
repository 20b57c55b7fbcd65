//! Damaged pictures: textures, and grey pictures that vary a material.

use crate::damage::damaged;
use crate::{Sample, Target};
use pliant_io::MemoryAssets;
use pliant_render::TextureStore;
use pliant_scene::{build_with, parse};

/// The target.
pub const TARGET: Target = Target {
    name: "pictures",
    samples,
    make: damaged,
    read,
};

/// A BMP, a TGA and PGM pictures, made here; PNG pictures are made of nothing but stored blocks.
fn samples() -> Vec<Sample> {
    let mut bmp = b"BM".to_vec();
    for word in [70_u32, 0, 54, 40, 2, 2, 1 | 24 << 16, 0, 16, 0, 0, 0, 0] {
        bmp.extend(word.to_le_bytes());
    }
    bmp.extend([7; 16]);
    let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0];
    tga.extend([9; 12]);
    let png = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\
\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\
\xaeB`\x82";
    let sample = |name: &str, bytes: &[u8]| Sample {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    };
    vec![
        sample("a.bmp", &bmp),
        sample("a.tga", &tga),
        sample("a.png", png),
        sample("plain.pgm", b"P2 # plain\n2 2\n255\n0 255\n255 0\n"),
        sample("raw.pgm", b"P5 2 2 255\n\x00\xff\xff\x00"),
    ]
}

fn read(input: &Sample) -> usize {
    let read = |_: &str| Ok(input.bytes.clone());
    let _ = TextureStore::load_with(&read, [input.name.as_str()]);
    let name = &input.name;
    let text = format!(
        r#"<EDMConfig id="P"><MaterialContainer /><ExternalForces /><RigidObjects />
<DeformableBodies><Body id="A" model="Surface" type="FormulaPatch">
<Properties timestep="0.01" x="u" y="v" z="0" /><NaturalShape /><Particles grid="[3, 3]">
<Field target="mass" image="{name}" low="1" /></Particles></Body></DeformableBodies></EDMConfig>"#
    );
    if let Ok(scene) = parse(&text, "picture.xml") {
        let assets = MemoryAssets::default().with(name.clone(), input.bytes.clone());
        let _ = build_with(&scene, "picture.xml", &assets);
    }
    0
}

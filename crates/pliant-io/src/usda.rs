//! Universal Scene Description as text (`.usda`), for Houdini, Blender, Maya, usdview, Omniverse:
//! the whole run in one file.
//!
//! Bodies and obstacles stand below `/World` under their names: surfaces, boundaries of solids and
//! obstacles as Mesh, curves as BasisCurves, particles as Points. A body that is several of these is
//! a transform with the children `surface`, `curves` and `particles`.
//! Points are time samples; connections are too if a body tears. Lengths are metres, z is up, one
//! time code is one frame, and velocities are metres per second.
//!
//! USD stores by attribute what a run delivers by frame, so the run waits in a scratch file (see
//! `spool.rs`), and the `.usda` appears when the run ends.

use crate::format::folder_of;
use crate::look::{finish, image_reference, linear_color};
use crate::names::{UniqueNames, identifier};
use crate::timeline::{Actor, Timeline};
use crate::usda_prims::write_actor;
use crate::usda_text::{UsdText, number};
use crate::{AtomicFile, Format, FrameSink, IoError};
use pliant::frame::Frame;
use std::path::PathBuf;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Universal Scene Description",
    extensions: &["usda"],
    in_folder: false,
    open: |name| Ok(Box::new(UsdStage::new(name.index_path("usda"))?)),
};

/// Writes one `.usda`.
pub struct UsdStage {
    timeline: Timeline,
}

impl UsdStage {
    /// A stage that will stand at the path. The folder must exist.
    pub fn new(path: PathBuf) -> Result<Self, IoError> {
        Ok(Self {
            timeline: Timeline::new(path, true)?,
        })
    }
}

impl FrameSink for UsdStage {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        self.timeline.record(frame).map(drop)
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        if self.timeline.times.is_empty() {
            return Ok(Vec::new());
        }
        let mut text = UsdText::new(AtomicFile::create(&self.timeline.path)?, &self.timeline);
        write_stage(&mut text, &mut self.timeline)?;
        text.file.commit()?;
        Ok(vec![self.timeline.path.clone()])
    }
}

fn write_stage(text: &mut UsdText, timeline: &mut Timeline) -> Result<(), IoError> {
    let rate = number(timeline.rate());
    let code = |frame: usize| number(text.codes[frame]);
    let (start, end) = (code(0), code(timeline.times.len() - 1));
    text.line("#usda 1.0")?;
    text.line(&format!(
        "(\n    defaultPrim = \"World\"\n    doc = \"Written by Pliant {}\"\n    \
         endTimeCode = {end}\n    framesPerSecond = {rate}\n    metersPerUnit = 1\n    \
         startTimeCode = {start}\n    timeCodesPerSecond = {rate}\n    upAxis = \"Z\"\n)\n",
        env!("CARGO_PKG_VERSION")
    ))?;
    text.open("def Xform \"World\"", &["kind = \"component\""])?;
    // The scope of the materials is a sibling of the bodies.
    let mut names = UniqueNames::default();
    let materials = names.give("Materials");
    let names: Vec<String> = timeline
        .actors
        .iter()
        .map(|actor| names.give(&identifier(&actor.name)))
        .collect();
    text.open(&format!("def Scope \"{materials}\""), &[])?;
    for (actor, name) in timeline.actors.iter().zip(&names) {
        write_material(text, timeline, actor, &format!("/World/{materials}/{name}"))?;
    }
    text.close()?;
    for (actor, name) in timeline.actors.iter().zip(&names) {
        text.material = format!("/World/{materials}/{name}");
        write_actor(text, &mut timeline.spool, actor, name)?;
    }
    text.close()
}

fn write_material(
    text: &mut UsdText,
    timeline: &Timeline,
    actor: &Actor,
    path: &str,
) -> Result<(), IoError> {
    let image = actor.shown_image();
    let name = path.rsplit('/').next().unwrap_or(path);
    let [red, green, blue] = linear_color(&actor.appearance, image.is_some());
    text.open(&format!("def Material \"{name}\""), &[])?;
    text.line(&format!(
        "token outputs:surface.connect = <{path}/surface.outputs:surface>"
    ))?;
    text.open("def Shader \"surface\"", &[])?;
    text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
    match image {
        None => text.line(&format!(
            "color3f inputs:diffuseColor = ({red:?}, {green:?}, {blue:?})"
        ))?,
        Some(_) => text.line(&format!(
            "color3f inputs:diffuseColor.connect = <{path}/image.outputs:rgb>"
        ))?,
    }
    let finish = finish(&actor.appearance);
    for (name, value) in [
        ("metallic", finish.metallic),
        ("roughness", finish.roughness),
        ("opacity", finish.opacity),
    ] {
        text.line(&format!("float inputs:{name} = {value:?}"))?;
    }
    if finish.glow > 0.0 {
        let glow = [red, green, blue].map(|part| part * finish.glow as f32);
        let [red, green, blue] = glow;
        text.line(&format!(
            "color3f inputs:emissiveColor = ({red:?}, {green:?}, {blue:?})"
        ))?;
    }
    text.line("token outputs:surface")?;
    text.close()?;
    if let Some(image) = image {
        let folder = folder_of(&timeline.path);
        // An asset path ends at the next @.
        let file = image_reference(image, folder).replace('@', "_");
        text.open("def Shader \"image\"", &[])?;
        text.line("uniform token info:id = \"UsdUVTexture\"")?;
        text.line(&format!("asset inputs:file = @{file}@"))?;
        text.line("token inputs:sourceColorSpace = \"sRGB\"")?;
        text.line(&format!(
            "float2 inputs:st.connect = <{path}/coordinates.outputs:result>"
        ))?;
        text.line("token inputs:wrapS = \"repeat\"")?;
        text.line("token inputs:wrapT = \"repeat\"")?;
        text.line("float3 outputs:rgb")?;
        text.close()?;
        text.open("def Shader \"coordinates\"", &[])?;
        text.line("uniform token info:id = \"UsdPrimvarReader_float2\"")?;
        text.line("string inputs:varname = \"st\"")?;
        text.line("float2 outputs:result")?;
        text.close()?;
    }
    text.close()
}

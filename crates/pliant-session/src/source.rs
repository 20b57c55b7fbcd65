//! From a name or a text to a world: built-in scenes and scene files.

use crate::failure::Failure;
use crate::inputs::{Input, WatchedAssets};
use crate::memory::{MemoryLimit, check_scene};
use crate::threads::use_threads;
use pliant::World;
use pliant_io::{Assets, FolderAssets};
use pliant_scene::{
    Override, Scene, bodies_that_begin_close, bodies_that_pass, build_with, find, gallery, nearest,
    open_seams, parse_with_overrides, read_text, wires_without_frames,
};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

/// A scene and the world built from it.
#[derive(Debug)]
pub struct Source {
    /// The name of a built-in scene, or that of the file without its extension.
    pub name: String,
    /// The file, for messages.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The folder that files named in it are relative to; empty for a built-in scene.
    pub folder: PathBuf,
    /// Where files named in it come from.
    pub assets: Arc<dyn Assets + Send + Sync>,
    /// The files named in it, as they were when the world was built.
    pub inputs: Vec<Input>,
    /// What the file says.
    pub scene: Scene,
    /// The world it describes.
    pub world: World,
}

impl Source {
    /// Reads a built-in scene or a scene file and builds its world. Oddities are in
    /// `scene.warnings`. A scene that could not be built within the limit is refused before
    /// anything of it is made; without one, nothing is.
    pub fn load(
        named: &str,
        overrides: &[Override],
        limit: Option<MemoryLimit>,
    ) -> Result<Self, Failure> {
        if let Some(built_in) = find(named) {
            let (file, text) = (format!("{named}.xml"), built_in.text.to_owned());
            return Self::from_text(
                named.to_owned(),
                file,
                text,
                PathBuf::new(),
                overrides,
                limit,
            );
        }
        if !looks_like_path(named) {
            return Err(unknown_scene(named));
        }
        let path = Path::new(named);
        let text = read_text(path)?;
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        let name = stem.to_string_lossy().into_owned();
        // Told apart from a built-in scene, which has no folder.
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_path_buf();
        Self::from_text(name, named.to_owned(), text, folder, overrides, limit)
    }

    /// Builds the world of a scene whose text is at hand, with files from a folder.
    pub fn from_text(
        name: String,
        file: String,
        text: String,
        folder: PathBuf,
        overrides: &[Override],
        limit: Option<MemoryLimit>,
    ) -> Result<Self, Failure> {
        let assets = Arc::new(FolderAssets::new(&folder));
        let source = Self::from_assets(name, file, text, assets, overrides, limit)?;
        Ok(Self { folder, ..source })
    }

    /// Builds the world of a scene whose text is at hand, with files from anywhere.
    pub fn from_assets(
        name: String,
        file: String,
        text: String,
        assets: Arc<dyn Assets + Send + Sync>,
        overrides: &[Override],
        limit: Option<MemoryLimit>,
    ) -> Result<Self, Failure> {
        let mut scene = parse_with_overrides(&text, &file, overrides)?;
        check_scene(&scene, limit)?;
        // Meshes are made with all threads, so that their number must be known by now.
        use_threads(scene.simulation.threads)?;
        let watched = WatchedAssets::new(Arc::clone(&assets));
        let world = build_with(&scene, &file, &watched)?;
        scene.warnings.extend(bodies_that_pass(&scene, &world));
        scene
            .warnings
            .extend(bodies_that_begin_close(&scene, &world));
        scene.warnings.extend(open_seams(&scene, &world));
        scene.warnings.extend(wires_without_frames(&scene, &world));
        Ok(Self {
            name,
            file,
            text,
            folder: PathBuf::new(),
            assets,
            inputs: watched.inputs(),
            scene,
            world,
        })
    }

    /// Builds the world again after the scene was changed.
    pub fn rebuild(&mut self) -> Result<(), Failure> {
        self.world = build_with(&self.scene, &self.file, &*self.assets)?;
        Ok(())
    }
}

/// The text of a built-in scene.
pub fn built_in_text(name: &str) -> Result<&'static str, Failure> {
    find(name)
        .map(|scene| scene.text)
        .ok_or_else(|| unknown_scene(name))
}

/// The names of all built-in scenes.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    gallery().iter().map(|scene| scene.name)
}

/// Whether a file is meant, not a built-in scene.
fn looks_like_path(named: &str) -> bool {
    let path = Path::new(named);
    named.contains(['/', MAIN_SEPARATOR]) || path.extension().is_some() || path.exists()
}

fn unknown_scene(named: &str) -> Failure {
    let hint = nearest(named, built_in_names()).map_or_else(
        || "`pliant scenes` lists the built-in scenes; a file is named by its path".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::Input(format!(
        "there is no built-in scene and no file named `{named}`\n  hint: {hint}"
    ))
}

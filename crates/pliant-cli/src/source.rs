//! From what the user typed to a world: built-in scenes and scene files.

use crate::console::note;
use crate::failure::Failure;
use crate::threads::use_threads;
use pliant::World;
use pliant_scene::{
    Override, Scene, build, find, gallery, nearest, parse_with_overrides, read_text,
};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// A scene and the world built from it.
#[derive(Debug)]
pub struct Source {
    /// The name of a built-in scene, or that of the file without its extension.
    pub name: String,
    /// The file, for messages.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The folder that pictures named in it are relative to.
    pub folder: PathBuf,
    /// What the file says.
    pub scene: Scene,
    /// The world it describes.
    pub world: World,
}

/// Reads a built-in scene or a scene file and builds its world. Oddities go to the standard error
/// unless `quiet`.
pub fn load(named: &str, overrides: &[Override], quiet: bool) -> Result<Source, Failure> {
    let (name, file, text, folder) = match find(named) {
        Some(built_in) => {
            let file = format!("{named}.xml");
            let text = built_in.text.to_owned();
            (named.to_owned(), file, text, PathBuf::new())
        }
        None if looks_like_path(named) => {
            let path = Path::new(named);
            let text = read_text(path)?;
            let stem = path.file_stem().unwrap_or(path.as_os_str());
            let name = stem.to_string_lossy().into_owned();
            // Told apart from a built-in scene, which has no folder.
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            (name, named.to_owned(), text, folder.to_path_buf())
        }
        None => return Err(unknown_scene(named)),
    };
    let source = from_text(name, file, text, folder, overrides)?;
    if !quiet {
        for warning in &source.scene.warnings {
            note(&format!("{}:{warning} (warning)", source.file));
        }
    }
    Ok(source)
}

/// Builds the world of a scene whose text is at hand.
pub fn from_text(
    name: String,
    file: String,
    text: String,
    folder: PathBuf,
    overrides: &[Override],
) -> Result<Source, Failure> {
    let scene = parse_with_overrides(&text, &file, overrides)?;
    // Meshes are made with all threads, so that their number must be known by now.
    use_threads(scene.simulation.threads)?;
    let world = build(&scene, &file, &folder)?;
    Ok(Source {
        name,
        file,
        text,
        folder,
        scene,
        world,
    })
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

//! Patterns that come with Pliant as files: other programs cannot make them.

use super::Targets;
use pliant_film::save_png;
use pliant_io::create_folder;
use pliant_render::TextureStore;
use pliant_scene::scene::Look;
use pliant_session::Failure;
use pliant_session::Source;
use std::path::{Path, PathBuf};

/// The files that [`write_patterns`] writes.
pub fn pattern_files(source: &Source, targets: &Targets) -> Vec<PathBuf> {
    let Some(folder) = folder(targets) else {
        return Vec::new();
    };
    let materials = source.scene.materials.iter();
    let mut names: Vec<&String> = materials
        .filter_map(|material| match &material.look {
            Look::Pattern(name) => Some(name),
            _ => None,
        })
        .collect();
    names.sort();
    names.dedup();
    let file = |name| folder.join(format!("pattern_{name}.png"));
    names.into_iter().map(file).collect()
}

/// The folder of the frames, if frames are written.
fn folder(targets: &Targets) -> Option<&Path> {
    let first = targets.frames.first()?;
    Some(match Targets::is_folder(first) {
        true => first.as_path(),
        false => first.parent().unwrap_or(Path::new("")),
    })
}

/// If frames are written for other programs, writes the patterns of the scene beside them and lets
/// bodies and obstacles name the files.
pub fn write_patterns(source: &mut Source, targets: &Targets) -> Result<(), Failure> {
    let Some(folder) = folder(targets) else {
        return Ok(());
    };
    let mut found = false;
    for material in &mut source.scene.materials {
        let Look::Pattern(name) = &material.look else {
            continue;
        };
        let wrong = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
        let textures = TextureStore::load(Path::new(""), [name.as_str()]);
        let textures = textures.map_err(|error| wrong(&error))?;
        let Some(texture) = textures.get(name) else {
            continue;
        };
        create_folder(folder).map_err(Failure::Output)?;
        let path = folder.join(format!("pattern_{name}.png"));
        let opaque = |pixel: &[u8; 3]| [pixel[0], pixel[1], pixel[2], 255];
        let pixels: Vec<u8> = texture.pixels.iter().flat_map(opaque).collect();
        save_png(&path, texture.width, texture.height, &pixels).map_err(|error| wrong(&error))?;
        material.look = Look::Texture(path.to_string_lossy().replace('\\', "/"));
        found = true;
    }
    if found {
        source.rebuild()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pliant_render::PROCEDURAL_NAMES;
    use pliant_scene::language::PATTERNS;

    #[test]
    fn the_patterns_of_scenes_are_those_that_can_be_drawn() {
        let drawn: Vec<&str> = PROCEDURAL_NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(PATTERNS, drawn);
    }
}

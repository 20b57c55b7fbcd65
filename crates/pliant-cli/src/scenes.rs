//! `pliant scenes`: the built-in scenes.

use crate::arguments::ScenesOptions;
use crate::console::print;
use crate::failure::Failure;
use crate::source::{built_in_names, built_in_text};
use pliant_scene::Scene;
use std::path::Path;

/// Lists the built-in scenes, or prints one.
pub fn scenes(options: &ScenesOptions) -> Result<(), Failure> {
    match &options.name {
        Some(name) => print(built_in_text(name)?.trim_end()),
        None => list()?,
    }
    Ok(())
}

fn list() -> Result<(), Failure> {
    let width = built_in_names().map(str::len).max().unwrap_or(0);
    for name in built_in_names() {
        let scene = pliant_scene::parse(built_in_text(name)?, &format!("{name}.xml"))?;
        let nodes = node_count(&scene, name)?;
        print(&format!(
            "{name:width$}  {nodes:6} nodes {:5.1} s  {}",
            scene.simulation.duration,
            one_line(&scene.description)
        ));
    }
    print("\n`pliant run NAME` simulates one, `pliant scenes NAME` prints its file.");
    Ok(())
}

/// Number of nodes. Those of a mesh are known only when it is made; skins do not count.
fn node_count(scene: &Scene, name: &str) -> Result<usize, Failure> {
    if scene.bodies.iter().all(|body| body.mesh.is_none()) {
        return Ok(scene.bodies.iter().map(|body| body.particle_count()).sum());
    }
    let mut bare = scene.clone();
    for mesh in bare.bodies.iter_mut().filter_map(|body| body.mesh.as_mut()) {
        mesh.skin = None;
    }
    Ok(pliant_scene::build(&bare, name, Path::new(""))?.node_count())
}

/// The first sentence of a description, without line breaks.
fn one_line(description: &str) -> String {
    let words: Vec<&str> = description.split_whitespace().collect();
    let text = words.join(" ");
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_cut_to_one_sentence() {
        assert_eq!(
            one_line(" A flag\n   in wind. It waves. "),
            "A flag in wind."
        );
        assert_eq!(one_line("A flag"), "A flag");
        assert_eq!(one_line(""), "");
    }
}

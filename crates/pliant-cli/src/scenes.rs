//! `pliant scenes`: the built-in scenes.

use crate::arguments::ScenesOptions;
use crate::console::print;
use pliant_scene::Scene;
use pliant_session::Failure;
use pliant_session::{built_in_names, built_in_text};
use std::path::Path;

/// Words that end with a full stop.
const ABBREVIATIONS: &[&str] = &["fig", "figs", "sect", "eq", "no", "cf", "vs", "et", "al"];

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
    let mut ends = text.match_indices(". ").map(|(at, _)| at);
    match ends.find(|&at| !ends_with_abbreviation(&text[..at])) {
        Some(at) => text[..=at].to_owned(),
        None => text,
    }
}

/// Whether the full stop after this text belongs to a word, not to a sentence.
fn ends_with_abbreviation(text: &str) -> bool {
    let last = text.rsplit(|c: char| !c.is_alphanumeric()).next();
    let last = last.unwrap_or_default().to_lowercase();
    ABBREVIATIONS.contains(&last.as_str()) || last.chars().count() == 1
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
        assert_eq!(
            one_line("A flag (after fig. 12, cf. sect. 3). It waves."),
            "A flag (after fig. 12, cf. sect. 3)."
        );
        assert_eq!(
            one_line("A flag (Fig. 12, Sect. 3). It waves."),
            "A flag (Fig. 12, Sect. 3)."
        );
        assert_eq!(one_line("A flag"), "A flag");
        assert_eq!(one_line(""), "");
    }
}

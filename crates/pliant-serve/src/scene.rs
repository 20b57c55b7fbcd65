//! What the page needs of a scene: its text and the files that it names.

use crate::Site;
use pliant_session::{Failure, Source};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Puts a scene on a site: `scene.json`, and the files that the scene names.
pub fn add_scene(
    site: &mut Site,
    source: &Source,
    set: &[(String, String, String)],
) -> Result<(), Failure> {
    let mut files = Vec::new();
    for (number, input) in source.inputs.iter().enumerate() {
        let full_name = input.path.to_string_lossy();
        let content = source.assets.read(&full_name).map_err(|error| {
            Failure::Input(format!("the file `{full_name}` of the scene {error}"))
        })?;
        let address = format!("file/{number}");
        files.push(json!({ "name": input.file.name, "address": address }));
        site.add(&address, "application/octet-stream", content);
    }
    let scene = json!({
        "name": format!("{}.xml", source.name),
        "text": source.text,
        "set": set,
        "files": files,
    });
    let content = scene.to_string().into_bytes();
    site.add("scene.json", "application/json", content);
    Ok(())
}

/// The page: the file that was named, else `pliant.html` beside this program or where
/// `scripts/page` puts it.
pub fn page(named: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let places: Vec<PathBuf> = match (named, beside) {
        (Some(named), _) => vec![named.to_path_buf()],
        (None, Some(beside)) => vec![
            beside.join("pliant.html"),
            beside.join("../page/pliant.html"),
        ],
        (None, None) => Vec::new(),
    };
    let Some(found) = places.iter().find(|place| place.is_file()) else {
        let wanted = named.map_or_else(
            || "there is no `pliant.html` beside this program".to_owned(),
            |named| format!("there is no file {}", named.display()),
        );
        return Err(Failure::Simulation(format!(
            "the page of the viewer is not there: {wanted}\n  hint: in the source of Pliant, with Rust \
             1.95 or later, `scripts/page` builds it"
        )));
    };
    std::fs::read(found)
        .map_err(|error| Failure::Simulation(format!("cannot read {}: {error}", found.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_not_there_is_named() {
        let message = page(Some(Path::new("no/such.html")))
            .unwrap_err()
            .to_string();
        assert!(message.contains("no/such.html") && message.contains("scripts/page"));
    }
}

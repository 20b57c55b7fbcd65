//! `pliant gallery`: one page with a film of every scene.

use crate::arguments::{GalleryOptions, RunOptions};
use crate::console::{note, print};
use crate::picture_arguments::PictureArguments;
use crate::plot::escaped;
use crate::run::run;
use pliant_io::{AtomicFile, IoError};
use pliant_session::Failure;
use pliant_session::use_threads;
use pliant_session::{Source, built_in_names};
use std::fmt::Write;
use std::path::Path;

/// Size of a film, and of one made with `--quick`, in pixels.
const SIZE: (usize, usize) = (960, 540);
const QUICK_SIZE: (usize, usize) = (384, 216);

/// Length of a film made with `--quick`, in seconds.
const QUICK_SECONDS: f64 = 1.5;

/// A scene that has its film.
struct Entry {
    name: String,
    /// What the user types to simulate it.
    scene: String,
    description: String,
    nodes: usize,
    seconds: f64,
}

/// Makes the films and the page. A scene that fails is left out, and the others are still made.
pub fn gallery(options: &GalleryOptions) -> Result<(), Failure> {
    let folder = &options.out;
    std::fs::create_dir_all(folder).map_err(|source| {
        Failure::Output(IoError::CreateFolder {
            path: folder.clone(),
            source,
        })
    })?;
    let page = folder.join("index.html");
    AtomicFile::check_writable(&page).map_err(Failure::Output)?;
    let scenes: Vec<String> = match options.scenes.is_empty() {
        true => built_in_names().map(str::to_owned).collect(),
        false => options.scenes.clone(),
    };
    if options.threads.is_some() {
        use_threads(options.threads)?;
    }
    // Mistakes are found before the first film is made.
    for scene in &scenes {
        Source::load(scene, &[])?;
    }
    let mut entries = Vec::new();
    let mut failed = Vec::new();
    for (index, scene) in scenes.iter().enumerate() {
        if !options.quiet {
            note(&format!("{}/{} {scene}", index + 1, scenes.len()));
        }
        match film(options, scene, folder) {
            Ok(entry) => entries.push(entry),
            Err(failure) => {
                note(&failure.to_string());
                failed.push(scene.as_str());
            }
        }
    }
    AtomicFile::save(&page, html(&entries).as_bytes()).map_err(Failure::on_the_way)?;
    if !options.quiet {
        print(&format!("wrote {}", page.display()));
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::Simulation(format!(
            "no film of {}",
            failed.join(", ")
        ))),
    }
}

/// Simulates one scene into the folder: film, poster and the scene itself.
fn film(options: &GalleryOptions, scene: &str, folder: &Path) -> Result<Entry, Failure> {
    let source = Source::load(scene, &[])?;
    let file = |extension: &str| folder.join(format!("{}.{extension}", source.name));
    let duration = source.scene.simulation.duration;
    let seconds = match options.quick {
        true => duration.min(QUICK_SECONDS),
        false => duration,
    };
    run(&RunOptions {
        scene: scene.to_owned(),
        out: vec![file("mp4"), file("png")],
        resume: false,
        plot: Vec::new(),
        stats: None,
        frames: None,
        seconds: Some(seconds),
        set: Vec::new(),
        threads: options.threads,
        check_expected: false,
        quiet: true,
        labels: false,
        picture: PictureArguments {
            size: Some(if options.quick { QUICK_SIZE } else { SIZE }),
            samples: if options.quick { 1 } else { 4 },
            ..PictureArguments::default()
        },
    })?;
    AtomicFile::save(&file("xml"), source.text.as_bytes()).map_err(Failure::on_the_way)?;
    Ok(Entry {
        nodes: source.world.node_count(),
        scene: scene.to_owned(),
        name: source.name,
        description: source.scene.description,
        seconds,
    })
}

/// The page: no script, nothing from elsewhere.
fn html(entries: &[Entry]) -> String {
    let mut cards = String::new();
    for Entry {
        name,
        scene,
        description,
        nodes,
        seconds,
    } in entries
    {
        let [name, scene, description] = [name, scene, description].map(|text| escaped(text));
        // Writing to a string cannot fail.
        let _ = write!(
            cards,
            r#"  <article id="{name}">
    <video controls loop muted playsinline preload="none" poster="{name}.png" src="{name}.mp4"></video>
    <h2>{name}</h2>
    <p>{description}</p>
    <p class="facts">{nodes} nodes, {seconds} s, <a href="{name}.xml">scene file</a>, <code>pliant run {scene}</code></p>
  </article>
"#
        );
    }
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pliant: gallery</title>
<style>
  :root {{ color-scheme: light dark; --line: #8884; }}
  body {{ margin: 0 auto; max-width: 96rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; }}
  header p {{ max-width: 50rem; }}
  main {{ display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }}
  article {{ border: 1px solid var(--line); border-radius: 0.5rem; overflow: hidden; }}
  video {{ display: block; width: 100%; aspect-ratio: 16 / 9; background: #8882; }}
  h2, article p {{ margin: 0.5rem 1rem; }}
  h2 {{ font-size: 1.1rem; }}
  .facts {{ font-size: 0.85rem; opacity: 0.75; }}
  code {{ white-space: nowrap; }}
</style>
</head>
<body>
<header>
  <h1>Pliant: gallery</h1>
  <p>Deformable curves, surfaces and solids, each simulated from the scene file beside its film.</p>
</header>
<main>
{cards}</main>
</body>
</html>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_films_and_escapes_texts() {
        let entry = Entry {
            name: "flag".to_owned(),
            scene: "flag".to_owned(),
            description: "A <flag> & \"wind\"".to_owned(),
            nodes: 651,
            seconds: 7.0,
        };
        let page = html(&[entry]);
        assert!(page.contains("src=\"flag.mp4\"") && page.contains("poster=\"flag.png\""));
        assert!(page.contains("A &lt;flag&gt; &amp; &quot;wind&quot;"));
        assert!(!page.contains("http"), "nothing from elsewhere");
    }
}

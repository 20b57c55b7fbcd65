//! `pliant gallery`: one page with a film of every scene.

mod page;

use crate::arguments::{GalleryOptions, RenderOptions, RunOptions};
use crate::clock;
use crate::console::{note, print};
use crate::output::Files;
use crate::picture_arguments::PictureArguments;
use crate::plot;
use crate::render::render;
use crate::run::{memory_limit, run};
use page::{Entry, VIEWER, html};
use pliant::Frame;
use pliant_io::{AtomicFile, create_folder};
use pliant_session::{Failure, Replay, Source, built_in_names, spread, use_threads};
use std::path::Path;

/// Size of a film, and of one made with `--quick`, in pixels.
const SIZE: (usize, usize) = (960, 540);
const QUICK_SIZE: (usize, usize) = (640, 360);

/// Frames a second of a film made with `--quick`.
const QUICK_RATE: &str = "12";

/// Frames of a run among which the poster is looked for.
const POSTER_CANDIDATES: usize = 24;

/// The extensions of the files of one scene.
const FILES: [&str; 5] = ["mp4", "png", "glb", "pliant", "xml"];

/// Makes the films and the page. A scene that fails is left out, and the others are still made.
pub fn gallery(options: &GalleryOptions) -> Result<(), Failure> {
    let folder = &options.out;
    create_folder(folder).map_err(Failure::Output)?;
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
    let limit = memory_limit(options.memory);
    let mut files = Files::default();
    files.write("--out", &page);
    let viewer = folder.join(VIEWER);
    files.write("the gallery", &viewer);
    for scene in &scenes {
        let source = Source::load(scene, &[], limit)?;
        for extension in FILES {
            let file = folder.join(format!("{}.{extension}", source.name));
            files.write("the gallery", &file);
        }
        files.read_scene(&source);
    }
    files.check()?;
    let has_viewer = copy_viewer(&viewer)?;
    let mut entries = Vec::new();
    let mut failed = Vec::new();
    for (index, scene) in scenes.iter().enumerate() {
        if !options.quiet {
            note(&format!("{}/{} {scene}", index + 1, scenes.len()));
        }
        match film(options, scene, folder) {
            Ok(entry) => entries.push(Entry {
                has_viewer: has_viewer && built_in_names().any(|name| name == scene),
                ..entry
            }),
            Err(failure @ Failure::Interrupted(_)) => return Err(failure),
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

/// Simulates one scene into the folder: film, poster, model, plot and the scene itself.
fn film(options: &GalleryOptions, scene: &str, folder: &Path) -> Result<Entry, Failure> {
    let limit = memory_limit(options.memory);
    let source = Source::load(scene, &[], limit)?;
    let file = |extension: &str| folder.join(format!("{}.{extension}", source.name));
    let start = clock::processor_seconds();
    let picture = PictureArguments {
        size: Some(if options.quick { QUICK_SIZE } else { SIZE }),
        samples: 4,
        motion_blur: options.quick.then_some(1),
        ..PictureArguments::default()
    };
    let set = match options.quick {
        true => vec![["Simulation", "fps", QUICK_RATE].map(str::to_owned).into()],
        false => Vec::new(),
    };
    let energy = folder.join(format!("{}-energy.svg", source.name));
    let plot = format!("energy={}", energy.display());
    run(&RunOptions {
        scene: scene.to_owned(),
        out: vec![file("mp4"), file("glb"), file("pliant")],
        resume: false,
        accept_changes: false,
        memory: options.memory,
        overwrite: true,
        plot: vec![plot::plot(&plot).map_err(Failure::Input)?],
        stats: None,
        frames: None,
        seconds: None,
        set,
        threads: options.threads,
        check_expected: false,
        quiet: true,
        labels: false,
        picture: picture.clone(),
    })?;
    let processor_seconds = clock::processor_seconds() - start;
    let mut replay = Replay::open(&file("pliant"), limit)?;
    let poster = match source.scene.picture.poster {
        Some(time) => nearest_frame(&mut replay, time)?,
        None => poster_frame(&mut replay)?,
    };
    drop(replay);
    render(&RenderOptions {
        memory: options.memory,
        caches: vec![file("pliant")],
        out: vec![file("png")],
        frames: None,
        side_by_side: false,
        labels: None,
        plot: Vec::new(),
        threads: None,
        quiet: true,
        picture: PictureArguments {
            frame: Some(poster),
            samples: 8,
            ..picture
        },
    })?;
    // The page has no use for the cache; it is the largest of the files.
    let _ = std::fs::remove_file(file("pliant"));
    AtomicFile::save(&file("xml"), source.text.as_bytes()).map_err(Failure::on_the_way)?;
    Ok(Entry {
        nodes: source.world.node_count(),
        scene: scene.to_owned(),
        name: source.name,
        description: source.scene.description,
        seconds: source.scene.simulation.duration,
        processor_seconds,
        has_viewer: false,
    })
}

/// Puts the page of the viewer beside that of the gallery, where scenes are turned by the mouse; it opens
/// built-in scenes by name. False if this program comes without it.
fn copy_viewer(path: &Path) -> Result<bool, Failure> {
    let Ok(content) = pliant_serve::page(None) else {
        return Ok(false);
    };
    AtomicFile::save(path, &content).map_err(Failure::Output)?;
    Ok(true)
}

/// The frame nearest to a time, in seconds.
fn nearest_frame(replay: &mut Replay, time: f64) -> Result<usize, Failure> {
    let last = replay.frame_count().saturating_sub(1);
    let end = replay.frame(last)?.time;
    let share = if end > 0.0 { time / end } else { 0.0 };
    Ok((share.clamp(0.0, 1.0) * last as f64).round() as usize)
}

/// The frame in which bodies are strained most.
fn poster_frame(replay: &mut Replay) -> Result<usize, Failure> {
    let count = replay.frame_count();
    let mut best = (f64::NEG_INFINITY, count.saturating_sub(1));
    for number in spread(count, Some(POSTER_CANDIDATES.min(count))) {
        let strain = mean_strain(&replay.frame(number)?);
        if strain > best.0 {
            best = (strain, number);
        }
    }
    Ok(best.1)
}

/// Mean magnitude of the strain over all nodes; zero where there is none.
fn mean_strain(frame: &Frame) -> f64 {
    let fields = frame.bodies.iter().flat_map(|body| &body.fields);
    let values: Vec<f64> = fields
        .filter(|field| field.name == "strain")
        .flat_map(|field| &field.values)
        .map(|value| value.abs())
        .filter(|value| value.is_finite())
        .collect();
    values.iter().sum::<f64>() / (values.len() as f64).max(1.0)
}

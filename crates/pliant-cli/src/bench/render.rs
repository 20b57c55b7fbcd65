//! What pictures of built-in scenes cost, and which part of the drawing takes how much of it.

use crate::clock;
use crate::console::print;
use pliant::{Frame, FrameMaker, Workspace};
use pliant_render::{PictureOptions, Stage as Part, StageTimes, draw_timed};
use pliant_session::{Failure, PictureSettings, Schedule, Source, Stage};
use serde_json::{Value, json};

/// Scenes of every kind: blobs, cloth, solids on a floor, meshes, threads.
const SCENES: &[&str] = &[
    "goop",
    "flag",
    "pudding",
    "jelly-stack",
    "vegetables",
    "woven-tear",
];

/// Pictures of each scene.
const MOMENTS: usize = 8;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let moments = if quick { 2 } else { MOMENTS };
    let parts: Vec<String> = Part::ALL
        .iter()
        .map(|part| format!("{:>13}", part.name()))
        .collect();
    print(&format!(
        "{:14} {:>9} {:>8} {:>8}{}",
        "1280 x 720",
        "CPU ms",
        "wall ms",
        "lists",
        parts.concat()
    ));
    let mut rows = Vec::new();
    for name in SCENES {
        rows.push(measure(name, moments, quick)?);
    }
    Ok(Value::Array(rows))
}

/// Simulates a scene, draws some of its moments and prints what that took.
fn measure(name: &str, moments: usize, quick: bool) -> Result<Value, Failure> {
    let mut source = Source::load(name, &[], None)?;
    let frames = frames(&mut source, moments, quick);
    let mut stage = Stage::new(&source, &frames[0], &PictureSettings::default(), None)?;
    let times = StageTimes::default();
    let start = [clock::processor_seconds(), clock::seconds()];
    let mut list_seconds = 0.0;
    for frame in &frames {
        let before = clock::seconds();
        let list = stage.list(frame)?;
        list_seconds += clock::seconds() - before;
        let options = PictureOptions {
            background: stage.background,
            ..PictureOptions::default()
        };
        draw_timed(&list, &stage.camera, &stage.lights, &options, &times);
    }
    let a_picture = |seconds: f64| 1000.0 * seconds / frames.len() as f64;
    let processor = a_picture(clock::processor_seconds() - start[0]);
    let wall = a_picture(clock::seconds() - start[1]);
    let parts = Part::ALL.map(|part| a_picture(times.of(part).as_secs_f64()));
    let all = parts.iter().sum::<f64>() + a_picture(list_seconds);
    let share = |part: f64| format!("{:>12.0}%", 100.0 * part / all.max(1e-9));
    let shares: String = parts.iter().map(|part| share(*part)).collect();
    let lists = a_picture(list_seconds);
    print(&format!(
        "{name:14} {processor:>9.1} {wall:>8.1} {:>7.0}%{shares}",
        100.0 * lists / all.max(1e-9)
    ));
    let mut row = json!({
        "scene": name,
        "pictures": frames.len(),
        "processor_milliseconds": processor,
        "wall_milliseconds": wall,
        "lists_milliseconds": lists,
    });
    for (part, milliseconds) in Part::ALL.iter().zip(parts) {
        row[part.name()] = milliseconds.into();
    }
    Ok(row)
}

/// Some moments of a scene, evenly spread; a quick measurement simulates a fifth of it.
fn frames(source: &mut Source, moments: usize, quick: bool) -> Vec<Frame> {
    let world = &mut source.world;
    let mut workspace = Workspace::new(world);
    let mut maker = FrameMaker::new(world);
    let duration = source.scene.simulation.duration * if quick { 0.2 } else { 1.0 };
    let schedule = Schedule::new(world.time_step(), 1.0, duration, None, None);
    let mut frames = vec![maker.frame(world, &mut workspace)];
    for moment in 1..moments {
        let until = schedule.steps * moment / (moments - 1).max(1);
        while world.step_count < until {
            world.step(&mut workspace);
        }
        frames.push(maker.frame(world, &mut workspace));
    }
    frames
}

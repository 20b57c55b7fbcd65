//! `pliant render`: pictures, films and files again from the cache of a run, without simulating.

use crate::arguments::RenderOptions;
use crate::console::{counted, note};
use crate::interrupt;
use crate::output::{Files, Outputs, PictureRequest, Targets, Written, write_patterns};
use crate::plot;
use crate::run::memory_limit;
use crate::summary;
use crate::verdict::lost_frames;
use pliant::Frame;
use pliant_session::Stage;
use pliant_session::use_threads;
use pliant_session::{ClosedBodies, Failure};
use pliant_session::{Replay, Source};
use pliant_session::{Schedule, spread};
use std::ops::RangeInclusive;
use std::path::Path;

/// Draws and writes again what caches hold.
pub fn render(options: &RenderOptions) -> Result<(), Failure> {
    let targets = targets(options)?;
    use_threads(options.threads)?;
    let limit = memory_limit(options.memory);
    let mut replays = Vec::new();
    for path in &options.caches {
        let mut replay = Replay::open(path, limit)?;
        check_files(options, path, &replay.source, &targets)?;
        for change in replay.changed_files() {
            note(&format!("warning: since the run, {change}"));
        }
        write_patterns(&mut replay.source, &targets)?;
        replays.push(replay);
    }
    let lost: Vec<String> = replays
        .iter()
        .filter_map(|r| lost_frames(r.cache()))
        .collect();
    for lost in &lost {
        note(&format!("warning: {lost}"));
    }
    let frames = frames(options, &replays)?;
    let runs = runs(options, &mut replays)?;
    let has_volume = runs
        .iter()
        .flat_map(|run| &run.samples)
        .any(|sample| sample.volume.is_finite());
    plot::prepare(&options.plot, has_volume)?;
    let request = match targets.need_pictures() {
        true => Some(pictures(options, &mut replays, &frames)?),
        false => None,
    };
    let mut outputs = Outputs::open(&targets, request)?;
    if !options.quiet {
        let count = frames.end() - frames.start() + 1;
        note(&format!(
            "{}: {}",
            names(options, &replays).join(", "),
            counted(count, "frame", "frames")
        ));
    }
    interrupt::listen();
    let drawn = write_frames(&mut outputs, &mut replays, frames);
    let (mut written, finished) = outputs.finish();
    drawn.and(finished)?;
    let title = names(options, &replays).join(", ");
    for file in plot::write(&options.plot, &title, &runs)? {
        written.push(Written {
            output: file.clone(),
            files: vec![file],
        });
    }
    if !options.quiet {
        summary::written(&written);
    }
    match lost.is_empty() {
        true => Ok(()),
        false => Err(Failure::Simulation(format!(
            "{}; the others were written",
            lost.join("; ")
        ))),
    }
}

/// Nothing that is written may be something that is read, or be written twice.
fn check_files(
    options: &RenderOptions,
    cache: &Path,
    source: &Source,
    targets: &Targets,
) -> Result<(), Failure> {
    let mut files = Files::default();
    files.read("the cache", cache).read_scene(source);
    files.write_targets(targets);
    for plot in &options.plot {
        files.write("--plot", &plot.path);
    }
    files.check()
}

fn targets(options: &RenderOptions) -> Result<Targets, Failure> {
    let refuse = |message: &str| Err(Failure::Input(message.to_owned()));
    let targets = Targets::new(&options.out, options.picture.ffmpeg)?;
    if options.out.is_empty() && options.plot.is_empty() {
        return refuse("nothing to make: give --out film.mp4, --out picture.png or --plot FILE");
    }
    if targets.cache.is_some() {
        return refuse("a cache is written by `pliant run`, not from another cache");
    }
    if options.caches.len() > 1 && !targets.frames.is_empty() {
        return refuse("files for other programs are made from one cache at a time");
    }
    if options.caches.len() > 1 && options.picture.moments().is_some() {
        let option = options.picture.moments_option();
        return refuse(&format!(
            "{option} shows moments of one run, not of several"
        ));
    }
    targets.check_moments(&options.picture)?;
    Ok(targets)
}

/// Which frames are drawn; a run that is shorter than another shows its last frame on.
fn frames(options: &RenderOptions, replays: &[Replay]) -> Result<RangeInclusive<usize>, Failure> {
    if let Some(empty) = replays.iter().find(|replay| replay.frame_count() == 0) {
        return Err(Failure::Input(format!(
            "{} holds no frame yet",
            empty.cache().path().display()
        )));
    }
    let count = replays.iter().map(Replay::frame_count).max().unwrap_or(0);
    let asked = options.frames.clone().unwrap_or(0..=usize::MAX);
    let is_there = |number: usize| -> Result<(), Failure> {
        if number < count {
            return Ok(());
        }
        Err(Failure::Input(format!(
            "there is no frame {number}: the run has {}, counted from 0",
            counted(count, "frame", "frames")
        )))
    };
    is_there(*asked.start())?;
    if let Some(number) = options.picture.frame
        && replays.len() == 1
        && replays[0].cache().lost_frames().contains(&number)
    {
        return Err(Failure::Input(format!(
            "frame {number} is damaged and lost"
        )));
    }
    let frames = *asked.start()..=(*asked.end()).min(count - 1);
    if let Some(number) = options.picture.frame {
        is_there(number)?;
        if !frames.contains(&number) {
            return Err(Failure::Input(format!(
                "frame {number} is not among the frames {}..{}",
                frames.start(),
                frames.end()
            )));
        }
    }
    Ok(frames)
}

/// What each run is called: what the user says, else its file.
fn names(options: &RenderOptions, replays: &[Replay]) -> Vec<String> {
    let mut given = options.labels.iter().flat_map(|names| names.split(','));
    replays
        .iter()
        .map(|replay| {
            let name = given.next().map(str::trim).filter(|name| !name.is_empty());
            name.map_or_else(|| replay.source.name.clone(), str::to_owned)
        })
        .collect()
}

fn runs(options: &RenderOptions, replays: &mut [Replay]) -> Result<Vec<plot::Run>, Failure> {
    if options.plot.is_empty() {
        return Ok(Vec::new());
    }
    let names = names(options, replays);
    let mut runs = Vec::new();
    for (replay, label) in replays.iter_mut().zip(names) {
        let samples = replay.samples()?;
        let world = &replay.source.world;
        runs.push(plot::Run {
            label,
            closed: ClosedBodies::new(world).names(world),
            samples,
        });
    }
    Ok(runs)
}

fn pictures(
    options: &RenderOptions,
    replays: &mut [Replay],
    frames: &RangeInclusive<usize>,
) -> Result<PictureRequest, Failure> {
    let names = names(options, replays);
    let mut stages = Vec::new();
    for (replay, name) in replays.iter_mut().zip(names) {
        let label = options.labels.is_some().then_some(name);
        let first = replay.frame_not_after(0)?;
        let mut stage = Stage::new(&replay.source, &first, &options.picture.settings(), label)?;
        // All frames, also when few are drawn: each looks as in a film of the whole run.
        for number in 0..replay.frame_count() {
            stage.look_ahead(&replay.frame_not_after(number)?);
        }
        if let (false, Some(camera)) = (options.quiet, stage.fitted_camera()) {
            note(&format!("camera {camera}"));
        }
        stages.push(stage);
    }
    let source = &replays[0].source;
    let time_step = source.world.time_step();
    let schedule = Schedule::of(source, None, None);
    let count = frames.end() - frames.start() + 1;
    let moments = spread(count, options.picture.moments());
    let real_time = schedule.frames_a_second(time_step);
    let frames_per_second = options.picture.fps.unwrap_or(real_time);
    Ok(PictureRequest {
        studio: options
            .picture
            .studio(stages, &source.scene, frames_per_second),
        frames_per_second,
        frame: options.picture.frame,
        moments: moments.iter().map(|index| frames.start() + index).collect(),
        over_each_other: options.picture.strobe.is_some(),
        ffmpeg: options.picture.ffmpeg,
        waits_for_all: false,
    })
}

fn write_frames(
    outputs: &mut Outputs,
    replays: &mut [Replay],
    frames: RangeInclusive<usize>,
) -> Result<(), Failure> {
    if outputs.is_empty() {
        return Ok(());
    }
    for number in frames {
        if interrupt::is_asked() {
            return Err(Failure::Interrupted(format!(
                "stopped before frame {number}"
            )));
        }
        if let [only] = replays
            && only.cache().lost_frames().contains(&number)
        {
            continue;
        }
        let mut moment: Vec<Frame> = Vec::new();
        for replay in replays.iter_mut() {
            let mut frame = replay.frame_not_after(number)?;
            frame.number = number;
            moment.push(frame);
        }
        match moment.len() {
            1 => outputs.write(moment.remove(0))?,
            _ => outputs.draw(moment)?,
        }
    }
    Ok(())
}

//! `pliant run`: simulates a scene and writes films, pictures, frames, plots and the cache.

use crate::arguments::RunOptions;
use crate::clock;
use crate::console::{counted, note, print};
use crate::output::{Outputs, PictureRequest, Targets, Written, prepare_file, write_patterns};
use crate::plot;
use crate::progress::Progress;
use crate::summary;
use pliant::{Frame, FrameMaker, Workspace, World};
use pliant_io::AtomicFile;
use pliant_io::cache::{CacheHeader, CacheWriter};
use pliant_scene::Override;
use pliant_session::{
    ClosedBodies, Expectations, Failure, Moment, Observer, Record, Resumed, Schedule, Simulation,
    Source, Stage, Statistics, Studio, find_earlier_run, header, quarantines, use_threads,
};
use std::path::Path;

/// Writes what a run gives and shows how far it is.
struct Watcher {
    outputs: Outputs,
    progress: Progress,
}

impl Observer for Watcher {
    fn wants_frames(&self) -> bool {
        !self.outputs.is_empty()
    }

    fn frame(&mut self, frame: Frame) -> Result<(), Failure> {
        self.outputs.write(frame)
    }

    fn step(&mut self, moment: Moment) {
        self.progress.update(moment);
    }

    fn warning(&mut self, message: &str) {
        self.progress.interrupt(message);
    }
}

/// Reads a scene; oddities go to the standard error unless `quiet`.
pub fn load(named: &str, overrides: &[Override], quiet: bool) -> Result<Source, Failure> {
    let source = Source::load(named, overrides)?;
    if !quiet {
        for warning in &source.scene.warnings {
            note(&format!("{}:{warning} (warning)", source.file));
        }
    }
    Ok(source)
}

/// Simulates a scene. Whatever is wrong with the input is found before the first step.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    if options.threads.is_some() {
        use_threads(options.threads)?;
    }
    let mut source = load(&options.scene, &options.set, options.quiet)?;
    let targets = targets(options, &source.name)?;
    write_patterns(&mut source, &targets)?;
    let mut header = header(&source, &options.set, options.seconds, options.frames);
    let resumed = earlier_run(options, &targets, &header)?;
    if let Some(Resumed { cache, .. }) = &resumed {
        // What the first call asked for counts unless this one says something else.
        header.seconds = options.seconds.or(cache.header().seconds);
        header.frames = options.frames.or(cache.header().frames);
    }
    let schedule = schedule(options, &source, &header, resumed.as_ref())?;
    let threads = use_threads(options.threads.or(source.scene.simulation.threads))?;
    let pictures = pictures(options, &source, &targets, schedule)?;
    prepare_files(options, &source.world)?;
    let outputs = Outputs::open(&targets, pictures)?;
    if !options.quiet {
        announce(&source, schedule, threads, resumed.as_ref());
    }

    let Source {
        name,
        file,
        scene,
        mut world,
        ..
    } = source;
    let mut workspace = Workspace::new(&world);
    let expected = Expectations::new(&file, &scene.expected);
    let mut simulation =
        Simulation::new(&world, &mut workspace, schedule, expected, clock::seconds);
    let first_step = resumed.as_ref().map_or(0, |resumed| resumed.last.step);
    let mut watcher = Watcher {
        outputs,
        progress: Progress::new(schedule, first_step, options.quiet),
    };
    match resumed {
        Some(resumed) => simulation.go_on(&mut world, &mut workspace, resumed, &mut watcher)?,
        None => simulation.record = record(&world, targets.cache.as_deref(), &header)?,
    }
    workspace.clock = Some(clock::seconds);
    workspace.bounds = scene.simulation.bounds;
    let simulated = simulation.simulate(&mut world, &mut workspace, &mut watcher);
    let simulated = simulated.map(drop);
    let Watcher {
        outputs,
        mut progress,
    } = watcher;
    progress.end();
    let Simulation {
        mut statistics,
        expectations,
        record,
        ..
    } = simulation;

    let start = clock::seconds();
    let (mut written, finished) = outputs.finish();
    let run = plot::Run {
        label: name.clone(),
        samples: record.samples,
    };
    let plotted = plot::write(&options.plot, &name, &[run]).map(|files| {
        written.extend(files.into_iter().map(|file| Written {
            output: file.clone(),
            files: vec![file],
        }));
    });
    let finishing = clock::seconds() - start;
    statistics.output_seconds += finishing;
    statistics.wall_seconds += finishing;
    let saved = options.stats.as_ref().map_or(Ok(()), |path| {
        let text = format!("{:#}\n", statistics.to_json(&name, &world, threads));
        AtomicFile::save(path, text.as_bytes()).map_err(Failure::on_the_way)
    });
    if !options.quiet {
        summary::simulated(&name, &world, &statistics);
        summary::written(&written);
        if let Some(cache) = &targets.cache {
            summary::cached(cache);
        }
    }
    let result = simulated.and(finished).and(plotted).and(saved);
    result.map_err(|failure| with_advice(failure, targets.cache.as_deref()))?;
    judge(&world, &statistics)?;
    if options.check_expected {
        check_expected(&expectations, options.quiet)?;
    }
    Ok(())
}

/// What `--out` names, or a film, a picture and the cache in `out/<scene>/`.
fn targets(options: &RunOptions, name: &str) -> Result<Targets, Failure> {
    if options.out.is_empty() {
        return Ok(Targets::in_folder_of(name));
    }
    let targets = Targets::new(&options.out, options.picture.ffmpeg)?;
    targets.check_moments(&options.picture)?;
    Ok(targets)
}

/// The cache to go on from, if that is asked for and there is one.
fn earlier_run(
    options: &RunOptions,
    targets: &Targets,
    header: &CacheHeader,
) -> Result<Option<Resumed>, Failure> {
    if !options.resume {
        return Ok(None);
    }
    let Some(path) = &targets.cache else {
        return Err(Failure::Input(
            "--resume goes on from a cache: give the --out that ends in .pliant, as before"
                .to_owned(),
        ));
    };
    let found = find_earlier_run(path, header)?;
    if found.is_none() && !options.quiet {
        note(&format!(
            "nothing to go on from in {}: from the beginning",
            path.display()
        ));
    }
    Ok(found)
}

fn schedule(
    options: &RunOptions,
    source: &Source,
    header: &CacheHeader,
    resumed: Option<&Resumed>,
) -> Result<Schedule, Failure> {
    let mut schedule = Schedule::of(source, header.seconds, header.frames);
    if let Some(Resumed { cache, last }) = resumed
        && last.step > schedule.steps
    {
        if options.seconds.is_some() || options.frames.is_some() {
            return Err(Failure::Input(format!(
                "{} holds {} already, more than are asked for\n  hint: `pliant render` takes a \
                 part of them",
                cache.path().display(),
                counted(cache.frame_count(), "frame", "frames")
            )));
        }
        schedule.steps = last.step;
    }
    if let Some(number) = options.picture.frame
        && number >= schedule.frames()
    {
        return Err(Failure::Input(format!(
            "there is no frame {number}: the run has {}, counted from 0",
            counted(schedule.frames(), "frame", "frames")
        )));
    }
    Ok(schedule)
}

/// What is needed to draw, if anything is to be drawn.
fn pictures(
    options: &RunOptions,
    source: &Source,
    targets: &Targets,
    schedule: Schedule,
) -> Result<Option<PictureRequest>, Failure> {
    if !targets.need_pictures() {
        return Ok(None);
    }
    let world = &source.world;
    let first = FrameMaker::new(world).frame(world, &mut Workspace::new(world));
    let label = options.labels.then(|| source.name.clone());
    let stage = Stage::new(source, &first, &options.picture.settings(), label)?;
    let real_time = schedule.frames_a_second(world.time_step());
    Ok(Some(PictureRequest {
        waits_for_all: stage.needs_all_frames(),
        studio: Studio::new(vec![stage], &source.scene, &options.picture.settings()),
        frames_per_second: options.picture.fps.unwrap_or(real_time),
        frame: options.picture.frame,
        moments: schedule.moments(options.picture.moments()),
        over_each_other: options.picture.strobe.is_some(),
        ffmpeg: options.picture.ffmpeg,
    }))
}

fn prepare_files(options: &RunOptions, world: &World) -> Result<(), Failure> {
    if let Some(path) = &options.stats {
        prepare_file(path)?;
    }
    plot::prepare(&options.plot, !ClosedBodies::new(world).is_empty())
}

/// The record of a run that begins, with its cache.
fn record(world: &World, cache: Option<&Path>, header: &CacheHeader) -> Result<Record, Failure> {
    let cache = match cache {
        Some(path) => {
            prepare_file(path)?;
            Some(CacheWriter::create(path, header).map_err(Failure::Output)?)
        }
        None => None,
    };
    Ok(Record::new(world, Vec::new(), cache))
}

fn announce(source: &Source, schedule: Schedule, threads: usize, resumed: Option<&Resumed>) {
    let world = &source.world;
    note(&format!(
        "{}: {}, {}, {}, {}, {}",
        source.name,
        counted(world.bodies.len(), "body", "bodies"),
        counted(world.node_count(), "node", "nodes"),
        counted(schedule.steps, "step", "steps"),
        counted(schedule.frames(), "frame", "frames"),
        counted(threads, "thread", "threads"),
    ));
    if let Some(Resumed { cache, last }) = resumed {
        let torn = match cache.torn_length() {
            0 => String::new(),
            bytes => format!(" ({bytes} bytes of a frame that was not finished are dropped)"),
        };
        note(&format!(
            "going on after frame {} at {:.2} s{torn}",
            cache.frame_count() - 1,
            last.time
        ));
    }
}

fn judge(world: &World, statistics: &Statistics) -> Result<(), Failure> {
    if statistics.quarantined == 0 {
        return Ok(());
    }
    Err(Failure::Simulation(format!(
        "the simulation failed: {}\n  what was simulated until then is kept ({})\n  hint: a shorter \
         timestep, energy=\"Exact\" or integrator=\"Implicit\" may help",
        quarantines(world),
        counted(statistics.frames, "frame", "frames"),
    )))
}

/// Says that what was simulated is not lost.
fn with_advice(failure: Failure, cache: Option<&Path>) -> Failure {
    match (failure, cache) {
        (Failure::Simulation(message), Some(cache)) => Failure::Simulation(format!(
            "{message}\n  what was simulated until then is kept in {}\n  hint: once the reason is \
             mended, the same command with --resume goes on from there",
            cache.display()
        )),
        (failure, _) => failure,
    }
}

fn check_expected(expectations: &Expectations, quiet: bool) -> Result<(), Failure> {
    let (missed, checked) = (expectations.missed.len(), expectations.checked);
    for line in &expectations.missed {
        note(line);
    }
    if missed > 0 {
        return Err(Failure::Simulation(format!(
            "{missed} of {} missed",
            counted(checked, "expected value was", "expected values were")
        )));
    }
    if !quiet {
        print(&format!(
            "{} kept",
            counted(checked, "expected value was", "expected values were")
        ));
    }
    Ok(())
}

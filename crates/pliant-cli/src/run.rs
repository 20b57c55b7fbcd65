//! `pliant run`: simulates a scene and writes films, pictures, frames, plots and the cache.

use crate::arguments::RunOptions;
use crate::clock;
use crate::console::{counted, note, print};
use crate::expectations::Expectations;
use crate::failure::Failure;
use crate::output::{Outputs, PictureRequest, Targets, Written, prepare_file, write_patterns};
use crate::picture::{Stage, Studio};
use crate::plot;
use crate::progress::Progress;
use crate::record::Record;
use crate::replay;
use crate::resume::{self, Resumed};
use crate::schedule::Schedule;
use crate::simulation::{Simulation, quarantines};
use crate::source::{Source, load};
use crate::statistics::Statistics;
use crate::summary;
use crate::threads::use_threads;
use crate::volume::ClosedBodies;
use pliant::{FrameMaker, Workspace, World};
use pliant_io::AtomicFile;
use pliant_io::cache::{CacheHeader, CacheWriter};
use std::path::Path;

/// Simulates a scene. Whatever is wrong with the input is found before the first step.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    if options.threads.is_some() {
        use_threads(options.threads)?;
    }
    let mut source = load(&options.scene, &options.set, options.quiet)?;
    let targets = targets(options, &source.name)?;
    write_patterns(&mut source, &targets)?;
    let mut header = resume::header(&source, &options.set, options.seconds, options.frames);
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
    let mut simulation = Simulation {
        schedule,
        statistics: Statistics::new(&world, &mut workspace),
        expectations: Expectations::new(&file, &scene.expected),
        progress: Progress::new(schedule, 0, options.quiet),
        frame_maker: FrameMaker::new(&world),
        outputs,
        record: Record::new(&world, Vec::new(), None),
    };
    match resumed {
        Some(resumed) => simulation.go_on(&mut world, &mut workspace, resumed, options.quiet)?,
        None => simulation.record = record(&world, targets.cache.as_deref(), &header)?,
    }
    workspace.clock = Some(clock::seconds);
    workspace.bounds = scene.simulation.bounds;
    let simulated = simulation.simulate(&mut world, &mut workspace);
    let Simulation {
        mut statistics,
        expectations,
        outputs,
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
        let text = format!("{}\n", statistics.to_json(&name, &world, threads));
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
    let found = resume::find(path, header)?;
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
    let setting = &source.scene.simulation;
    let mut schedule = Schedule::new(
        source.world.time_step(),
        setting.fps,
        setting.duration,
        header.seconds,
        header.frames,
    );
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
    let stage = Stage::new(source, &first, &options.picture, label)?;
    let real_time = schedule.frames_a_second(world.time_step());
    Ok(Some(PictureRequest {
        waits_for_all: stage.needs_all_frames(),
        studio: Studio::new(vec![stage], &source.scene, &options.picture),
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

impl Simulation<'_> {
    /// Takes up a run after its last frame. The other outputs get all earlier frames first, so
    /// that they are whole.
    fn go_on(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
        resumed: Resumed,
        quiet: bool,
    ) -> Result<(), Failure> {
        let Resumed { mut cache, last } = resumed;
        if !self.outputs.is_empty() {
            for number in 0..cache.frame_count() {
                let cached = cache.frame(number).map_err(Failure::Cache)?;
                replay::restore(world, &cached, cache.path())?;
                let mut frame = self.frame_maker.frame(world, workspace);
                frame.number = number;
                self.outputs.write(frame)?;
            }
        }
        replay::restore(world, &last, cache.path())?;
        // Nothing that was remembered of earlier states may reach the next step.
        *workspace = Workspace::new(world);
        self.statistics.continue_from(&last.totals);
        self.progress = Progress::new(self.schedule, last.step, quiet);
        let samples = replay::samples(&mut cache)?;
        let writer = CacheWriter::resume(&cache).map_err(Failure::Cache)?;
        self.record = Record::new(world, samples, Some(writer));
        Ok(())
    }
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

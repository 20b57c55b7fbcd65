//! `pliant run`: simulates a scene and writes films, pictures, frames, plots and the cache.

use crate::allocator;
use crate::arguments::RunOptions;
use crate::check::warn_of;
use crate::clock;
use crate::console::{counted, note};
use crate::heartbeat::Heartbeat;
use crate::interrupt;
use crate::output::{
    Files, Outputs, PictureRequest, Targets, Written, pattern_files, prepare_file, write_patterns,
};
use crate::plot;
use crate::progress::Progress;
use crate::summary;
use crate::verdict;
use pliant::{Frame, FrameMaker, Workspace, World};
use pliant_io::AtomicFile;
use pliant_io::cache::{CacheHeader, CacheWriter};
use pliant_scene::Override;
use pliant_session::{
    ClosedBodies, Expectations, Failure, MemoryLimit, Moment, Observer, Record, Recording, Resumed,
    Schedule, Script, Simulation, Source, Stage, check_may_replace, check_world, find_earlier_run,
    header, use_threads,
};
use std::path::Path;

/// Writes what a run gives and shows how far it is.
struct Watcher {
    outputs: Outputs,
    progress: Progress,
    alive: Heartbeat,
}

impl Observer for Watcher {
    fn wants_frames(&self) -> bool {
        !self.outputs.is_empty()
    }

    fn frame(&mut self, frame: Frame) -> Result<(), Failure> {
        self.outputs.write(frame)
    }

    fn step(&mut self, moment: Moment) {
        self.alive.now(format!("at step {}", moment.step + 1));
        self.progress.update(moment);
    }

    fn warning(&mut self, message: &str) {
        self.progress.interrupt(message);
    }

    fn wants_to_stop(&self) -> bool {
        interrupt::is_asked()
    }
}

/// The memory that a command may take. From now on it cannot take more.
pub fn memory_limit(asked: Option<u64>) -> Option<MemoryLimit> {
    let limit = MemoryLimit::new(asked);
    if let Some(limit) = limit {
        allocator::set_limit(limit.bytes);
    }
    limit
}

/// Reads a scene; oddities go to the standard error unless `quiet`.
pub fn load(
    named: &str,
    overrides: &[Override],
    limit: Option<MemoryLimit>,
    quiet: bool,
) -> Result<Source, Failure> {
    let _alive = Heartbeat::new(&format!("reading {named} and making its bodies"), quiet);
    let source = Source::load(named, overrides, limit)?;
    if !quiet {
        for warning in &source.scene.warnings {
            note(&format!("{}:{warning} (warning)", source.file));
        }
    }
    Ok(source)
}

/// Reads a scene, or a recording of the viewer, which is a scene with what was done to it.
fn load_run(
    options: &RunOptions,
    limit: Option<MemoryLimit>,
) -> Result<(Source, Option<Recording>), Failure> {
    if !Recording::is_named(&options.scene) {
        let source = load(&options.scene, &options.set, limit, options.quiet)?;
        return Ok((source, None));
    }
    if options.resume {
        return Err(Failure::Input(
            "--resume goes on with a scene; a recording is played from its beginning".to_owned(),
        ));
    }
    let mut recording = Recording::load(&options.scene)?;
    recording.overrides.extend(options.set.iter().cloned());
    let source = recording.source(limit)?;
    Ok((source, Some(recording)))
}

/// How long the run is, if it is not as long as the scene says. A recording is played to its end.
fn seconds(options: &RunOptions, world: &World, recorded: Option<&Recording>) -> Option<f64> {
    let played = recorded.map(|recording| recording.steps as f64 * world.time_step());
    match options.frames {
        Some(_) => options.seconds,
        None => options.seconds.or(played),
    }
}

/// Simulates a scene. Whatever is wrong with the input is found before the first step.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    if options.threads.is_some() {
        use_threads(options.threads)?;
    }
    let limit = memory_limit(options.memory);
    let (mut source, recorded) = load_run(options, limit)?;
    check_world(&source.world, limit)?;
    let targets = targets(options, &source.name, recorded.as_ref())?;
    check_files(options, &source, &targets)?;
    if let (false, false, Some(cache)) = (options.resume, options.overwrite, &targets.cache) {
        check_may_replace(cache)?;
    }
    write_patterns(&mut source, &targets)?;
    let seconds = seconds(options, &source.world, recorded.as_ref());
    let mut header = header(&source, &options.set, seconds, options.frames);
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
        // The first frame alone is a legitimate wish.
        let is_picture = usize::from(options.frames == Some(1));
        warn_of(&source.world, schedule.steps.max(is_picture));
        if options.out.is_empty() && targets.cache.is_none() {
            note("no cache is written, since the recording changes the scene on the way");
        }
    }

    let script = recorded.as_ref().map(|record| Script::new(record, &source));
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
        alive: Heartbeat::new(&format!("at step {}", first_step + 1), options.quiet),
    };
    simulation.script = script;
    interrupt::listen();
    match resumed {
        Some(resumed) => {
            let copy = simulation.go_on(&mut world, &mut workspace, resumed, &mut watcher)?;
            copy.as_deref().inspect(|copy| warn_of_damage(copy));
        }
        None => simulation.record = record(&world, targets.cache.as_deref(), &header)?,
    }
    workspace.clock = Some(clock::seconds);
    workspace.bounds = scene.simulation.bounds;
    workspace.stop = Some(interrupt::stop_flag());
    let simulated = simulation.simulate(&mut world, &mut workspace, &mut watcher);
    watcher.progress.end();
    let outputs = watcher.outputs;
    watcher.alive.now("finishing films and files".to_owned());
    let ending = Ending {
        options,
        targets: &targets,
        name: &name,
        threads,
        world: &world,
        recorded: recorded.as_ref(),
    };
    ending.finish(simulated, simulation, outputs)
}

/// Says that a cache was cut, and where it is kept as it was.
fn warn_of_damage(copy: &Path) {
    note(&format!(
        "warning: the end of the cache is damaged; a copy of it as it was is kept in {}",
        copy.display()
    ));
}

/// What the end of a run needs.
struct Ending<'a> {
    options: &'a RunOptions,
    targets: &'a Targets,
    name: &'a str,
    threads: usize,
    world: &'a World,
    recorded: Option<&'a Recording>,
}

impl Ending<'_> {
    /// Completes all outputs, also of a run that failed or was stopped, and says how it went.
    fn finish(
        &self,
        simulated: Result<bool, Failure>,
        simulation: Simulation,
        outputs: Outputs,
    ) -> Result<(), Failure> {
        let Self { options, world, .. } = self;
        let Simulation {
            mut statistics,
            expectations,
            record,
            ..
        } = simulation;
        let start = clock::seconds();
        let (mut written, finished) = outputs.finish();
        let run = plot::Run {
            label: self.name.to_owned(),
            closed: ClosedBodies::new(world).names(world),
            samples: record.samples,
        };
        let plotted = plot::write(&options.plot, self.name, &[run]).map(|files| {
            written.extend(files.into_iter().map(|file| Written {
                output: file.clone(),
                files: vec![file],
            }));
        });
        let finishing = clock::seconds() - start;
        statistics.output_seconds += finishing;
        statistics.wall_seconds += finishing;
        let saved = options.stats.as_ref().map_or(Ok(()), |path| {
            let text = format!("{:#}\n", statistics.to_json(self.name, world, self.threads));
            AtomicFile::save(path, text.as_bytes()).map_err(Failure::on_the_way)
        });
        let cache = self.targets.cache.as_deref();
        if !options.quiet {
            summary::simulated(self.name, world, &statistics);
            summary::written(&written);
            cache.into_iter().for_each(summary::cached);
        }
        verdict::doubts(world, &statistics)
            .iter()
            .for_each(|doubt| note(doubt));
        let is_stopped = matches!(simulated, Ok(true));
        let result = simulated.and(finished).and(plotted).and(saved);
        result.map_err(|failure| verdict::with_advice(failure, cache))?;
        if is_stopped {
            return Err(verdict::stopped(world, &statistics, cache));
        }
        verdict::judge(world, &statistics)?;
        if self.recorded.and_then(|recording| recording.differs(world)) == Some(true) {
            return Err(Failure::Simulation(
                "the run ends in another state than the recording".to_owned(),
            ));
        }
        if options.check_expected {
            verdict::check_expected(&expectations, options.quiet)?;
        }
        Ok(())
    }
}

/// What `--out` names, or a film, a picture and the cache in `out/<scene>/`.
fn targets(
    options: &RunOptions,
    name: &str,
    recorded: Option<&Recording>,
) -> Result<Targets, Failure> {
    let first_change = recorded.and_then(Recording::first_change);
    if options.out.is_empty() {
        let targets = Targets::in_folder_of(name);
        return Ok(match first_change {
            // What a cache holds is read with one scene.
            Some(_) => Targets {
                cache: None,
                ..targets
            },
            None => targets,
        });
    }
    let targets = Targets::new(&options.out, options.picture.ffmpeg)?;
    targets.check_moments(&options.picture)?;
    if let (Some(step), Some(cache)) = (first_change, &targets.cache) {
        return Err(Failure::Input(format!(
            "the recording changes the scene at step {step}, and the states in {} would be read with the \
             scene of the beginning\n  hint: write a film, pictures or frames, such as --out run.usda",
            cache.display()
        )));
    }
    Ok(targets)
}

/// Nothing that is written may be something that is read, or be written twice.
fn check_files(options: &RunOptions, source: &Source, targets: &Targets) -> Result<(), Failure> {
    let mut files = Files::default();
    files.read_scene(source).write_targets(targets);
    for pattern in pattern_files(source, targets) {
        files.write("a pattern", &pattern);
    }
    for plot in &options.plot {
        files.write("--plot", &plot.path);
    }
    if let Some(path) = &options.stats {
        files.write("--stats", path);
    }
    files.check()
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
    let found = find_earlier_run(path, header, options.accept_changes)?;
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
    let (world, picture) = (&source.world, &options.picture);
    let first = FrameMaker::new(world).frame(world, &mut Workspace::new(world));
    let label = options.labels.then(|| source.name.clone());
    let stage = Stage::new(source, &first, &picture.settings(), label)?;
    let real_time = schedule.frames_a_second(world.time_step());
    let rate = picture.fps.unwrap_or(real_time);
    Ok(Some(PictureRequest {
        waits_for_all: stage.needs_all_frames(),
        studio: picture.studio(vec![stage], &source.scene, rate),
        frames_per_second: rate,
        frame: picture.frame,
        moments: schedule.moments(picture.moments()),
        over_each_other: picture.strobe.is_some(),
        ffmpeg: picture.ffmpeg,
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
            Some(CacheWriter::create(path, header).map_err(Failure::Cache)?)
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
        let unfinished = match cache.unfinished_length() {
            0 => String::new(),
            bytes => format!(" ({bytes} bytes of a frame that was not finished are dropped)"),
        };
        if let Some(lost) = verdict::lost_frames(cache) {
            note(&format!("warning: {lost}"));
        }
        note(&format!(
            "going on after frame {} at {:.2} s{unfinished}",
            cache.frame_count() - 1,
            last.time
        ));
    }
}

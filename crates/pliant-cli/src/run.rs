//! `pliant run`: simulates a scene and writes its frames.

use crate::arguments::RunOptions;
use crate::clock;
use crate::console::{counted, note, print, readable_seconds};
use crate::expectations::Expectations;
use crate::failure::Failure;
use crate::output::{Outputs, Written, prepare_file};
use crate::progress::{Moment, Progress};
use crate::schedule::Schedule;
use crate::source::{Source, load};
use crate::statistics::Statistics;
use crate::threads::use_threads;
use pliant::{FrameMaker, Workspace, World};
use pliant_io::{AtomicFile, IoError};
use std::path::{Path, PathBuf};

/// Simulates a scene. Whatever is wrong with the input is found before the first step.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    let source = load(&options.scene, &options.set, options.quiet)?;
    let setting = &source.scene.simulation;
    let schedule = Schedule::new(
        source.world.time_step(),
        setting.fps,
        setting.duration,
        options.seconds,
        options.frames,
    );
    let outputs = Outputs::open(&output_paths(options, &source.name))?;
    if let Some(path) = &options.stats {
        prepare_file(path)?;
    }
    let threads = use_threads(options.threads.or(setting.threads))?;
    if !options.quiet {
        announce(&source, schedule, threads);
    }

    let Source {
        name,
        file,
        scene,
        mut world,
    } = source;
    let mut workspace = Workspace::new(&world);
    workspace.clock = Some(clock::seconds);
    workspace.bounds = scene.simulation.bounds;
    let mut simulation = Simulation {
        schedule,
        statistics: Statistics::new(&world, &mut workspace),
        expectations: Expectations::new(&file, &scene.expected),
        progress: Progress::new(schedule, options.quiet),
        frame_maker: FrameMaker::new(&world),
        outputs,
    };
    let simulated = simulation.simulate(&mut world, &mut workspace);
    let Simulation {
        mut statistics,
        expectations,
        outputs,
        ..
    } = simulation;

    let start = clock::seconds();
    let (written, finished) = outputs.finish();
    let finishing = clock::seconds() - start;
    statistics.output_seconds += finishing;
    statistics.wall_seconds += finishing;
    let saved = options.stats.as_ref().map_or(Ok(()), |path| {
        let text = format!("{}\n", statistics.to_json(&name, &world, threads));
        AtomicFile::save(path, text.as_bytes())
    });
    if !options.quiet {
        summarise(&name, &world, &statistics, &written);
    }
    simulated
        .and(finished)
        .and(saved)
        .map_err(failed_on_the_way)?;
    judge(&world, &statistics)?;
    if options.check_expected {
        check_expected(&expectations, options.quiet)?;
    }
    Ok(())
}

/// All that a running simulation needs beside the world.
struct Simulation<'a> {
    schedule: Schedule,
    statistics: Statistics,
    expectations: Expectations<'a>,
    progress: Progress,
    frame_maker: FrameMaker,
    outputs: Outputs,
}

impl Simulation<'_> {
    /// Takes all steps, or as many as there is a body left to move.
    fn simulate(&mut self, world: &mut World, workspace: &mut Workspace) -> Result<(), IoError> {
        let start = clock::seconds();
        let result = self.advance(world, workspace);
        self.progress.end();
        self.statistics.wall_seconds = clock::seconds() - start;
        self.expectations.check_end(world, &self.statistics);
        result
    }

    fn advance(&mut self, world: &mut World, workspace: &mut Workspace) -> Result<(), IoError> {
        self.write_frame(world, workspace)?;
        self.expectations.check_due(world, &self.statistics);
        for step in 1..=self.schedule.steps {
            let frozen_before = self.statistics.quarantined;
            let start = clock::seconds();
            let report = world.step(workspace);
            self.statistics.add(&report, clock::seconds() - start);
            if report.quarantined > frozen_before {
                let message = format!("warning: {}", quarantines(world));
                self.progress.interrupt(&message);
            }
            // The last good state is worth a frame even between two frames.
            let is_over = report.quarantined == world.bodies.len();
            if is_over || self.schedule.has_frame(step) {
                self.write_frame(world, workspace)?;
            }
            self.expectations.check_due(world, &self.statistics);
            self.progress.update(Moment {
                step,
                time: world.time,
                contacts: report.contacts,
            });
            if is_over {
                break;
            }
        }
        Ok(())
    }

    fn write_frame(&mut self, world: &World, workspace: &mut Workspace) -> Result<(), IoError> {
        let start = clock::seconds();
        let frame = self.frame_maker.frame(world, workspace);
        let result = self.outputs.write(&frame);
        self.statistics.output_seconds += clock::seconds() - start;
        self.statistics.frames += usize::from(result.is_ok());
        result
    }
}

/// What `--out` names, or `out/<scene>/`.
fn output_paths(options: &RunOptions, name: &str) -> Vec<PathBuf> {
    if options.out.is_empty() {
        // The separator at the end says that a folder is meant, whatever dots the name holds.
        vec![PathBuf::from(format!("out/{name}/"))]
    } else {
        options.out.clone()
    }
}

fn announce(source: &Source, schedule: Schedule, threads: usize) {
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
}

fn summarise(name: &str, world: &World, statistics: &Statistics, written: &[Written]) {
    print(&format!(
        "{name}: {:.2} s simulated in {} ({}, {:.3} ms a step, {})",
        world.time,
        readable_seconds(statistics.wall_seconds),
        counted(statistics.steps, "step", "steps"),
        statistics.milliseconds_per_step(),
        counted(statistics.frames, "frame", "frames"),
    ));
    for Written { output, files } in written {
        print(&format!(
            "wrote {} ({})",
            output.display(),
            counted(files.len(), "file", "files")
        ));
    }
    let files: Vec<&PathBuf> = written.iter().flat_map(|written| &written.files).collect();
    let first = |extension: &str| {
        let mut files = files.iter().copied();
        files.find(|file| {
            Path::new(file)
                .extension()
                .is_some_and(|own| own == extension)
        })
    };
    if let Some(series) = first("pvd") {
        print(&format!(
            "watch it with ParaView (https://www.paraview.org): paraview {}",
            series.display()
        ));
    }
    if let Some(mesh) = first("obj") {
        print(&format!(
            "the OBJ sequence begins with {} (Blender and most mesh viewers)",
            mesh.display()
        ));
    }
}

/// Which bodies are frozen, when and why.
fn quarantines(world: &World) -> String {
    let reasons = world.bodies.iter().filter_map(|body| {
        let reason = body.quarantine.as_ref()?;
        Some(format!("body `{}` {reason}", body.description().name))
    });
    reasons.collect::<Vec<_>>().join("; ")
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

/// Output that fails while the simulation runs is a failed run, not a wrong input.
fn failed_on_the_way(error: IoError) -> Failure {
    Failure::Simulation(error.to_string())
}

//! Films and pictures, drawn by a thread of their own while the simulation goes on.
//!
//! Frames go to the thread through a queue of a few places: a simulation that is faster than the
//! drawing waits, and memory stays bounded. The thread only ever reads frames, so what is drawn
//! cannot change what is simulated; and it has workers of its own, so that a step does not wait
//! for a tile to be drawn. Some moments are drawn beside each other, and what is to be drawn of the next
//! ones is found out meanwhile: no worker waits while another one does what cannot be divided.

use super::{Targets, Written, prepare_file};
use pliant::Frame;
use pliant_film::{
    FilmSettings, FilmWriter, ffmpeg_film, film_for, in_background, png_sequence, save_png,
};
use pliant_render::Picture;
use pliant_session::Failure;
use pliant_session::{Plan, Studio};
use rayon::prelude::*;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Frames that may wait to be drawn.
const QUEUE: usize = 4;

/// Most moments that are drawn beside each other, and most memory that their pictures take, in bytes.
const MOST_TOGETHER: usize = 8;
const MOST_MEMORY: usize = 64 << 20;

/// How films and pictures are to be made.
pub struct PictureRequest {
    /// Draws frames.
    pub studio: Studio,
    /// Pictures a second in films.
    pub frames_per_second: f64,
    /// The frame that single pictures show; `None` is the last.
    pub frame: Option<usize>,
    /// Numbers of the frames that a single picture shows all at once; none shows one alone.
    pub moments: Vec<usize>,
    /// Whether the moments lie over each other rather than beside each other.
    pub over_each_other: bool,
    /// Whether the program ffmpeg writes the films.
    pub ffmpeg: bool,
    /// Whether all frames have to be known before the first is drawn.
    pub waits_for_all: bool,
}

/// The thread that draws.
pub struct PictureThread {
    frames: Option<SyncSender<Vec<Frame>>>,
    thread: Option<JoinHandle<Result<Vec<Written>, Failure>>>,
}

impl PictureThread {
    /// Opens all films and begins to wait for frames.
    pub fn start(mut request: PictureRequest, targets: &Targets) -> Result<Self, Failure> {
        let (width, height) = request.studio.size();
        let settings = FilmSettings::new(width, height, request.frames_per_second);
        let mut films = Vec::new();
        for path in &targets.films {
            prepare_file(path)?;
            let open = if request.ffmpeg {
                ffmpeg_film
            } else {
                film_for
            };
            let film = open(path, &settings).map_err(wrong)?;
            films.push((path.clone(), in_background(path, film)));
        }
        for path in &targets.sequences {
            // The folder is what matters: the numbered files do not have this name.
            prepare_file(path)?;
            let film = png_sequence(path, &settings).map_err(wrong)?;
            films.push((path.clone(), film));
        }
        for path in &targets.pictures {
            prepare_file(path)?;
        }
        if films.is_empty() {
            // Single pictures are sharp.
            request.studio.set_motion_blur(1);
        }
        let request_waits = request.waits_for_all;
        let work = Work {
            request,
            films,
            pictures: targets.pictures.clone(),
            kept: None,
            drawn: None,
            moments: Vec::new(),
            next: Vec::new(),
            together: (2 * rayon::current_num_threads())
                .min(MOST_TOGETHER)
                .min(MOST_MEMORY / (4 * width * height).max(1))
                .max(1),
            plans: Vec::new(),
            waiting: Waiting {
                wanted: request_waits,
                ..Waiting::default()
            },
        };
        let (sender, receiver) = sync_channel(QUEUE);
        let failed = |error: &dyn Display| {
            Failure::Input(format!("cannot start the thread that draws: {error}"))
        };
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .build()
            .map_err(|error| failed(&error))?;
        let thread = std::thread::Builder::new()
            .name("pictures".to_owned())
            .spawn(move || workers.install(move || work.all(receiver)))
            .map_err(|error| failed(&error))?;
        Ok(Self {
            frames: Some(sender),
            thread: Some(thread),
        })
    }

    /// Hands over the frames of one moment: one of each run.
    pub fn add(&mut self, frames: Vec<Frame>) -> Result<(), Failure> {
        let sent = self.frames.as_ref().map(|queue| queue.send(frames));
        match sent {
            Some(Ok(())) => Ok(()),
            // The thread ended early: it has the reason.
            _ => self.join().map(drop),
        }
    }

    /// Waits until everything is drawn and written.
    pub fn finish(mut self) -> Result<Vec<Written>, Failure> {
        self.join()
    }

    fn join(&mut self) -> Result<Vec<Written>, Failure> {
        self.frames = None;
        let Some(thread) = self.thread.take() else {
            return Ok(Vec::new());
        };
        thread.join().unwrap_or_else(|_| {
            Err(Failure::Simulation(
                "the thread that draws pictures stopped: a fault of the program".to_owned(),
            ))
        })
    }
}

/// What the thread has at hand.
struct Work {
    request: PictureRequest,
    films: Vec<(PathBuf, Box<dyn FilmWriter>)>,
    pictures: Vec<PathBuf>,
    /// The frames that single pictures show, as far as is known.
    kept: Option<Vec<Frame>>,
    /// The same, if it was planned for a film already.
    drawn: Option<Still>,
    moments: Vec<Frame>,
    /// Moments to be planned and drawn together, and how many these are.
    next: Vec<Vec<Frame>>,
    together: usize,
    /// Moments to be drawn before those, and whether a single picture may show them.
    plans: Vec<(Plan, bool)>,
    /// Frames that wait until the camera is known.
    waiting: Waiting,
}

/// What a single picture shows.
enum Still {
    Drawn(Picture),
    /// Blurred in the film, and to be drawn sharp.
    Planned(Plan),
}

/// Frames that wait until the camera is known.
#[derive(Default)]
struct Waiting {
    frames: Vec<Vec<Frame>>,
    /// Whether there is anything to wait for.
    wanted: bool,
    /// About the memory they take, in bytes.
    bytes: usize,
}

/// When waiting frames take more memory than this, in bytes, the camera shows what has been seen.
const MOST_WAITING: usize = 1 << 30;

impl Waiting {
    fn add(&mut self, frames: Vec<Frame>) {
        let bodies = frames.iter().flat_map(|frame| &frame.bodies);
        self.bytes += bodies.map(|body| 160 * body.positions.len()).sum::<usize>();
        self.frames.push(frames);
        self.wanted = self.bytes < MOST_WAITING;
    }
}

impl Work {
    fn all(mut self, frames: Receiver<Vec<Frame>>) -> Result<Vec<Written>, Failure> {
        for frames in frames {
            if !self.waiting.wanted {
                self.add(frames)?;
                continue;
            }
            self.request.studio.look_ahead(&frames);
            self.waiting.add(frames);
            if !self.waiting.wanted {
                self.add_waiting()?;
            }
        }
        self.add_waiting()?;
        self.draw_all()?;
        self.finish()
    }

    fn add_waiting(&mut self) -> Result<(), Failure> {
        for frames in std::mem::take(&mut self.waiting.frames) {
            self.add(frames)?;
        }
        Ok(())
    }

    fn add(&mut self, frames: Vec<Frame>) -> Result<(), Failure> {
        let number = frames.first().map_or(0, |frame| frame.number);
        if self.request.moments.contains(&number) {
            self.moments.extend(frames.iter().cloned());
        }
        // A picture of a frame in the midst is the one that a film shows at that moment.
        let is_asked_for = self.request.frame == Some(number);
        if !self.films.is_empty() || is_asked_for && !self.pictures.is_empty() {
            self.next.push(frames);
            if self.next.len() >= self.together {
                self.draw_some()?;
            }
            return Ok(());
        }
        self.draw_all()?;
        self.request.studio.pass_over(&frames);
        if is_asked_for || self.request.frame.is_none() {
            self.kept = Some(frames);
        }
        Ok(())
    }

    /// Draws what is planned, and plans what comes next.
    fn draw_some(&mut self) -> Result<(), Failure> {
        let plans = std::mem::take(&mut self.plans);
        let next = std::mem::take(&mut self.next);
        let PictureRequest { studio, frame, .. } = &mut self.request;
        let draw = || -> Vec<Picture> {
            let plans = plans.par_iter();
            plans.map(|(plan, _)| plan.draw_film()).collect()
        };
        let plan = || -> Result<Vec<(Plan, bool)>, Failure> {
            let planned = next.iter().map(|frames| {
                let number = frames.first().map_or(0, |frame| frame.number);
                let is_shown = frame.is_none_or(|shown| shown == number);
                Ok((studio.plan(frames)?, is_shown))
            });
            planned.collect()
        };
        let (pictures, planned) = rayon::join(draw, plan);
        for (picture, (plan, is_shown)) in pictures.into_iter().zip(plans) {
            for (_, film) in &mut self.films {
                film.add(picture.bytes()).map_err(Failure::on_the_way)?;
            }
            if is_shown && !self.pictures.is_empty() {
                self.drawn = Some(match plan.is_blurred() {
                    true => Still::Planned(plan),
                    false => Still::Drawn(picture),
                });
            }
        }
        self.plans = planned?;
        Ok(())
    }

    /// Draws all that has been added so far.
    fn draw_all(&mut self) -> Result<(), Failure> {
        while !(self.next.is_empty() && self.plans.is_empty()) {
            self.draw_some()?;
        }
        Ok(())
    }

    fn several_moments(&mut self) -> Result<Picture, Failure> {
        let studio = &mut self.request.studio;
        match self.request.over_each_other {
            true => studio.strobe(&self.moments),
            false => studio.sheet(&self.moments),
        }
    }

    fn finish(mut self) -> Result<Vec<Written>, Failure> {
        let mut written = Vec::new();
        if !self.pictures.is_empty() {
            let picture = match (self.drawn.take(), self.kept.take()) {
                _ if !self.moments.is_empty() => Some(self.several_moments()?),
                (Some(Still::Drawn(picture)), _) => Some(picture),
                (Some(Still::Planned(plan)), _) => Some(plan.draw()),
                (None, Some(frames)) => Some(self.request.studio.draw(&frames)?),
                // The run ended before the frame that was asked for.
                (None, None) => None,
            };
            if let Some(picture) = picture {
                for path in &self.pictures {
                    let (width, height) = (picture.width(), picture.height());
                    save_png(path, width, height, picture.bytes()).map_err(Failure::on_the_way)?;
                    written.push(Written {
                        output: path.clone(),
                        files: vec![path.clone()],
                    });
                }
            }
        }
        let films = std::mem::take(&mut self.films);
        let mut finished = Vec::new();
        for (output, film) in films {
            let files = film.finish().map_err(Failure::on_the_way)?;
            finished.push(Written { output, files });
        }
        finished.append(&mut written);
        Ok(finished)
    }
}

fn wrong(error: impl Display) -> Failure {
    Failure::Input(error.to_string())
}

//! Engines that take the frames of the same scene by turns, so that what else the machine does meets
//! all of them alike.

use crate::engine::Engine;
use crate::referee::{Crossings, Shape};
use cpu_time::ProcessTime;
use glam::DVec3;
use std::time::Duration;

/// Frames that an engine takes before the next one has its turn.
const TURN: usize = 10;

/// An engine with a scene, and what is measured of it.
pub struct Contestant {
    pub name: String,
    engine: Box<dyn Engine>,
    /// What all bodies of the scene are alike in.
    pub shape: Shape,
    pub frames: usize,
    spent: Duration,
    /// Crossings of all frames; none if nobody looked.
    pub crossings: Crossings,
}

/// How long a race is.
#[derive(Clone, Copy)]
pub struct Course {
    pub frames: usize,
    /// Processor time after which an engine stops, in seconds.
    pub limit: f64,
    /// Whether crossings are counted after every frame, outside of the measured time.
    pub crossings: bool,
}

impl Contestant {
    pub fn new(name: &str, engine: impl Engine + 'static, shape: Shape) -> Self {
        Self {
            name: name.to_owned(),
            engine: Box::new(engine),
            shape,
            frames: 0,
            spent: Duration::ZERO,
            crossings: Crossings::default(),
        }
    }

    /// Processor milliseconds per frame, of all threads and all frames.
    pub fn milliseconds(&self) -> f64 {
        1e3 * self.spent.as_secs_f64() / self.frames.max(1) as f64
    }

    /// Where the nodes are now.
    pub fn positions(&self) -> Vec<DVec3> {
        self.engine.positions()
    }

    /// What the engine itself reports of its failures, in brackets.
    pub fn complaints(&self) -> String {
        let complaints = self.engine.complaints();
        match complaints.is_empty() {
            true => complaints,
            false => format!("  ({complaints})"),
        }
    }

    fn turn(&mut self, course: Course) {
        for _ in 0..TURN {
            if self.is_finished(course) {
                return;
            }
            let start = ProcessTime::now();
            self.engine.step();
            self.spent += start.elapsed();
            self.frames += 1;
            if course.crossings {
                self.crossings.look(&self.shape, &self.positions());
            }
        }
    }

    fn is_finished(&self, course: Course) -> bool {
        self.frames >= course.frames || self.spent.as_secs_f64() >= course.limit
    }
}

/// Lets all contestants take their frames.
pub fn race(contestants: &mut [Contestant], course: Course) {
    while !contestants.iter().all(|one| one.is_finished(course)) {
        contestants.iter_mut().for_each(|one| one.turn(course));
    }
}

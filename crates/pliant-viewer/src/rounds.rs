//! The rounds of a simulation: take what was asked, step if one is due, show if somebody looks. It
//! knows neither thread nor worker; whoever has one calls it again after the time that it says.
//!
//! It never floods whoever looks: it makes a frame only when the last one was taken, at most sixty
//! times per second.

use crate::desk::{Desk, Life};
use crate::pace::Pace;
use crate::request::{Notice, Request, Shown};
use pliant_session::clock;

/// The shortest time between two frames, in seconds.
const FRAME_TIME: f64 = 1.0 / 60.0;

/// How often files are looked at, in seconds.
const LOOK_TIME: f64 = 0.25;

/// Where frames and notices go.
pub trait Outlet {
    /// Whether the last frame was not taken yet.
    fn is_full(&self) -> bool;

    /// Takes a frame; one that was not taken yet is replaced.
    fn frame(&mut self, shown: Shown);

    /// Takes a notice.
    fn notice(&mut self, notice: Notice, desk: &mut Desk);
}

/// A simulation that goes its rounds.
#[derive(Debug)]
pub struct Rounds<O> {
    desk: Desk,
    pace: Pace,
    /// Where frames and notices go.
    pub outlet: O,
    last_frame: f64,
    last_look: f64,
    /// The simulated time that is not gone beyond, in seconds.
    hold: Option<f64>,
}

impl<O: Outlet> Rounds<O> {
    /// Without a scene.
    pub fn new(desk: Desk, outlet: O) -> Self {
        Self {
            desk,
            pace: Pace::new(clock::seconds()),
            outlet,
            last_frame: f64::NEG_INFINITY,
            last_look: 0.0,
            hold: None,
        }
    }

    /// Carries out a request.
    pub fn carry_out(&mut self, request: Request) {
        if let Request::Speed(speed) = request {
            self.pace.set_speed(speed);
            self.desk.is_changed = true;
            return;
        }
        if let Request::Hold(time) = request {
            self.hold = time;
            return;
        }
        let was_running = self.desk.is_running();
        self.desk.carry_out(request);
        if self.desk.is_running() && !was_running {
            self.pace.resume(clock::seconds());
        }
    }

    /// One round; says after how many seconds the next is due.
    pub fn turn(&mut self) -> f64 {
        self.look_at_files();
        let until_step = self.step_if_due();
        let until_frame = self.show_if_due();
        for notice in self.desk.take_notices() {
            self.outlet.notice(notice, &mut self.desk);
        }
        until_step.min(until_frame).min(LOOK_TIME)
    }

    /// Takes a step if one is due; says how long to wait for the next, in seconds.
    fn step_if_due(&mut self) -> f64 {
        let length = self.desk.time_step();
        if !self.desk.is_running() || length <= 0.0 {
            return LOOK_TIME;
        }
        let time = self.desk.player().map_or(0.0, |player| player.world().time);
        if self.hold.is_some_and(|hold| time + length > hold) {
            // The next request says how long.
            return LOOK_TIME;
        }
        if !self.pace.is_due(clock::seconds(), length) {
            return self.pace.wait(length);
        }
        if self.desk.step() == Life::GoesOn {
            self.pace.took(clock::seconds(), length);
        }
        0.0
    }

    /// Makes a frame if there is something new and the last one was taken; says how long to wait, in
    /// seconds.
    fn show_if_due(&mut self) -> f64 {
        if !self.desk.is_changed {
            return LOOK_TIME;
        }
        let now = clock::seconds();
        let ahead = self.last_frame + FRAME_TIME - now;
        if ahead > 0.0 {
            return ahead;
        }
        // The last one may stay where it is for a while, but not for ever: it grows stale.
        if self.outlet.is_full() && ahead > -0.25 {
            return FRAME_TIME;
        }
        // What a frame is of is told before it.
        for notice in self.desk.take_notices() {
            self.outlet.notice(notice, &mut self.desk);
        }
        if let Some(mut shown) = self.desk.show() {
            shown.speed = self.pace.speed();
            if shown.is_running {
                shown.real_time_factor = self.pace.real_time_factor();
            }
            self.outlet.frame(shown);
        }
        self.last_frame = clock::seconds();
        LOOK_TIME
    }

    fn look_at_files(&mut self) {
        let now = clock::seconds();
        if now - self.last_look >= LOOK_TIME {
            self.last_look = now;
            self.desk.look_at_files();
        }
    }
}

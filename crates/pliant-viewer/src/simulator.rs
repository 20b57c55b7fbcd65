//! The simulation on a thread of its own. It takes requests and gives frames.
//!
//! The window never waits for it: a frame lies in a slot, and the window takes the newest. And it
//! never floods the window: it makes a frame only when the last one was taken, at most sixty times per
//! second.

use crate::desk::{Desk, Life};
use crate::pace::Pace;
use crate::request::{Notice, Request, Shown};
use pliant_session::clock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The shortest time between two frames, in seconds.
const FRAME_TIME: f64 = 1.0 / 60.0;

/// How often files are looked at, in seconds.
const LOOK_TIME: f64 = 0.25;

/// A simulation on its own thread.
#[derive(Debug)]
pub struct Simulator {
    requests: Sender<Request>,
    notices: Receiver<Notice>,
    slot: Arc<Mutex<Option<Box<Shown>>>>,
    /// The flag that stops the step at hand.
    stop: Arc<Mutex<Arc<AtomicBool>>>,
    thread: Option<JoinHandle<()>>,
}

impl Simulator {
    /// Starts the thread. `wake` is called, from that thread, whenever there is something new; history
    /// is bounded to so many bytes.
    pub fn start(history: usize, wake: impl Fn() + Send + 'static) -> Self {
        let (requests, inbox) = mpsc::channel();
        let (outbox, notices) = mpsc::channel();
        let slot = Arc::new(Mutex::new(None));
        let stop: Arc<Mutex<Arc<AtomicBool>>> = Arc::default();
        let mut own = Loop {
            desk: Desk::new(history, Arc::clone(&stop)),
            pace: Pace::new(clock::seconds()),
            outbox,
            slot: Arc::clone(&slot),
            wake: Box::new(wake),
            last_frame: f64::NEG_INFINITY,
            last_look: 0.0,
        };
        let thread = std::thread::Builder::new().name("simulation".to_owned());
        let thread = thread.spawn(move || own.run(&inbox)).ok();
        Self {
            requests,
            notices,
            slot,
            stop,
            thread,
        }
    }

    /// Asks for something. What would make the step at hand useless stops it.
    pub fn ask(&self, request: Request) {
        let leaves = matches!(
            request,
            Request::Open(..) | Request::Replay(_) | Request::Reset | Request::GoTo(_)
        );
        if leaves {
            self.stop_step();
        }
        // The thread ends only with this handle.
        let _ = self.requests.send(request);
    }

    /// Whether the thread is there.
    pub fn is_alive(&self) -> bool {
        self.thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
    }

    /// The newest frame, if there is one that was not taken yet.
    pub fn take_frame(&self) -> Option<Box<Shown>> {
        lock(&self.slot).take()
    }

    /// The next notice, if there is one.
    pub fn notice(&self) -> Option<Notice> {
        self.notices.try_recv().ok()
    }

    fn stop_step(&self) {
        lock(&self.stop).store(true, Ordering::Relaxed);
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // The thread ends when nobody can ask any more.
        let (closed, _) = mpsc::channel();
        self.requests = closed;
        if let Some(thread) = self.thread.take() {
            while !thread.is_finished() {
                self.stop_step();
                std::thread::sleep(Duration::from_millis(2));
            }
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread has.
struct Loop {
    desk: Desk,
    pace: Pace,
    outbox: Sender<Notice>,
    slot: Arc<Mutex<Option<Box<Shown>>>>,
    wake: Box<dyn Fn() + Send>,
    last_frame: f64,
    last_look: f64,
}

impl Loop {
    fn run(&mut self, inbox: &Receiver<Request>) {
        let mut wait = Duration::ZERO;
        loop {
            match inbox.recv_timeout(wait) {
                Ok(request) => {
                    self.take(request);
                    // All that has come in the meantime, before the next step.
                    while let Ok(request) = inbox.try_recv() {
                        self.take(request);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.look_at_files();
            let until_step = self.step_if_due();
            let until_frame = self.show_if_due();
            self.send_notices();
            wait = Duration::from_secs_f64(until_step.min(until_frame).min(LOOK_TIME));
        }
    }

    fn take(&mut self, request: Request) {
        if let Request::Speed(speed) = request {
            self.pace.set_speed(speed);
            self.desk.is_changed = true;
            return;
        }
        let was_running = self.desk.is_running();
        self.desk.take(request);
        if self.desk.is_running() && !was_running {
            self.pace.resume(clock::seconds());
        }
    }

    /// Takes a step if one is due; says how long to wait for the next, in seconds.
    fn step_if_due(&mut self) -> f64 {
        let length = self.desk.time_step();
        if !self.desk.is_running() || length <= 0.0 {
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
        let is_full = lock(&self.slot).is_some();
        if is_full && ahead > -0.25 {
            return FRAME_TIME;
        }
        if let Some(mut shown) = self.desk.show() {
            shown.speed = self.pace.speed();
            if shown.is_running {
                shown.real_time_factor = self.pace.real_time_factor();
            }
            *lock(&self.slot) = Some(Box::new(shown));
            (self.wake)();
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

    fn send_notices(&mut self) {
        let notices = self.desk.take_notices();
        if notices.is_empty() {
            return;
        }
        for notice in notices {
            let _ = self.outbox.send(notice);
        }
        (self.wake)();
    }
}

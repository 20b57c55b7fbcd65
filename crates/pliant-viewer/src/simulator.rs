//! The simulation on a thread of its own. It takes requests and gives frames. The window never waits
//! for it: a frame lies in a slot, and the window takes the newest.

use crate::desk::Desk;
use crate::request::{Notice, Request, Shown};
use crate::rounds::{Outlet, Rounds};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

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
        let outlet = Slot {
            outbox,
            slot: Arc::clone(&slot),
            wake: Box::new(wake),
        };
        let desk = Desk::new(history, Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("simulation".to_owned());
        let thread = thread
            .spawn(move || run(Rounds::new(desk, outlet), &inbox))
            .ok();
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
        if request.leaves_step() {
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

/// Where the thread leaves frames and notices.
struct Slot {
    outbox: Sender<Notice>,
    slot: Arc<Mutex<Option<Box<Shown>>>>,
    wake: Box<dyn Fn() + Send>,
}

impl Outlet for Slot {
    fn is_full(&self) -> bool {
        lock(&self.slot).is_some()
    }

    fn frame(&mut self, shown: Shown) {
        *lock(&self.slot) = Some(Box::new(shown));
        (self.wake)();
    }

    fn notice(&mut self, notice: Notice, _desk: &mut Desk) {
        // Nobody listens any more: the thread is about to end.
        let _ = self.outbox.send(notice);
        (self.wake)();
    }
}

fn run(mut rounds: Rounds<Slot>, inbox: &Receiver<Request>) {
    let mut wait = Duration::ZERO;
    loop {
        match inbox.recv_timeout(wait) {
            Ok(request) => {
                rounds.carry_out(request);
                // All that has come in the meantime, before the next step.
                while let Ok(request) = inbox.try_recv() {
                    rounds.carry_out(request);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        wait = Duration::from_secs_f64(rounds.turn());
    }
}

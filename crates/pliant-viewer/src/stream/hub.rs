//! The simulation that all pages look at, and what it tells.

use crate::desk::Desk;
use crate::request::{Notice, Request, Shown};
use crate::rounds::{Outlet, Rounds};
use crate::wire::{StagedText, Word};
use pliant::Frame;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most notices that are kept for pages that have not read them yet.
const MOST_NOTICES: usize = 64;

/// A simulation on its own thread, with what it tells.
#[derive(Debug)]
pub struct Hub {
    requests: Mutex<Sender<Request>>,
    board: Arc<Board>,
    stop: Arc<Mutex<Arc<AtomicBool>>>,
}

/// Where the simulation leaves what it tells.
#[derive(Debug, Default)]
pub(super) struct Board {
    told: Mutex<Told>,
    /// Wakes those who wait for news.
    news: Condvar,
}

/// What the simulation has told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The scene, and how many there were.
    pub scene: Option<Arc<(StagedText, Frame)>>,
    pub scene_number: u64,
    /// The newest frame, and how many there were.
    pub frame: Option<Arc<Shown>>,
    pub frame_number: u64,
    /// How many there were before the scene.
    pub frames_before_scene: u64,
    /// The last notices, and how many there were.
    pub notices: VecDeque<Arc<Word>>,
    pub notice_number: u64,
    /// Pages that have taken the newest frame and want the next.
    pub waiting: usize,
}

impl Board {
    pub(super) fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for news, but not for ever.
    pub(super) fn wait<'a>(
        &self,
        told: MutexGuard<'a, Told>,
        time: Duration,
    ) -> MutexGuard<'a, Told> {
        let waited = self.news.wait_timeout(told, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes those who wait. Whoever has looked and found nothing waits by then: both hold the lock.
    pub(super) fn wake(&self) {
        drop(self.lock());
        self.news.notify_all();
    }
}

impl Hub {
    /// Starts the simulation with a scene; history is bounded to so many bytes.
    pub fn start(first: Request, history: usize) -> std::io::Result<Self> {
        let (requests, inbox) = mpsc::channel();
        let board = Arc::new(Board::default());
        let stop: Arc<Mutex<Arc<AtomicBool>>> = Arc::default();
        let mut desk = Desk::new(history, Arc::clone(&stop));
        desk.hands_over_files = true;
        let outlet = Post {
            board: Arc::clone(&board),
        };
        let mut rounds = Rounds::new(desk, outlet);
        rounds.carry_out(first);
        let thread = std::thread::Builder::new().name("simulation".to_owned());
        thread.spawn(move || run(rounds, &inbox))?;
        Ok(Self {
            requests: Mutex::new(requests),
            board,
            stop,
        })
    }

    /// Asks for something. What would make the step at hand useless stops it.
    pub fn ask(&self, request: Request) {
        if request.leaves_step() {
            let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
            stop.store(true, Ordering::Relaxed);
        }
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // A simulation that is gone tells nothing any more either.
        let _ = requests.send(request);
    }

    /// The newest frame, if there is one.
    pub fn newest(&self) -> Option<Arc<Shown>> {
        self.board.lock().frame.clone()
    }

    pub(super) fn board(&self) -> &Arc<Board> {
        &self.board
    }
}

fn run(mut rounds: Rounds<Post>, inbox: &Receiver<Request>) {
    let mut wait = Duration::ZERO;
    loop {
        match inbox.recv_timeout(wait) {
            Ok(request) => {
                rounds.carry_out(request);
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

/// Leaves frames and notices on the board.
struct Post {
    board: Arc<Board>,
}

impl Outlet for Post {
    fn is_full(&self) -> bool {
        self.board.lock().waiting == 0
    }

    fn frame(&mut self, shown: Shown) {
        let mut told = self.board.lock();
        told.frame = Some(Arc::new(shown));
        told.frame_number += 1;
        drop(told);
        self.board.wake();
    }

    fn notice(&mut self, notice: Notice, desk: &mut Desk) {
        let word = match notice {
            Notice::Staged(staged) => {
                let scene = desk.staged_text(&staged).map(Arc::new);
                let mut told = self.board.lock();
                told.scene = scene;
                told.scene_number += 1;
                // Frames of another scene are of no use.
                told.frame = None;
                told.frames_before_scene = told.frame_number;
                drop(told);
                self.board.wake();
                return;
            }
            Notice::Refused(message) => Word::Refused(message),
            Notice::Mistake(message) => Word::Mistake(message),
            Notice::Mended => Word::Mended,
            Notice::Done(message) => Word::Done(message),
            Notice::File { name, content } => Word::File { name, content },
        };
        let mut told = self.board.lock();
        told.notices.push_back(Arc::new(word));
        told.notice_number += 1;
        if told.notices.len() > MOST_NOTICES {
            told.notices.pop_front();
        }
        drop(told);
        self.board.wake();
    }
}

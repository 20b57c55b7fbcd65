//! The simulation in a worker of the browser. It takes requests and gives frames as messages; the
//! window never waits for it, and it waits until a frame was taken before it sends the next.

use crate::mirror::{Mirror, News};
use crate::request::{Notice, Request, Shown};
use crate::web::{Told, WorkerHandle};
use crate::wire::to_bytes;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A worker of which nothing was heard for so long is in a step that may last, in seconds.
const PATIENCE: f64 = 1.0;

/// A simulation in a worker.
pub struct Simulator {
    worker: RefCell<Option<WorkerHandle>>,
    inbox: Rc<RefCell<Inbox>>,
    wake: Rc<dyn Fn()>,
}

/// What has come from the worker.
#[derive(Debug, Default)]
struct Inbox {
    mirror: Mirror,
    notices: VecDeque<Notice>,
    frame: Option<Box<Shown>>,
    is_dead: bool,
}

impl std::fmt::Debug for Simulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Simulator({:?})", self.worker)
    }
}

impl Simulator {
    /// Starts the worker. `wake` is called whenever there is something new. How much history is kept
    /// is the worker's decision.
    pub fn start(_history: usize, wake: impl Fn() + 'static) -> Self {
        let simulator = Self {
            worker: RefCell::new(None),
            inbox: Rc::default(),
            wake: Rc::new(wake),
        };
        simulator.restart();
        simulator
    }

    fn restart(&self) {
        let inbox = Rc::clone(&self.inbox);
        let wake = Rc::clone(&self.wake);
        *inbox.borrow_mut() = Inbox::default();
        // The last one ends before the next one takes memory.
        self.worker.replace(None);
        let filled = Rc::clone(&inbox);
        let started = WorkerHandle::start("simulation", move |told| {
            filled.borrow_mut().hear(told);
            wake();
        });
        match started {
            Ok(worker) => *self.worker.borrow_mut() = Some(worker),
            Err(error) => inbox.borrow_mut().hear(Told::Dead(error)),
        }
    }

    /// Asks for something. A worker that is gone, or that is busy with a scene that nobody wants any
    /// more, is replaced.
    pub fn ask(&self, request: Request) {
        let is_other_scene = request.opens();
        let is_busy = |worker: &WorkerHandle| worker.silence() > PATIENCE;
        let is_useless = self.worker.borrow().as_ref().is_none_or(is_busy);
        if is_other_scene && (is_useless || self.inbox.borrow().is_dead) {
            self.restart();
        }
        self.inbox.borrow_mut().mirror.sees(&request);
        if let Some(worker) = &*self.worker.borrow() {
            let request = match worker.is_stream() {
                true => crate::web::without_served_files(request),
                false => request,
            };
            worker.send(&to_bytes(&request));
        }
    }

    /// Whether the worker is there.
    pub fn is_alive(&self) -> bool {
        !self.inbox.borrow().is_dead
    }

    /// The newest frame, if there is one that was not taken yet.
    pub fn take_frame(&self) -> Option<Box<Shown>> {
        let frame = self.inbox.borrow_mut().frame.take();
        if frame.is_some()
            && let Some(worker) = &*self.worker.borrow()
        {
            // Nothing at all says that the next one may come.
            worker.send(&[]);
        }
        frame
    }

    /// The next notice, if there is one.
    pub fn notice(&self) -> Option<Notice> {
        self.inbox.borrow_mut().notices.pop_front()
    }
}

impl Inbox {
    fn hear(&mut self, told: Told) {
        let message = match told {
            Told::Dead(reason) => {
                self.is_dead = true;
                let message = format!("the simulation has ended: {reason}; open the scene again");
                self.notices.push_back(Notice::Mistake(message));
                return;
            }
            // A sign of life.
            Told::Bytes([]) => return,
            Told::Bytes(message) => message,
        };
        match self.mirror.read(message) {
            Ok(News::Notice(notice)) => self.notices.push_back(notice),
            Ok(News::Frame(shown)) => self.frame = Some(shown),
            Ok(News::Picture(..)) => {}
            Err(error) => self.notices.push_back(Notice::Refused(error.to_string())),
        }
    }
}

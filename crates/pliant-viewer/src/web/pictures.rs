//! Pictures of the built-in scenes, drawn by a worker of their own.

use super::{Told, WorkerHandle};
use crate::mirror::{Mirror, News};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type Queue = Rc<RefCell<VecDeque<(usize, Vec<u8>)>>>;

/// Pictures of the built-in scenes, as they are drawn.
#[derive(Debug)]
pub struct Pictures {
    /// Without a worker there are names without pictures.
    _worker: Option<WorkerHandle>,
    ready: Queue,
}

impl Pictures {
    /// Begins to draw. `wake` is called whenever there is a new one.
    pub fn start(wake: impl Fn() + 'static) -> Self {
        let ready = Queue::default();
        let inbox = Rc::clone(&ready);
        let worker = WorkerHandle::start("pictures", move |told| {
            if let Told::Bytes(message) = told
                && let Ok(News::Picture(index, pixels)) = Mirror::default().read(message)
            {
                inbox.borrow_mut().push_back((index, pixels));
                wake();
            }
        });
        Self {
            _worker: worker.ok(),
            ready,
        }
    }

    /// The next picture that is ready: the number of its scene and its pixels.
    pub fn next(&self) -> Option<(usize, Vec<u8>)> {
        self.ready.borrow_mut().pop_front()
    }
}

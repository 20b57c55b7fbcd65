//! The worker: the simulation on the other side of the wire. JavaScript in `page/` calls these
//! functions: [`begin`] once, [`receive`] for each message, [`turn`] whenever it is due.

use crate::desk::Desk;
use crate::mirror::Teller;
use crate::pictures::picture;
use crate::request::{Notice, Request, Shown};
use crate::rounds::{Outlet, Rounds};
use crate::wire::{Word, from_bytes, to_bytes};
use js_sys::{Array, Uint8Array};
use pliant_scene::gallery;
use pliant_session::clock;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use wasm_bindgen::prelude::{JsCast, JsValue, wasm_bindgen};
use web_sys::DedicatedWorkerGlobalScope;

/// Bytes that the history of a run may take: the browser gives a worker 4 GB at most.
const HISTORY_BYTES: usize = 128 << 20;

/// How often a sign of life is given, in seconds.
const SIGN_OF_LIFE: f64 = 0.2;

/// What a worker does.
enum Task {
    /// Nothing yet.
    None,
    /// Simulates.
    Simulation(Box<Rounds<Post>>),
    /// Draws the built-in scenes from a number on.
    Pictures(usize),
}

thread_local! {
    static TASK: RefCell<Task> = const { RefCell::new(Task::None) };
    static LAST_SIGN: RefCell<f64> = const { RefCell::new(0.0) };
}

/// Begins with a task: `simulation` or `pictures`.
#[wasm_bindgen]
pub fn begin(task: &str) {
    report_panics();
    let task = match task {
        "pictures" => Task::Pictures(0),
        _ => {
            let mut desk = Desk::new(HISTORY_BYTES, std::sync::Arc::default());
            desk.hands_over_files = true;
            Task::Simulation(Box::new(Rounds::new(desk, Post::default())))
        }
    };
    TASK.set(task);
}

/// Takes a message of the page.
#[wasm_bindgen]
pub fn receive(message: &[u8]) {
    TASK.with_borrow_mut(|task| {
        let Task::Simulation(rounds) = task else {
            return;
        };
        if message.is_empty() {
            rounds.outlet.is_full = false;
            return;
        }
        match from_bytes::<Request>(message) {
            Ok(request) => rounds.carry_out(request),
            Err(error) => post(&to_bytes(&Word::Refused(error.to_string()))),
        }
    });
}

/// Does what is due; says after how many seconds the next turn is. A negative number says never.
#[wasm_bindgen]
pub fn turn() -> f64 {
    let wait = TASK.with_borrow_mut(|task| match task {
        Task::None => -1.0,
        Task::Simulation(rounds) => rounds.turn(),
        Task::Pictures(index) => {
            let Some(scene) = gallery().get(*index) else {
                return -1.0;
            };
            if let Some(pixels) = picture(scene.name, &AtomicBool::new(false)) {
                let index = *index;
                post(&to_bytes(&Word::Picture { index, pixels }));
            }
            *index += 1;
            0.0
        }
    });
    let now = clock::seconds();
    if now - LAST_SIGN.with_borrow(|last| *last) > SIGN_OF_LIFE {
        post(&[]);
    }
    wait
}

/// Panics are bugs: their message goes to the console, where it can be read.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        web_sys::console::error_1(&JsValue::from_str(&panic.to_string()));
    }));
}

/// Hands a message to the page.
fn post(message: &[u8]) {
    LAST_SIGN.set(clock::seconds());
    let bytes = Uint8Array::from(message);
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let buffers = Array::of1(&bytes.buffer());
    // It fails only if the page is gone.
    let _ = scope.post_message_with_transfer(&bytes, &buffers);
}

/// Sends frames and notices to the page.
#[derive(Debug, Default)]
struct Post {
    teller: Teller,
    /// Whether the page has not taken the last frame yet.
    is_full: bool,
}

impl Outlet for Post {
    fn is_full(&self) -> bool {
        self.is_full
    }

    fn frame(&mut self, shown: Shown) {
        // One that is on its way cannot be replaced: it waits.
        self.is_full = true;
        post(&self.teller.frame(&shown));
    }

    fn notice(&mut self, notice: Notice, desk: &mut Desk) {
        let message = self.teller.notice(notice, desk);
        if !message.is_empty() {
            post(&message);
        }
    }
}

//! Workers as the page sees them.

use js_sys::Uint8Array;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue, wasm_bindgen};
use web_sys::{ErrorEvent, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// Starts a worker for a task; defined in the page.
    #[wasm_bindgen(js_name = pliantWorker, catch)]
    fn start_worker(task: &str) -> Result<Worker, JsValue>;
}

/// What a worker tells.
pub(crate) enum Told<'a> {
    /// A message.
    Bytes(&'a [u8]),
    /// It has ended, and why.
    Dead(String),
}

/// A worker. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct WorkerHandle {
    worker: Worker,
    /// When it was last heard of, in seconds of [`pliant_session::clock`].
    last_heard: Rc<Cell<f64>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WorkerHandle {
    /// Starts a worker for a task.
    pub fn start(task: &str, told: impl Fn(Told) + 'static) -> Result<Self, String> {
        let worker = start_worker(task).map_err(|error| format!("{error:?}"))?;
        let last_heard = Rc::new(Cell::new(pliant_session::clock::seconds()));
        let told = Rc::new(told);
        let (tell, heard) = (Rc::clone(&told), Rc::clone(&last_heard));
        let on_message = Closure::new(move |event: MessageEvent| {
            heard.set(pliant_session::clock::seconds());
            let data = event.data();
            if let Some(message) = data.as_string() {
                tell(Told::Dead(message));
            } else if let Some(bytes) = data.dyn_ref::<Uint8Array>() {
                tell(Told::Bytes(&bytes.to_vec()));
            }
        });
        let on_error = Closure::new(move |event: ErrorEvent| told(Told::Dead(event.message())));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self {
            worker,
            last_heard,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a message.
    pub fn send(&self, message: &[u8]) {
        // A worker that is gone tells so itself.
        let _ = self.worker.post_message(&Uint8Array::from(message));
    }

    /// Whether it is a run on the machine that has served the page.
    pub fn is_stream(&self) -> bool {
        let found = js_sys::Reflect::get(&self.worker, &JsValue::from_str("isStream"));
        found.is_ok_and(|found| found.is_truthy())
    }

    /// How long nothing was heard of it, in seconds.
    pub fn silence(&self) -> f64 {
        pliant_session::clock::seconds() - self.last_heard.get()
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

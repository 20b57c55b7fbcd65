//! What the page shows, for programs that drive it.

use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static STATUS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What the page shows, as JSON; empty until something is drawn.
#[wasm_bindgen]
pub fn status() -> String {
    STATUS.with_borrow(String::clone)
}

/// Keeps what is shown.
pub(crate) fn set_status(text: String) {
    STATUS.set(text);
}

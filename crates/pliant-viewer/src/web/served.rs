//! What the page is told from outside: a scene that its server has (`pliant view --web` with a file), a
//! comparison that a program asks for.

use crate::request::Request;
use eframe::egui;
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static SERVED: RefCell<Option<Request>> = const { RefCell::new(None) };
    /// Name and text of the scene that is streamed, whose files the server has.
    static STREAMED: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static WANTED: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static WINDOW: RefCell<Option<egui::Context>> = const { RefCell::new(None) };
}

/// Opens a scene with the files that it names, which the server of a stream has too. `set` has element, attribute and value of each attribute
/// that is replaced, one after the other.
#[wasm_bindgen(js_name = openScene)]
pub fn open_scene(
    name: String,
    text: String,
    set: Vec<String>,
    names: Vec<String>,
    contents: Array,
    is_streamed: bool,
) {
    STREAMED.set(is_streamed.then(|| (name.clone(), text.clone())));
    let overrides = set
        .as_chunks()
        .0
        .iter()
        .map(|[element, attribute, value]| (element.clone(), attribute.clone(), value.clone()));
    let content = |index: usize| {
        let bytes = contents.get(index as u32);
        bytes
            .dyn_ref::<Uint8Array>()
            .map_or_else(Vec::new, Uint8Array::to_vec)
    };
    let files = names.into_iter().enumerate();
    SERVED.set(Some(Request::OpenText {
        name,
        text,
        overrides: overrides.collect(),
        files: files.map(|(index, name)| (name, content(index))).collect(),
    }));
    wake();
}

/// Shows the scene beside the same with another choice, such as `formulation` and `Hybrid`.
#[wasm_bindgen(js_name = compareWith)]
pub fn compare_with(attribute: String, word: String) {
    WANTED.set(Some((attribute, word)));
    wake();
}

/// A request without files that the server of a stream has itself.
pub(crate) fn without_served_files(mut request: Request) -> Request {
    if let Request::OpenText {
        name, text, files, ..
    } = &mut request
    {
        let is_served = |streamed: &Option<(String, String)>| {
            streamed
                .as_ref()
                .is_some_and(|(served, content)| served == name && content == text)
        };
        if STREAMED.with_borrow(is_served) {
            files.clear();
        }
    }
    request
}

/// The comparison that was asked for, once.
pub(crate) fn take_comparison() -> Option<(String, String)> {
    WANTED.take()
}

fn wake() {
    WINDOW.with_borrow(|window| {
        if let Some(context) = window {
            context.request_repaint();
        }
    });
}

/// Whom to wake when a scene is there.
pub(super) fn set_window(context: egui::Context) {
    WINDOW.set(Some(context));
}

/// The scene that the page has fetched, once.
pub(crate) fn take_served() -> Option<Request> {
    SERVED.take()
}

//! The film of the page: the browser records its canvas and hands the film over when it ends.

use crate::request::Shown;
use eframe::egui;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// Begins to record the canvas; defined in the page.
    #[wasm_bindgen(js_name = pliantFilm, catch)]
    fn begin_film(name: &str) -> Result<(), JsValue>;

    /// Ends it and hands it over.
    #[wasm_bindgen(js_name = pliantFilmEnd, catch)]
    fn end_film() -> Result<(), JsValue>;
}

/// A film that is being made.
#[derive(Debug)]
pub struct Camera;

impl Camera {
    /// Begins a film.
    pub fn start(scene: &str) -> Result<Self, String> {
        let begun = begin_film(scene).map(|()| Self);
        begun.map_err(|error| format!("this browser cannot film: {error:?}"))
    }

    /// The browser takes the pictures itself.
    pub fn capture(&mut self, _context: &egui::Context, _rect: egui::Rect, _shown: &Shown) {}

    /// Ends it.
    pub fn end(self, _context: &egui::Context) -> Result<Option<String>, String> {
        let ended = end_film().map(|()| Some("the film was handed to the browser".to_owned()));
        ended.map_err(|error| format!("the film is lost: {error:?}"))
    }

    /// Nothing: the browser tells itself.
    pub fn news() -> Vec<String> {
        Vec::new()
    }
}

//! A film of what the window shows. On the desktop it follows simulated time, at the speed that was
//! asked for: a scene that is slow to simulate is not slow in the film. In the browser, the browser
//! records what it draws.

#[cfg(target_arch = "wasm32")]
mod by_browser;
#[cfg(not(target_arch = "wasm32"))]
mod camera;

#[cfg(target_arch = "wasm32")]
pub use by_browser::Camera;
#[cfg(not(target_arch = "wasm32"))]
pub use camera::Camera;

use super::app::App;
use crate::keys::Action;
use eframe::egui;

/// The button that ends a film.
pub fn button(app: &mut App, ui: &mut egui::Ui) {
    if app.film.is_none() {
        return;
    }
    let text = egui::RichText::new("End film").color(egui::Color32::from_rgb(204, 32, 32));
    if ui
        .button(text)
        .on_hover_text("M: writes the film")
        .clicked()
    {
        app.act(Action::Film, ui.ctx());
    }
}

impl App {
    /// Begins a film, or ends the one that is being made.
    pub(super) fn toggle_film(&mut self, context: &egui::Context) {
        let message = match self.film.take() {
            Some(film) => film.end(context),
            None => Camera::start(&self.scene.name).map(|film| {
                self.film = Some(film);
                None
            }),
        };
        match message {
            Ok(Some(message)) | Err(message) => self.say(context, message),
            Ok(None) => {}
        }
    }

    /// Takes the pictures of a film that are due.
    pub(super) fn take_film(&mut self, context: &egui::Context) {
        let rect = self.film_rect();
        if let (Some(film), Some(shown)) = (&mut self.film, &self.shown) {
            film.capture(context, rect, shown);
        }
        for message in Camera::news() {
            self.say(context, message);
        }
    }

    /// Where the pictures are in the window.
    fn film_rect(&self) -> egui::Rect {
        let mut rect = self.picture_rect;
        if self.second.is_some() {
            rect.set_width(2.0 * rect.width());
        }
        rect
    }
}

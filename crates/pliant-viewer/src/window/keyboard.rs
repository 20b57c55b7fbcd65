//! What keys do, and the buttons that do the same.

use super::app::App;
use super::toolbar;
use crate::flatland::plane_normal;
use crate::keys::{Action, Key, action};
use crate::pace::next_speed;
use crate::request::Request;
use eframe::egui;
use glam::DVec3;

impl App {
    /// Does what a key or a button asks for.
    pub(super) fn act(&mut self, action: Action, context: &egui::Context) {
        match action {
            Action::StartPause => self.ask(Request::Run(!self.is_running())),
            Action::Quit => context.send_viewport_cmd(egui::ViewportCommand::Close),
            Action::Screenshot => self.screenshots.request(context),
            Action::Film => self.toggle_film(context),
            Action::Strobe => self.switches.strobe ^= true,
            Action::VisualDebug => {
                self.switches.debug ^= true;
                self.apply_look();
            }
            Action::Wireframe => {
                self.switches.wireframe ^= true;
                self.apply_look();
            }
            Action::Reset => self.ask(Request::Reset),
            Action::FrameRate => self.switches.frame_rate ^= true,
            Action::StepForward => self.ask(Request::StepForward),
            Action::StepBack => self.ask(Request::StepBack),
            Action::Faster | Action::Slower => {
                let speed = self.shown.as_ref().map_or(1.0, |shown| shown.speed);
                self.ask(Request::Speed(next_speed(speed, action == Action::Faster)));
            }
            Action::FrameAll => self.frame_all(f64::from(self.picture_rect.aspect_ratio())),
            Action::Help => self.switches.help ^= true,
            Action::Save => toolbar::save(self, context),
            Action::LetAllGo => self.ask(Request::LetAllGo),
            Action::Panels => self.switches.panels ^= true,
        }
    }

    /// Lets the bodies fill a picture of an aspect (width over height).
    pub(super) fn frame_all(&mut self, aspect: f64) {
        let Some(shown) = &self.shown else {
            return;
        };
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for place in shown.frame.bodies.iter().flat_map(|body| &body.positions) {
            if place.is_finite() {
                low = low.min(*place);
                high = high.max(*place);
            }
        }
        self.orbit.frame(low, high, aspect);
        if let Some(normal) = plane_normal(&shown.frame) {
            self.orbit.face(normal);
        }
        self.is_stale = true;
    }

    /// Does what keys ask for that were pressed since the last picture.
    pub(super) fn take_keys(&mut self, context: &egui::Context) {
        if context.egui_wants_keyboard_input() {
            return;
        }
        let pressed = context.input(|input| {
            let mut keys = Vec::new();
            for event in &input.events {
                if let egui::Event::Key {
                    key,
                    pressed: true,
                    modifiers,
                    ..
                } = event
                    && !modifiers.ctrl
                    && !modifiers.command
                {
                    keys.extend(key_of(*key));
                }
            }
            keys
        });
        for action in pressed.into_iter().filter_map(action) {
            // In the gallery there is nothing to run.
            let always = matches!(action, Action::Quit | Action::Help | Action::Screenshot);
            if self.gallery.is_none() || always {
                self.act(action, context);
            }
        }
    }
}

/// What the window calls a key.
fn key_of(key: egui::Key) -> Option<Key> {
    Some(match key {
        egui::Key::Space => Key::Space,
        egui::Key::Escape => Key::Escape,
        egui::Key::ArrowRight => Key::Right,
        egui::Key::ArrowLeft => Key::Left,
        egui::Key::Plus | egui::Key::Equals => Key::Plus,
        egui::Key::Minus => Key::Minus,
        egui::Key::Home => Key::Home,
        egui::Key::Backspace => Key::Backspace,
        egui::Key::F1 => Key::F1,
        egui::Key::Tab => Key::Tab,
        other => {
            let mut letters = other.name().chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter.is_ascii_alphabetic() => Key::Letter(letter),
                _ => return None,
            }
        }
    })
}

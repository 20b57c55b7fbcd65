//! A user who drives the program in the window without a display, and sees what it would draw.

use super::super::{App, Options};
use crate::request::Request;
use eframe::egui::{self, Color32, Event, Key, Modifiers, PointerButton, Pos2, Shape};
use glam::DVec3;
use std::time::{Duration, Instant};

/// A user in front of a window.
pub struct User {
    pub context: egui::Context,
    pub app: App,
    frame: eframe::Frame,
    time: f64,
    /// Texts with their places, as last drawn.
    pub texts: Vec<(String, Pos2)>,
    /// Discs with their places, radii and colours, as last drawn.
    pub discs: Vec<(Pos2, f32, Color32)>,
    /// Boxes, as last drawn.
    pub boxes: Vec<egui::Rect>,
    /// How many lines were drawn last.
    pub lines: usize,
    pub commands: Vec<egui::ViewportCommand>,
}

impl User {
    pub fn new(first: Option<Request>) -> Self {
        let context = egui::Context::default();
        let creation = eframe::CreationContext::_new_kittest(context.clone());
        let options = Options {
            first,
            runs: true,
            ..Options::default()
        };
        let app = App::new(&creation, options);
        Self {
            context,
            app,
            frame: eframe::Frame::_new_kittest(),
            time: 0.0,
            texts: Vec::new(),
            discs: Vec::new(),
            boxes: Vec::new(),
            lines: 0,
            commands: Vec::new(),
        }
    }

    pub fn with_scene(name: &str) -> Self {
        let mut user = Self::new(Some(Request::Open(name.to_owned(), Vec::new())));
        user.until("a frame", |app| app.shown.is_some());
        user
    }

    /// One picture, with what happened before it.
    pub fn see(&mut self, mut events: Vec<Event>, modifiers: Modifiers) {
        events.insert(0, Event::ModifiersChanged(modifiers));
        self.time += 1.0 / 60.0;
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                Pos2::ZERO,
                egui::vec2(1200.0, 800.0),
            )),
            time: Some(self.time),
            events,
            focused: true,
            ..Default::default()
        };
        let (app, frame) = (&mut self.app, &mut self.frame);
        let output = self
            .context
            .run_ui(input, |ui| eframe::App::ui(app, ui, frame));
        self.texts.clear();
        self.discs.clear();
        self.boxes.clear();
        self.lines = 0;
        for clipped in &output.shapes {
            self.gather(&clipped.shape);
        }
        for viewport in output.viewport_output.values() {
            self.commands.extend(viewport.commands.iter().cloned());
        }
    }

    pub fn until(&mut self, what: &str, is_so: impl Fn(&App) -> bool) {
        let start = Instant::now();
        while !is_so(&self.app) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{what} did not come"
            );
            self.see(Vec::new(), Modifiers::NONE);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn press(&mut self, key: Key) {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.see(vec![event(true)], Modifiers::NONE);
        self.see(vec![event(false)], Modifiers::NONE);
    }

    pub fn place_of(&self, text: &str) -> Option<Pos2> {
        let found = self.texts.iter().find(|(written, _)| written == text);
        found.map(|(_, place)| *place)
    }

    pub fn says(&self, text: &str) -> bool {
        self.texts.iter().any(|(written, _)| written.contains(text))
    }

    pub fn button(&mut self, pos: Pos2, pressed: bool, modifiers: Modifiers) {
        let event = Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers,
        };
        self.see(vec![Event::PointerMoved(pos), event], modifiers);
    }

    pub fn click(&mut self, text: &str) {
        let place = self.place_of(text);
        let place = place.unwrap_or_else(|| panic!("no {text} in {:?}", self.texts));
        self.click_at(place);
    }

    /// Where a point of the scene is seen.
    pub fn place_in_picture(&self, point: DVec3) -> Pos2 {
        let rect = self.app.picture_rect;
        let seen = self
            .app
            .orbit
            .camera
            .project(point, rect.width() as usize, rect.height() as usize)
            .unwrap();
        rect.min + egui::vec2(seen[0] as f32, seen[1] as f32)
    }

    /// Sees what a shape shows.
    fn gather(&mut self, shape: &Shape) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|part| self.gather(part)),
            Shape::Text(text) => {
                let middle = text.pos + 0.5 * text.galley.size();
                self.texts.push((text.galley.text().to_owned(), middle));
            }
            Shape::Circle(circle) => self.discs.push((circle.center, circle.radius, circle.fill)),
            Shape::Rect(rect) => self.boxes.push(rect.rect),
            Shape::LineSegment { .. } => self.lines += 1,
            _ => {}
        }
    }

    /// Waits until what moves has come to rest.
    pub fn wait(&mut self) {
        for _ in 0..30 {
            self.see(Vec::new(), Modifiers::NONE);
        }
    }

    /// Opens sections of the panel, and closes those that would push them out of sight.
    pub fn open_sections(&mut self, opened: &[&str]) {
        self.wait();
        for title in ["Pull", "Bodies", "Energy and effort"] {
            // The tool has the same name, further to the left.
            let panel = self.app.picture_rect.right();
            let found = self
                .texts
                .iter()
                .find(|(written, place)| written == title && place.x > panel);
            if let Some(place) = found.map(|(_, place)| *place)
                && !opened.contains(&title)
            {
                self.click_at(place);
                self.wait();
            }
        }
        for title in opened {
            if *title != "Energy and effort" {
                self.click(title);
                self.wait();
            }
        }
    }

    pub fn click_at(&mut self, place: Pos2) {
        self.button(place, true, Modifiers::NONE);
        self.button(place, false, Modifiers::NONE);
        self.see(Vec::new(), Modifiers::NONE);
    }

    /// Drags with the left button, and sees pictures on the way.
    pub fn drag(&mut self, from: Pos2, to: Pos2) {
        self.button(from, true, Modifiers::NONE);
        for share in 1..=8 {
            let at = from.lerp(to, share as f32 / 8.0);
            self.see(vec![Event::PointerMoved(at)], Modifiers::NONE);
        }
        self.button(to, false, Modifiers::NONE);
        self.see(Vec::new(), Modifiers::NONE);
    }

    /// Stops a scene that runs.
    pub fn pause(&mut self) {
        self.until("a start", App::is_running);
        self.press(Key::Space);
        self.until("a pause", |app| !app.is_running());
        self.see(Vec::new(), Modifiers::NONE);
    }
}

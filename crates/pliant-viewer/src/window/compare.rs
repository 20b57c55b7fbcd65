//! Two variants of a scene side by side: the scene as it stands, and the same with another choice, such
//! as another formulation. They go in step, are seen by one camera, and what the hand does is done to
//! both.

use super::app::App;
use super::painter::Painter;
use super::sight::Sight;
use crate::orbit::Orbit;
use crate::player::HISTORY_BYTES;
use crate::request::{Notice, Request, SceneInfo, Shown};
use crate::scene_text::SceneValue;
use crate::simulator::Simulator;
use crate::vertices::Vertices;
use eframe::egui;
use glam::DVec3;
use pliant_session::Stage;

/// The most simulated time between two moments at which both have arrived, in seconds of the wall.
const LONGEST: f64 = 0.25;

/// The other variant.
#[derive(Debug)]
pub struct Second {
    simulator: Simulator,
    painter: Option<Painter>,
    stage: Option<Stage>,
    /// What was shown of it last.
    pub shown: Option<Box<Shown>>,
    origin: DVec3,
    is_stale: bool,
    picture: Option<(egui::TextureId, [u32; 2])>,
    /// The choice that tells it from the first.
    choice: SceneValue,
    /// Whether it has become what it is to be.
    is_ready: bool,
    /// What it is called in its picture.
    pub title: String,
    /// The simulated time that both go to before either goes on, in seconds.
    target: f64,
}

/// What a look at the other variant gave.
#[derive(Debug, Default)]
pub struct News {
    /// Something to say.
    pub message: Option<String>,
    /// Whether both are to begin now.
    pub begins: bool,
}

impl Second {
    /// Opens the scene again, with another choice.
    pub fn start(
        context: &egui::Context,
        painter: Option<&Painter>,
        opened: Request,
        choice: SceneValue,
    ) -> Self {
        let wake = context.clone();
        let simulator = Simulator::start(HISTORY_BYTES, move || wake.request_repaint());
        simulator.ask(opened);
        let word = choice.value.clone().unwrap_or_default();
        Self {
            simulator,
            painter: painter.map(Painter::twin),
            stage: None,
            shown: None,
            origin: DVec3::ZERO,
            is_stale: true,
            picture: None,
            title: format!("{} {word}", choice.attribute),
            choice,
            is_ready: false,
            target: 0.0,
        }
    }

    /// Asks the same of it as of the first, if that makes sense.
    pub fn ask(&self, request: &Request) {
        let is_other = match request {
            Request::Open(..)
            | Request::OpenText { .. }
            | Request::Replay(_)
            | Request::Hold(_)
            | Request::SaveScene(_)
            | Request::SaveRecording(_) => true,
            // The choice that tells the two apart stays.
            Request::Change {
                path, attribute, ..
            } => *path == self.choice.path && *attribute == self.choice.attribute,
            _ => false,
        };
        if !is_other {
            self.simulator.ask(request.clone());
        }
    }

    /// The time that both go to, in seconds, when the first has come to a time: the next one as soon
    /// as both have arrived. It is as far away as simulated time goes in `ahead` seconds.
    fn hold(&mut self, first: f64, time_step: f64, ahead: f64) -> f64 {
        let second = self.shown.as_ref().map_or(0.0, |shown| shown.time);
        let [slow, fast] = [second.min(first), second.max(first)];
        let has_gone_back = fast < self.target - ahead.max(time_step) - 1.5 * time_step;
        if slow > self.target - 1.5 * time_step || has_gone_back {
            // Half a step more, so that rounding does not decide about the last step.
            self.target = slow + ahead.max(time_step) + 0.5 * time_step;
        }
        self.simulator.ask(Request::Hold(Some(self.target)));
        self.target
    }

    /// Takes in what has come from it; the first is the scene it is a variant of.
    pub fn take_news(&mut self, first: &SceneInfo) -> News {
        let mut news = News::default();
        while let Some(notice) = self.simulator.notice() {
            match notice {
                Notice::Staged(staged) => {
                    self.stage = Some(staged.stage);
                    if !std::mem::replace(&mut self.is_ready, true) {
                        self.become_variant(first, &staged.scene);
                        news.begins = true;
                    }
                }
                Notice::Refused(message) | Notice::Mistake(message) => {
                    news.message = Some(format!("{}: {message}", self.title));
                }
                Notice::Done(message) => news.message = Some(message),
                Notice::Mended | Notice::File { .. } => {}
            }
        }
        if let Some(shown) = self.simulator.take_frame() {
            self.shown = Some(shown);
            self.make_list();
        }
        news
    }

    /// Takes over values that the first was given, then the choice that tells the two apart.
    fn become_variant(&self, first: &SceneInfo, second: &SceneInfo) {
        let differs = |value: &&SceneValue| !second.values.contains(value);
        for value in first.values.iter().filter(differs) {
            if let Some(word) = &value.value {
                self.change(value, word);
            }
        }
        if let Some(word) = &self.choice.value {
            self.change(&self.choice, word);
        }
    }

    fn change(&self, value: &SceneValue, word: &str) {
        self.simulator.ask(Request::Change {
            path: value.path.clone(),
            attribute: value.attribute.clone(),
            value: word.to_owned(),
        });
    }

    fn make_list(&mut self) {
        let (Some(stage), Some(shown)) = (&mut self.stage, &self.shown) else {
            return;
        };
        // What cannot be drawn in this style is said by the first.
        if let Ok(list) = stage.list(&shown.frame) {
            if let Some(painter) = &mut self.painter {
                painter.set_vertices(&Vertices::new(&list), list.ground);
            }
            self.origin = list.origin;
            self.is_stale = true;
        }
    }

    /// Draws it in a size in pixels, if that is out of date or `anew`; gives the texture to show.
    pub fn draw(
        &mut self,
        orbit: &Orbit,
        size: [u32; 2],
        anew: bool,
        soft_shadows: bool,
    ) -> Option<egui::TextureId> {
        let (painter, stage) = (self.painter.as_mut()?, self.stage.as_ref()?);
        let fits = self.picture.filter(|(_, known)| *known == size);
        if let (Some((id, _)), false, false) = (fits, anew, self.is_stale) {
            return Some(id);
        }
        let bounds = painter.bounds();
        let id = painter.draw(Sight {
            camera: orbit.camera,
            lights: &stage.lights,
            background: stage.background,
            origin: self.origin,
            bounds,
            size,
            shadow_size: 0,
            soft_shadows,
        });
        self.is_stale = false;
        self.picture = Some((id, size));
        Some(id)
    }
}

/// The menu: what the scene could be compared with.
pub fn menu(app: &mut App, ui: &mut egui::Ui) {
    if app.second.is_some() {
        let end = ui.button("Show one");
        if end.on_hover_text("Shows one variant again").clicked() {
            app.end_comparison();
        }
        return;
    }
    let values = std::sync::Arc::clone(&app.scene.values);
    let mut chosen = None;
    ui.menu_button("Compare", |ui| {
        ui.weak("The scene beside the same with");
        let choices = values.iter().filter(|value| value.words.len() > 1);
        for (index, value) in choices.enumerate() {
            let name = format!("{} {}", value.part, value.attribute);
            ui.push_id(index, |ui| {
                ui.menu_button(name, |ui| {
                    for word in &value.words {
                        let is_own = value.value.as_deref() == Some(*word);
                        if ui.add_enabled(!is_own, egui::Button::new(*word)).clicked() {
                            chosen = Some(SceneValue {
                                value: Some((*word).to_owned()),
                                ..value.clone()
                            });
                            ui.close();
                        }
                    }
                });
            });
        }
    });
    if let Some(choice) = chosen {
        app.compare(ui.ctx(), choice);
    }
}

impl App {
    /// Begins to compare the scene with a variant of it.
    pub(super) fn compare(&mut self, context: &egui::Context, choice: SceneValue) {
        let Some(opened) = self.opened.borrow().clone() else {
            return;
        };
        self.ask(Request::Run(false));
        self.ask(Request::LetAllGo);
        self.second = Some(Second::start(
            context,
            self.painter.as_ref(),
            opened,
            choice,
        ));
        // Each picture has half the width: what moves fills it.
        self.orbit_before = Some(self.orbit);
        self.frames_bodies = true;
    }

    /// Shows one variant again.
    pub(super) fn end_comparison(&mut self) {
        self.second = None;
        self.looks_right = false;
        self.orbit = self.orbit_before.take().unwrap_or(self.orbit);
        self.ask(Request::Hold(None));
        self.redraw();
    }

    /// Begins a comparison that was asked for otherwise than with the mouse, once the scene is there.
    fn take_asked_comparison(&mut self, context: &egui::Context) {
        #[cfg(target_arch = "wasm32")]
        if let Some(asked) = crate::web::take_comparison() {
            self.asked_comparison = Some(asked);
        }
        if self.shown.is_none() {
            return;
        }
        let Some((attribute, word)) = self.asked_comparison.take() else {
            return;
        };
        let values = std::sync::Arc::clone(&self.scene.values);
        let found = values.iter().find(|value| value.attribute == attribute);
        match found {
            Some(value) => self.compare(
                context,
                SceneValue {
                    value: Some(word),
                    ..value.clone()
                },
            ),
            None => self.say(context, format!("the scene has no choice of `{attribute}`")),
        }
    }

    /// Takes in what has come from the other variant, and keeps the two in step.
    pub(super) fn take_second_news(&mut self, context: &egui::Context) {
        self.take_asked_comparison(context);
        let Some(second) = &mut self.second else {
            return;
        };
        let news = second.take_news(&self.scene);
        if let Some(shown) = &self.shown {
            let ahead = shown.speed * f64::from(self.frame_seconds).clamp(0.0, LONGEST);
            let time = second.hold(shown.time, self.scene.time_step, ahead);
            self.simulator.ask(Request::Hold(Some(time)));
        }
        if let Some(message) = news.message {
            self.say(context, message);
        }
        if news.begins {
            self.ask(Request::Reset);
            self.ask(Request::Run(true));
        }
    }
}

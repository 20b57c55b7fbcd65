//! The program in the window: what it knows, and what it does each time it is drawn.

use super::compare::Second;
use super::dropped::Dropped;
use super::gallery::Gallery;
use super::overlay;
use super::painter::Painter;
use super::pointer::Pointer;
use super::sharpness::Sharpness;
use super::{Options, help, panels, timeline, toolbar};
use crate::flatland::{Trail, plane_normal};
use crate::keys::Grip;
use crate::orbit::Orbit;
use crate::player::HISTORY_BYTES;
use crate::request::{Notice, Request, SceneInfo, Shown, Staged};
use crate::simulator::Simulator;
use crate::vertices::Vertices;
use eframe::egui;
use glam::DVec3;
use pliant::Frame;
use pliant_render::{Camera, ColorBar, Label, Look};
use pliant_session::Stage;
use std::cell::RefCell;

/// How long a message stays, in seconds.
const MESSAGE_SECONDS: f64 = 6.0;

/// What is switched on and off.
#[derive(Clone, Copy, Debug)]
pub struct Switches {
    /// Frames per second.
    pub frame_rate: bool,
    /// The help.
    pub help: bool,
    /// The panels.
    pub panels: bool,
    /// Particles, normals and forces.
    pub debug: bool,
    /// Lines instead of surfaces.
    pub wireframe: bool,
    /// Pulls stay when the button is released.
    pub keeps_pulls: bool,
    /// Where curves were.
    pub strobe: bool,
}

/// The program in the window.
#[derive(Debug)]
pub struct App {
    pub(super) simulator: Simulator,
    pub(super) painter: Option<Painter>,
    pub(super) stage: Option<Stage>,
    pub(super) scene: SceneInfo,
    pub(super) shown: Option<Box<Shown>>,
    pub(super) orbit: Orbit,
    pub(super) tool: Grip,
    pub(super) pointer: Pointer,
    pub(super) strength: f64,
    pub(super) switches: Switches,
    pub(super) look: Option<Look>,
    pub(super) drafts: super::values::Drafts,
    pub(super) gallery: Option<Gallery>,
    pub(super) grid: super::grid::GridView,
    /// Where bodies were.
    pub(super) trail: Trail,
    /// Whether somebody has taken hold of a body, so that nobody has to be told how.
    pub(super) has_pulled: bool,
    /// Whether all of a new scene lies in a plane, which is then looked at straight.
    pub(super) is_planar: bool,
    /// Whether it has to be found out.
    looks_for_plane: bool,
    /// Messages with the time at which they came.
    messages: Vec<(String, f64)>,
    pub(super) mistake: Option<String>,
    pub(super) color_bars: Vec<ColorBar>,
    pub(super) labels: Vec<Label>,
    pub(super) list_origin: DVec3,
    /// Whether the picture is out of date.
    pub(super) is_stale: bool,
    pub(super) picture: Option<(egui::TextureId, egui::Vec2)>,
    /// Where the picture is in the window.
    pub(super) picture_rect: egui::Rect,
    /// Seconds from one picture to the next, averaged.
    pub(super) frame_seconds: f32,
    pub(super) screenshots: super::screenshot::Screenshots,
    dropped: Dropped,
    /// The film that is being made.
    pub(super) film: Option<super::film::Camera>,
    /// How the scene at hand was opened.
    pub(super) opened: RefCell<Option<Request>>,
    /// The variant that the scene is compared with.
    pub(super) second: Option<Second>,
    /// What it is to be compared with once it is there: an attribute and its value.
    pub(super) asked_comparison: Option<(String, String)>,
    /// Whether the pointer is in the picture of the variant.
    pub(super) looks_right: bool,
    runs: bool,
    /// Whether the bodies are to fill the picture.
    pub(super) frames_bodies: bool,
    /// From where the scene was seen before it was compared.
    pub(super) orbit_before: Option<Orbit>,
    /// Whether the camera of a new scene has to be fitted to the shape of the window.
    pub(super) fits_shape: bool,
    pub(super) sharpness: Sharpness,
    /// The share of the resolution that the last picture has.
    pub(super) picture_share: f32,
    pub(super) report: Report,
}

/// How fast the window was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Report {
    /// After how many seconds it is said.
    pub after: Option<f64>,
    /// When it began: time of the wall and of the scene, in seconds.
    pub start: Option<(f64, f64)>,
    /// Pictures drawn since.
    pub pictures: usize,
}

impl App {
    /// For a window that eframe has made.
    pub fn new(context: &eframe::CreationContext, options: Options) -> Self {
        context.egui_ctx.set_theme(egui::Theme::Light);
        let wake = context.egui_ctx.clone();
        let simulator = Simulator::start(HISTORY_BYTES, move || wake.request_repaint());
        let first = options.first;
        let shows_gallery = first.is_none();
        if let Some(first) = &first {
            simulator.ask(first.clone());
        }
        Self {
            simulator,
            painter: context.wgpu_render_state.as_ref().map(Painter::new),
            stage: None,
            scene: SceneInfo::default(),
            shown: None,
            orbit: Orbit::new(Camera::framing(-DVec3::ONE, DVec3::ONE, 1.5)),
            tool: Grip::Rotate,
            pointer: Pointer::default(),
            strength: 1.0,
            switches: Switches {
                frame_rate: false,
                help: false,
                panels: true,
                debug: false,
                wireframe: false,
                keeps_pulls: false,
                strobe: false,
            },
            look: None,
            drafts: super::values::Drafts::default(),
            grid: super::grid::GridView::default(),
            trail: Trail::default(),
            has_pulled: false,
            is_planar: false,
            looks_for_plane: false,
            gallery: shows_gallery.then(|| Gallery::new(&context.egui_ctx)),
            messages: Vec::new(),
            mistake: None,
            color_bars: Vec::new(),
            labels: Vec::new(),
            list_origin: DVec3::ZERO,
            is_stale: true,
            picture: None,
            picture_rect: egui::Rect::ZERO,
            frame_seconds: 0.0,
            screenshots: super::screenshot::Screenshots::default(),
            dropped: Dropped::default(),
            film: None,
            opened: RefCell::new(first.clone()),
            second: None,
            asked_comparison: options.compare,
            looks_right: false,
            runs: options.runs,
            frames_bodies: false,
            orbit_before: None,
            fits_shape: false,
            sharpness: Sharpness::default(),
            picture_share: 1.0,
            report: Report {
                after: options.report_after,
                ..Report::default()
            },
        }
    }

    /// Asks something of the simulation.
    pub(super) fn ask(&self, request: Request) {
        if request.opens() {
            *self.opened.borrow_mut() = Some(request.clone());
        }
        if let Some(second) = &self.second {
            second.ask(&request);
        }
        self.simulator.ask(request);
    }

    /// Whether the simulation runs.
    pub(super) fn is_running(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.is_running)
    }

    /// Opens a scene from the gallery, a file or the command line.
    pub(super) fn open(&mut self, named: &str) {
        self.gallery = None;
        self.runs = true;
        self.ask(Request::Open(named.to_owned(), Vec::new()));
    }

    /// Draws in the look that the switches ask for.
    pub(super) fn apply_look(&self) {
        let look = match (self.switches.debug, self.switches.wireframe) {
            (true, _) => Some(Look::Particles),
            (false, true) => Some(Look::Wireframe),
            (false, false) => self.look.clone(),
        };
        self.ask(Request::Look(look));
    }

    pub(super) fn say(&mut self, context: &egui::Context, message: impl Into<String>) {
        let now = context.input(|input| input.time);
        let message = message.into();
        // One that is still to be read stays, and is not said twice.
        self.messages.retain(|(said, _)| *said != message);
        self.messages.push((message, now));
    }

    /// Marks the picture as out of date.
    pub(super) fn redraw(&mut self) {
        self.is_stale = true;
    }

    fn take_news(&mut self, context: &egui::Context) {
        while let Some(notice) = self.simulator.notice() {
            match notice {
                Notice::Staged(staged) => self.stage(*staged),
                Notice::Refused(message) | Notice::Done(message) => self.say(context, message),
                Notice::Mistake(message) => self.mistake = Some(message),
                Notice::Mended => self.mistake = None,
                Notice::File { name, content } => self.keep(context, &name, &content),
            }
        }
        while let Some(message) = self.screenshots.news() {
            self.say(context, message);
        }
        if let Some(shown) = self.simulator.take_frame() {
            self.look_for_plane(&shown.frame);
            self.trail.follow(&shown);
            self.has_pulled |= !shown.pulls.is_empty();
            self.shown = Some(shown);
            self.make_list(context);
        }
    }

    /// Faces the plane that a new scene lies in, if it does.
    fn look_for_plane(&mut self, frame: &Frame) {
        let names = self.scene.bodies.iter().map(|body| body.name.as_str());
        // The last frame of the scene before may still come.
        if !self.looks_for_plane || !names.eq(frame.bodies.iter().map(|body| &*body.name)) {
            return;
        }
        self.looks_for_plane = false;
        let normal = plane_normal(frame);
        self.is_planar = normal.is_some();
        if let Some(normal) = normal {
            self.orbit.face(normal);
        }
    }

    fn stage(&mut self, staged: Staged) {
        if staged.is_new {
            self.orbit = Orbit::new(staged.stage.camera);
            self.orbit_before = None;
            self.fits_shape = true;
            self.looks_for_plane = true;
            self.trail = Trail::default();
            self.look = None;
            self.switches.debug = false;
            self.switches.wireframe = false;
            self.mistake = None;
            self.pointer = Pointer::default();
            if self.second.is_some() {
                self.end_comparison();
            }
            if std::mem::replace(&mut self.runs, true) {
                self.ask(Request::Run(true));
            }
        }
        self.drafts.follow(&staged.scene, staged.is_new);
        self.scene = staged.scene;
        self.stage = Some(staged.stage);
    }

    /// Turns the newest frame into what the card draws.
    fn make_list(&mut self, context: &egui::Context) {
        let (Some(stage), Some(shown)) = (&mut self.stage, &self.shown) else {
            return;
        };
        match stage.list(&shown.frame) {
            Ok(list) => {
                if let Some(painter) = &mut self.painter {
                    painter.set_vertices(&Vertices::new(&list), list.ground);
                }
                self.list_origin = list.origin;
                self.color_bars = list.color_bars;
                self.labels = list.labels;
                self.is_stale = true;
            }
            Err(failure) => self.say(context, failure.to_string()),
        }
    }

    fn show_messages(&mut self, ui: &egui::Ui) {
        let now = ui.ctx().input(|input| input.time);
        self.messages
            .retain(|(_, then)| now - then < MESSAGE_SECONDS);
        if !self.messages.is_empty() {
            ui.ctx().request_repaint_after_secs(1.0);
        }
        let failure = self.shown.as_ref().and_then(|shown| shown.failure.clone());
        let closed = overlay::messages(
            ui.ctx(),
            self.mistake.as_deref(),
            failure.as_deref(),
            &self.messages,
        );
        if closed {
            self.mistake = None;
        }
    }

    fn take_dropped_files(&mut self, context: &egui::Context) {
        match self.dropped.next_request(context) {
            None => {}
            Some(Ok(request)) => {
                self.gallery = None;
                self.runs = true;
                self.ask(request);
            }
            Some(Err(message)) => self.say(context, message),
        }
    }

    fn keep(&mut self, context: &egui::Context, name: &str, content: &[u8]) {
        let message = match super::keep::keep(name, content) {
            Ok(()) => format!("saved {name}"),
            Err(message) => message,
        };
        self.say(context, message);
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        let seconds = context.input(|input| input.unstable_dt);
        self.frame_seconds += 0.1 * (seconds - self.frame_seconds);
        // A second pass over the same input, which egui takes when sizes change, must not act again.
        let is_first_pass = context.current_pass_index() == 0;
        if is_first_pass {
            self.take_keys(&context);
        }
        self.take_news(&context);
        self.take_second_news(&context);
        self.take_dropped_files(&context);
        self.report(&context);
        if let Some(mut gallery) = self.gallery.take() {
            match gallery.show(ui) {
                Some(named) => self.open(&named),
                None => self.gallery = Some(gallery),
            }
        } else {
            toolbar::show(self, ui);
            timeline::show(self, ui);
            if self.switches.panels {
                panels::show(self, ui);
            }
            egui::CentralPanel::default()
                .frame(egui::Frame::NONE)
                .show(ui, |ui| self.show_scene(ui));
            self.show_messages(ui);
            self.take_film(&context);
        }
        if self.switches.help {
            help::show(&context, &mut self.switches.help, self.painter.as_ref());
        }
        if !self.simulator.is_alive() && self.mistake.is_none() {
            self.mistake =
                Some("the simulation has ended unexpectedly; open the scene again".to_owned());
        }
        #[cfg(target_arch = "wasm32")]
        crate::web::set_status(super::status::status(self));
    }
}

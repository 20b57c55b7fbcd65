//! The program in the window: what it knows, and what it does each time it is drawn.

use super::gallery::Gallery;
use super::overlay;
use super::painter::Painter;
use super::pointer::Pointer;
use super::sharpness::Sharpness;
use super::sight::Sight;
use super::{Options, help, panels, timeline, toolbar};
use crate::keys::{Action, Grip, Key, action};
use crate::orbit::Orbit;
use crate::pace::next_speed;
use crate::player::HISTORY_BYTES;
use crate::request::{Notice, Request, SceneInfo, Shown, Staged};
use crate::simulator::Simulator;
use crate::vertices::Vertices;
use eframe::egui;
use glam::DVec3;
use pliant_render::{Camera, ColorBar, Label, Look};
use pliant_session::Stage;

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
}

/// The program in the window.
#[derive(Debug)]
pub struct App {
    pub(super) simulator: Simulator,
    painter: Option<Painter>,
    stage: Option<Stage>,
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
    /// Messages with the time at which they came.
    messages: Vec<(String, f64)>,
    mistake: Option<String>,
    color_bars: Vec<ColorBar>,
    labels: Vec<Label>,
    list_origin: DVec3,
    /// Whether the picture is out of date.
    is_stale: bool,
    picture: Option<(egui::TextureId, egui::Vec2)>,
    /// Where the picture is in the window.
    pub(super) picture_rect: egui::Rect,
    /// Seconds from one picture to the next, averaged.
    frame_seconds: f32,
    screenshots: usize,
    runs: bool,
    /// Whether the camera of a new scene has to be fitted to the shape of the window.
    fits_shape: bool,
    sharpness: Sharpness,
    report: Report,
}

/// How fast the window was.
#[derive(Clone, Copy, Debug, Default)]
struct Report {
    after: Option<f64>,
    start: Option<(f64, f64)>,
    pictures: usize,
}

impl App {
    /// For a window that eframe has made.
    pub fn new(context: &eframe::CreationContext, options: Options) -> Self {
        context.egui_ctx.set_theme(egui::Theme::Light);
        let wake = context.egui_ctx.clone();
        let simulator = Simulator::start(HISTORY_BYTES, move || wake.request_repaint());
        let shows_gallery = options.first.is_none();
        if let Some(first) = options.first {
            simulator.ask(first);
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
            },
            look: None,
            drafts: super::values::Drafts::default(),
            grid: super::grid::GridView::default(),
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
            screenshots: 0,
            runs: options.runs,
            fits_shape: false,
            sharpness: Sharpness::default(),
            report: Report {
                after: options.report_after,
                ..Report::default()
            },
        }
    }

    /// Asks something of the simulation.
    pub(super) fn ask(&self, request: Request) {
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
        self.messages.push((message.into(), now));
    }

    /// Does what a key or a button asks for.
    pub(super) fn act(&mut self, action: Action, context: &egui::Context) {
        match action {
            Action::StartPause => self.ask(Request::Run(!self.is_running())),
            Action::Quit => context.send_viewport_cmd(egui::ViewportCommand::Close),
            Action::Screenshot => {
                let number = super::screenshot::take(context, self.screenshots);
                self.screenshots = number + 1;
                self.say(
                    context,
                    format!("wrote {}", super::screenshot::name(number)),
                );
            }
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
            Action::FrameAll => self.frame_all(),
            Action::Help => self.switches.help ^= true,
            Action::Save => toolbar::save(self, context),
            Action::LetAllGo => self.ask(Request::LetAllGo),
            Action::Panels => self.switches.panels ^= true,
        }
    }

    fn frame_all(&mut self) {
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
        let aspect = self
            .picture
            .map_or(1.5, |(_, size)| f64::from(size.x / size.y.max(1.0)));
        self.orbit.frame(low, high, aspect);
        self.is_stale = true;
    }

    /// Marks the picture as out of date.
    pub(super) fn redraw(&mut self) {
        self.is_stale = true;
    }

    fn take_keys(&mut self, context: &egui::Context) {
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

    fn take_news(&mut self, context: &egui::Context) {
        while let Some(notice) = self.simulator.notice() {
            match notice {
                Notice::Staged(staged) => self.stage(*staged),
                Notice::Refused(message) | Notice::Done(message) => self.say(context, message),
                Notice::Mistake(message) => self.mistake = Some(message),
                Notice::Mended => self.mistake = None,
            }
        }
        if let Some(shown) = self.simulator.take_frame() {
            self.shown = Some(shown);
            self.make_list(context);
        }
    }

    fn stage(&mut self, staged: Staged) {
        if staged.is_new {
            self.orbit = Orbit::new(staged.stage.camera);
            self.fits_shape = true;
            self.look = None;
            self.switches.debug = false;
            self.switches.wireframe = false;
            self.mistake = None;
            self.pointer = Pointer::default();
            if std::mem::replace(&mut self.runs, true) {
                self.ask(Request::Run(true));
            }
        }
        self.drafts.follow(&staged.scene);
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
                    painter.take(&Vertices::new(&list), list.ground);
                }
                self.list_origin = list.origin;
                self.color_bars = list.color_bars;
                self.labels = list.labels;
                self.is_stale = true;
            }
            Err(failure) => self.say(context, failure.to_string()),
        }
    }

    /// The picture in the middle of the window.
    fn show_scene(&mut self, ui: &mut egui::Ui) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, egui::Sense::click_and_drag());
        self.picture_rect = rect;
        if ui.ctx().current_pass_index() == 0 {
            self.take_pointer(ui, rect, &response);
        }
        if std::mem::take(&mut self.fits_shape) {
            self.orbit.fit_shape(f64::from(rect.aspect_ratio()));
        }
        self.draw_picture(ui.ctx(), rect);
        let canvas = ui.painter_at(rect);
        match self.picture {
            Some((id, _)) if self.stage.is_some() => {
                let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
                canvas.image(id, rect, whole, egui::Color32::WHITE);
            }
            _ => overlay::waiting(&canvas, rect, self.mistake.is_some()),
        }
        if let Some(shown) = &self.shown {
            let sight = overlay::Sheet {
                canvas: &canvas,
                rect,
                orbit: &self.orbit,
            };
            sight.labels(&self.labels, self.list_origin);
            sight.color_bars(&self.color_bars);
            sight.pulls(shown);
            sight.frozen(shown);
            if self.shows_fixed(ui.ctx()) {
                sight.fixed(shown);
            }
            self.pointer.show(&sight, shown);
            if self.switches.frame_rate {
                let rate = 1.0 / self.frame_seconds.max(1e-4);
                sight.corner(&format!("{rate:.0} frames per second"));
            }
        }
    }

    /// Draws the scene if the picture is out of date.
    fn draw_picture(&mut self, context: &egui::Context, rect: egui::Rect) {
        let (Some(painter), Some(stage)) = (&mut self.painter, &self.stage) else {
            return;
        };
        let now = context.input(|input| input.time);
        let is_due = self.sharpness.is_due(now);
        let fits = self.picture.is_some_and(|(_, known)| known == rect.size());
        if !self.is_stale && fits && !is_due {
            return;
        }
        let share = match painter.is_processor() && self.is_stale {
            true => self.sharpness.while_moving(now, self.frame_seconds),
            false => self.sharpness.at_rest(),
        };
        if share < 1.0 {
            context.request_repaint_after_secs(0.4);
        }
        let scale = context.pixels_per_point() * share;
        let size = [rect.width(), rect.height()].map(|side| (side * scale).round().max(1.0) as u32);
        let id = painter.draw(Sight {
            camera: self.orbit.camera,
            lights: &stage.lights,
            background: stage.background,
            origin: self.list_origin,
            bounds: painter.bounds(),
            size,
            shadow_size: 0,
            soft_shadows: true,
        });
        self.report.pictures += 1;
        self.picture = Some((id, rect.size()));
        self.is_stale = false;
    }

    /// Fixed particles are marked when they can be fixed.
    fn shows_fixed(&self, context: &egui::Context) -> bool {
        let control = context.input(|input| input.modifiers.command);
        self.tool == Grip::Fix || (control && !self.is_running())
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

    /// Says how fast it was after the time that was asked for, and ends.
    fn report(&mut self, context: &egui::Context) {
        let (Some(after), Some(shown)) = (self.report.after, &self.shown) else {
            return;
        };
        context.request_repaint();
        let now = context.input(|input| input.time);
        if !shown.is_running {
            return;
        }
        // The first second is that of building pipelines and pictures.
        let Some((start, time)) = self.report.start else {
            if shown.time > 0.3 {
                self.report.start = Some((now, shown.time));
                self.report.pictures = 0;
            }
            return;
        };
        let wall = now - start;
        if wall >= after {
            println!(
                "{{\"scene\": \"{}\", \"pictures_per_second\": {:.1}, \"real_time_factor\": {:.3}, \"adapter\": \"{}\"}}",
                self.scene.name,
                self.report.pictures as f64 / wall,
                (shown.time - time) / wall,
                self.painter
                    .as_ref()
                    .map_or_else(String::new, Painter::adapter_name)
            );
            self.report.after = None;
            context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    fn take_dropped_files(&mut self, context: &egui::Context) {
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        if let Some(path) = dropped.first().map(|file| file.path().to_path_buf()) {
            self.open(&path.to_string_lossy());
        }
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
        }
        if self.switches.help {
            help::show(&context, &mut self.switches.help, self.painter.as_ref());
        }
        if !self.simulator.is_alive() && self.mistake.is_none() {
            self.mistake =
                Some("the simulation has ended unexpectedly; open the scene again".to_owned());
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

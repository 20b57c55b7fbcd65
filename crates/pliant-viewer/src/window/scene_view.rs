//! The picture in the middle of the window.

use super::app::App;
use super::overlay;
use super::painter::Painter;
use super::sight::Sight;
use crate::keys::Grip;
use crate::request::Shown;
use eframe::egui;

/// How long it is said how to take hold of a body, in simulated seconds.
const FIRST_SECONDS: f64 = 12.0;

impl App {
    /// The picture in the middle of the window; two of them while variants are compared.
    pub(super) fn show_scene(&mut self, ui: &mut egui::Ui) {
        let whole = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(whole, egui::Sense::click_and_drag());
        let (rect, right) = match self.second {
            Some(_) => {
                let (left, right) = whole.split_left_right_at_fraction(0.5);
                (left, Some(right))
            }
            None => (whole, None),
        };
        self.picture_rect = rect;
        if ui.ctx().current_pass_index() == 0 {
            let active = self.active_picture(ui.ctx(), rect, right);
            self.take_pointer(ui, active, &response);
        }
        if std::mem::take(&mut self.fits_shape) {
            self.orbit.fit_shape(f64::from(rect.aspect_ratio()));
        }
        if std::mem::take(&mut self.frames_bodies) {
            self.frame_all(f64::from(rect.aspect_ratio()));
        }
        let is_moving = self.is_stale;
        let drawn = self.draw_picture(ui.ctx(), rect);
        let canvas = ui.painter_at(rect);
        match self.picture {
            Some((id, _)) if self.stage.is_some() => show_texture(&canvas, id, rect),
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
            if self.switches.strobe {
                sight.trail(&self.trail);
            }
            if self.is_planar {
                sight.centres(shown);
            }
            sight.pulls(shown);
            sight.frozen(shown);
            if self.shows_fixed(ui.ctx()) {
                sight.fixed(shown);
            }
            if !self.looks_right {
                self.pointer.show(&sight, shown);
            }
            if self.switches.frame_rate {
                let rate = 1.0 / self.frame_seconds.max(1e-4);
                sight.corner(&format!("{rate:.0} frames per second"));
            }
            if self.second.is_some() {
                sight.title("as it stands");
            } else if self.explains_pull(shown) {
                sight.title("Take hold of it: Ctrl + drag, or the tool Pull");
            }
        }
        if let Some(right) = right {
            self.show_second(ui, right, drawn || is_moving, is_moving);
        }
    }

    /// Whether a newcomer is told how to take hold of a body.
    fn explains_pull(&self, shown: &Shown) -> bool {
        let is_new = !self.has_pulled && self.tool == Grip::Rotate;
        is_new && shown.is_running && shown.time < FIRST_SECONDS
    }

    /// The picture that the pointer is in, which it stays in while it does something.
    fn active_picture(
        &mut self,
        context: &egui::Context,
        left: egui::Rect,
        right: Option<egui::Rect>,
    ) -> egui::Rect {
        let Some(right) = right else {
            return left;
        };
        let place = context.input(|input| input.pointer.latest_pos());
        if self.pointer.is_idle() {
            self.looks_right = place.is_some_and(|place| right.contains(place));
        }
        if self.looks_right { right } else { left }
    }

    /// The variant beside the scene.
    fn show_second(&mut self, ui: &egui::Ui, rect: egui::Rect, anew: bool, moves: bool) {
        let scale = ui.ctx().pixels_per_point() * self.picture_share;
        let size = [rect.width(), rect.height()].map(|side| (side * scale).round().max(1.0) as u32);
        let Some(second) = &mut self.second else {
            return;
        };
        let canvas = ui.painter_at(rect);
        match second.draw(&self.orbit, size, anew, !moves) {
            Some(id) => show_texture(&canvas, id, rect),
            None => overlay::waiting(&canvas, rect, false),
        }
        let line = [rect.left_top(), rect.left_bottom()];
        canvas.line_segment(line, egui::Stroke::new(2.0, egui::Color32::WHITE));
        if let Some(shown) = &second.shown {
            let sight = overlay::Sheet {
                canvas: &canvas,
                rect,
                orbit: &self.orbit,
            };
            sight.pulls(shown);
            sight.frozen(shown);
            if self.looks_right {
                self.pointer.show(&sight, shown);
            }
            match &shown.failure {
                Some(failure) => sight.title(&format!("{}: {failure}", second.title)),
                None => sight.title(&second.title),
            }
        }
    }

    /// Draws the scene if the picture is out of date.
    /// Says whether it did.
    fn draw_picture(&mut self, context: &egui::Context, rect: egui::Rect) -> bool {
        let (Some(painter), Some(stage)) = (&mut self.painter, &self.stage) else {
            return false;
        };
        let now = context.input(|input| input.time);
        let is_due = self.sharpness.is_due(now);
        let fits = self.picture.is_some_and(|(_, known)| known == rect.size());
        if !self.is_stale && fits && !is_due {
            return false;
        }
        let moves = painter.is_processor() && self.is_stale;
        let share = match moves {
            true => self.sharpness.while_moving(now, self.frame_seconds),
            false => self.sharpness.at_rest(),
        };
        if moves {
            context.request_repaint_after_secs(0.4);
        }
        self.picture_share = share;
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
            soft_shadows: !moves,
        });
        self.report.pictures += 1;
        self.picture = Some((id, rect.size()));
        self.is_stale = false;
        true
    }

    /// Fixed particles are marked when they can be fixed.
    fn shows_fixed(&self, context: &egui::Context) -> bool {
        let control = context.input(|input| input.modifiers.command);
        self.tool == Grip::Fix || (control && !self.is_running())
    }

    /// Says how fast it was after the time that was asked for, and ends.
    pub(super) fn report(&mut self, context: &egui::Context) {
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
}

fn show_texture(canvas: &egui::Painter, id: egui::TextureId, rect: egui::Rect) {
    let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
    canvas.image(id, rect, whole, egui::Color32::WHITE);
}

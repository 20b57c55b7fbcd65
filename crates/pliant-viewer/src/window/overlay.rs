//! What is drawn over the picture: pulls, marks, legends, messages.

use crate::flatland::Trail;
use crate::orbit::Orbit;
use crate::request::Shown;
use eframe::egui::{self, Align2, Color32, FontId, Painter, Pos2, Rect, Stroke};
use glam::DVec3;
use pliant_render::{ColorBar, Label, TextAnchor, TextPlace};

const ORANGE: Color32 = Color32::from_rgb(232, 112, 20);
const RED: Color32 = Color32::from_rgb(204, 32, 32);
const INK: Color32 = Color32::from_rgb(40, 38, 36);

/// The picture as something to draw on.
pub struct Sheet<'a> {
    /// Draws.
    pub canvas: &'a Painter,
    /// Where the picture is in the window.
    pub rect: Rect,
    /// From where it is seen.
    pub orbit: &'a Orbit,
}

impl Sheet<'_> {
    /// Where a point is seen; `None` behind the eye.
    fn place(&self, point: DVec3) -> Option<Pos2> {
        let size = self.rect.size();
        // Finer than points, so that marks do not jump.
        let (width, height) = (size.x * 16.0, size.y * 16.0);
        let seen = self
            .orbit
            .camera
            .project(point, width as usize, height as usize)?;
        Some(self.rect.min + egui::vec2(seen[0] as f32, seen[1] as f32) / 16.0)
    }

    /// A line from each point that is pulled to where it is pulled.
    pub fn pulls(&self, shown: &Shown) {
        for pull in &shown.pulls {
            let carrier = shown.carriers.get(pull.body).and_then(Option::as_ref);
            let body = shown.frame.bodies.get(pull.body);
            let positions = match (carrier, body) {
                (Some(carrier), _) => &carrier.positions,
                (None, Some(body)) => &body.positions,
                (None, None) => continue,
            };
            if pull
                .stencil
                .nodes
                .iter()
                .any(|node| *node >= positions.len())
            {
                continue;
            }
            let ends = [pull.stencil.point(positions), pull.target];
            if let [Some(from), Some(to)] = ends.map(|end| self.place(end)) {
                self.canvas
                    .line_segment([from, to], Stroke::new(4.0, Color32::from_white_alpha(160)));
                self.canvas
                    .line_segment([from, to], Stroke::new(2.0, ORANGE));
                self.canvas.circle_filled(from, 4.0, RED);
                self.canvas.circle(
                    to,
                    6.0,
                    Color32::from_white_alpha(200),
                    Stroke::new(2.0, ORANGE),
                );
            }
        }
    }

    /// Where curves were, the older the fainter.
    pub fn trail(&self, trail: &Trail) {
        let count = trail.0.len().max(1) as f32;
        for (index, past) in trail.0.iter().enumerate() {
            let ink = INK.gamma_multiply(0.12 + 0.5 * index as f32 / count);
            for (places, topology) in &past.bodies {
                let place = |node: u32| self.place(*places.get(node as usize)?);
                for [from, to] in &topology.lines {
                    if let (Some(from), Some(to)) = (place(*from), place(*to)) {
                        self.canvas.line_segment([from, to], Stroke::new(1.5, ink));
                    }
                }
            }
        }
    }

    /// The velocity of the centre of mass of each body, as an arrow and in numbers.
    pub fn centres(&self, shown: &Shown) {
        let mut text = String::new();
        for (body, centre) in shown.frame.bodies.iter().zip(&shown.centres) {
            let speed = centre.velocity.length();
            let tip = centre.place + 0.2 * centre.velocity;
            if let [Some(from), Some(to)] = [centre.place, tip].map(|end| self.place(end)) {
                self.canvas.circle_filled(from, 3.0, INK);
                self.canvas
                    .arrow(from, to - from, Stroke::new(1.5, INK.gamma_multiply(0.7)));
            }
            let [x, y, z] = centre.velocity.to_array().map(short);
            let name = &body.name;
            text += &format!("{name}: {} m/s  ({x}, {y}, {z})\n", short(speed));
        }
        let place = self.rect.left_top() + egui::vec2(12.0, 10.0);
        let font = FontId::monospace(13.0);
        self.canvas
            .text(place, Align2::LEFT_TOP, text.trim_end(), font, INK);
    }

    /// What the picture is of, at its upper edge.
    pub fn title(&self, text: &str) {
        let place = self.rect.center_top() + egui::vec2(0.0, 10.0);
        let font = FontId::proportional(15.0);
        let (anchor, ink) = (Align2::CENTER_TOP, INK);
        let found = self.canvas.text(place, anchor, text, font.clone(), ink);
        let frame = found.expand2(egui::vec2(8.0, 3.0));
        let paper = Color32::from_white_alpha(200);
        self.canvas.rect_filled(frame, 4.0, paper);
        self.canvas.text(place, anchor, text, font, ink);
    }

    /// Fixed particles.
    pub fn fixed(&self, shown: &Shown) {
        for body in &shown.frame.bodies {
            for (node, _) in body.fixed.iter().enumerate().filter(|(_, fixed)| **fixed) {
                let place = body
                    .positions
                    .get(node)
                    .and_then(|point| self.place(*point));
                if let Some(place) = place {
                    self.canvas
                        .circle(place, 3.5, RED, Stroke::new(1.0, Color32::WHITE));
                }
            }
        }
    }

    /// Bodies that are frozen since something went wrong.
    pub fn frozen(&self, shown: &Shown) {
        for body in shown
            .frozen
            .iter()
            .filter_map(|index| shown.frame.bodies.get(*index))
        {
            let sum: DVec3 = body.positions.iter().sum();
            if let Some(place) = self.place(sum / body.positions.len().max(1) as f64) {
                let text = format!("{} is frozen", body.name);
                let found = self.canvas.text(
                    place,
                    Align2::CENTER_CENTER,
                    &text,
                    FontId::proportional(16.0),
                    RED,
                );
                let frame = found.expand(6.0);
                self.canvas
                    .rect_filled(frame, 4.0, Color32::from_white_alpha(220));
                self.canvas.text(
                    place,
                    Align2::CENTER_CENTER,
                    &text,
                    FontId::proportional(16.0),
                    RED,
                );
            }
        }
    }

    /// The point under the pointer.
    pub fn target(&self, point: DVec3) {
        if let Some(place) = self.place(point) {
            self.canvas.circle(
                place,
                6.0,
                Color32::from_white_alpha(90),
                Stroke::new(2.0, ORANGE),
            );
        }
    }

    /// A push that grows.
    pub fn push(&self, point: DVec3, strength: f64) {
        if let Some(place) = self.place(point) {
            let radius = 5.0 + 4.0 * strength as f32;
            let ring = Stroke::new(3.0, ORANGE.gamma_multiply(0.8));
            self.canvas.circle_stroke(place, radius, ring);
            self.canvas.circle_filled(place, 4.0, RED);
        }
    }

    /// Where a body is heated or cooled.
    pub fn flame(&self, place: Pos2, is_hot: bool) {
        let color = match is_hot {
            true => RED,
            false => Color32::from_rgb(40, 120, 210),
        };
        for (radius, strength) in [(22.0, 0.25), (13.0, 0.5), (5.0, 1.0)] {
            let faded = color.gamma_multiply(strength);
            self.canvas.circle_filled(place, radius, faded);
        }
    }

    /// A stroke that tears.
    pub fn stroke(&self, way: &[Pos2]) {
        self.canvas.line(
            way.to_vec(),
            Stroke::new(3.0, Color32::from_white_alpha(180)),
        );
        self.canvas.line(way.to_vec(), Stroke::new(1.5, RED));
    }

    /// A text in the lower left corner.
    pub fn corner(&self, text: &str) {
        let place = self.rect.left_bottom() + egui::vec2(12.0, -10.0);
        let font = FontId::monospace(14.0);
        self.canvas
            .text(place, Align2::LEFT_BOTTOM, text, font, INK);
    }

    /// Texts of the draw list.
    pub fn labels(&self, labels: &[Label], origin: DVec3) {
        for label in labels {
            let place = match label.place {
                TextPlace::Picture([x, y]) => {
                    Some(self.rect.min + self.rect.size() * egui::vec2(x, y))
                }
                TextPlace::World(point) => self.place(origin + glam::Vec3::from(point).as_dvec3()),
            };
            let Some(place) = place else { continue };
            let anchor = match label.anchor {
                TextAnchor::TopLeft => Align2::LEFT_TOP,
                TextAnchor::TopCenter => Align2::CENTER_TOP,
                TextAnchor::TopRight => Align2::RIGHT_TOP,
                TextAnchor::BottomLeft => Align2::LEFT_BOTTOM,
                TextAnchor::BottomCenter => Align2::CENTER_BOTTOM,
                TextAnchor::Center => Align2::CENTER_CENTER,
            };
            let size = label.size * self.rect.height() / 720.0;
            let font = FontId::proportional(size.clamp(8.0, 60.0) * 0.8);
            self.canvas
                .text(place, anchor, &label.text, font, color(label.color));
        }
    }

    /// Legends of fields, at the right edge.
    pub fn color_bars(&self, bars: &[ColorBar]) {
        for (index, bar) in bars.iter().enumerate() {
            let height = (0.45 * self.rect.height()).clamp(80.0, 320.0);
            let left = self.rect.right() - 84.0 - 110.0 * index as f32;
            let top = self.rect.top() + 52.0;
            let strip = Rect::from_min_size(egui::pos2(left, top), egui::vec2(16.0, height));
            let panel = strip.expand2(egui::vec2(10.0, 34.0));
            let panel = Rect::from_min_max(panel.min, panel.max + egui::vec2(56.0, -14.0));
            self.canvas
                .rect_filled(panel, 6.0, Color32::from_white_alpha(190));
            let count = bar.colors.len().max(1) as f32;
            for (step, shade) in bar.colors.iter().enumerate() {
                let low = strip.bottom() - height * step as f32 / count;
                let high = strip.bottom() - height * (step + 1) as f32 / count;
                let part = Rect::from_min_max(
                    egui::pos2(strip.left(), high - 0.5),
                    egui::pos2(strip.right(), low),
                );
                self.canvas.rect_filled(part, 0.0, color(*shade));
            }
            let font = FontId::proportional(12.0);
            let at = egui::pos2(panel.left() + 6.0, panel.top() + 5.0);
            self.canvas
                .text(at, Align2::LEFT_TOP, &bar.title, font.clone(), INK);
            for share in [0.0, 0.5, 1.0] {
                let value = bar.low + share * (bar.high - bar.low);
                let y = strip.bottom() - height * share as f32;
                let at = egui::pos2(strip.right() + 6.0, y);
                let text = short(value);
                self.canvas
                    .text(at, Align2::LEFT_CENTER, text, font.clone(), INK);
            }
        }
    }
}

/// A number with a few digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.1e}")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else {
        let digits = (2.0 - size.log10().floor()).clamp(0.0, 5.0) as usize;
        let text = format!("{value:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    }
}

/// A linear colour as the window shows it.
fn color(linear: [f32; 3]) -> Color32 {
    let [red, green, blue] = linear;
    egui::Rgba::from_rgb(
        red.clamp(0.0, 1.0),
        green.clamp(0.0, 1.0),
        blue.clamp(0.0, 1.0),
    )
    .into()
}

/// Nothing to see yet.
pub fn waiting(canvas: &Painter, rect: Rect, has_mistake: bool) {
    canvas.rect_filled(rect, 0.0, Color32::from_rgb(240, 239, 236));
    let text = match has_mistake {
        true => "the scene cannot be opened",
        false => "the scene is being built …",
    };
    let font = FontId::proportional(18.0);
    canvas.text(rect.center(), Align2::CENTER_CENTER, text, font, INK);
}

/// Mistakes, failures and messages, over everything; says whether the mistake was put away.
pub fn messages(
    context: &egui::Context,
    mistake: Option<&str>,
    failure: Option<&str>,
    messages: &[(String, f64)],
) -> bool {
    let mut closed = false;
    if mistake.is_none() && failure.is_none() && messages.is_empty() {
        return closed;
    }
    egui::Area::new(egui::Id::unique("messages"))
        .anchor(Align2::LEFT_TOP, egui::vec2(12.0, 52.0))
        .order(egui::Order::Foreground)
        .show(context, |ui| {
            ui.set_max_width(620.0);
            if let Some(mistake) = mistake {
                card(
                    ui,
                    RED,
                    "The scene has a mistake; the last good one stays",
                    mistake,
                );
                closed = ui.button("Put away").clicked();
            }
            if let Some(failure) = failure {
                let hint = "Go back with the left arrow or R, or go on with Space.";
                card(
                    ui,
                    RED,
                    "The simulation has paused",
                    &format!("{failure}\n{hint}"),
                );
            }
            for (message, _) in messages {
                card(ui, ORANGE, "", message);
            }
        });
    closed
}

fn card(ui: &mut egui::Ui, edge: Color32, title: &str, text: &str) {
    egui::Frame::new()
        .fill(Color32::from_white_alpha(235))
        .stroke(Stroke::new(1.5, edge))
        .corner_radius(6.0)
        .inner_margin(8.0)
        .show(ui, |ui| {
            if !title.is_empty() {
                ui.label(egui::RichText::new(title).strong().color(edge));
            }
            ui.label(egui::RichText::new(text).monospace().color(INK));
        });
    ui.add_space(4.0);
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1.234567, "1.23"),
            (-12.0, "-12"),
            (123.4, "123"),
            (1e-7, "1.0e-7"),
            (2.5e9, "2.5e9"),
        ] {
            assert_eq!(short(value), expected);
        }
    }
}

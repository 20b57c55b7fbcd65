//! The grid of material coordinates of a body, where points are fixed and released by click and by
//! rectangle (Fig. 3 of \[Gudukbay\]).

use super::app::App;
use crate::request::Request;
use eframe::egui::{self, Color32, Pos2, Rect, Stroke};
use pliant::frame::FrameBody;

/// How close a click must be to a point, in points of the screen.
const REACH: f32 = 9.0;

/// Which body and layer is shown, and the rectangle that is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct GridView {
    body: usize,
    layer: usize,
    corner: Option<Pos2>,
}

/// The layers of a body in its third direction: the values of w, each once.
fn layers(body: &FrameBody) -> Vec<f64> {
    let places = &body.topology.material_coordinates;
    let mut found: Vec<f64> = places.iter().map(|place| place[2]).collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// Whether the material coordinates of a body span a grid.
fn has_grid(body: &FrameBody) -> bool {
    let places = &body.topology.material_coordinates;
    let differs = |axis: usize| places.iter().any(|place| place[axis] != places[0][axis]);
    places.len() == body.positions.len() && !places.is_empty() && (differs(0) || differs(1))
}

/// Shows the grid of a body.
pub fn show(app: &mut App, ui: &mut egui::Ui) {
    let mut view = app.grid;
    let mut asked = None;
    if let Some(shown) = &app.shown {
        let bodies = &shown.frame.bodies;
        if bodies.len() > 1 {
            view.body = view.body.min(bodies.len() - 1);
            egui::ComboBox::from_id_salt("body of the grid")
                .selected_text(bodies[view.body].name.to_string())
                .show_ui(ui, |ui| {
                    for (index, body) in bodies.iter().enumerate() {
                        ui.selectable_value(&mut view.body, index, body.name.to_string());
                    }
                });
        }
        match bodies.get(view.body) {
            Some(body) if has_grid(body) => asked = show_body(&mut view, ui, body),
            _ => {
                ui.weak("this body has no grid; fix its particles in the picture");
            }
        }
    }
    app.grid = view;
    if let Some((nodes, fixed)) = asked {
        let body = view.body;
        app.ask(Request::SetFixed { body, nodes, fixed });
    }
}

/// Shows one body; gives the nodes that are to be fixed or released.
fn show_body(
    view: &mut GridView,
    ui: &mut egui::Ui,
    body: &FrameBody,
) -> Option<(Vec<usize>, bool)> {
    let layers = layers(body);
    view.layer = view.layer.min(layers.len().saturating_sub(1));
    if layers.len() > 1 {
        let last = layers.len() - 1;
        ui.add(egui::Slider::new(&mut view.layer, 0..=last).text("layer"));
    }
    let depth = layers.get(view.layer).copied().unwrap_or_default();
    ui.weak("Click fixes a point or releases it; a rectangle does so with all in it.");
    let side = ui.available_width().min(280.0);
    let (rect, response) =
        ui.allocate_exact_size(egui::vec2(side, side), egui::Sense::click_and_drag());
    let canvas = ui.painter_at(rect);
    canvas.rect_filled(rect, 3.0, Color32::from_gray(250));
    let inner = rect.shrink(10.0);
    let mut places: Vec<(usize, Pos2)> = Vec::new();
    for (node, place) in body.topology.material_coordinates.iter().enumerate() {
        if place[2] == depth {
            let share = egui::vec2(place[0] as f32, 1.0 - place[1] as f32);
            places.push((node, inner.min + share * inner.size()));
        }
    }
    let is_fixed = |node: usize| body.fixed.get(node) == Some(&true);
    for &(node, place) in &places {
        let (radius, color) = match is_fixed(node) {
            true => (3.5, Color32::from_rgb(204, 32, 32)),
            false => (1.8, Color32::from_gray(120)),
        };
        canvas.circle_filled(place, radius, color);
    }
    let pointer = response.interact_pointer_pos();
    if response.drag_started() {
        view.corner = ui.input(|input| input.pointer.press_origin());
    }
    let chosen = chosen(view.corner.zip(pointer));
    if let Some(chosen) = chosen.filter(|_| response.dragged()) {
        let edge = Stroke::new(1.0, Color32::from_rgb(232, 112, 20));
        canvas.rect_stroke(chosen, 0.0, edge, egui::StrokeKind::Middle);
    }
    let nodes: Vec<usize> = if response.drag_stopped() {
        view.corner = None;
        let chosen = chosen?;
        let inside = places.iter().filter(|(_, place)| chosen.contains(*place));
        inside.map(|(node, _)| *node).collect()
    } else if response.clicked() {
        let pointer = pointer?;
        let near = |place: &Pos2| place.distance(pointer);
        let nearest = places
            .iter()
            .min_by(|one, other| near(&one.1).total_cmp(&near(&other.1)))?;
        match near(&nearest.1) < REACH {
            true => vec![nearest.0],
            false => Vec::new(),
        }
    } else {
        Vec::new()
    };
    // All become fixed, unless all are.
    let fixed = !nodes.iter().all(|node| is_fixed(*node));
    (!nodes.is_empty()).then_some((nodes, fixed))
}

fn chosen(corners: Option<(Pos2, Pos2)>) -> Option<Rect> {
    corners.map(|(one, other)| Rect::from_two_pos(one, other))
}

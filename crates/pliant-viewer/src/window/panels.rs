//! The panel at the right: the scene, pulls, values, plots.

use super::app::App;
use super::{grid, plots, values};
use crate::flatland::Centre;
use crate::request::{BodyInfo, Request};
use eframe::egui;
use pliant::command::BodyValue;

/// Shows the panel.
pub fn show(app: &mut App, ui: &mut egui::Ui) {
    egui::Panel::right("panels")
        .default_size(308.0)
        .show(ui, |ui| {
            // As wide as the panel, so that the room for the bar that scrolls it does not make it narrower.
            let area = egui::ScrollArea::vertical().auto_shrink(false);
            area.show(ui, |ui| {
                ui.set_max_width(ui.available_width() - 8.0);
                ui.add_space(4.0);
                about(app, ui);
                section(ui, "Pull", true, |ui| pull(app, ui));
                section(ui, "Bodies", true, |ui| bodies(app, ui));
                section(ui, "Energy and effort", true, |ui| plots::show(app, ui));
                section(ui, "Grid of the material", false, |ui| grid::show(app, ui));
                section(ui, "Values of the scene", false, |ui| values::show(app, ui));
            });
        });
}

fn section(ui: &mut egui::Ui, title: &str, is_open: bool, content: impl FnOnce(&mut egui::Ui)) {
    egui::CollapsingHeader::new(egui::RichText::new(title).strong())
        .default_open(is_open)
        .show(ui, content);
}

fn about(app: &App, ui: &mut egui::Ui) {
    ui.heading(&app.scene.name);
    if let Some(file) = &app.scene.file {
        ui.weak(format!(
            "{} (loaded again when it is saved)",
            file.display()
        ));
    }
    if !app.scene.description.is_empty() {
        ui.label(&app.scene.description);
    }
    ui.add_space(4.0);
}

fn pull(app: &mut App, ui: &mut egui::Ui) {
    let slider = egui::Slider::new(&mut app.strength, 0.05..=50.0)
        .logarithmic(true)
        .text("strength");
    ui.add(slider)
        .on_hover_text("1: a free body swings once per second on the pull");
    ui.checkbox(
        &mut app.switches.keeps_pulls,
        "pulls stay when the button is released",
    );
    let pulls = app.shown.as_ref().map_or(0, |shown| shown.pulls.len());
    ui.horizontal(|ui| {
        ui.weak(match pulls {
            0 => "no pulls".to_owned(),
            1 => "one pull".to_owned(),
            count => format!("{count} pulls"),
        });
        let end = egui::Button::new("End all pulls");
        if ui.add_enabled(pulls > 0, end).on_hover_text("X").clicked() {
            app.ask(Request::LetAllGo);
        }
    });
}

/// With more bodies than this each is folded, so that what comes below stays in sight.
const MOST_OPEN_BODIES: usize = 2;

fn bodies(app: &mut App, ui: &mut egui::Ui) {
    let mut asked = None;
    let centres = app.shown.as_ref().map_or(&[][..], |shown| &shown.centres);
    let is_open = app.scene.bodies.len() <= MOST_OPEN_BODIES;
    for (index, body) in app.scene.bodies.iter_mut().enumerate() {
        let centre = centres.get(index);
        ui.push_id(index, |ui| {
            let moved = if is_open {
                ui.label(egui::RichText::new(&body.name).strong());
                about_body(ui, body, centre)
            } else {
                egui::CollapsingHeader::new(&body.name)
                    .show(ui, |ui| about_body(ui, body, centre))
                    .body_returned
                    .flatten()
            };
            if let Some((value, number)) = moved {
                asked = Some(Request::SetValue {
                    body: index,
                    value,
                    number,
                });
            }
            ui.add_space(2.0);
        });
    }
    if let Some(request) = asked {
        app.ask(request);
    }
}

/// What a body is, how it moves, and its sliders; gives the value that was moved.
fn about_body(
    ui: &mut egui::Ui,
    body: &mut BodyInfo,
    centre: Option<&Centre>,
) -> Option<(BodyValue, f64)> {
    ui.weak(format!(
        "{} nodes, {}, {}",
        body.node_count, body.formulation, body.integrator
    ));
    if let Some(centre) = centre {
        let speed = super::overlay::short(centre.velocity.length());
        ui.weak(format!("moves at {speed} m/s"))
            .on_hover_text("The velocity of its centre of mass");
    }
    let mut moved = None;
    for (value, number) in &mut body.values {
        if slider(ui, *value, number) {
            moved = Some((*value, *number));
        }
    }
    moved
}

/// A slider for a value of a body; says whether it was moved.
fn slider(ui: &mut egui::Ui, value: BodyValue, number: &mut f64) -> bool {
    let (range, text, hint) = match value {
        BodyValue::Stiffness => (0.05..=20.0, "stiffness ×", "Times what the scene says"),
        BodyValue::Damping => (0.0..=50.0, "damping ×", "Times what the scene says"),
        BodyValue::Friction => (0.0..=1.5, "friction", "Coulomb's coefficient"),
        BodyValue::Restitution => (0.0..=1.0, "rebound", "Share of the normal velocity"),
        BodyValue::Warmth => (
            0.0..=10.0,
            "warmth",
            "0 is cold and elastic; warm flows as the scene says, and faster",
        ),
    };
    let is_factor = matches!(value, BodyValue::Stiffness | BodyValue::Damping);
    let slider = egui::Slider::new(number, range)
        .logarithmic(is_factor)
        .smallest_positive(0.01)
        .text(text);
    ui.add(slider).on_hover_text(hint).changed()
}

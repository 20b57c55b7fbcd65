//! The history at the lower edge, and what to do next.

use super::app::App;
use crate::keys::Grip;
use crate::request::Request;
use eframe::egui;

/// Shows the history.
pub fn show(app: &mut App, ui: &mut egui::Ui) {
    egui::Panel::bottom("timeline").show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            let Some(shown) = &app.shown else {
                ui.weak("no scene");
                return;
            };
            let span = shown.history;
            ui.monospace(format!("{:8.3} s  step {:<6}", shown.time, shown.step));
            let mut present = span.present;
            let last = span.count.saturating_sub(1);
            ui.spacing_mut().slider_width = (ui.available_width() - 170.0).max(80.0);
            let slider = egui::Slider::new(&mut present, 0..=last.max(1))
                .show_value(false)
                .trailing_fill(true);
            let hint = "The history: drag to go back, then go on from there with Space";
            let response = ui.add_enabled(last > 0, slider).on_hover_text(hint);
            ui.weak(format!(
                "{:.2} to {:.2} s, {:.0} MB",
                span.oldest,
                span.newest,
                span.bytes as f64 / 1e6
            ));
            if response.changed() && present != span.present {
                app.ask(Request::GoTo(present));
            }
        });
        ui.label(advice(app));
        ui.add_space(1.0);
    });
}

/// What a user can do now.
fn advice(app: &App) -> &'static str {
    if app
        .shown
        .as_ref()
        .is_some_and(|shown| shown.failure.is_some())
    {
        return "Something went wrong: go back with the left arrow, change a value, or reset with R.";
    }
    match (app.tool, app.is_running()) {
        (Grip::Pull, true) => {
            "Drag a body to pull it. Hold Alt at the end, and the pull stays. Drag beside it to turn the view."
        }
        (Grip::Pull, false) => "It is paused: a pull takes effect when it runs. Space starts.",
        (Grip::Fix, _) => "Click a particle to fix it or to release it; fixed ones are red.",
        (Grip::Push, _) => "Press on a body and hold: the longer, the stronger the push.",
        (Grip::Heat, _) => {
            "Press on a body and hold: it becomes warm, softens or flows. Then pull it into shape and cool it."
        }
        (Grip::Cool, _) => "Press on a body and hold: what was moulded keeps its shape.",
        (Grip::Tear, _) => "Draw a stroke across a body to tear it.",
        (_, true) => {
            "Ctrl + drag pulls a body. Drag turns the view, the wheel zooms. Space pauses. F1 helps."
        }
        (_, false) => {
            "Space starts. Ctrl + click fixes a particle or releases it. The arrow keys step. F1 helps."
        }
    }
}

//! The help: keys and mouse, from the one table.

use super::painter::Painter;
use crate::keys::{BINDINGS, MOUSE};
use eframe::egui;

/// Shows the help in a window of its own.
pub fn show(context: &egui::Context, is_open: &mut bool, painter: Option<&Painter>) {
    egui::Window::new("Help")
        .open(is_open)
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(context, |ui| {
            egui::Grid::new("mouse").num_columns(2).striped(true).show(ui, |ui| {
                for [name, meaning] in MOUSE {
                    ui.strong(name);
                    ui.label(meaning);
                    ui.end_row();
                }
            });
            ui.separator();
            egui::Grid::new("keys").num_columns(4).striped(true).show(ui, |ui| {
                for pair in BINDINGS.chunks(2) {
                    for binding in pair {
                        ui.strong(binding.name);
                        ui.label(binding.meaning);
                    }
                    ui.end_row();
                }
            });
            ui.separator();
            ui.label("A scene file that is saved in an editor is loaded again at once. Files can be dropped on the window.");
            if let Some(painter) = painter {
                ui.weak(format!("drawn by {}", painter.adapter_name()));
            }
        });
}

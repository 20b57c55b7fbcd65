//! All values of the scene file, to be changed while it runs.

use super::app::App;
use crate::request::{Request, SceneInfo};
use crate::scene_text::{SceneValue, numbers, with_numbers};
use eframe::egui;
use std::collections::HashMap;

/// What was typed and not yet taken over.
#[derive(Debug, Default)]
pub struct Drafts {
    /// By part, element, attribute and place.
    texts: HashMap<(Vec<usize>, String), String>,
}

impl Drafts {
    /// Takes over what the scene says now.
    pub fn follow(&mut self, scene: &SceneInfo) {
        self.texts.clear();
        for value in scene.values.iter() {
            let text = value.value.clone().unwrap_or_default();
            self.texts.insert(key(value), text);
        }
    }
}

fn key(value: &SceneValue) -> (Vec<usize>, String) {
    (value.path.clone(), value.attribute.clone())
}

/// Shows the values, part by part.
pub fn show(app: &mut App, ui: &mut egui::Ui) {
    ui.weak("What is changed here takes effect at once; the state goes on.");
    let values = std::sync::Arc::clone(&app.scene.values);
    let mut parts: Vec<&str> = Vec::new();
    for value in values.iter() {
        if !parts.contains(&value.part.as_str()) {
            parts.push(&value.part);
        }
    }
    let mut asked = None;
    for part in parts {
        egui::CollapsingHeader::new(part)
            .default_open(part.starts_with("Force"))
            .show(ui, |ui| {
                let own = values.iter().filter(|value| value.part == part);
                for (index, value) in own.enumerate() {
                    ui.push_id(index, |ui| {
                        if let Some(new) = row(&mut app.drafts, ui, value) {
                            asked = Some(Request::Change {
                                path: value.path.clone(),
                                attribute: value.attribute.clone(),
                                value: new,
                            });
                        }
                    });
                }
            });
    }
    if let Some(request) = asked {
        app.ask(request);
    }
}

/// One value; gives the new one when it was changed.
fn row(drafts: &mut Drafts, ui: &mut egui::Ui, value: &SceneValue) -> Option<String> {
    let draft = drafts.texts.entry(key(value)).or_default();
    let name = match value.element.as_str() {
        "" | "Properties" | "All" => value.attribute.clone(),
        element => format!("{element} {}", value.attribute),
    };
    let mut new = None;
    ui.horizontal_wrapped(|ui| {
        ui.label(name).on_hover_text(&value.doc);
        if !value.words.is_empty() {
            let selected = match draft.is_empty() {
                true => "default",
                false => draft.as_str(),
            };
            egui::ComboBox::from_id_salt("words")
                .selected_text(selected.to_owned())
                .show_ui(ui, |ui| {
                    for word in &value.words {
                        if ui
                            .selectable_label(draft.as_str() == *word, *word)
                            .clicked()
                        {
                            new = Some((*word).to_owned());
                        }
                    }
                });
        } else if let Some(mut found) = numbers(draft)
            && found.len() <= 9
        {
            new = drag_numbers(ui, draft, &mut found);
        } else {
            let edit = egui::TextEdit::singleline(draft).desired_width(140.0);
            let response = ui.add(edit);
            if response.lost_focus() && value.value.as_deref().unwrap_or_default() != draft.as_str()
            {
                new = Some(draft.clone());
            }
        }
    });
    new
}

/// Numbers that are dragged; gives the new text when the button is released, or enter was typed.
fn drag_numbers(ui: &mut egui::Ui, draft: &mut String, found: &mut [f64]) -> Option<String> {
    let mut is_done = false;
    for number in found.iter_mut() {
        let speed = (0.01 * number.abs()).max(1e-4);
        let drag = egui::DragValue::new(number).speed(speed).max_decimals(6);
        let response = ui.add(drag);
        is_done |= response.drag_stopped() || (response.changed() && !response.dragged());
    }
    *draft = with_numbers(draft, found);
    is_done.then(|| draft.clone())
}

//! All values of the scene file, to be changed while it runs: choices, numbers on sliders, formulas as text.

use super::app::App;
use crate::request::{Request, SceneInfo};
use crate::scene_text::{SceneValue, numbers, with_numbers};
use crate::span::{Sliders, Span};
use eframe::egui;
use std::collections::HashMap;

/// A scene of at most this many nodes is built again while a slider moves, a larger one when it is let go.
const MOST_NODES: usize = 4000;

/// How long a slider moves before the scene is built again, in seconds.
const PATIENCE: f64 = 0.15;

/// Where an element is and the name of its attribute.
type Key = (Vec<usize>, String);

/// What was typed or moved and not yet taken over, and where sliders begin and end.
#[derive(Debug, Default)]
pub struct Drafts {
    texts: HashMap<Key, String>,
    sliders: HashMap<Key, Sliders>,
    /// The value whose slider is held, and when it was last asked for.
    held: Option<(Key, f64)>,
}

impl Drafts {
    /// Takes over what the scene says now.
    pub fn follow(&mut self, scene: &SceneInfo, is_new: bool) {
        let held = self.held.take().filter(|_| !is_new);
        let kept = held.as_ref().and_then(|(key, _)| self.texts.remove(key));
        self.texts.clear();
        let mut before = std::mem::take(&mut self.sliders);
        for value in scene.values.iter() {
            let text = value.value.clone().unwrap_or_default();
            let key = key(value);
            if let Some((kind, found)) = value.kind.zip(numbers(&text)) {
                // A slider stays as long as the value is on it, so that it does not run away.
                let before = before
                    .remove(&key)
                    .filter(|old| !is_new && old.hold(&found));
                if let Some(sliders) = before.or_else(|| Sliders::new(kind, &found)) {
                    self.sliders.insert(key.clone(), sliders);
                }
            }
            self.texts.insert(key, text);
        }
        // The hand knows better than what it asked for a moment ago.
        if let (Some((key, _)), Some(text)) = (&held, kept) {
            self.texts.insert(key.clone(), text);
        }
        self.held = held;
    }
}

fn key(value: &SceneValue) -> Key {
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
    let nodes: usize = app.scene.bodies.iter().map(|body| body.node_count).sum();
    let mut asked = None;
    for part in parts {
        egui::CollapsingHeader::new(part)
            .default_open(part.starts_with("Force"))
            .show(ui, |ui| {
                let of_part = values.iter().filter(|value| value.part == part);
                for (index, value) in of_part.enumerate() {
                    ui.push_id(index, |ui| {
                        if let Some(new) = row(&mut app.drafts, ui, value, nodes <= MOST_NODES) {
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
fn row(
    drafts: &mut Drafts,
    ui: &mut egui::Ui,
    value: &SceneValue,
    is_live: bool,
) -> Option<String> {
    let name = match value.element.as_str() {
        "" | "Properties" | "All" => value.attribute.clone(),
        element => format!("{element} {}", value.attribute),
    };
    let key = key(value);
    let draft = drafts.texts.entry(key.clone()).or_default();
    let sliders = drafts.sliders.get(&key);
    if let Some((sliders, mut found)) = sliders.zip(numbers(draft)) {
        let response = slide(ui, &name, &value.doc, sliders, &mut found);
        if response.is_changed {
            *draft = with_numbers(draft, &found);
        }
        let new = draft.clone();
        return drafts.is_due(ui, &key, response, is_live).then_some(new);
    }
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
            let touched = drag_numbers(ui, &mut found);
            if touched.is_changed {
                *draft = with_numbers(draft, &found);
            }
            new = touched.is_done.then(|| draft.clone());
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

/// What the hand did to sliders.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    /// A number is another one now.
    is_changed: bool,
    /// A slider is held.
    is_held: bool,
    /// A slider was let go, or a number was typed.
    is_done: bool,
}

impl Touched {
    fn add(&mut self, response: &egui::Response) {
        self.is_changed |= response.changed();
        self.is_held |= response.dragged();
        self.is_done |= response.drag_stopped() || (response.changed() && !response.dragged());
    }
}

impl Drafts {
    /// Whether the scene is to be changed now.
    fn is_due(&mut self, ui: &egui::Ui, key: &Key, touched: Touched, is_live: bool) -> bool {
        let now = ui.input(|input| input.time);
        if touched.is_done {
            self.held = None;
            return true;
        }
        if !touched.is_held {
            return false;
        }
        let last = match &self.held {
            Some((held, last)) if held == key => *last,
            _ => f64::NEG_INFINITY,
        };
        let is_due = is_live && touched.is_changed && now - last > PATIENCE;
        self.held = Some((key.clone(), if is_due { now } else { last }));
        is_due
    }
}

/// Shows the sliders of a value.
fn slide(
    ui: &mut egui::Ui,
    name: &str,
    doc: &str,
    sliders: &Sliders,
    numbers: &mut [f64],
) -> Touched {
    let mut touched = Touched::default();
    match sliders {
        Sliders::Each(spans) => {
            let letters = ["x", "y", "z"];
            for (index, (span, number)) in spans.iter().zip(numbers).enumerate() {
                let text = match spans.len() {
                    1 => name.to_owned(),
                    _ => format!("{name} {}", letters.get(index).unwrap_or(&"")),
                };
                touched.add(&slider(ui, number, *span, &text).on_hover_text(doc));
            }
        }
        Sliders::Factor { ones } => {
            let mut factor = Sliders::factor(ones, numbers).unwrap_or(1.0);
            let text = format!("{name} ×");
            let response = slider(ui, &mut factor, Sliders::factor_span(), &text);
            if response.changed() {
                for (number, one) in numbers.iter_mut().zip(ones) {
                    *number = one * factor;
                }
            }
            touched.add(&response.on_hover_text(doc));
            ui.horizontal_wrapped(|ui| {
                let dragged = drag_numbers(ui, numbers);
                touched.is_changed |= dragged.is_changed;
                touched.is_held |= dragged.is_held;
                touched.is_done |= dragged.is_done;
            });
        }
    }
    touched
}

fn slider(ui: &mut egui::Ui, number: &mut f64, span: Span, text: &str) -> egui::Response {
    let mut slider = egui::Slider::new(number, span.low..=span.high)
        .logarithmic(span.is_logarithmic)
        .smallest_positive(span.smallest.max(f64::MIN_POSITIVE))
        .clamping(egui::SliderClamping::Never)
        .update_while_editing(false)
        .text(text);
    if span.is_whole {
        slider = slider.integer();
    }
    ui.add(slider)
}

/// Numbers that are dragged.
fn drag_numbers(ui: &mut egui::Ui, numbers: &mut [f64]) -> Touched {
    let mut touched = Touched::default();
    for number in numbers {
        let speed = match *number == 0.0 {
            true => 1e-3,
            false => 0.01 * number.abs(),
        };
        let drag = egui::DragValue::new(number)
            .speed(speed)
            .update_while_editing(false);
        touched.add(&ui.add(drag));
    }
    touched
}

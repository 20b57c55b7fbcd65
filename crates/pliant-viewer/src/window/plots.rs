//! Small plots of what the last steps measured.

use super::app::App;
use super::overlay::short;
use crate::sample::Sample;
use eframe::egui::{self, Color32, FontId, Rect, Stroke};
use std::collections::VecDeque;

/// One line of a plot.
struct Curve {
    name: &'static str,
    color: Color32,
    value: fn(&Sample) -> f64,
}

const fn curve(name: &'static str, color: [u8; 3], value: fn(&Sample) -> f64) -> Curve {
    let [red, green, blue] = color;
    Curve {
        name,
        color: Color32::from_rgb(red, green, blue),
        value,
    }
}

const ENERGIES: [Curve; 3] = [
    curve("kinetic", [204, 82, 20], |sample| sample.kinetic),
    curve("elastic", [30, 110, 190], |sample| sample.elastic),
    curve("external", [60, 140, 60], |sample| sample.external),
];

const LOSSES: [Curve; 2] = [
    curve("taken out", [120, 80, 160], |sample| sample.dissipated),
    curve("created", [204, 32, 32], |sample| sample.created),
];

const ITERATIONS: [Curve; 2] = [
    curve("Newton", [30, 110, 190], |sample| {
        sample.newton_iterations as f64
    }),
    curve("linear", [150, 150, 150], |sample| {
        sample.linear_iterations as f64
    }),
];

const CONTACTS: [Curve; 1] = [curve("contacts", [150, 90, 30], |sample| {
    sample.contacts as f64
})];

const VOLUME: [Curve; 1] = [curve("volume", [30, 110, 190], |sample| sample.volume)];

const TIMES: [Curve; 1] = [curve("ms per step", [90, 90, 90], |sample| {
    sample.milliseconds
})];

/// Shows the plots and the last numbers.
pub fn show(app: &App, ui: &mut egui::Ui) {
    let Some(shown) = &app.shown else {
        return;
    };
    let samples = &shown.samples.0;
    plot(ui, "energy (J)", samples, &ENERGIES);
    plot(ui, "per step (J)", samples, &LOSSES);
    plot(ui, "iterations per step", samples, &ITERATIONS);
    plot(ui, "time of a step (ms)", samples, &TIMES);
    if samples.iter().any(|sample| sample.contacts > 0) {
        plot(ui, "contacts", samples, &CONTACTS);
    }
    if samples.iter().any(|sample| sample.volume > 0.0) {
        plot(ui, "volume (m³)", samples, &VOLUME);
    }
    let unconverged: usize = samples.iter().map(|sample| sample.unconverged).sum();
    if unconverged > 0 {
        let text = format!("{unconverged} linear solves ended at their limit");
        ui.colored_label(Color32::from_rgb(200, 90, 0), text);
    }
    let times = shown.times;
    let stages = format!(
        "assembly {:.1}, solve {:.1}, contact {:.1}, processes {:.1} ms",
        1e3 * times.assembly,
        1e3 * times.solve,
        1e3 * times.contact,
        1e3 * times.processes
    );
    ui.weak(stages);
}

fn plot(ui: &mut egui::Ui, title: &str, samples: &VecDeque<Sample>, curves: &[Curve]) {
    let size = egui::vec2(ui.available_width(), 62.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let canvas = ui.painter_at(rect);
    canvas.rect_filled(rect, 3.0, Color32::from_gray(250));
    let inner = Rect::from_min_max(
        rect.min + egui::vec2(4.0, 16.0),
        rect.max - egui::vec2(4.0, 3.0),
    );
    let values = || curves.iter().flat_map(|own| samples.iter().map(own.value));
    let finite = || values().filter(|value| value.is_finite());
    let low = finite().fold(0.0_f64, f64::min);
    let high = finite().fold(0.0_f64, f64::max);
    let font = FontId::proportional(11.0);
    let ink = Color32::from_gray(90);
    let mut at = rect.right_top() + egui::vec2(-4.0, 2.0);
    for own in curves.iter().rev() {
        let last = samples.back().map_or(0.0, own.value);
        let text = format!("{} {}", own.name, short(last));
        let found = canvas.text(at, egui::Align2::RIGHT_TOP, text, font.clone(), own.color);
        at.x = found.left() - 8.0;
    }
    // The numbers are worth more than the title.
    if at.x > rect.left() + 7.0 * title.len() as f32 {
        canvas.text(
            rect.min + egui::vec2(4.0, 2.0),
            egui::Align2::LEFT_TOP,
            title,
            font.clone(),
            ink,
        );
    }
    if samples.len() < 2 || high <= low {
        return;
    }
    let zero = inner.bottom() - ((0.0 - low) / (high - low)) as f32 * inner.height();
    let axis = [
        egui::pos2(inner.left(), zero),
        egui::pos2(inner.right(), zero),
    ];
    canvas.line_segment(axis, Stroke::new(0.5, Color32::from_gray(200)));
    let last = samples.len() - 1;
    for own in curves {
        let point = |(index, sample): (usize, &Sample)| {
            let value = (own.value)(sample).clamp(low, high);
            let share = ((value - low) / (high - low)) as f32;
            let x = inner.left() + inner.width() * index as f32 / last as f32;
            egui::pos2(x, inner.bottom() - share * inner.height())
        };
        let points: Vec<egui::Pos2> = samples.iter().enumerate().map(point).collect();
        canvas.line(points, Stroke::new(1.2, own.color));
    }
}

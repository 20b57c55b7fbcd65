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

const LOSSES: [Curve; 6] = [
    curve("taken out", [120, 80, 160], |sample| sample.dissipated),
    curve("damping", [30, 110, 190], |sample| sample.causes[0]),
    curve("friction", [150, 90, 30], |sample| sample.causes[1]),
    curve("processes", [60, 140, 60], |sample| sample.causes[2]),
    curve("rest", [150, 150, 150], |sample| sample.causes[3]),
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

const TIMES: [Curve; 5] = [
    curve("all", [90, 90, 90], |sample| sample.milliseconds),
    curve("assembly", [60, 140, 60], |sample| sample.stages[0]),
    curve("solver", [30, 110, 190], |sample| sample.stages[1]),
    curve("contact", [150, 90, 30], |sample| sample.stages[2]),
    curve("processes", [120, 80, 160], |sample| sample.stages[3]),
];

/// Where the axis of a plot begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    /// At zero, so that sizes can be compared.
    Zero,
    /// Near the values, so that small changes are seen.
    Near,
}

/// Shows the plots and the last numbers.
pub fn show(app: &App, ui: &mut egui::Ui) {
    let Some(shown) = &app.shown else {
        return;
    };
    let samples = &shown.samples.0;
    plot(ui, "energy (J)", samples, &ENERGIES, Axis::Zero);
    plot(ui, "per step (J)", samples, &LOSSES, Axis::Zero);
    if samples.iter().any(|sample| sample.volume > 0.0) {
        plot(ui, "volume (m³)", samples, &VOLUME, Axis::Near);
    }
    plot(ui, "iterations per step", samples, &ITERATIONS, Axis::Zero);
    if samples.iter().any(|sample| sample.contacts > 0) {
        plot(ui, "contacts", samples, &CONTACTS, Axis::Zero);
    }
    let has_processes = samples.iter().any(|sample| sample.stages[3] > 0.05);
    let times = if has_processes {
        &TIMES[..]
    } else {
        &TIMES[..4]
    };
    plot(ui, "ms per step", samples, times, Axis::Zero);
    let unconverged: usize = samples.iter().map(|sample| sample.unconverged).sum();
    if unconverged > 0 {
        let text = format!("{unconverged} linear solves ended at their limit");
        ui.colored_label(Color32::from_rgb(200, 90, 0), text);
    }
}

/// The lowest and the highest value of a plot.
fn range(samples: &VecDeque<Sample>, curves: &[Curve], axis: Axis) -> (f64, f64) {
    let values = curves
        .iter()
        .flat_map(|curve| samples.iter().map(curve.value));
    let finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let start = match axis {
        Axis::Zero => 0.0,
        Axis::Near => finite.first().copied().unwrap_or_default(),
    };
    let low = finite.iter().copied().fold(start, f64::min);
    let high = finite.iter().copied().fold(start, f64::max);
    match axis {
        Axis::Zero => (low, high),
        // A hundredth of the value is worth seeing, less is not.
        Axis::Near => {
            let edge = (0.05 * (high - low)).max(0.005 * high.abs());
            (low - edge, high + edge)
        }
    }
}

fn plot(ui: &mut egui::Ui, title: &str, samples: &VecDeque<Sample>, curves: &[Curve], axis: Axis) {
    // Many curves are named below the title.
    let has_two_lines = curves.len() > 2;
    let header = if has_two_lines { 29.0 } else { 16.0 };
    let size = egui::vec2(ui.available_width(), header + 46.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let canvas = ui.painter_at(rect);
    canvas.rect_filled(rect, 3.0, Color32::from_gray(250));
    let inner = Rect::from_min_max(
        rect.min + egui::vec2(4.0, header),
        rect.max - egui::vec2(4.0, 3.0),
    );
    let font = FontId::proportional(if curves.len() > 3 { 9.5 } else { 11.0 });
    let ink = Color32::from_gray(90);
    let at = rect.min + egui::vec2(4.0, 2.0);
    let end = canvas.text(at, egui::Align2::LEFT_TOP, title, font.clone(), ink);
    let mut at = match has_two_lines {
        true => rect.min + egui::vec2(4.0, 15.0),
        false => egui::pos2(end.right() + 10.0, rect.top() + 2.0),
    };
    for curve in curves {
        let last = samples.back().map_or(0.0, curve.value);
        let text = format!("{} {}", curve.name, short(last));
        let found = canvas.text(at, egui::Align2::LEFT_TOP, text, font.clone(), curve.color);
        at.x = found.right() + 8.0;
    }
    let (low, high) = range(samples, curves, axis);
    if samples.len() < 2 || high <= low {
        return;
    }
    if axis == Axis::Zero {
        let zero = inner.bottom() - ((0.0 - low) / (high - low)) as f32 * inner.height();
        let line = [
            egui::pos2(inner.left(), zero),
            egui::pos2(inner.right(), zero),
        ];
        canvas.line_segment(line, Stroke::new(0.5, Color32::from_gray(200)));
    }
    let last = samples.len() - 1;
    for curve in curves {
        let point = |(index, sample): (usize, &Sample)| {
            let value = (curve.value)(sample).clamp(low, high);
            let share = ((value - low) / (high - low)) as f32;
            let x = inner.left() + inner.width() * index as f32 / last as f32;
            egui::pos2(x, inner.bottom() - share * inner.height())
        };
        let points: Vec<egui::Pos2> = samples.iter().enumerate().map(point).collect();
        canvas.line(points, Stroke::new(1.2, curve.color));
    }
}

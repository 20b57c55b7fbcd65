//! Curves as lines and texts on a sheet.

use super::axis::Axis;
use super::curves::{Curve, Quantity};

/// Size of a sheet, in pixels.
pub const SHEET: [f64; 2] = [960.0, 540.0];

/// The corner of the plot's area that is left and up, and the one that is right and down.
const AREA: [[f64; 2]; 2] = [[92.0, 96.0], [932.0, 486.0]];

/// Height of the texts.
const TITLE_SIZE: f64 = 20.0;
const TEXT_SIZE: f64 = 15.0;

/// Lines of the names of curves above the area: their height, the length of a swatch, and how many have room.
const LINE_HEIGHT: f64 = 22.0;
const SWATCH: f64 = 30.0;
const MOST_LINES: usize = 3;

const TEXT: [u8; 3] = [40, 40, 40];
const GRID: [u8; 3] = [222, 222, 222];
const FRAME: [u8; 3] = [120, 120, 120];

/// Colours that the colour-blind tell apart too.
const COLORS: [[u8; 3]; 11] = [
    [30, 30, 30],
    [213, 94, 0],
    [0, 114, 178],
    [0, 158, 115],
    [204, 121, 167],
    [180, 140, 0],
    [86, 180, 233],
    [120, 80, 160],
    [140, 90, 50],
    [110, 150, 40],
    [150, 150, 150],
];

/// Lengths of dashes and gaps of each run, in pixels; none is a whole line.
const DASHES: [&[f64]; 4] = [&[], &[9.0, 5.0], &[2.0, 4.0], &[12.0, 4.0, 2.0, 4.0]];

/// What is drawn, in order. Coordinates are in pixels from the upper left corner.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub lines: Vec<Polyline>,
    pub texts: Vec<Text>,
}

#[derive(Clone, Debug)]
pub struct Polyline {
    pub points: Vec<[f64; 2]>,
    pub color: [u8; 3],
    pub width: f64,
    pub dashes: &'static [f64],
}

#[derive(Clone, Debug)]
pub struct Text {
    /// Where the anchor is horizontally, and the middle of the text vertically.
    pub at: [f64; 2],
    pub anchor: Anchor,
    pub text: String,
    pub size: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

/// Lays out a plot.
pub fn chart(title: &str, quantity: Quantity, curves: &[Curve]) -> Sheet {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let across = Axis::over(points().map(|point| point[0]), 8, false);
    let zero = quantity.begins_at_zero().then_some(0.0);
    let up = Axis::over(points().map(|point| point[1]).chain(zero), 6, true);
    let [[left, top], [right, bottom]] = AREA;
    let places = legend_places(curves, quantity.axis());
    let lines = 1 + places.last().map_or(0, |&(_, line)| line);
    let top = top + LINE_HEIGHT * lines.saturating_sub(MOST_LINES) as f64;
    let place = |[time, value]: [f64; 2]| {
        [
            left + (right - left) * across.share(time),
            bottom - (bottom - top) * up.share(value),
        ]
    };

    let mut sheet = Sheet::default();
    for (value, label) in up.ticks() {
        let y = place([across.low, value])[1];
        let color = if value == 0.0 { FRAME } else { GRID };
        sheet.line(&[[left, y], [right, y]], color, 1.0);
        sheet.text([left - 8.0, y], Anchor::Right, &label, TEXT_SIZE);
    }
    for (time, label) in across.ticks() {
        let x = place([time, up.low])[0];
        sheet.line(&[[x, top], [x, bottom]], GRID, 1.0);
        sheet.text([x, bottom + 17.0], Anchor::Middle, &label, TEXT_SIZE);
    }
    let corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [left, top],
    ];
    sheet.line(&corners, FRAME, 1.0);
    let middle = 0.5 * (left + right);
    sheet.text(
        [middle, bottom + 39.0],
        Anchor::Middle,
        "time (s)",
        TEXT_SIZE,
    );
    sheet.text([left, 26.0], Anchor::Left, title, TITLE_SIZE);
    sheet.text([left, top - 16.0], Anchor::Left, quantity.axis(), TEXT_SIZE);

    for curve in curves {
        sheet.lines.push(Polyline {
            points: thinned(curve.points.iter().map(|&point| place(point))),
            ..style(curve)
        });
    }
    legend(&mut sheet, curves, &places, top);
    sheet
}

fn style(curve: &Curve) -> Polyline {
    Polyline {
        points: Vec::new(),
        color: COLORS[curve.kind % COLORS.len()],
        width: if curve.kind == 0 { 2.2 } else { 1.6 },
        dashes: DASHES[curve.run % DASHES.len()],
    }
}

/// Where the swatches of the curves begin, and on which line above the area: from the right end of the lines, the
/// last curve first. What the axis says stands at the left end of the first line.
fn legend_places(curves: &[Curve], axis: &str) -> Vec<(f64, usize)> {
    let [[left, _], [right, _]] = AREA;
    let (mut x, mut line) = (right, 0);
    let mut limit = left + 0.55 * TEXT_SIZE * axis.chars().count() as f64 + 18.0;
    let place = |curve: &Curve| {
        let text_width = 0.52 * TEXT_SIZE * curve.name.chars().count() as f64;
        let width = SWATCH + 8.0 + text_width;
        if x - width < limit {
            (x, line, limit) = (right, line + 1, left);
        }
        let start = x - width;
        x = start - 18.0;
        (start, line)
    };
    curves.iter().rev().map(place).collect()
}

/// Names of the curves, above an area that begins at `top`.
fn legend(sheet: &mut Sheet, curves: &[Curve], places: &[(f64, usize)], top: f64) {
    for (curve, &(start, line)) in curves.iter().rev().zip(places) {
        let y = top - 16.0 - LINE_HEIGHT * line as f64;
        sheet.lines.push(Polyline {
            points: vec![[start, y], [start + SWATCH, y]],
            ..style(curve)
        });
        sheet.text(
            [start + SWATCH + 6.0, y],
            Anchor::Left,
            &curve.name,
            TEXT_SIZE,
        );
    }
}

/// At most four points a pixel column: its first, lowest, highest and last, so that no peak of a
/// long run is lost and the file stays small.
fn thinned(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut column: Vec<[f64; 2]> = Vec::new();
    let empty = |column: &mut Vec<[f64; 2]>, kept: &mut Vec<[f64; 2]>| {
        if column.len() > 4 {
            let by_height = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
            let (first, last) = (column[0], column[column.len() - 1]);
            let highest = column.iter().min_by(by_height).copied().unwrap_or(first);
            let lowest = column.iter().max_by(by_height).copied().unwrap_or(first);
            let mut some = [first, highest, lowest, last];
            some.sort_by(|a, b| a[0].total_cmp(&b[0]));
            column.clear();
            kept.extend(some);
        } else {
            kept.append(column);
        }
    };
    for point in points {
        if column
            .last()
            .is_some_and(|last| last[0].floor() != point[0].floor())
        {
            empty(&mut column, &mut kept);
        }
        column.push(point);
    }
    empty(&mut column, &mut kept);
    kept
}

impl Sheet {
    fn line(&mut self, points: &[[f64; 2]], color: [u8; 3], width: f64) {
        self.lines.push(Polyline {
            points: points.to_vec(),
            color,
            width,
            dashes: &[],
        });
    }

    fn text(&mut self, at: [f64; 2], anchor: Anchor, text: &str, size: f64) {
        self.texts.push(Text {
            at,
            anchor,
            text: text.to_owned(),
            size,
        });
    }

    /// The colour of all texts.
    pub const fn text_color() -> [u8; 3] {
        TEXT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: Vec<[f64; 2]>) -> Curve {
        Curve {
            name: "total".to_owned(),
            kind: 0,
            run: 0,
            points,
        }
    }

    #[test]
    fn curves_stay_inside_the_area_and_keep_their_peaks() {
        let points: Vec<[f64; 2]> = (0..50_000)
            .map(|i| [f64::from(i) * 1e-3, if i == 31_415 { 9.0 } else { 1.0 }])
            .collect();
        let sheet = chart("flag", Quantity::Energy, &[curve(points)]);
        let longest = sheet.lines.iter().max_by_key(|line| line.points.len());
        let drawn = &longest.unwrap().points;
        assert!(drawn.len() < 4000, "{}", drawn.len());
        let [[left, top], [right, bottom]] = AREA;
        for [x, y] in drawn {
            assert!((left - 0.01..=right + 0.01).contains(x));
            assert!((top - 0.01..=bottom + 0.01).contains(y));
        }
        let peak = drawn.iter().map(|point| point[1]).fold(bottom, f64::min);
        let rest = drawn[0][1];
        assert!(rest - peak > 0.5 * (bottom - top));
        assert!(drawn.is_sorted_by(|a, b| a[0] <= b[0]));
    }

    #[test]
    fn names_of_curves_do_not_lie_over_what_the_axis_says() {
        let names = [
            "total",
            "kinetic",
            "elastic",
            "gravity and other loads",
            "dissipated",
        ];
        let curves = names.map(|name| Curve {
            name: name.to_owned(),
            ..curve(vec![[0.0, 0.0], [1.0, 1.0]])
        });
        let sheet = chart("rubber-balls", Quantity::Energy, &curves);
        let axis = Quantity::Energy.axis();
        let said = sheet.texts.iter().find(|text| text.text == axis).unwrap();
        // The letters of pictures are less than half as wide as high.
        let end = said.at[0] + 0.48 * TEXT_SIZE * axis.chars().count() as f64;
        let beside = |line: &&Polyline| line.points.iter().all(|point| point[1] == said.at[1]);
        let swatches: Vec<f64> = sheet
            .lines
            .iter()
            .filter(beside)
            .map(|line| line.points[0][0])
            .collect();
        assert!(
            !swatches.is_empty() && swatches.iter().all(|start| *start > end),
            "{swatches:?} after {end}"
        );
    }

    #[test]
    fn nothing_is_a_plot_too() {
        let sheet = chart("empty", Quantity::Volume, &[curve(Vec::new())]);
        assert!(sheet.texts.iter().any(|text| text.text == "time (s)"));
    }

    #[test]
    fn names_of_many_curves_leave_room_for_the_title() {
        let curves: Vec<Curve> = (0..22)
            .map(|kind| Curve {
                name: format!("run {}: by impacts and time rule", kind % 2),
                kind,
                ..curve(vec![[0.0, 0.0], [1.0, 1.0]])
            })
            .collect();
        let sheet = chart("rubber-balls", Quantity::Energy, &curves);
        let names = sheet
            .texts
            .iter()
            .filter(|text| text.text.starts_with("run"));
        let highest = names.map(|text| text.at[1]).fold(f64::INFINITY, f64::min);
        assert!(highest > 26.0, "{highest}");
    }
}

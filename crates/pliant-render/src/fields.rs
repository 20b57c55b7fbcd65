//! Numbers at nodes and the range of values that the colours stand for.

use crate::color_map::{Color, ColorMap};
use crate::draw_list::ColorBar;
use pliant::Frame;
use pliant::frame::FrameBody;
use std::borrow::Cow;

/// The values of a field at the nodes of a body, and their unit. `speed` comes from the
/// velocities; everything else is looked for among the fields of the body.
pub fn field_values<'a>(body: &'a FrameBody, name: &str) -> Option<(Cow<'a, [f64]>, &'static str)> {
    if let Some(field) = body.fields.iter().find(|field| field.name == name) {
        return Some((Cow::Borrowed(&field.values), field.unit));
    }
    (name == "speed").then(|| {
        let speeds = body.velocities.iter().map(|v| v.length()).collect();
        (Cow::Owned(speeds), "m/s")
    })
}

/// Every field that some body of a frame has, each once.
pub fn field_names(frame: &Frame) -> Vec<&'static str> {
    let mut names = vec!["speed"];
    for field in frame.bodies.iter().flat_map(|body| &body.fields) {
        if !names.contains(&field.name) {
            names.push(field.name);
        }
    }
    names
}

/// What the colours stand for. It widens as frames come, by round steps, and never narrows, so
/// that the colours of a film change their meaning seldom and never flicker.
#[derive(Clone, Debug)]
pub struct FieldScale {
    name: String,
    unit: &'static str,
    low: f64,
    high: f64,
    fixed: bool,
    signed: bool,
}

/// Share of the values that may lie beyond each end: a few nodes at a fixed corner would
/// otherwise leave no colours for the rest.
const OUTSIDE: f64 = 0.005;

impl FieldScale {
    /// A scale for the field `name`, with a range given once for all or taken from frames.
    pub fn new(name: &str, range: Option<[f64; 2]>) -> Self {
        let range = range.filter(|[low, high]| low.is_finite() && high.is_finite() && low != high);
        let fixed = range.is_some();
        let [low, high] = range.unwrap_or_default();
        Self {
            name: name.into(),
            unit: "",
            low: low.min(high),
            high: low.max(high),
            fixed,
            // These are about zero even in a frame in which they happen to have one sign.
            signed: matches!(name, "strain" | "stress") || (fixed && low.min(high) < 0.0),
        }
    }

    /// Whether its range was given once for all.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Takes in the values of a frame. False if no body has the field.
    pub fn widen(&mut self, frame: &Frame) -> bool {
        let mut values = Vec::new();
        let mut found = false;
        for body in &frame.bodies {
            if let Some((numbers, unit)) = field_values(body, &self.name) {
                found = true;
                self.unit = unit;
                values.extend(numbers.iter().copied().filter(|x| x.is_finite()));
            }
        }
        if self.fixed || values.is_empty() {
            return found;
        }
        let outside = (OUTSIDE * values.len() as f64) as usize;
        let last = values.len() - 1;
        let (_, &mut low, _) = values.select_nth_unstable_by(outside, f64::total_cmp);
        let (_, &mut high, _) = values.select_nth_unstable_by(last - outside, f64::total_cmp);
        let largest = low.abs().max(high.abs());
        self.signed |= low < -0.02 * largest;
        if self.signed {
            self.high = self.high.max(round_up(largest));
            self.low = -self.high;
        } else if low > 0.5 * high && self.name != "speed" {
            // Far from zero, such as a temperature in kelvin.
            self.widen_from_afar(low, high);
        } else {
            self.low = 0.0;
            self.high = self.high.max(round_up(high));
        }
        found
    }

    fn widen_from_afar(&mut self, low: f64, high: f64) {
        let fresh = self.high == self.low;
        let step = 0.25 * round_up((high - low).max(1e-3 * high));
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        self.low = if fresh { low } else { self.low.min(low) };
        self.high = if fresh { high } else { self.high.max(high) };
    }

    /// The colour of a value.
    pub fn color(&self, value: f64) -> Color {
        let width = self.high - self.low;
        let share = if width > 0.0 {
            (value - self.low) / width
        } else if value.is_nan() {
            value
        } else if self.signed {
            0.5
        } else {
            0.0
        };
        self.map().color(share)
    }

    /// A table of colours, quicker to look up than to compute.
    pub fn table(&self) -> ColorTable {
        ColorTable {
            colors: self.map().strip(256),
            low: self.low,
            scale: 255.0 / (self.high - self.low),
            middle: if self.signed { 128 } else { 0 },
        }
    }

    /// Lowest and highest value with a colour of their own.
    pub fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    fn map(&self) -> ColorMap {
        if self.signed {
            ColorMap::Diverging
        } else {
            ColorMap::Rising
        }
    }

    /// The legend.
    pub fn color_bar(&self) -> ColorBar {
        let title = if self.unit.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, self.unit)
        };
        ColorBar {
            title,
            low: self.low,
            high: self.high,
            colors: self.map().strip(64),
        }
    }
}

/// Colours of a scale at a moment.
#[derive(Clone, Debug)]
pub struct ColorTable {
    colors: Vec<Color>,
    low: f64,
    scale: f64,
    middle: usize,
}

impl ColorTable {
    /// The colour of a value; grey for what is no number.
    pub fn color(&self, value: f64) -> Color {
        if !value.is_finite() {
            return ColorMap::Rising.color(f64::NAN);
        }
        let index = if self.scale.is_finite() {
            // A float turned into an integer saturates.
            ((value - self.low) * self.scale).round().max(0.0) as usize
        } else {
            self.middle
        };
        self.colors[index.min(self.colors.len() - 1)]
    }
}

/// The next of 1, 1.5, 2, 3, 5, 7.5 times a power of ten; 0 for 0.
fn round_up(value: f64) -> f64 {
    if value.is_nan() || value < 1e-12 {
        return 0.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|&step| step >= value * (1.0 - 1e-12))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::sheet;
    use glam::DVec3;

    #[test]
    fn speed_comes_from_velocities() {
        let mut frame = sheet(3, 2);
        frame.bodies[0].velocities[4] = DVec3::new(3.0, 0.0, -4.0);
        let mut scale = FieldScale::new("speed", None);
        assert!(scale.widen(&frame));
        assert_eq!(scale.range(), [0.0, 5.0]);
        assert_eq!(scale.color_bar().title, "speed (m/s)");
        assert_eq!(scale.color(5.0), ColorMap::Rising.color(1.0));
        assert_eq!(scale.table().color(5.0), ColorMap::Rising.color(1.0));
        // A slower frame does not narrow it, a faster one widens it to the next round number.
        frame.bodies[0].velocities[4] = DVec3::ZERO;
        scale.widen(&frame);
        assert_eq!(scale.range(), [0.0, 5.0]);
        frame.bodies[0].velocities[4] = 6.0 * DVec3::X;
        scale.widen(&frame);
        assert_eq!(scale.range(), [0.0, 7.5]);
    }

    #[test]
    fn signed_fields_have_zero_in_the_middle() {
        let mut frame = sheet(3, 2);
        frame.bodies[0].fields[0].values = vec![-0.1, 0.0, 0.0, 0.0, 0.0, 0.04];
        let mut scale = FieldScale::new("strain", None);
        assert!(scale.widen(&frame));
        assert_eq!(scale.range(), [-0.1, 0.1]);
        let white = scale.color(0.0);
        assert!(white.iter().all(|&x| x > 0.7), "{white:?}");
    }

    #[test]
    fn a_range_of_the_user_stays() {
        let mut frame = sheet(3, 2);
        frame.bodies[0].velocities[0] = 100.0 * DVec3::X;
        let mut scale = FieldScale::new("speed", Some([2.0, 1.0]));
        scale.widen(&frame);
        assert_eq!(scale.range(), [1.0, 2.0]);
        let mut scale = FieldScale::new("speed", Some([f64::NAN, 1.0]));
        scale.widen(&frame);
        assert_eq!(scale.range()[1], 100.0);
    }

    #[test]
    fn unknown_fields_and_odd_numbers_are_survived() {
        let mut frame = sheet(3, 2);
        assert!(!FieldScale::new("colour", None).widen(&frame));
        frame.bodies[0].velocities[0].x = f64::NAN;
        let mut scale = FieldScale::new("speed", None);
        assert!(scale.widen(&frame));
        for value in [f64::NAN, f64::INFINITY, 0.0, 1e300] {
            assert!(scale.table().color(value).iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn temperatures_far_from_zero_use_their_own_range() {
        let mut frame = sheet(3, 2);
        frame.bodies[0].fields[0] = pliant::frame::NodalField {
            name: "temperature",
            unit: "K",
            values: vec![291.0, 295.0, 300.0, 310.0, 320.0, 333.0],
        };
        let mut scale = FieldScale::new("temperature", None);
        scale.widen(&frame);
        let [low, high] = scale.range();
        assert!(low > 250.0 && low <= 291.0 && (333.0..360.0).contains(&high));
    }
}

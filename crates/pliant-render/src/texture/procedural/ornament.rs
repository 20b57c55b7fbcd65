//! A Persian carpet: borders, a field strewn with flowers, a medallion with lobes.

use super::{bytes, mixed, noise};
use std::f64::consts::TAU;

const MADDER: [f64; 3] = [140.0, 32.0, 34.0];
const NAVY: [f64; 3] = [28.0, 38.0, 76.0];
const IVORY: [f64; 3] = [226.0, 208.0, 172.0];
const OCHRE: [f64; 3] = [192.0, 140.0, 62.0];
const SAGE: [f64; 3] = [92.0, 118.0, 98.0];

/// Carpets are half as long again as they are wide; the first direction is the long one.
const LENGTH: f64 = 1.5;

/// The colour of a carpet at a place.
pub fn carpet(u: f64, v: f64) -> [u8; 3] {
    // From the middle, in widths of the carpet.
    let (x, y) = (LENGTH * (u - 0.5), v - 0.5);
    // Distance from the nearest edge.
    let edge = (0.5 * LENGTH - x.abs()).min(0.5 - y.abs());
    let along = if 0.5 * LENGTH - x.abs() < 0.5 - y.abs() {
        y
    } else {
        x
    };
    let color = if edge < 0.15 {
        border(edge, along)
    } else {
        field(x, y)
    };
    let knots = noise(u, v, [220, 150], 71) - 0.5;
    let wear = noise(u, v, [6, 4], 72) - 0.5;
    bytes(color.map(|value| value * (1.0 + 0.16 * knots + 0.08 * wear)))
}

fn border(edge: f64, along: f64) -> [f64; 3] {
    if edge < 0.014 || (0.136..0.142).contains(&edge) {
        return NAVY;
    }
    if !(0.034..0.116).contains(&edge) {
        // Guard stripes of small diamonds.
        let middle = if edge < 0.034 { 0.024 } else { 0.126 };
        let cell = (along / 0.028).rem_euclid(1.0) - 0.5;
        let away = cell.abs() / 0.5 + (edge - middle).abs() / 0.010;
        return if away < 0.75 { OCHRE } else { IVORY };
    }
    // Rosettes between leaves.
    let pitch = 0.105;
    let number = (along / pitch).round();
    let (p, q) = (along - number * pitch, edge - 0.075);
    flower(p, q, 0.03, number as i64 % 2 == 0).unwrap_or_else(|| {
        let leaf = (TAU * along / pitch).cos() * 0.016;
        if (q - leaf).abs() < 0.0035 {
            SAGE
        } else {
            NAVY
        }
    })
}

fn field(x: f64, y: f64) -> [f64; 3] {
    let angle = y.atan2(1.15 * x);
    let distance = (x / 1.15).hypot(y);
    let lobes = |radius: f64| radius * (1.0 + 0.11 * (16.0 * angle).cos().abs());
    if distance < lobes(0.07) {
        return flower(x, y, 0.06, true).unwrap_or(OCHRE);
    }
    if distance < lobes(0.15) {
        return if distance > lobes(0.143) {
            OCHRE
        } else {
            MADDER
        };
    }
    if distance < lobes(0.205) {
        let petals = (16.0 * angle).cos();
        return if petals > 0.55 && distance > 0.17 {
            IVORY
        } else {
            NAVY
        };
    }
    if distance < lobes(0.213) {
        return IVORY;
    }
    // Quarter medallions in the corners of the field.
    let (corner_x, corner_y) = (0.6 - x.abs(), 0.35 - y.abs());
    let corner = (corner_x / 1.15).hypot(corner_y);
    let turn = corner_y.atan2(corner_x);
    let rim = 0.2 * (1.0 + 0.08 * (14.0 * turn).cos().abs());
    if corner < rim {
        return if corner > rim - 0.008 {
            OCHRE
        } else {
            flower(corner_x - 0.075, corner_y - 0.075, 0.04, false).unwrap_or(SAGE)
        };
    }
    // Flowers in staggered rows.
    let row = (y / 0.085).round();
    let shift = if row as i64 % 2 == 0 { 0.0 } else { 0.055 };
    let column = ((x - shift) / 0.11).round();
    let (p, q) = (x - shift - column * 0.11, y - row * 0.085);
    flower(p, q, 0.021, (row + column) as i64 % 2 == 0).unwrap_or(MADDER)
}

/// A flower of eight petals about a point; `None` beside it.
fn flower(p: f64, q: f64, radius: f64, warm: bool) -> Option<[f64; 3]> {
    let distance = p.hypot(q);
    let petals = radius * (0.72 + 0.28 * (8.0 * q.atan2(p)).cos());
    let (heart, leaf) = if warm { (MADDER, IVORY) } else { (NAVY, OCHRE) };
    if distance < 0.3 * radius {
        Some(heart)
    } else if distance < petals {
        Some(mixed(leaf, heart, 0.15))
    } else {
        None
    }
}

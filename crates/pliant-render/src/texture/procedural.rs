//! Textures made by name, so that a scene needs no picture of its own.

mod ornament;

use crate::draw_list::Texture;
use ornament::carpet;
use std::f64::consts::TAU;

/// The names of all textures that are made rather than read, with what they show.
pub const PROCEDURAL_NAMES: &[(&str, &str)] = &[
    ("checker", "eight by eight squares, ivory and slate"),
    ("stripes", "twelve upright stripes, red and cream"),
    ("flag", "three bands with a sun on the middle one"),
    ("weave", "coarse linen"),
    ("wood", "planks of oak; repeats"),
    ("paper", "warm white paper; repeats"),
    ("lawn", "mown grass; repeats"),
    ("marble", "white stone with grey veins; repeats"),
    ("grid", "four by four squares between fine lines; repeats"),
    (
        "carpet",
        "a Persian carpet with border, field and medallion",
    ),
];

const SIZE: usize = 512;

/// The texture of a name, if there is one.
pub fn make(name: &str) -> Option<Texture> {
    let pixel: fn(f64, f64) -> [u8; 3] = match name {
        "checker" => checker,
        "stripes" => stripes,
        "flag" => flag,
        "weave" => weave,
        "wood" => wood,
        "paper" => paper,
        "lawn" => lawn,
        "marble" => marble,
        "grid" => grid,
        "carpet" => carpet,
        _ => return None,
    };
    let place = |index: usize| (index as f64 + 0.5) / SIZE as f64;
    Some(Texture {
        width: SIZE,
        height: SIZE,
        pixels: (0..SIZE * SIZE)
            .map(|index| pixel(place(index % SIZE), place(index / SIZE)))
            .collect(),
    })
}

fn checker(u: f64, v: f64) -> [u8; 3] {
    let odd = ((8.0 * u) as usize + (8.0 * v) as usize) % 2 == 1;
    if odd { [58, 78, 104] } else { [238, 230, 212] }
}

fn stripes(u: f64, _: f64) -> [u8; 3] {
    if ((12.0 * u) as usize).is_multiple_of(2) {
        [186, 52, 46]
    } else {
        [243, 234, 216]
    }
}

fn flag(u: f64, v: f64) -> [u8; 3] {
    const SUN: [u8; 3] = [247, 196, 62];
    // Flags are half as wide again as they are high, so the sun is round on one.
    let (x, y) = (1.5 * (u - 0.5), v - 0.5);
    let (distance, angle) = (x.hypot(y), y.atan2(x));
    let ray = 0.125 + 0.035 * (12.0 * angle).cos().max(-0.2);
    if distance < 0.085 || (distance > 0.098 && distance < ray) {
        SUN
    } else if v < 1.0 / 3.0 {
        [24, 74, 122]
    } else if v < 2.0 / 3.0 {
        [242, 240, 232]
    } else {
        [176, 44, 52]
    }
}

fn weave(u: f64, v: f64) -> [u8; 3] {
    const THREADS: f64 = 40.0;
    let (x, y) = (THREADS * u, THREADS * v);
    let over = (x as usize + y as usize).is_multiple_of(2);
    // Across a thread it is darkest at its sides, along it where it dives under the other.
    let bow = |t: f64| (std::f64::consts::PI * t.fract()).sin();
    let (across, along) = if over {
        (bow(x), bow(y))
    } else {
        (bow(y), bow(x))
    };
    let light = 0.55 + 0.3 * across + 0.15 * along;
    let color: [f64; 3] = if over {
        [222.0, 206.0, 176.0]
    } else {
        [198.0, 178.0, 146.0]
    };
    color.map(|x| (x * light) as u8)
}

fn mixed(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

fn bytes(color: [f64; 3]) -> [u8; 3] {
    color.map(|value| value.clamp(0.0, 255.0) as u8)
}

/// Four planks side by side, each cut at another place, with grain along them.
fn wood(u: f64, v: f64) -> [u8; 3] {
    const PLANKS: f64 = 4.0;
    let plank = (PLANKS * v).floor();
    let across = (PLANKS * v).fract();
    let end = (u + 0.37 * plank).fract();
    let seed = plank as u64 * 2 + u64::from(end < 0.5);
    let tone = scatter(seed, 91, 7);
    let bend = 0.5 * noise(u, v, [3, 8], 11) + 0.25 * noise(u, v, [7, 16], 12);
    let rings = (TAU * (6.0 * across + 2.5 * bend + 3.0 * tone)).sin();
    let grain = noise(u, v, [16, 180], 13);
    let light = 0.5 + 0.22 * (tone - 0.5) + 0.10 * rings + 0.32 * (grain - 0.5);
    let color = mixed([146.0, 101.0, 60.0], [205.0, 161.0, 110.0], light);
    let gap =
        (across.min(1.0 - across) / 0.022).min((end - 0.5).abs().min(end).min(1.0 - end) / 0.004);
    bytes(color.map(|value| value * (0.62 + 0.38 * gap.min(1.0))))
}

fn paper(u: f64, v: f64) -> [u8; 3] {
    let cloud = noise(u, v, [5, 5], 21) + 0.5 * noise(u, v, [23, 23], 22);
    let fibre = noise(u, v, [200, 200], 23);
    let light = 1.0 + 0.012 * (cloud - 0.75) + 0.03 * (fibre - 0.5);
    bytes([240.0, 235.0, 224.0].map(|value| value * light))
}

fn lawn(u: f64, v: f64) -> [u8; 3] {
    let patches = 0.6 * noise(u, v, [4, 4], 31) + 0.4 * noise(u, v, [11, 11], 32);
    let blades = 0.5 * noise(u, v, [150, 60], 33) + 0.5 * noise(u, v, [60, 170], 34);
    let color = mixed(
        [68.0, 104.0, 44.0],
        [134.0, 164.0, 78.0],
        0.15 + 0.4 * patches + 0.5 * blades,
    );
    bytes(color)
}

fn marble(u: f64, v: f64) -> [u8; 3] {
    let swirl =
        noise(u, v, [3, 3], 41) + 0.5 * noise(u, v, [7, 7], 42) + 0.25 * noise(u, v, [15, 15], 43);
    let vein = (TAU * (u + v + 1.6 * swirl)).sin().abs().powf(0.35);
    let cloud = noise(u, v, [9, 9], 44);
    let color = mixed(
        [150.0, 150.0, 156.0],
        [234.0, 232.0, 228.0],
        0.25 + 0.75 * vein,
    );
    bytes(color.map(|value| value * (0.97 + 0.06 * (cloud - 0.5))))
}

fn grid(u: f64, v: f64) -> [u8; 3] {
    let line = |x: f64| {
        let away = (4.0 * x - (4.0 * x).round()).abs();
        (1.0 - away / 0.018).clamp(0.0, 1.0)
    };
    let ink = line(u).max(line(v));
    bytes(mixed([226.0, 224.0, 219.0], [176.0, 178.0, 182.0], ink))
}

/// A smooth random number between 0 and 1, with that many waves across and down; repeats.
fn noise(u: f64, v: f64, waves: [u64; 2], seed: u64) -> f64 {
    let (x, y) = (u * waves[0] as f64, v * waves[1] as f64);
    let (column, row) = (x as u64, y as u64);
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (across, down) = (ease(x.fract()), ease(y.fract()));
    let at = |i: u64, j: u64| scatter(i % waves[0], j % waves[1], seed);
    let upper = at(column, row) + (at(column + 1, row) - at(column, row)) * across;
    let lower = at(column, row + 1) + (at(column + 1, row + 1) - at(column, row + 1)) * across;
    upper + (lower - upper) * down
}

/// A number between 0 and 1 that looks random and is always the same.
fn scatter(i: u64, j: u64, seed: u64) -> f64 {
    let mut bits = i
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(j.wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(seed.wrapping_mul(0x1656_67b1_9e37_79f9));
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_texture_is_made_and_is_not_plain() {
        for (name, _) in PROCEDURAL_NAMES {
            let texture = make(name).unwrap();
            assert_eq!(texture.pixels.len(), texture.width * texture.height);
            let first = texture.pixels[0];
            assert!(texture.pixels.iter().any(|&pixel| pixel != first), "{name}");
        }
        assert!(make("picture.png").is_none());
    }

    #[test]
    fn textures_that_repeat_have_no_seam() {
        for name in ["wood", "paper", "lawn", "marble"] {
            let texture = make(name).unwrap();
            let at = |column: usize, row: usize| texture.pixels[row * SIZE + column].map(i32::from);
            let step = |a: [i32; 3], b: [i32; 3]| (0..3).map(|k| (a[k] - b[k]).abs()).sum::<i32>();
            let mean = |from: usize, to: usize| {
                (0..SIZE)
                    .map(|row| step(at(from, row), at(to, row)))
                    .sum::<i32>()
            };
            // Not much more change across the seam than elsewhere; planks may end there.
            let (seam, inside) = (mean(SIZE - 1, 0), mean(200, 201).max(mean(61, 62)));
            assert!(
                seam <= 2 * inside + SIZE as i32 * 12,
                "{name}: {seam} {inside}"
            );
        }
    }
}

//! Textures made by name, so that a scene needs no picture of its own.

use crate::draw_list::Texture;

/// The names of all textures that are made rather than read, with what they show.
pub const PROCEDURAL_NAMES: &[(&str, &str)] = &[
    ("checker", "eight by eight squares, ivory and slate"),
    ("stripes", "twelve upright stripes, red and cream"),
    ("flag", "three bands with a sun on the middle one"),
    ("weave", "coarse linen"),
];

const SIZE: usize = 512;

/// The texture of a name, if there is one.
pub fn make(name: &str) -> Option<Texture> {
    let pixel: fn(f64, f64) -> [u8; 3] = match name {
        "checker" => checker,
        "stripes" => stripes,
        "flag" => flag,
        "weave" => weave,
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
}

//! Reading textures: between pixels, between sizes, and along the direction in which they are
//! foreshortened, so that nothing shimmers.

use super::tone::{byte_of_light, light_of_bytes};
use crate::Texture;
use glam::{Vec2, Vec3, Vec4};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Most readings along the direction in which a texture is foreshortened.
const MOST_TAPS: f32 = 4.0;

/// Within this share of a size only that one is read.
const NEAR: f32 = 0.35;

/// Distance of two readings along that direction, by the width of a pixel of the size that is read: a
/// reading covers a whole pixel to either side.
const APART: f32 = 1.5;

/// A texture in all its sizes, each half as large as the one before.
#[derive(Debug)]
pub(crate) struct Mipmap {
    levels: Vec<Level>,
}

/// How a texture is read at a pixel and at those around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Which size, between the largest (0) and the smallest.
    level: f32,
    /// Number of readings.
    taps: f32,
    /// The way along which they lie.
    long: Vec2,
}

/// A texture in one size, as light.
#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    pixels: Vec<Vec4>,
}

impl Level {
    fn new(texture: &Texture) -> Self {
        let light = light_of_bytes();
        let color = |&[red, green, blue]: &[u8; 3]| {
            let [red, green, blue] = [red, green, blue].map(|byte| light[byte as usize]);
            Vec4::new(red, green, blue, 0.0)
        };
        Self {
            width: texture.width,
            height: texture.height,
            pixels: texture.pixels.iter().map(color).collect(),
        }
    }
}

/// Sizes of textures that are alive, so that a film does not make them anew for each frame.
static MADE: Mutex<Vec<(Weak<Texture>, Arc<Mipmap>)>> = Mutex::new(Vec::new());

impl Mipmap {
    /// The sizes of a texture; `None` if it has no pixels or fewer than it says.
    pub fn of(texture: &Arc<Texture>) -> Option<Arc<Self>> {
        let count = texture.width.checked_mul(texture.height)?;
        if count == 0 || texture.pixels.len() < count {
            return None;
        }
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|(source, _)| source.strong_count() > 0);
        let key = Arc::downgrade(texture);
        if let Some((_, known)) = made.iter().find(|(source, _)| source.ptr_eq(&key)) {
            return Some(known.clone());
        }
        let mut levels = vec![Level::new(texture)];
        let mut smaller = Texture::clone(texture);
        while smaller.width > 1 || smaller.height > 1 {
            smaller = half(&smaller);
            levels.push(Level::new(&smaller));
        }
        let mipmap = Arc::new(Self { levels });
        made.push((key, mipmap.clone()));
        Some(mipmap)
    }

    /// How to read the parallelogram that a pixel covers: `across` and `along` are the changes of the
    /// coordinates from one pixel to the next.
    pub fn reading(&self, across: Vec2, along: Vec2) -> Reading {
        let size = Vec2::new(self.levels[0].width as f32, self.levels[0].height as f32);
        let (long, short) = if (across * size).length_squared() > (along * size).length_squared() {
            (across, along)
        } else {
            (along, across)
        };
        let length = (long * size).length();
        if !length.is_finite() {
            return Reading {
                level: self.levels.len() as f32,
                taps: 1.0,
                long: Vec2::ZERO,
            };
        }
        let width = (short * size).length().max(length / MOST_TAPS).max(1e-6);
        let level = width.log2();
        let taps = (length / (APART * width)).ceil().clamp(1.0, MOST_TAPS);
        Reading { level, taps, long }
    }

    /// The colour (linear) at texture coordinates.
    pub fn read(&self, place: Vec2, reading: &Reading) -> Vec3 {
        let Reading { level, taps, long } = *reading;
        if !place.is_finite() {
            return Vec3::splat(0.5);
        }
        if taps <= 1.0 {
            return self.blend(place, level);
        }
        let mut sum = Vec3::ZERO;
        for tap in 0..taps as usize {
            let share = (tap as f32 + 0.5) / taps - 0.5;
            sum += self.blend(place + long * share, level);
        }
        sum / taps
    }

    fn blend(&self, place: Vec2, level: f32) -> Vec3 {
        let last = self.levels.len() - 1;
        let level = level.clamp(0.0, last as f32);
        let lower = level as usize;
        let share = (level - lower as f32 - NEAR) / (1.0 - 2.0 * NEAR);
        if share <= 0.0 || lower == last {
            return self.bilinear(lower, place);
        }
        if share >= 1.0 {
            return self.bilinear(lower + 1, place);
        }
        self.bilinear(lower, place)
            .lerp(self.bilinear(lower + 1, place), share)
    }

    fn bilinear(&self, level: usize, place: Vec2) -> Vec3 {
        let Level {
            width,
            height,
            pixels,
        } = &self.levels[level];
        // Neighbours along one direction and the share of the second; the picture repeats.
        let neighbours = |place: f32, size: usize| {
            // Counted from the middle of the last pixel before the picture, so that it is not negative.
            let from_before = (place - floor(place)) * size as f32 + 0.5;
            let second = (from_before as usize).min(size);
            let share = from_before - second as f32;
            let first = if second == 0 { size - 1 } else { second - 1 };
            ([first, if second == size { 0 } else { second }], share)
        };
        let (columns, right_share) = neighbours(place.x, *width);
        let (rows, bottom_share) = neighbours(place.y, *height);
        let at = |column: usize, row: usize| pixels[row * width + column];
        let upper = at(columns[0], rows[0]).lerp(at(columns[1], rows[0]), right_share);
        let lower = at(columns[0], rows[1]).lerp(at(columns[1], rows[1]), right_share);
        upper.lerp(lower, bottom_share).truncate()
    }
}

/// The largest whole number that is not larger, for numbers of moderate size: without a call into a
/// library, which the plain instruction set needs.
fn floor(x: f32) -> f32 {
    let cut = x as i32 as f32;
    if cut > x { cut - 1.0 } else { cut }
}

/// The texture at half its size, averaged in linear light.
fn half(texture: &Texture) -> Texture {
    let light = light_of_bytes();
    let width = texture.width.div_ceil(2);
    let height = texture.height.div_ceil(2);
    let mut pixels = Vec::with_capacity(width * height);
    for row in 0..height {
        for column in 0..width {
            let mut sum = [0.0_f32; 3];
            for (dy, dx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let y = (2 * row + dy).min(texture.height - 1);
                let x = (2 * column + dx).min(texture.width - 1);
                let pixel = texture.pixels[y * texture.width + x];
                for (sum, byte) in sum.iter_mut().zip(pixel) {
                    *sum += light[byte as usize];
                }
            }
            pixels.push(sum.map(|sum| byte_of_light(sum * 0.25)));
        }
    }
    Texture {
        width,
        height,
        pixels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mipmap: &Mipmap, place: Vec2, across: Vec2, along: Vec2) -> Vec3 {
        mipmap.read(place, &mipmap.reading(across, along))
    }

    fn board() -> Arc<Texture> {
        let pixels = (0..64)
            .map(|index| {
                if (index % 8 + index / 8) % 2 == 0 {
                    [255; 3]
                } else {
                    [0; 3]
                }
            })
            .collect();
        Arc::new(Texture {
            width: 8,
            height: 8,
            pixels,
        })
    }

    #[test]
    fn near_it_shows_pixels_and_far_their_mean() {
        let mipmap = Mipmap::of(&board()).unwrap();
        let small = Vec2::splat(1e-4);
        let corner = read(&mipmap, Vec2::splat(0.5 / 8.0), small, small);
        assert!(corner.x > 0.999);
        let next = read(&mipmap, Vec2::new(1.5 / 8.0, 0.5 / 8.0), small, small);
        assert!(next.x < 0.001);
        let far = read(
            &mipmap,
            Vec2::splat(0.3),
            Vec2::new(1.0, 0.0),
            Vec2::new(0.0, 1.0),
        );
        assert!((far.x - 0.5).abs() < 0.01, "{far}");
        let slanted = read(
            &mipmap,
            Vec2::splat(0.3),
            Vec2::new(1.0, 0.0),
            Vec2::new(0.0, 1e-3),
        );
        assert!(slanted.is_finite());
    }

    #[test]
    fn sizes_are_made_once_and_bad_textures_are_refused() {
        let texture = board();
        let first = Mipmap::of(&texture).unwrap();
        assert!(Arc::ptr_eq(&first, &Mipmap::of(&texture).unwrap()));
        let mut short = Texture::clone(&texture);
        short.pixels.pop();
        assert!(Mipmap::of(&Arc::new(short)).is_none());
        assert!(Mipmap::of(&Arc::new(Texture::default())).is_none());
        let odd = mipmap_read_of_nan(&first);
        assert!(odd.is_finite());
    }

    fn mipmap_read_of_nan(mipmap: &Mipmap) -> Vec3 {
        read(mipmap, Vec2::NAN, Vec2::NAN, Vec2::NAN)
    }
}

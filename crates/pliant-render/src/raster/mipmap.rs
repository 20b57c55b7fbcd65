//! Reading textures: between pixels, between sizes, and along the direction in which they are
//! foreshortened, so that nothing shimmers.

use super::block::{BLOCK, PIXELS};
use super::tone::{byte_of_light, light_of_bytes};
use crate::Texture;
use crate::processor::{for_this_processor, whole};
use glam::{Vec2, Vec3, Vec4};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Most readings along the direction in which a texture is foreshortened.
const MOST_TAPS: f32 = 4.0;

/// Within this share of a size only that one is read.
const NEAR: f32 = 0.35;

/// Distance of two readings along that direction, by the width of a pixel of the size that is read: a
/// reading covers a whole pixel to either side.
const APART: f32 = 1.5;

/// Places on a texture are as good as the same if they differ by less than this share of a pixel of the
/// picture.
const NEAR_PLACES: f32 = 0.2;

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
    /// Width of a pixel of the picture on the texture, in pixels of its largest size.
    width: f32,
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
                width: 0.0,
            };
        }
        let width = (short * size).length().max(length / MOST_TAPS).max(1e-6);
        let level = width.log2();
        let taps = (length / (APART * width)).ceil().clamp(1.0, MOST_TAPS);
        Reading {
            level,
            taps,
            long,
            width,
        }
    }

    /// The colour (linear) at texture coordinates.
    pub fn read(&self, place: Vec2, reading: &Reading) -> Vec3 {
        let Reading {
            level, taps, long, ..
        } = *reading;
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

    /// Whether two places are so near to each other that one can be read in place of the other.
    pub fn is_near(&self, one: Vec2, other: Vec2, reading: &Reading) -> bool {
        let size = Vec2::new(self.levels[0].width as f32, self.levels[0].height as f32);
        // False also for what is no number.
        ((one - other) * size).length() < NEAR_PLACES * reading.width
    }

    /// The colours of the pixels of a square with `SIDE` pixels per side whose places on the texture lie
    /// between those at its corners; `first` is the pixel of the block at which it begins.
    pub fn read_square<const SIDE: usize>(
        &self,
        corners: &[Vec2; 4],
        reading: &Reading,
        tint: Vec3,
        first: usize,
        color: &mut [[f32; PIXELS]; 3],
    ) {
        let (lower, share) = self.sizes(reading.level);
        let upper = (lower + 1).min(self.levels.len() - 1);
        let taps = reading.taps.max(1.0);
        let square = SquareReading {
            sizes: [&self.levels[lower], &self.levels[upper]],
            weights: [(1.0 - share) / taps, share / taps],
            taps,
            long: reading.long,
            tint: tint.extend(0.0),
        };
        read_between::<SIDE>(&square, corners, first, color);
    }

    /// The larger of the two sizes that are read, and the share of the smaller one.
    fn sizes(&self, level: f32) -> (usize, f32) {
        let last = self.levels.len() - 1;
        let level = level.clamp(0.0, last as f32);
        let lower = level as usize;
        let share = (level - lower as f32 - NEAR) / (1.0 - 2.0 * NEAR);
        if share <= 0.0 || lower == last {
            (lower, 0.0)
        } else if share >= 1.0 {
            (lower + 1, 0.0)
        } else {
            (lower, share)
        }
    }

    fn blend(&self, place: Vec2, level: f32) -> Vec3 {
        let (lower, share) = self.sizes(level);
        let color = self.bilinear(lower, place);
        match share > 0.0 {
            true => color.lerp(self.bilinear(lower + 1, place), share),
            false => color,
        }
    }

    fn bilinear(&self, level: usize, place: Vec2) -> Vec3 {
        let mut sums = [Vec4::ZERO];
        add_bilinear(
            &self.levels[level],
            1.0,
            [&[place.x], &[place.y]],
            &mut sums,
        );
        sums[0].truncate()
    }
}

/// How the pixels of a square are read.
struct SquareReading<'a> {
    /// The sizes that are read, and the weight of each; the second may be nothing.
    sizes: [&'a Level; 2],
    weights: [f32; 2],
    taps: f32,
    long: Vec2,
    tint: Vec4,
}

for_this_processor! {
    /// Reads the pixels of a square row by row, between the places at its corners.
    fn read_between<const SIDE: usize>(
        square: &SquareReading<'_>,
        corners: &[Vec2; 4],
        first: usize,
        color: &mut [[f32; PIXELS]; 3],
    ) {
        let last = (SIDE - 1) as f32;
        for y in 0..SIDE {
            let down = y as f32 / last;
            let start = corners[0] + (corners[2] - corners[0]) * down;
            let change = corners[1] + (corners[3] - corners[1]) * down - start;
            let mut sums = [Vec4::ZERO; SIDE];
            for tap in 0..square.taps as usize {
                let share = (tap as f32 + 0.5) / square.taps - 0.5;
                let start = start + square.long * share;
                let (mut across, mut along) = ([0.0_f32; SIDE], [0.0_f32; SIDE]);
                for x in 0..SIDE {
                    across[x] = start.x + change.x * (x as f32 / last);
                    along[x] = start.y + change.y * (x as f32 / last);
                }
                for (level, weight) in square.sizes.iter().zip(square.weights) {
                    if weight > 0.0 {
                        add_bilinear(level, weight, [&across, &along], &mut sums);
                    }
                }
            }
            for x in 0..SIDE {
                let sum = sums[x] * square.tint;
                let pixel = first + y * BLOCK + x;
                color[0][pixel] = sum.x;
                color[1][pixel] = sum.y;
                color[2][pixel] = sum.z;
            }
        }
    }
}

/// Adds what a texture shows in one size at some places, times a weight; it repeats.
#[inline(always)]
fn add_bilinear<const COUNT: usize>(
    level: &Level,
    weight: f32,
    places: [&[f32; COUNT]; 2],
    sums: &mut [Vec4; COUNT],
) {
    let ([left, right], across) = neighbours(places[0], level.width as i32);
    let ([above, below], down) = neighbours(places[1], level.height as i32);
    for place in 0..COUNT {
        let at = |column: i32, row: i32| level.pixels[row as usize * level.width + column as usize];
        let upper =
            at(left[place], above[place]).lerp(at(right[place], above[place]), across[place]);
        let lower =
            at(left[place], below[place]).lerp(at(right[place], below[place]), across[place]);
        sums[place] += upper.lerp(lower, down[place]) * weight;
    }
}

/// Neighbours along one direction, and the share of the second.
#[inline(always)]
fn neighbours<const COUNT: usize>(
    places: &[f32; COUNT],
    size: i32,
) -> ([[i32; COUNT]; 2], [f32; COUNT]) {
    let mut found = [[0; COUNT]; 2];
    let mut shares = [0.0; COUNT];
    for place in 0..COUNT {
        // Counted from the middle of the last pixel before the picture, so that it is not negative.
        let from_before = (places[place] - whole(places[place]) as f32) * size as f32 + 0.5;
        let second = whole(from_before).clamp(0, size);
        shares[place] = from_before - second as f32;
        found[0][place] = if second == 0 { size - 1 } else { second - 1 };
        found[1][place] = if second == size { 0 } else { second };
    }
    (found, shares)
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

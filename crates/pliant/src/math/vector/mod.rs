//! Numbers that are handled together, in the registers that the processor has.
//!
//! This is the only such layer. A loop is written in one of two ways (`math/processor.rs`):
//! - over [`Pack`], or any arrays, in `for_this_processor!`: the compiler turns loops over the eight
//!   entries into vector instructions, without the doubts about overlapping slices that keep it from
//!   doing so in longer loops;
//! - over the trait [`Vector`] in `double_kernel!`, `single_kernel!` or `eight_kernel!`, where a dozen sums
//!   have to stay in registers, or where entries change places: the registers are named there.
//!
//! No version contracts products and sums, so all of them give the same bits.

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_quads;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_quads::Pair;

use std::ops::{Add, Div, Mul, Sub};

/// Side of the tiles that are turned round; rows of sheets are whole blocks of so many nodes.
pub(crate) const TILE: usize = 16;

/// Numbers in a pack.
pub(crate) const PACK: usize = 8;

/// A few numbers that are handled together.
///
/// # Safety of all functions
/// The processor must have the instructions of the type; addresses must be valid for `WIDTH` values.
pub(crate) trait Vector: Copy {
    /// `f32` or `f64`.
    type Number;
    /// How many numbers.
    const WIDTH: usize;
    unsafe fn splat(value: Self::Number) -> Self;
    unsafe fn load(source: *const Self::Number) -> Self;
    unsafe fn store(self, target: *mut Self::Number);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
}

/// `f32` whose entries can change places; `WIDTH` divides [`TILE`].
///
/// # Safety of all functions
/// As for [`Vector`]; a tile is 16 rows of 16 values.
pub(crate) trait Single: Vector<Number = f32> {
    /// The even and the odd entries of two vectors that follow each other.
    unsafe fn deinterleave(self, next: Self) -> (Self, Self);
    /// The inverse of `deinterleave`: `self` has the even entries.
    unsafe fn interleave(self, odd: Self) -> (Self, Self);
    /// Copies a tile with rows and columns exchanged; rows are `strides` apart (source, target).
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]);
}

/// Eight `f32`.
pub(crate) trait Eight: Vector<Number = f32> {
    /// From the upper halves of `f32`.
    ///
    /// # Safety
    /// As for [`Vector`].
    unsafe fn lengthen(source: &[u16; 8]) -> Self;
}

/// Sixteen `f32` in four groups of four: the columns of a 3x3 block with a zero after each, or a vector
/// of three numbers and a zero for each column.
///
/// # Safety of all functions
/// As for [`Vector`].
pub(crate) trait Quads: Vector<Number = f32> {
    /// The same four in each group.
    unsafe fn repeat(four: &[f32; 4]) -> Self;
    /// The first of the four in the first group, the second in the second.
    unsafe fn spread(four: &[f32; 4]) -> Self;
    /// Writes the first three groups.
    unsafe fn store_three(self, three: &mut [[f32; 4]; 3]);
    /// In each group one of its numbers.
    unsafe fn pick<const NUMBER: usize>(self) -> Self;
    /// Groups and numbers exchanged.
    unsafe fn turned(self) -> Self;
    /// The sum of the groups: that of the first and third, and that of the second and fourth.
    unsafe fn fold(self) -> [f32; 4];
}

/// A number of a [`Portable`] vector.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl Number for f32 {}
impl Number for f64 {}

/// Numbers side by side, without special instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portable<T, const N: usize>([T; N]);

/// Eight numbers.
pub(crate) type Pack = Portable<f64, PACK>;

impl<T: Number, const N: usize> Portable<T, N> {
    /// The same number everywhere.
    #[inline(always)]
    pub(crate) fn splat(value: T) -> Self {
        Self([value; N])
    }

    /// A number from each index.
    #[inline(always)]
    pub(crate) fn from_fn(value: impl FnMut(usize) -> T) -> Self {
        Self(std::array::from_fn(value))
    }

    /// One of the numbers.
    #[inline(always)]
    pub(crate) fn lane(&self, index: usize) -> T {
        self.0[index]
    }

    /// Changes one of the numbers.
    pub(crate) fn set_lane(&mut self, index: usize, value: T) {
        self.0[index] = value;
    }

    /// The numbers.
    #[inline(always)]
    pub(crate) fn to_array(self) -> [T; N] {
        self.0
    }

    /// Numbers of a slice from `start` on.
    #[inline(always)]
    pub(crate) fn load(from: &[T], start: usize) -> Self {
        let part = &from[start..start + N];
        Self(std::array::from_fn(|i| part[i]))
    }

    /// Writes them to a slice from `start` on.
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [T], start: usize) {
        to[start..start + N].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Pack {
    /// Eight zeros.
    pub(crate) const ZERO: Self = Self([0.0; PACK]);

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }

    /// The sizes of the first with the signs of the second.
    #[inline(always)]
    pub(crate) fn with_sign_of(self, other: Self) -> Self {
        self.zip(other, f64::copysign)
    }

    /// The larger of each pair; the second where the first is not a number.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// `above` where these numbers are greater than `limit`, and `below` elsewhere.
    #[inline(always)]
    pub(crate) fn choose_above(self, limit: Self, above: Self, below: Self) -> Self {
        let mut chosen = below;
        for lane in 0..PACK {
            if self.0[lane] > limit.0[lane] {
                chosen.0[lane] = above.0[lane];
            }
        }
        chosen
    }

    /// The smaller of each pair; the second where the first is not a number.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl<T: Number, const N: usize> $trait for Portable<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $operator b)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

// SAFETY (all functions): no special instructions; addresses as promised by the caller.
impl<T: Number, const N: usize> Vector for Portable<T, N> {
    type Number = T;
    const WIDTH: usize = N;
    #[inline(always)]
    unsafe fn splat(value: T) -> Self {
        Self([value; N])
    }
    #[inline(always)]
    unsafe fn load(source: *const T) -> Self {
        // SAFETY: the caller promises the readable values.
        Self(unsafe { std::ptr::read_unaligned(source.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut T) {
        // SAFETY: the caller promises the writable values.
        unsafe { std::ptr::write_unaligned(target.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self / other
    }
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Single for Portable<f32, 4> {
    #[inline(always)]
    unsafe fn deinterleave(self, next: Self) -> (Self, Self) {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, next.0);
        (Self([a, c, e, g]), Self([b, d, f, h]))
    }
    #[inline(always)]
    unsafe fn interleave(self, odd: Self) -> (Self, Self) {
        let ([a, c, e, g], [b, d, f, h]) = (self.0, odd.0);
        (Self([a, b, c, d]), Self([e, f, g, h]))
    }
    #[inline(always)]
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]) {
        for row in 0..TILE {
            for column in 0..TILE {
                // SAFETY: the caller promises the two tiles.
                unsafe {
                    *target.add(column * strides[1] + row) = *source.add(row * strides[0] + column);
                }
            }
        }
    }
}

impl Eight for Portable<f32, 8> {
    #[inline(always)]
    unsafe fn lengthen(source: &[u16; 8]) -> Self {
        Self(source.map(|half| f32::from_bits(u32::from(half) << 16)))
    }
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Quads for Portable<f32, 16> {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        Self(std::array::from_fn(|i| four[i % 4]))
    }
    #[inline(always)]
    unsafe fn spread(four: &[f32; 4]) -> Self {
        Self(std::array::from_fn(|i| four[i / 4]))
    }
    #[inline(always)]
    unsafe fn store_three(self, three: &mut [[f32; 4]; 3]) {
        three.as_flattened_mut().copy_from_slice(&self.0[..12]);
    }
    #[inline(always)]
    unsafe fn pick<const NUMBER: usize>(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i / 4 * 4 + NUMBER]))
    }
    #[inline(always)]
    unsafe fn turned(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i % 4 * 4 + i / 4]))
    }
    #[inline(always)]
    unsafe fn fold(self) -> [f32; 4] {
        let a = &self.0;
        std::array::from_fn(|i| (a[i] + a[8 + i]) + (a[4 + i] + a[12 + i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::processor::{Level, quads_kernel};

    quads_kernel! {
        /// All that groups can do, one after the other.
        exercise, exercise_at, exercise_body, <>,
        (four: &[f32; 4], block: &[f32; 16], found: &mut [[f32; 16]; 8]) -> ()
    }

    unsafe fn exercise_body<V: Quads>(
        four: &[f32; 4],
        block: &[f32; 16],
        found: &mut [[f32; 16]; 8],
    ) {
        // SAFETY: the kernel promises the instructions; all arrays have sixteen numbers.
        unsafe {
            let block = V::load(block.as_ptr());
            V::repeat(four).store(found[0].as_mut_ptr());
            V::spread(four).store(found[1].as_mut_ptr());
            block.store(found[2].as_mut_ptr());
            block.pick::<2>().store(found[3].as_mut_ptr());
            block.turned().store(found[4].as_mut_ptr());
            let sum = block.mul(V::spread(four)).add(V::repeat(four));
            sum.sub(block.pick::<1>()).store(found[5].as_mut_ptr());
            found[6][..4].copy_from_slice(&sum.fold());
            let mut stored = [[0.0; 4]; 3];
            sum.store_three(&mut stored);
            found[7][..12].copy_from_slice(stored.as_flattened());
        }
    }

    #[test]
    fn groups_of_four_are_the_same_on_every_processor() {
        let four = [0.3, -1.7, 5.1, 0.9];
        let block = [
            1.1, 0.2, -0.7, 0.4, 3.3, 0.1, 9.7, -4.0, 0.6, 2.2, 1.3, 8.0, 0.0, 0.0, 0.0, 0.0,
        ];
        let mut wanted = [[0.0; 16]; 8];
        // SAFETY: plain code needs no instructions.
        unsafe { exercise_body::<Portable<f32, 16>>(&four, &block, &mut wanted) };
        assert_eq!(wanted[0][..5], [0.3, -1.7, 5.1, 0.9, 0.3]);
        assert_eq!(wanted[1][..5], [0.3, 0.3, 0.3, 0.3, -1.7]);
        assert_eq!(wanted[2][11..], [8.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(wanted[3][3..9], [-0.7, 9.7, 9.7, 9.7, 9.7, 1.3]);
        assert_eq!(wanted[4][..5], [1.1, 3.3, 0.6, 0.0, 0.2]);
        for level in Level::all_of_this_processor() {
            let mut found = [[0.0; 16]; 8];
            exercise_at(level, &four, &block, &mut found);
            assert_eq!(found, wanted, "{level:?}");
        }
    }
}

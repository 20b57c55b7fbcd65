//! Eight numbers at a time.
//!
//! Loops over the eight entries are what the compiler turns into vector instructions, without the
//! doubts about overlapping slices that keep it from doing so in longer loops. Used inside
//! `for_this_processor!`.

use std::ops::{Add, Div, Mul, Sub};

/// Numbers in a pack.
pub(crate) const PACK: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pack([f64; PACK]);

impl Pack {
    /// Eight zeros.
    pub(crate) const ZERO: Self = Self([0.0; PACK]);

    #[inline(always)]
    pub(crate) fn splat(value: f64) -> Self {
        Self([value; PACK])
    }

    /// A number from each index.
    #[inline(always)]
    pub(crate) fn from_fn(value: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }

    /// One of the numbers.
    #[inline(always)]
    pub(crate) fn lane(&self, index: usize) -> f64 {
        self.0[index]
    }

    /// Changes one of the numbers.
    pub(crate) fn set_lane(&mut self, index: usize, value: f64) {
        self.0[index] = value;
    }

    /// The numbers.
    #[inline(always)]
    pub(crate) fn to_array(self) -> [f64; PACK] {
        self.0
    }

    /// Eight numbers of a slice from `start` on.
    #[inline(always)]
    pub(crate) fn load(from: &[f64], start: usize) -> Self {
        let part = &from[start..start + PACK];
        Self(std::array::from_fn(|i| part[i]))
    }

    /// Writes them to a slice from `start` on.
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f64], start: usize) {
        to[start..start + PACK].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

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

    /// The smaller of each pair; the second where the first is not a number.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Pack {
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

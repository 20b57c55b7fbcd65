//! Numbers, numbers with their slopes, and numbers with slopes and curvatures: a formula that is written
//! once for all three gives its value fast, and its derivatives exactly.

use crate::elastic::Jet;
use std::ops::{Add, Div, Mul, Sub};

/// What the formulas of this folder calculate with.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn constant(value: f64) -> Self;

    /// The square root of what is positive.
    fn root(self) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

impl<const N: usize> Number for Jet<N> {
    fn constant(value: f64) -> Self {
        Jet::constant(value)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// A value with its first derivatives by N variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope<const N: usize> {
    pub(super) value: f64,
    pub(super) gradient: [f64; N],
}

impl<const N: usize> Slope<N> {
    /// The variable with the given number.
    #[inline(always)]
    pub(super) fn variable(value: f64, number: usize) -> Self {
        let mut gradient = [0.0; N];
        gradient[number] = 1.0;
        Self { value, gradient }
    }

    /// With the slope a ∇f + b ∇g.
    #[inline(always)]
    fn combined(self, a: f64, other: Self, b: f64, value: f64) -> Self {
        let mut gradient = [0.0; N];
        for (i, slope) in gradient.iter_mut().enumerate() {
            *slope = a * self.gradient[i] + b * other.gradient[i];
        }
        Self { value, gradient }
    }
}

impl Slope<6> {
    /// As one of twelve variables, of which its first three begin at `first` and the others at `second`.
    #[inline(always)]
    pub(super) fn among(&self, first: usize, second: usize) -> Slope<12> {
        let mut gradient = [0.0; 12];
        gradient[first..first + 3].copy_from_slice(&self.gradient[..3]);
        gradient[second..second + 3].copy_from_slice(&self.gradient[3..]);
        Slope {
            value: self.value,
            gradient,
        }
    }
}

impl<const N: usize> Number for Slope<N> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self {
            value,
            gradient: [0.0; N],
        }
    }

    #[inline(always)]
    fn root(self) -> Self {
        let root = self.value.max(0.0).sqrt();
        if root < 1e-150 {
            return Self::constant(0.0);
        }
        self.combined(0.5 / root, self, 0.0, root)
    }
}

impl<const N: usize> Add for Slope<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.combined(1.0, other, 1.0, self.value + other.value)
    }
}

impl<const N: usize> Sub for Slope<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.combined(1.0, other, -1.0, self.value - other.value)
    }
}

impl<const N: usize> Mul for Slope<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.combined(other.value, other, self.value, self.value * other.value)
    }
}

impl<const N: usize> Div for Slope<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        self.combined(1.0 / other.value, other, -value / other.value, value)
    }
}

/// A vector of such numbers.
pub(super) type Triple<S> = [S; 3];

#[inline(always)]
pub(super) fn dot<S: Number>(a: Triple<S>, b: Triple<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<S: Number>(a: Triple<S>, b: Triple<S>) -> Triple<S> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

// Without closures: those need not be inlined, and would be called without the vector instructions of the
// kernel round them.
#[inline(always)]
pub(super) fn plus<S: Number>(a: Triple<S>, b: Triple<S>) -> Triple<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn times<S: Number>(a: Triple<S>, factor: S) -> Triple<S> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

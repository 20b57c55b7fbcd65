//! Numbers that carry their first and second derivatives by N variables.
//!
//! Rods are differentiated by them; tests hold derivatives that are written out to those of such numbers,
//! which are exact.

use std::ops::{Add, Div, Mul, Sub};

/// A value with its gradient and Hessian.
#[derive(Clone, Copy, Debug)]
pub struct Jet<const N: usize> {
    /// The value.
    pub value: f64,
    /// First derivatives.
    pub gradient: [f64; N],
    /// Second derivatives.
    pub hessian: [[f64; N]; N],
}

impl<const N: usize> Jet<N> {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self {
            value,
            gradient: [0.0; N],
            hessian: [[0.0; N]; N],
        }
    }

    /// The variable with the given number.
    pub fn variable(value: f64, number: usize) -> Self {
        let mut jet = Self::constant(value);
        jet.gradient[number] = 1.0;
        jet
    }

    /// f(self), given f, f' and f'' at the value.
    fn chain(self, value: f64, first: f64, second: f64) -> Self {
        Self {
            value,
            gradient: self.gradient.map(|g| first * g),
            hessian: std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    first * self.hessian[i][j] + second * self.gradient[i] * self.gradient[j]
                })
            }),
        }
    }

    /// The square root; at 0 the value 0 with zero derivatives, so that nothing becomes infinite.
    pub fn sqrt(self) -> Self {
        let root = self.value.max(0.0).sqrt();
        if root < 1e-150 {
            return Self::constant(0.0);
        }
        self.chain(root, 0.5 / root, -0.25 / (root * root * root))
    }
}

impl<const N: usize> Add for Jet<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            gradient: std::array::from_fn(|i| self.gradient[i] + other.gradient[i]),
            hessian: std::array::from_fn(|i| {
                std::array::from_fn(|j| self.hessian[i][j] + other.hessian[i][j])
            }),
        }
    }
}

impl<const N: usize> Sub for Jet<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other.chain(-other.value, -1.0, 0.0)
    }
}

// The product rule adds.
#[allow(clippy::suspicious_arithmetic_impl)]
impl<const N: usize> Mul for Jet<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            gradient: std::array::from_fn(|i| {
                self.value * other.gradient[i] + other.value * self.gradient[i]
            }),
            hessian: std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    self.value * other.hessian[i][j]
                        + other.value * self.hessian[i][j]
                        + self.gradient[i] * other.gradient[j]
                        + self.gradient[j] * other.gradient[i]
                })
            }),
        }
    }
}

impl<const N: usize> Div for Jet<N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let inverse = 1.0 / other.value;
        self * other.chain(
            inverse,
            -inverse * inverse,
            2.0 * inverse * inverse * inverse,
        )
    }
}

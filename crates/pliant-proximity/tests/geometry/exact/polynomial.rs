//! Polynomials with whole coefficients: roots between 0 and 1, and signs at them, without rounding.

use dashu_int::ops::{Abs, Gcd};
use dashu_int::{IBig, Sign, UBig};

/// Coefficients from the lowest power up; the last is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial(Vec<IBig>);

/// numerator / 2^exponent
#[derive(Clone, Debug)]
pub struct Dyadic {
    numerator: IBig,
    exponent: usize,
}

impl Dyadic {
    fn middle(one: &Self, other: &Self) -> Self {
        let exponent = one.exponent.max(other.exponent);
        let lift = |number: &Self| number.numerator.clone() << (exponent - number.exponent);
        Self {
            numerator: lift(one) + lift(other),
            exponent: exponent + 1,
        }
    }
}

/// A time: a dyadic number, or the only root of a polynomial without double roots in an open
/// interval, at whose ends the polynomial is not zero.
#[derive(Clone, Debug)]
pub enum Time {
    Exact(Dyadic),
    Root(Polynomial, Dyadic, Dyadic),
}

fn sign(value: &IBig) -> i32 {
    if value.is_zero() {
        0
    } else if value.sign() == Sign::Negative {
        -1
    } else {
        1
    }
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<IBig>) -> Self {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn combined(&self, other: &Self, combine: impl Fn(IBig, IBig) -> IBig) -> Self {
        let at = |list: &Vec<IBig>, power: usize| list.get(power).cloned().unwrap_or(IBig::ZERO);
        let count = self.0.len().max(other.0.len());
        let both = |power| combine(at(&self.0, power), at(&other.0, power));
        Self::new((0..count).map(both).collect())
    }

    pub fn plus(&self, other: &Self) -> Self {
        self.combined(other, |one, other| one + other)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.combined(other, |one, other| one - other)
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len()];
        for (i, one) in self.0.iter().enumerate() {
            for (j, other) in other.0.iter().enumerate() {
                product[i + j] += one * other;
            }
        }
        Self::new(product)
    }

    /// Whether all Bernstein coefficients on [0, 1] have one sign: then there is no root.
    pub fn keeps_its_sign(&self) -> bool {
        // Coefficient k times n! / k! is a whole number: sum of c_i k! / (k - i)! (n - i)!.
        let n = self.degree();
        let factorial = |k: usize| (1..=k).fold(IBig::ONE, |product, k| product * k as u64);
        let coefficient = |k: usize| {
            let mut sum = IBig::ZERO;
            for (i, value) in self.0.iter().enumerate().take(k + 1) {
                sum += value * factorial(k) / factorial(k - i) * factorial(n - i);
            }
            sign(&sum)
        };
        let first = coefficient(0);
        first != 0 && (1..=n).all(|k| coefficient(k) == first)
    }

    fn sign_at(&self, at: &Dyadic) -> i32 {
        let mut sum = IBig::ZERO;
        for (steps, coefficient) in self.0.iter().rev().enumerate() {
            sum = sum * &at.numerator + (coefficient.clone() << (steps * at.exponent));
        }
        sign(&sum)
    }

    /// Without the common divisor of the coefficients.
    fn primitive(mut self) -> Self {
        let divisor = self.0.iter().fold(UBig::ZERO, |divisor, value| {
            let size = UBig::try_from(value.clone().abs()).expect("not negative");
            if divisor.is_zero() {
                size
            } else if size.is_zero() {
                divisor
            } else {
                divisor.gcd(size)
            }
        });
        if !divisor.is_zero() {
            let divisor = IBig::from(divisor);
            for value in &mut self.0 {
                *value = &*value / &divisor;
            }
        }
        self
    }

    fn derivative(&self) -> Self {
        let terms = self.0.iter().enumerate().skip(1);
        Self::new(terms.map(|(power, value)| value * power as u64).collect())
    }

    /// Quotient and remainder of a positive multiple of it by `divisor`.
    fn divided(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.0.clone();
        let lead = divisor.0.last().expect("not zero");
        let size = lead.clone().abs();
        let negative = sign(lead) < 0;
        let mut quotient = vec![IBig::ZERO; self.0.len()];
        while rest.len() >= divisor.0.len() {
            let place = rest.len() - divisor.0.len();
            let mut factor = rest.last().expect("not empty").clone();
            if negative {
                factor = -factor;
            }
            for value in rest.iter_mut().chain(&mut quotient) {
                *value *= &size;
            }
            quotient[place] += &factor;
            for (power, value) in divisor.0.iter().enumerate() {
                rest[place + power] -= &factor * value;
            }
            rest.pop();
            while rest.last().is_some_and(IBig::is_zero) {
                rest.pop();
            }
        }
        (Self::new(quotient), Self::new(rest))
    }

    fn common_divisor(&self, other: &Self) -> Self {
        let (mut one, mut other) = (self.clone().primitive(), other.clone().primitive());
        while !other.is_zero() {
            let rest = one.divided(&other).1.primitive();
            (one, other) = (other, rest);
        }
        one
    }

    /// The same roots, each once.
    fn without_double_roots(&self) -> Self {
        let divisor = self.common_divisor(&self.derivative());
        if divisor.degree() == 0 {
            return self.clone().primitive();
        }
        self.divided(&divisor).0.primitive()
    }

    /// Sturm's sequence.
    fn sequence(&self) -> Vec<Self> {
        let mut sequence = vec![self.clone(), self.derivative().primitive()];
        loop {
            let [one, other] = &sequence[sequence.len() - 2..] else {
                unreachable!("there are two from the start")
            };
            if other.is_zero() {
                sequence.pop();
                return sequence;
            }
            let mut rest = one.divided(other).1.primitive();
            for value in &mut rest.0 {
                *value = -value.clone();
            }
            sequence.push(rest);
        }
    }

    /// The roots in the open interval from 0 to 1, each once.
    pub fn roots_between_0_and_1(&self) -> Vec<Time> {
        let simple = self.without_double_roots();
        let mut roots = Vec::new();
        if simple.degree() > 0 {
            let sequence = simple.sequence();
            let ends = (dyadic(0), dyadic(1));
            simple.isolate(&sequence, ends.0, ends.1, &mut roots);
        }
        roots
    }

    fn isolate(&self, sequence: &[Self], low: Dyadic, high: Dyadic, roots: &mut Vec<Time>) {
        // The sequence counts the roots in (low, high].
        let at_high = usize::from(self.sign_at(&high) == 0);
        let count = changes(sequence, &low) - changes(sequence, &high) - at_high;
        if count == 0 {
            return;
        }
        if count == 1 && at_high == 0 && self.sign_at(&low) != 0 {
            roots.push(Time::Root(self.clone(), low, high));
            return;
        }
        let middle = Dyadic::middle(&low, &high);
        self.isolate(sequence, low, middle.clone(), roots);
        if self.sign_at(&middle) == 0 {
            roots.push(Time::Exact(middle.clone()));
        }
        self.isolate(sequence, middle, high, roots);
    }
}

fn dyadic(value: i32) -> Dyadic {
    Dyadic {
        numerator: value.into(),
        exponent: 0,
    }
}

/// How often the signs of a sequence change at a point.
fn changes(sequence: &[Polynomial], at: &Dyadic) -> usize {
    let mut count = 0;
    let mut last = 0;
    for polynomial in sequence {
        let sign = polynomial.sign_at(at);
        if sign != 0 {
            count += usize::from(last * sign < 0);
            last = sign;
        }
    }
    count
}

impl Time {
    pub fn zero() -> Self {
        Self::Exact(dyadic(0))
    }

    pub fn one() -> Self {
        Self::Exact(dyadic(1))
    }

    /// The sign of a polynomial at this time.
    pub fn sign_of(&self, polynomial: &Polynomial) -> i32 {
        let (root_of, mut low, mut high) = match self {
            Self::Exact(at) => return polynomial.sign_at(at),
            Self::Root(root_of, low, high) => (root_of, low.clone(), high.clone()),
        };
        if polynomial.is_zero() {
            return 0;
        }
        // A common root shows as a change of sign of the common divisor.
        let common = root_of.common_divisor(polynomial);
        if common.degree() > 0 && common.sign_at(&low) * common.sign_at(&high) < 0 {
            return 0;
        }
        let simple = polynomial.without_double_roots();
        let sequence = simple.sequence();
        loop {
            let at_high = polynomial.sign_at(&high);
            if at_high != 0 && changes(&sequence, &low) == changes(&sequence, &high) {
                return at_high;
            }
            let middle = Dyadic::middle(&low, &high);
            match root_of.sign_at(&middle) * root_of.sign_at(&high) {
                0 => return polynomial.sign_at(&middle),
                1 => high = middle,
                _ => low = middle,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|&value| value.into()).collect())
    }

    #[test]
    fn roots_and_signs_are_exact() {
        // (2 t - 1)^2 (3 t - 1) (t - 2) and its neighbours.
        let linear = of(&[-1, 2]);
        let product = linear
            .times(&linear)
            .times(&of(&[-1, 3]))
            .times(&of(&[-2, 1]));
        let roots = product.roots_between_0_and_1();
        assert_eq!(roots.len(), 2);
        assert_eq!(roots[0].sign_of(&of(&[-1, 3])), 0);
        assert_eq!(roots[0].sign_of(&linear), -1);
        assert_eq!(roots[1].sign_of(&linear), 0);
        assert_eq!(roots[1].sign_of(&of(&[-1, 3])), 1);
        // t^2 = 1/2 against its continued fraction 12 / 17 and 17 / 24.
        let root = &of(&[-1, 0, 2]).roots_between_0_and_1()[0];
        assert_eq!(root.sign_of(&of(&[-12, 17])), 1);
        assert_eq!(root.sign_of(&of(&[-17, 24])), -1);
        assert_eq!(root.sign_of(&of(&[3, 0, -6])), 0);
        assert!(of(&[1, -2, 2]).roots_between_0_and_1().is_empty());
        assert!(of(&[0, 1]).roots_between_0_and_1().is_empty());
        assert!(of(&[1, -1]).roots_between_0_and_1().is_empty());
        assert!(of(&[5, -1, -1]).keeps_its_sign() && !of(&[1, -1]).keeps_its_sign());
    }
}

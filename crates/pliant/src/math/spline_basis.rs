//! B-spline functions of one variable.
//!
//! ```text
//! N_i,0(s) = 1 for k_i <= s < k_i+1, else 0
//! N_i,p(s) = (s - k_i)/(k_i+p - k_i) N_i,p-1(s) + (k_i+p+1 - s)/(k_i+p+1 - k_i+1) N_i+1,p-1(s)
//! ```
//!
//! k_0 <= k_1 <= … are the knots, p is the degree; quotients 0/0 count as 0. Implements: the recursion
//! of Cox and de Boor \[DeBoor1972\]. With all knots at the ends the functions are the Bernstein
//! polynomials. They are not negative, sum to 1 and, with control values at the Greville points
//! (k_i+1 + … + k_i+p)/p, reproduce straight lines.

use thiserror::Error;

/// What is wrong with a list of knots.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum KnotError {
    /// Too few control points for the degree.
    #[error("degree {degree} needs at least {} control points, found {count}", degree + 1)]
    TooFewPoints {
        /// The degree.
        degree: usize,
        /// Number of control points.
        count: usize,
    },
    /// A degree of 0.
    #[error("the degree must be at least 1")]
    NoDegree,
    /// Another number of knots than control points and degree ask for.
    #[error("expected {expected} knots (control points + degree + 1), found {found}")]
    Count {
        /// Number that is needed.
        expected: usize,
        /// Number that was given.
        found: usize,
    },
    /// Knots that fall, are not finite, or leave no range.
    #[error("expected finite knots that do not fall and span a range; knot {index} is {value}")]
    Order {
        /// Which knot.
        index: usize,
        /// Its value.
        value: f64,
    },
}

/// Degree and knots; the variable runs from 0 to 1 over the range where all functions sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineBasis {
    degree: usize,
    knots: Vec<f64>,
}

/// The functions that are not zero at a place, with their slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineValues {
    /// Number of the first function.
    pub first: usize,
    /// Values of the functions from the first on: degree + 1 of them.
    pub values: Vec<f64>,
    /// Their derivatives by the variable.
    pub slopes: Vec<f64>,
}

impl SplineBasis {
    /// Even knots, repeated at both ends so that the first and the last control point are met.
    pub fn clamped(count: usize, degree: usize) -> Result<Self, KnotError> {
        if degree == 0 {
            return Err(KnotError::NoDegree);
        }
        if count <= degree {
            return Err(KnotError::TooFewPoints { degree, count });
        }
        let spans = count - degree;
        let inner = (1..spans).map(|n| n as f64 / spans as f64);
        let ends = |value: f64| std::iter::repeat_n(value, degree + 1);
        let knots = ends(0.0).chain(inner).chain(ends(1.0)).collect();
        Ok(Self { degree, knots })
    }

    /// Bernstein polynomials for a number of control points.
    pub fn bernstein(count: usize) -> Result<Self, KnotError> {
        Self::clamped(count, count.saturating_sub(1))
    }

    /// Knots of one's own; they are scaled so that the variable runs from 0 to 1.
    pub fn with_knots(count: usize, degree: usize, knots: &[f64]) -> Result<Self, KnotError> {
        Self::clamped(count, degree)?;
        let expected = count + degree + 1;
        if knots.len() != expected {
            let found = knots.len();
            return Err(KnotError::Count { expected, found });
        }
        let falls = |index: usize| index > 0 && knots[index] < knots[index - 1];
        if let Some(index) = (0..expected).find(|&i| falls(i) || !knots[i].is_finite()) {
            let value = knots[index];
            return Err(KnotError::Order { index, value });
        }
        let (low, high) = (knots[degree], knots[count]);
        if high <= low {
            return Err(KnotError::Order {
                index: count,
                value: high,
            });
        }
        let knots = knots.iter().map(|knot| (knot - low) / (high - low));
        Ok(Self {
            degree,
            knots: knots.collect(),
        })
    }

    /// The degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Number of functions.
    pub fn count(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// Beginning and end of the span between knots in which a place lies.
    pub fn span(&self, s: f64) -> [f64; 2] {
        let inside = self.span_of(s.clamp(0.0, 1.0));
        [self.knots[inside], self.knots[inside + 1]]
    }

    /// The basis with one more knot, and what control values it takes to keep a function: value i becomes
    /// share_i of itself and the rest of the one before it.
    pub fn with_knot(&self, s: f64) -> (Self, Vec<f64>) {
        let s = s.clamp(0.0, 1.0);
        let (p, span) = (self.degree, self.span_of(s));
        let share = |i: usize| {
            if i + p <= span {
                1.0
            } else if i > span {
                0.0
            } else {
                (s - self.knots[i]) / (self.knots[i + p] - self.knots[i])
            }
        };
        let shares = (0..=self.count()).map(share).collect();
        let mut knots = self.knots.clone();
        knots.insert(span + 1, s);
        let degree = self.degree;
        (Self { degree, knots }, shares)
    }

    /// The span with k_span <= s < k_span+1; the last one at the end.
    fn span_of(&self, s: f64) -> usize {
        let (p, knots) = (self.degree, &self.knots);
        let last = self.count() - 1;
        let span = knots[p..=last + 1].partition_point(|&knot| knot <= s) + p - 1;
        let mut spans = (p..=span.min(last)).rev();
        spans.find(|&n| knots[n] < knots[n + 1]).unwrap_or(p)
    }

    /// Where control values reproduce the variable itself.
    pub fn greville(&self, index: usize) -> f64 {
        let knots = &self.knots[index + 1..=index + self.degree];
        knots.iter().sum::<f64>() / self.degree as f64
    }

    /// The functions at a place; those at the nearer end for places outside of 0 to 1.
    pub fn at(&self, s: f64) -> SplineValues {
        let s = s.clamp(0.0, 1.0);
        let (p, knots) = (self.degree, &self.knots);
        let span = self.span_of(s);
        let mut lower = vec![1.0];
        for degree in 1..p {
            lower = self.raise(&lower, span, degree, s);
        }
        let values = self.raise(&lower, span, p, s);
        let first = span - p;
        let slopes = (0..=p).map(|n| {
            let i = first + n;
            let part = |index: usize, of: Option<&f64>| {
                let width = knots[index + p] - knots[index];
                match of {
                    Some(value) if width > 0.0 => value / width,
                    _ => 0.0,
                }
            };
            // N'_i,p = p (N_i,p-1 / (k_i+p - k_i) - N_i+1,p-1 / (k_i+p+1 - k_i+1)).
            let before = n.checked_sub(1).and_then(|n| lower.get(n));
            p as f64 * (part(i, before) - part(i + 1, lower.get(n)))
        });
        SplineValues {
            first,
            slopes: slopes.collect(),
            values,
        }
    }

    /// From the functions of one degree less that are not zero in a span to those of `degree`.
    fn raise(&self, lower: &[f64], span: usize, degree: usize, s: f64) -> Vec<f64> {
        let mut raised = vec![0.0; degree + 1];
        for (n, value) in lower.iter().enumerate() {
            // The function of lower degree with this number begins at this knot.
            let i = span + 1 - degree + n;
            let (begin, end) = (self.knots[i], self.knots[i + degree]);
            let width = end - begin;
            if width > 0.0 {
                raised[n] += (end - s) / width * value;
                raised[n + 1] += (s - begin) / width * value;
            }
        }
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bases() -> Vec<SplineBasis> {
        let knots = [
            0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0,
        ];
        vec![
            SplineBasis::bernstein(2).unwrap(),
            SplineBasis::bernstein(6).unwrap(),
            SplineBasis::clamped(7, 3).unwrap(),
            SplineBasis::clamped(4, 1).unwrap(),
            SplineBasis::with_knots(9, 2, &knots).unwrap(),
            SplineBasis::with_knots(5, 2, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap(),
        ]
    }

    #[test]
    fn functions_sum_to_one_reproduce_lines_and_have_their_slopes() {
        for basis in bases() {
            for n in 0..=97 {
                let s = f64::from(n) / 97.0;
                let found = basis.at(s);
                let sum: f64 = found.values.iter().sum();
                assert!((sum - 1.0).abs() < 1e-14, "{basis:?} {s} {sum}");
                assert!(found.values.iter().all(|value| *value >= 0.0));
                let line = found.values.iter().enumerate();
                let line: f64 = line.map(|(n, v)| v * basis.greville(found.first + n)).sum();
                assert!((line - s).abs() < 1e-14, "{basis:?} {s} {line}");
                // Slopes by differences, away from knots.
                let step = 1e-6;
                let near_knot = basis.knots.iter().any(|knot| (knot - s).abs() < 2e-6);
                if near_knot {
                    continue;
                }
                let (ahead, behind) = (basis.at(s + step), basis.at(s - step));
                for n in 0..found.values.len() {
                    let slope = (ahead.values[n] - behind.values[n]) / (2.0 * step);
                    let miss = (slope - found.slopes[n]).abs();
                    assert!(miss < 1e-7, "{basis:?} {s} {n}");
                }
            }
        }
    }

    /// Bernstein polynomials by their formula.
    #[test]
    fn without_inner_knots_they_are_bernstein_polynomials() {
        let basis = SplineBasis::bernstein(5).unwrap();
        let s: f64 = 0.3;
        let expected = [1.0, 4.0, 6.0, 4.0, 1.0].iter().enumerate();
        let expected = expected.map(|(i, c)| c * s.powi(i as i32) * (1.0 - s).powi(4 - i as i32));
        for (found, expected) in basis.at(s).values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn wrong_knots_are_refused() {
        assert!(SplineBasis::clamped(3, 3).is_err());
        assert!(SplineBasis::clamped(3, 0).is_err());
        assert!(SplineBasis::with_knots(3, 2, &[0.0; 6]).is_err());
        assert!(SplineBasis::with_knots(3, 1, &[0.0, 0.0, 2.0, 1.0, 1.0]).is_err());
        assert!(SplineBasis::with_knots(3, 1, &[0.0, 0.0, 1.0, 1.0]).is_err());
    }
}

//! The exact distance to a centred quadric Σ αᵢ xᵢ² = κ, with κ = ±1.
//!
//! The nearest point x to y satisfies y - x = t α x for a multiplier t, so
//!   xᵢ = yᵢ / (1 + t αᵢ),   F(t) = Σ αᵢ yᵢ² / (1 + t αᵢ)² - κ = 0.
//! Among its roots the nearest point is the one with 1 + t αᵢ >= 0 for all i (least squares under
//! one quadratic constraint has no duality gap). There F falls monotonically, so the root is
//! unique; t has the sign of the distance, and d = t |α x|, n = α x / |α x|.
//!
//! Split F into its positive terms Q and negative terms -P. Both have second-order poles, where
//! Newton's method on F would crawl; on 1/√Q - 1/√P, which is nearly straight, it needs a few
//! iterations. The unknown s is counted from the pole or from t = 0, whichever is nearer, so that
//! nothing cancels for points next to a plane of symmetry or next to the surface. On a plane of
//! symmetry the pole itself may be the solution; then the constraint gives the missing component
//! of x.
//!
//! αᵢ in 1/m²; t in m².

use glam::DVec3;

/// Iterations after which the safeguarded search stops; it takes about five.
const ITERATION_LIMIT: usize = 100;

/// Weights αᵢ yᵢ² below this have lost digits to underflow; the point then lies on the plane yᵢ = 0.
const SMALLEST_WEIGHT: f64 = 1e-290;

/// A quadric about the origin with its axes along x, y and z. The inside has Σ αᵢ xᵢ² < κ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quadric {
    /// Coefficients α; at least one is positive.
    pub alpha: [f64; 3],
    /// κ, +1 or -1.
    pub level: f64,
}

/// The interval of multipliers to search: t = start + slope s for s between 0 and `limit`.
struct Search {
    start: f64,
    slope: f64,
    limit: f64,
    /// 1 + αᵢ start, exactly 0 on the axes of the pole.
    base: [f64; 3],
    /// Whether t = start makes some 1 + αᵢ t vanish.
    at_pole: bool,
}

/// Q, P and their derivatives by s.
struct Terms {
    positive: f64,
    positive_slope: f64,
    negative: f64,
    negative_slope: f64,
}

impl Quadric {
    /// Signed distance from `y` and the outward normal at the nearest point.
    pub fn distance_and_normal(&self, y: DVec3) -> (f64, DVec3) {
        let y = y.to_array();
        let search = self.search(y);
        let at_start = self.terms(&search, y, 0.0);
        let excess = search.slope * (at_start.negative - at_start.positive);
        if search.at_pole && excess >= 0.0 {
            return self.solution_at_pole(&search, y, excess);
        }
        let search = self.nearer_end(search, y);
        let s = self.root(&search, y);
        let gradient = DVec3::from_array(std::array::from_fn(|i| {
            self.alpha[i] * y[i] / (search.base[i] + search.slope * self.alpha[i] * s)
        }));
        along_gradient(search.start + search.slope * s, gradient)
    }

    fn search(&self, y: [f64; 3]) -> Search {
        let alpha = self.alpha;
        let outside = (0..3).map(|i| alpha[i] * y[i] * y[i]).sum::<f64>() > self.level;
        let smallest = alpha[0].min(alpha[1]).min(alpha[2]);
        let largest = alpha[0].max(alpha[1]).max(alpha[2]);
        if outside && smallest > 0.0 {
            // d <= |y| and |α x| >= √α_min on an ellipsoid bound t = d / |α x|.
            let [x, y, z] = y;
            let reach = DVec3::new(x, y, z).length();
            return Search {
                start: 0.0,
                slope: 1.0,
                limit: reach / smallest.sqrt(),
                base: [1.0; 3],
                at_pole: false,
            };
        }
        let (pole, slope) = if outside {
            (smallest, -1.0)
        } else {
            (largest, 1.0)
        };
        Search {
            start: -1.0 / pole,
            slope,
            limit: 1.0 / pole.abs(),
            base: alpha.map(|a| 1.0 - a / pole),
            at_pole: true,
        }
    }

    /// The search from the end that is nearer to the root: from the pole, or from t = 0, where the
    /// root of a point close to the surface would otherwise drown in the rounding of `start`.
    fn nearer_end(&self, search: Search, y: [f64; 3]) -> Search {
        let halfway = self.terms(&search, y, 0.5 * search.limit);
        let beyond = search.slope * (halfway.positive - halfway.negative) > 0.0;
        if search.at_pole && beyond {
            Search {
                start: 0.0,
                slope: -search.slope,
                limit: 0.5 * search.limit,
                base: [1.0; 3],
                at_pole: false,
            }
        } else {
            search
        }
    }

    fn terms(&self, search: &Search, y: [f64; 3], s: f64) -> Terms {
        let mut terms = Terms {
            positive: (-self.level).max(0.0),
            positive_slope: 0.0,
            negative: self.level.max(0.0),
            negative_slope: 0.0,
        };
        for (i, &alpha) in self.alpha.iter().enumerate() {
            let weight = alpha.abs() * y[i] * y[i];
            if weight < SMALLEST_WEIGHT {
                continue;
            }
            let rate = search.slope * alpha;
            let denominator = search.base[i] + rate * s;
            let term = weight / (denominator * denominator);
            let slope = -2.0 * rate * term / denominator;
            if alpha > 0.0 {
                terms.positive += term;
                terms.positive_slope += slope;
            } else {
                terms.negative += term;
                terms.negative_slope += slope;
            }
        }
        terms
    }

    /// The root s, by Newton's method within a shrinking bracket.
    fn root(&self, search: &Search, y: [f64; 3]) -> f64 {
        let mut low = self.lower_bound(search, y);
        let mut high = search.limit;
        let mut s = low;
        for _ in 0..ITERATION_LIMIT {
            let terms = self.terms(search, y, s);
            let positive = 1.0 / terms.positive.sqrt();
            let negative = 1.0 / terms.negative.sqrt();
            let value = search.slope * (positive - negative);
            if value < 0.0 {
                low = s;
            } else {
                high = s;
            }
            let slope = 0.5
                * search.slope
                * (negative / terms.negative * terms.negative_slope
                    - positive / terms.positive * terms.positive_slope);
            let mut next = s - value / slope;
            if value.abs() <= 2.0 * f64::EPSILON * negative {
                // What is left is rounding, which must not push s past its end.
                return if next >= 0.0 { next } else { s };
            }
            if !(next > low && next < high) {
                next = if low > 0.0 {
                    (low * high).sqrt()
                } else {
                    0.5 * (low + high)
                };
            }
            if (next - s).abs() <= f64::EPSILON * s {
                return next;
            }
            s = next;
        }
        s
    }

    /// A value of s not above the root: the pole's own term may not exceed what the other side of
    /// the equation can reach, which is its value at t = 0.
    fn lower_bound(&self, search: &Search, y: [f64; 3]) -> f64 {
        if !search.at_pole {
            return 0.0;
        }
        let pole_weight: f64 = (0..3)
            .filter(|&i| search.base[i] == 0.0)
            .map(|i| y[i] * y[i] / self.alpha[i].abs())
            .sum();
        let at_surface = self.terms(search, y, search.limit);
        let other_side = if search.slope > 0.0 {
            at_surface.negative
        } else {
            at_surface.positive
        };
        (pole_weight / other_side).sqrt().min(search.limit)
    }

    fn solution_at_pole(&self, search: &Search, y: [f64; 3], excess: f64) -> (f64, DVec3) {
        let mut missing = excess;
        let gradient = DVec3::from_array(std::array::from_fn(|i| {
            if search.base[i] == 0.0 {
                // The first axis of the pole takes all that is missing, the others nothing.
                let x = (missing / self.alpha[i].abs()).sqrt().copysign(y[i]);
                missing = 0.0;
                self.alpha[i] * x
            } else {
                self.alpha[i] * y[i] / search.base[i]
            }
        }));
        along_gradient(search.start, gradient)
    }
}

/// The distance t |α x| and normal from the multiplier t and the gradient α x.
fn along_gradient(t: f64, gradient: DVec3) -> (f64, DVec3) {
    let length = gradient.length();
    (t * length, gradient / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_is_a_quadric() {
        let sphere = Quadric {
            alpha: [0.25; 3],
            level: 1.0,
        };
        for y in [
            DVec3::new(0.3, -0.2, 0.9),
            DVec3::new(3.0, 1e-20, -5.0),
            DVec3::new(1e-9, 0.0, -1e-12),
        ] {
            let (distance, normal) = sphere.distance_and_normal(y);
            assert!((distance - (y.length() - 2.0)).abs() < 1e-14);
            assert!(normal.distance(y.normalize()) < 1e-12);
        }
    }

    #[test]
    fn symmetric_points_have_the_known_nearest_points() {
        // Centre of the ellipsoid 3, 2, 1: the nearest points are (0, 0, ±1).
        let ellipsoid = Quadric {
            alpha: [1.0 / 9.0, 0.25, 1.0],
            level: 1.0,
        };
        let (distance, normal) = ellipsoid.distance_and_normal(DVec3::ZERO);
        assert!((distance + 1.0).abs() < 1e-14 && normal.distance(DVec3::Z) < 1e-14);
        // Far out on the waist plane of x² + y² - z² = 1 the nearest point has left that plane:
        // x = y/2 = 5, z = ±√24, d = √(25 + 24).
        let one_sheet = Quadric {
            alpha: [1.0, 1.0, -1.0],
            level: 1.0,
        };
        let (distance, _) = one_sheet.distance_and_normal(DVec3::new(10.0, 0.0, 0.0));
        assert!((distance - 7.0).abs() < 1e-12);
    }

    #[test]
    fn long_and_flat_shapes_are_met_from_near_and_far() {
        // The nearest point p - d n must satisfy the equation of the quadric.
        for exponents in [[0, 0, -4], [0, -4, -4], [3, 0, -3], [-3, 0, 3], [6, 6, 6]] {
            let axes = exponents.map(|exponent| 10.0_f64.powi(exponent));
            for (sign, level) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let mut alpha = axes.map(|axis| 1.0 / (axis * axis));
                alpha[2] *= sign;
                let quadric = Quadric { alpha, level };
                for step in 0..2000_u32 {
                    let size = 10.0_f64.powi((step % 9) as i32 - 4);
                    let [x, y, z] = [2, 3, 5].map(|base| (f64::from(step * base) * 0.37).sin());
                    let p = size * DVec3::new(x, y, z);
                    let (distance, normal) = quadric.distance_and_normal(p);
                    let nearest = p - distance * normal;
                    // First-order distance of the nearest point found from the surface.
                    let weighted = DVec3::from_array(alpha) * nearest;
                    let miss = (weighted.dot(nearest) - level) / (2.0 * weighted.length());
                    let largest = p.length().max(axes[0].max(axes[1]).max(axes[2]));
                    assert!(
                        miss.abs() < 1e-12 * largest,
                        "{axes:?} {level} {p}: {miss:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_distance_is_continuous_towards_planes_of_symmetry() {
        let ellipsoid = Quadric {
            alpha: [1.0 / 9.0, 0.25, 1.0],
            level: 1.0,
        };
        let on_plane = ellipsoid.distance_and_normal(DVec3::new(0.4, 0.1, 0.0)).0;
        for exponent in 3..=200 {
            let z = 10.0_f64.powi(-exponent);
            let near = ellipsoid.distance_and_normal(DVec3::new(0.4, 0.1, z)).0;
            assert!(
                (near - on_plane).abs() < 1.1 * z + 1e-13,
                "{z:e}: {near} {on_plane}"
            );
        }
    }

    /// The nearest of many points of the surface, found without the equation above.
    fn brute_force(points: &[DVec3], y: DVec3) -> f64 {
        points
            .iter()
            .map(|point| point.distance(y))
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn no_sampled_point_is_nearer() {
        // Each quadric is parametrised by an angle and a height.
        let (a, b, c) = (1.5, 0.8, 0.6);
        let alpha = [1.0 / (a * a), 1.0 / (b * b), -1.0 / (c * c)];
        for level in [1.0, -1.0] {
            let quadric = Quadric { alpha, level };
            let mut points = Vec::new();
            for turn in 0..400 {
                let angle = turn as f64 * std::f64::consts::TAU / 400.0;
                for step in -200..=200 {
                    let v = 3.0 * step as f64 / 200.0;
                    let (radius, z) = if level > 0.0 {
                        (v.cosh(), v.sinh())
                    } else {
                        (v.sinh().abs(), v.cosh().copysign(v))
                    };
                    let (sine, cosine) = angle.sin_cos();
                    points.push(DVec3::new(a * radius * cosine, b * radius * sine, c * z));
                }
            }
            for y in [
                DVec3::new(0.2, 0.1, 0.3),
                DVec3::new(2.0, -0.3, 0.1),
                DVec3::new(0.0, 2.0, 0.0),
                DVec3::new(-0.3, 0.4, 2.5),
                DVec3::new(0.0, 0.0, -1.7),
                DVec3::new(1e-12, 0.0, 1e-12),
            ] {
                let exact = quadric.distance_and_normal(y).0.abs();
                let sampled = brute_force(&points, y);
                assert!(exact <= sampled + 1e-12, "{y}: {exact} {sampled}");
                assert!(sampled <= exact + 0.02, "{y}: {exact} {sampled}");
            }
        }
    }
}

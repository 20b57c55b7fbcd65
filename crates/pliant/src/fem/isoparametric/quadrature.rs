//! Points and weights for integrals over master elements.
//!
//! ```text
//! ∫ f dξ ≈ Σ_q w_q f(ξ_q)
//! ```
//!
//! Full quadrature: enough points that the stiffness of an element with straight edges and middles
//! of edges in the middle is exact, so that no motion but the rigid ones is without energy. Rules of
//! triangles and tetrahedra: \[Dunavant1985\], \[Keast1986\]; of squares and cubes: Gauss.

use crate::mesh::ElementKind;

/// A point of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraturePoint {
    /// Coordinates in the master element.
    pub xi: [f64; 3],
    /// Weight: the weights sum to the size of the master element.
    pub weight: f64,
}

/// What a rule must integrate exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrand {
    /// Products of two derivatives of interpolation functions.
    Stiffness,
    /// Products of two interpolation functions.
    Mass,
}

/// The rule for an element.
pub fn quadrature(kind: ElementKind, integrand: Integrand) -> Vec<QuadraturePoint> {
    match (kind, integrand) {
        (ElementKind::Line2, _) => gauss(1, 2),
        (ElementKind::Quad4, _) => gauss(2, 2),
        (ElementKind::Quad9, _) => gauss(2, 3),
        (ElementKind::Brick20, _) => gauss(3, 3),
        (ElementKind::Triangle3, Integrand::Stiffness) => orbit(2, 0.5, &[(1.0 / 3.0, 1.0)]),
        (ElementKind::Triangle3, Integrand::Mass) => orbit(2, 0.5, &[(1.0 / 6.0, 1.0 / 3.0)]),
        (ElementKind::Triangle6, _) => orbit(
            2,
            0.5,
            &[
                (0.091_576_213_509_770_74, 0.109_951_743_655_321_87),
                (0.445_948_490_915_964_9, 0.223_381_589_678_011_47),
            ],
        ),
        (ElementKind::Tetrahedron4, Integrand::Stiffness) => orbit(3, 1.0 / 6.0, &[(0.25, 1.0)]),
        (ElementKind::Tetrahedron4, Integrand::Mass)
        | (ElementKind::Tetrahedron10, Integrand::Stiffness) => {
            let near = (5.0 - 5.0_f64.sqrt()) / 20.0;
            orbit(3, 1.0 / 6.0, &[(near, 0.25)])
        }
        (ElementKind::Tetrahedron10, Integrand::Mass) => fourteen_points(),
    }
}

/// Products of Gauss rules with `count` points (2 or 3) in each direction.
fn gauss(dimension: usize, count: usize) -> Vec<QuadraturePoint> {
    let (two, three) = (1.0 / 3.0_f64.sqrt(), 0.6_f64.sqrt());
    let line: &[(f64, f64)] = if count == 2 {
        &[(-two, 1.0), (two, 1.0)]
    } else {
        &[(-three, 5.0 / 9.0), (0.0, 8.0 / 9.0), (three, 5.0 / 9.0)]
    };
    let mut points = vec![QuadraturePoint {
        xi: [0.0; 3],
        weight: 1.0,
    }];
    for direction in 0..dimension {
        let before = std::mem::take(&mut points);
        for point in before {
            for &(place, weight) in line {
                let mut next = point;
                next.xi[direction] = place;
                next.weight *= weight;
                points.push(next);
            }
        }
    }
    points
}

/// The rule of fourteen points of a tetrahedron, exact to degree 5, whose weights are all positive
/// \[Walkington2000\].
fn fourteen_points() -> Vec<QuadraturePoint> {
    let mut points = orbit(
        3,
        1.0 / 6.0,
        &[
            (0.310_885_919_263_300_6, 0.112_687_925_718_015_85),
            (0.092_735_250_310_891_23, 0.073_493_043_116_361_95),
        ],
    );
    let (near, weight) = (0.045_503_704_125_649_65, 0.042_546_020_777_081_466 / 6.0);
    let far = 0.5 - near;
    for [a, b] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
        let place = |corner: usize| {
            if corner == a || corner == b {
                near
            } else {
                far
            }
        };
        let xi = std::array::from_fn(|i| place(i + 1));
        points.push(QuadraturePoint { xi, weight });
    }
    points
}

/// For each (t, w) the points whose barycentric coordinates are t but for one, with weight w times
/// the size of the simplex. The centre counts once.
fn orbit(dimension: usize, size: f64, rings: &[(f64, f64)]) -> Vec<QuadraturePoint> {
    let mut points = Vec::new();
    for &(near, share) in rings {
        let far = 1.0 - dimension as f64 * near;
        let corners = if (far - near).abs() < 1e-9 {
            1
        } else {
            dimension + 1
        };
        for corner in 0..corners {
            let mut xi = [0.0; 3];
            for (i, xi) in xi[..dimension].iter_mut().enumerate() {
                *xi = if corner == i + 1 { far } else { near };
            }
            points.push(QuadraturePoint {
                xi,
                weight: share * size,
            });
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integral(kind: ElementKind, integrand: Integrand, powers: [i32; 3]) -> f64 {
        let value = |point: &QuadraturePoint| {
            let factors = point
                .xi
                .iter()
                .zip(powers)
                .map(|(xi, power)| xi.powi(power));
            point.weight * factors.product::<f64>()
        };
        quadrature(kind, integrand).iter().map(value).sum()
    }

    fn factorial(n: i32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    #[test]
    fn simplex_rules_are_exact_to_their_degree() {
        // ∫ ξ^a η^b ζ^c = a! b! c! / (a + b + c + d)! over the unit simplex of d directions.
        for (kind, integrand, degree) in [
            (ElementKind::Triangle3, Integrand::Stiffness, 1),
            (ElementKind::Triangle3, Integrand::Mass, 2),
            (ElementKind::Triangle6, Integrand::Stiffness, 4),
            (ElementKind::Tetrahedron4, Integrand::Stiffness, 1),
            (ElementKind::Tetrahedron4, Integrand::Mass, 2),
            (ElementKind::Tetrahedron10, Integrand::Stiffness, 2),
            (ElementKind::Tetrahedron10, Integrand::Mass, 5),
        ] {
            let d = kind.dimension() as i32;
            let mut compared = 0;
            for a in 0..=degree {
                for b in 0..=degree - a {
                    for c in 0..=if d == 3 { degree - a - b } else { 0 } {
                        let exact =
                            factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + d);
                        let value = integral(kind, integrand, [a, b, c]);
                        assert!((value - exact).abs() < 1e-15, "{kind:?} {a} {b} {c}");
                        compared += 1;
                    }
                }
            }
            assert!(compared >= 3);
        }
    }

    #[test]
    fn product_rules_are_exact_to_their_degree() {
        for (kind, degree) in [
            (ElementKind::Line2, 3),
            (ElementKind::Quad4, 3),
            (ElementKind::Quad9, 5),
            (ElementKind::Brick20, 5),
        ] {
            for power in 0..=degree {
                let d = kind.dimension();
                let line = if power % 2 == 0 {
                    2.0 / f64::from(power + 1)
                } else {
                    0.0
                };
                let mut powers = [0; 3];
                powers[..d].fill(power);
                let value = integral(kind, Integrand::Stiffness, powers);
                assert!((value - line.powi(d as i32)).abs() < 1e-14, "{kind:?}");
            }
        }
    }
}

use super::*;
use glam::DQuat;

fn frame(range: [f64; 2]) -> AxisFrame {
    let (axis, side) = (DVec3::new(0.3, -0.2, 1.0), DVec3::new(1.0, 0.4, 0.0));
    AxisFrame::new(DVec3::new(0.1, 0.2, -0.3), axis, side, range).unwrap()
}

fn lattice(basis: LatticeBasis) -> Lattice {
    let edges = [
        DVec3::new(6.0, 0.5, 0.0),
        DVec3::new(-0.4, 6.0, 0.3),
        DVec3::new(0.0, 0.2, 6.0),
    ];
    let mut lattice = Lattice::in_box(DVec3::splat(-3.0), edges, [4, 5, 3], basis).unwrap();
    for (n, displacement) in lattice.displacements_mut().iter_mut().enumerate() {
        let n = n as f64;
        *displacement = 0.3 * DVec3::new((1.3 * n).sin(), (2.1 * n).cos(), (0.7 * n).sin());
    }
    lattice
}

fn operators() -> Vec<Box<dyn Deformation>> {
    let range = [-0.5, 1.0];
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.7);
    let factors = DVec3::new(1.5, 0.7, 1.1);
    vec![
        Box::new(Taper::new(frame(range), 0.4).unwrap()),
        Box::new(Twist::new(frame(range), 2.0).unwrap()),
        Box::new(Bend::new(frame(range), 1.2).unwrap()),
        Box::new(Bend::new(frame(range), -0.8).unwrap()),
        Box::new(Stretch::new(DVec3::ONE, factors, turn, DVec3::X).unwrap()),
        Box::new(lattice(LatticeBasis::Bernstein)),
        Box::new(lattice(LatticeBasis::BSpline { degree: 2 })),
    ]
}

fn points() -> Vec<DVec3> {
    let at = |n: usize| 0.31 * n as f64 - 0.45;
    (0..64)
        .map(|n| DVec3::new(at(n % 4), at(n / 4 % 4), at(n / 16)))
        .collect()
}

/// Tangents and normals follow from J, so J is compared with differences.
#[test]
fn jacobians_are_derivatives() {
    let step = 1e-6;
    for operator in operators() {
        for point in points() {
            let jacobian = operator.jacobian(point);
            let local = frame([-0.5, 1.0]).local(point);
            // Ranges end with a kink.
            if [-0.5, 1.0].iter().any(|end| (local.z - end).abs() < 1e-5) {
                continue;
            }
            for (axis, column) in [
                (DVec3::X, jacobian.x_axis),
                (DVec3::Y, jacobian.y_axis),
                (DVec3::Z, jacobian.z_axis),
            ] {
                let ahead = operator.map(point + step * axis);
                let behind = operator.map(point - step * axis);
                let slope = (ahead - behind) / (2.0 * step);
                assert!((slope - column).length() < 1e-7, "{operator:?} {point}");
            }
        }
    }
}

#[test]
fn inverses_lead_back() {
    for operator in operators() {
        for point in points() {
            let image = operator.map(point);
            let back = operator.inverse(image);
            let back = back.unwrap_or_else(|| panic!("{operator:?} {point}"));
            assert!(back.distance(point) < 1e-8, "{operator:?} {point} {back}");
        }
    }
}

/// The normal of a plane of points after a deformation is across the tangents after it.
#[test]
fn normals_stay_across_tangents() {
    for operator in operators() {
        for point in points() {
            let (a, b) = (DVec3::new(1.0, 0.3, 0.0), DVec3::new(0.0, 1.0, -0.4));
            let jacobian = operator.jacobian(point);
            let normal = deformed_normal(jacobian, a.cross(b));
            let (a, b) = (jacobian * a, jacobian * b);
            assert!((normal - a.cross(b)).length() < 1e-9, "{operator:?}");
        }
    }
}

/// Volume of a box of 2 x 2 x 3 after an operator, by the midpoint rule on det J.
fn volume(operator: &dyn Deformation) -> f64 {
    let counts = [20, 20, 300];
    let size = DVec3::new(2.0, 2.0, 3.0);
    let mut sum = 0.0;
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let share = |n: usize, d: usize| (n as f64 + 0.5) / counts[d] as f64;
                let place = DVec3::new(share(i, 0) - 0.5, share(j, 1) - 0.5, share(k, 2));
                sum += operator.jacobian(size * place).determinant();
            }
        }
    }
    sum * size.element_product() / (counts[0] * counts[1] * counts[2]) as f64
}

/// A box that tapers to a factor f has the volume of a frustum, A h (1 + f + f²)/3; twist keeps it, and
/// a bend about the middle too.
#[test]
fn volumes_are_those_of_formulas() {
    let axis = AxisFrame::new(DVec3::ZERO, DVec3::Z, DVec3::X, [0.0, 3.0]).unwrap();
    let frustum = 12.0 * (1.0 + 0.4 + 0.16) / 3.0;
    let found = volume(&Taper::new(axis, 0.4).unwrap());
    assert!((found - frustum).abs() < 1e-4 * frustum, "{found}");
    assert!((volume(&Twist::new(axis, 5.0).unwrap()) - 12.0).abs() < 1e-9);
    assert!((volume(&Bend::new(axis, 1.1).unwrap()) - 12.0).abs() < 1e-9);
}

#[test]
fn a_bent_bar_keeps_the_length_of_its_axis_and_ends_turned() {
    let axis = AxisFrame::new(DVec3::ZERO, DVec3::X, DVec3::Z, [0.0, 2.0]).unwrap();
    let bend = Bend::new(axis, std::f64::consts::PI).unwrap();
    let count = 20_000;
    let place = |n: usize, z: f64| bend.map(DVec3::new(2.0 * n as f64 / count as f64, 0.0, z));
    let length = |z: f64| {
        let parts = (0..count).map(|n| place(n, z).distance(place(n + 1, z)));
        parts.sum::<f64>()
    };
    assert!((length(0.0) - 2.0).abs() < 1e-7);
    // Half a circle of radius 2/π: what lies at z is shorter by π z.
    let expected = 2.0 - std::f64::consts::PI * 0.1;
    assert!((length(0.1) - expected).abs() < 1e-7);
    let end = bend.map(2.0 * DVec3::X);
    let diameter = 4.0 / std::f64::consts::PI;
    assert!((end - diameter * DVec3::Z).length() < 1e-12, "{end}");
    // It goes on straight, back over itself.
    let beyond = bend.map(3.0 * DVec3::X);
    assert!((beyond - end + DVec3::X).length() < 1e-12);
    // It lies over what comes before the bend, so that there are two points to come from.
    let back = bend.inverse(beyond).unwrap();
    assert!(bend.map(back).distance(beyond) < 1e-12);
}

/// A line along the axis at a distance r becomes a helix of slope r θ/h.
#[test]
fn tangents_under_twist_are_those_of_a_helix() {
    let axis = AxisFrame::new(DVec3::ZERO, DVec3::Z, DVec3::X, [0.0, 2.0]).unwrap();
    let twist = Twist::new(axis, 3.0).unwrap();
    let tangent = twist.jacobian(DVec3::new(0.5, 0.0, 0.8)) * DVec3::Z;
    let (sin, cos) = (3.0_f64 * 0.4).sin_cos();
    let expected = DVec3::new(-0.75 * sin, 0.75 * cos, 1.0);
    assert!((tangent - expected).length() < 1e-12, "{tangent}");
}

#[test]
fn control_points_moved_by_an_affine_map_give_that_map() {
    let linear = DMat3::from_cols(
        DVec3::new(1.2, 0.3, -0.1),
        DVec3::new(0.2, 0.8, 0.4),
        DVec3::new(-0.3, 0.1, 1.5),
    );
    let affine = |x: DVec3| linear * x + DVec3::new(0.5, -0.7, 2.0);
    let free: Vec<DVec3> = (0..27)
        .map(|n| {
            let at = DVec3::new((n % 3) as f64, (n / 3 % 3) as f64, (n / 9) as f64);
            let grown = 1.0 + 0.1 * at.z;
            DVec3::new(2.5 * grown * at.x, 2.5 * grown * at.y, 2.5 * at.z) - DVec3::splat(2.6)
        })
        .collect();
    let spline = LatticeBasis::BSpline { degree: 2 };
    for mut lattice in [
        lattice(LatticeBasis::Bernstein),
        lattice(spline),
        Lattice::free(free, [3, 3, 3], LatticeBasis::Bernstein).unwrap(),
    ] {
        let targets: Vec<DVec3> = lattice
            .control_points()
            .iter()
            .map(|c| affine(*c))
            .collect();
        let rest = lattice.control_points().to_vec();
        for (n, displacement) in lattice.displacements_mut().iter_mut().enumerate() {
            *displacement = targets[n] - rest[n];
        }
        for point in points() {
            let miss = lattice.map(point).distance(affine(point));
            assert!(miss < 1e-10, "{point} {miss}");
        }
        // Outside nothing happens.
        assert_eq!(lattice.map(DVec3::splat(50.0)), DVec3::splat(50.0));
    }
}

#[test]
fn points_of_the_object_can_be_moved_instead_of_control_points() {
    let mut lattice = lattice(LatticeBasis::BSpline { degree: 3 });
    let moves = [
        [DVec3::new(0.2, 0.1, 0.0), DVec3::new(0.5, 0.1, 0.9)],
        [DVec3::new(-1.0, 1.2, 0.4), DVec3::new(-1.0, 1.5, 0.4)],
        [DVec3::new(0.9, -0.6, -1.0), DVec3::new(0.9, -0.6, -1.0)],
    ];
    let before = lattice.clone();
    lattice.move_points(&moves).unwrap();
    for [point, target] in moves {
        assert!(lattice.map(point).distance(target) < 1e-12);
    }
    // Any other change that does the same is larger: add one that moves none of the points.
    let change: Vec<DVec3> = lattice
        .displacements
        .iter()
        .zip(&before.displacements)
        .map(|(after, before)| *after - *before)
        .collect();
    let rows: Vec<Vec<f64>> = moves
        .iter()
        .map(|[point, _]| lattice.dense(&lattice.weights(lattice.local(*point).unwrap())))
        .collect();
    // The change is a combination of the rows, so it is across whatever all rows are across.
    let mut other: Vec<f64> = (0..change.len()).map(|n| (n as f64).sin()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..2000 {
        for row in &rows {
            let share = dot(&other, row) / dot(row, row);
            other.iter_mut().zip(row).for_each(|(o, r)| *o -= share * r);
        }
    }
    for axis in 0..3 {
        let along: Vec<f64> = change.iter().map(|c| c[axis]).collect();
        assert!(dot(&along, &other).abs() < 1e-9);
    }
    let far = DVec3::splat(9.0);
    assert!(lattice.move_points(&[[far, far]]).is_err());
    let twice = [moves[0], [moves[0][0], DVec3::ZERO]];
    assert!(lattice.move_points(&twice).is_err());
}

#[test]
fn what_makes_no_operator_is_refused() {
    let range = [0.0, 1.0];
    assert!(AxisFrame::new(DVec3::ZERO, DVec3::ZERO, DVec3::X, range).is_err());
    assert!(AxisFrame::new(DVec3::ZERO, DVec3::X, DVec3::X, range).is_err());
    assert!(AxisFrame::new(DVec3::ZERO, DVec3::X, DVec3::Y, [1.0, 1.0]).is_err());
    assert!(Taper::new(frame(range), 0.0).is_err());
    assert!(Bend::new(frame(range), 0.0).is_err());
    assert!(Twist::new(frame(range), f64::NAN).is_err());
    let edges = [DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
    let flat = Lattice::in_box(DVec3::ZERO, edges, [2; 3], LatticeBasis::Bernstein);
    assert!(flat.is_err());
    let edges = [DVec3::X, DVec3::Y, DVec3::Z];
    let thin = Lattice::in_box(DVec3::ZERO, edges, [2, 1, 2], LatticeBasis::Bernstein);
    assert!(thin.is_err());
}

use super::*;
use crate::math::symmetric_eigen;
use glam::DQuat;

const MATERIAL: Lame = Lame {
    lambda: 1.7,
    mu: 0.9,
};

fn strains() -> [(&'static str, Box<dyn Strain>, bool); 4] {
    [
        ("linear", Box::new(Linear), false),
        ("corotated", Box::new(Corotated), true),
        ("green", Box::new(Green), true),
        ("neo-hookean", Box::new(NeoHookean), true),
    ]
}

fn gradients() -> Vec<DMat3> {
    let turn = |x, y, z| DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(x, y, z)));
    let of = |u: DMat3, s: [f64; 3], v: DMat3| u * DMat3::from_diagonal(s.into()) * v;
    vec![
        of(turn(0.3, 0.2, -0.4), [1.3, 1.1, 0.8], turn(0.5, 0.1, 0.9)),
        of(turn(2.0, -1.0, 0.3), [0.6, 0.5, 0.4], turn(-0.5, 0.8, 0.2)),
        of(turn(0.1, 0.7, 1.4), [1.2, 0.9, -0.4], turn(0.1, 0.1, 2.0)),
        of(turn(0.1, 0.7, 1.4), [1.6, 1.6, 1.6], turn(0.1, 0.1, 2.0)),
    ]
}

fn inner(a: DMat3, b: DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// dP for a change of F that is dx ⊗ a, by the blocks of the linearisation.
fn change_of_stress(linearisation: &Linearisation, change: DMat3) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let column = |b: DVec3| {
        let terms = axes.map(|a| linearisation.block(a, b).transpose() * (change * a));
        terms[0] + terms[1] + terms[2]
    };
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

fn direction() -> DMat3 {
    DMat3::from_cols_array(&[0.3, -0.7, 0.2, 0.9, 0.1, -0.4, 0.5, 0.6, -0.8])
}

#[test]
fn stress_is_the_derivative_of_energy() {
    let (d, h) = (direction(), 1e-5);
    for (name, strain, _) in strains() {
        for f in gradients() {
            let slope = (strain.energy(f + d * h, MATERIAL) - strain.energy(f - d * h, MATERIAL))
                / (2.0 * h);
            let found = inner(strain.stress(f, MATERIAL), d);
            assert!((slope - found).abs() < 1e-7 * (1.0 + found.abs()), "{name}");
        }
    }
}

#[test]
fn stiffness_is_the_derivative_of_stress() {
    let (d, h) = (direction(), 1e-5);
    for (name, strain, _) in strains() {
        for f in gradients() {
            let slope = (strain.stress(f + d * h, MATERIAL) - strain.stress(f - d * h, MATERIAL))
                * (0.5 / h);
            let linearisation = strain.linearise(f, MATERIAL, Curvature::Full);
            let error = change_of_stress(&linearisation, d) - slope;
            assert!(inner(error, error).sqrt() < 1e-6, "{name} {f}: {error}");
        }
    }
}

#[test]
fn positive_stiffness_is_positive_and_whole_where_nothing_is_negative() {
    for (name, strain, _) in strains() {
        for f in gradients() {
            let positive = strain.linearise(f, MATERIAL, Curvature::Positive);
            for seed in 0..20 {
                let t = f64::from(seed);
                let d =
                    DMat3::from_cols_array(&std::array::from_fn(|i| (t * 1.7 + i as f64).sin()));
                assert!(inner(change_of_stress(&positive, d), d) > -1e-12, "{name}");
            }
        }
        let stretched = DMat3::from_diagonal(DVec3::new(1.05, 1.0, 1.0));
        if name != "corotated" {
            let both = [Curvature::Full, Curvature::Positive]
                .map(|curvature| strain.linearise(stretched, MATERIAL, curvature));
            let error =
                change_of_stress(&both[0], direction()) - change_of_stress(&both[1], direction());
            assert!(inner(error, error).sqrt() < 1e-12, "{name}");
        }
    }
}

#[test]
fn all_agree_at_rest_and_in_small_strains() {
    for (name, strain, turns) in strains() {
        assert!(
            strain.energy(DMat3::IDENTITY, MATERIAL).abs() < 1e-14,
            "{name}"
        );
        let rest = strain.stress(DMat3::IDENTITY, MATERIAL);
        assert!(inner(rest, rest).sqrt() < 1e-14, "{name}");
        let d = direction();
        let stiffness = strain.linearise(DMat3::IDENTITY, MATERIAL, Curvature::Full);
        let small = 0.5 * (d + d.transpose());
        let trace = small.x_axis.x + small.y_axis.y + small.z_axis.z;
        let expected = small * (2.0 * MATERIAL.mu)
            + DMat3::from_diagonal(DVec3::splat(MATERIAL.lambda * trace));
        let error = change_of_stress(&stiffness, d) - expected;
        assert!(inner(error, error).sqrt() < 1e-12, "{name}: {error}");
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.4, 1.1, -0.3)));
        let turned = strain.stress(turn, MATERIAL);
        assert_eq!(inner(turned, turned).sqrt() < 1e-13, turns, "{name}");
    }
}

#[test]
fn inverted_elements_are_pushed_back() {
    for (name, strain, _) in &strains()[1..] {
        if *name == "green" {
            continue;
        }
        for last in [-0.8, -0.3, 0.0] {
            let f = DMat3::from_diagonal(DVec3::new(1.0, 1.0, last));
            assert!(strain.stress(f, MATERIAL).z_axis.z < 0.0, "{name} {last}");
        }
        let point = strain.stress(DMat3::ZERO, MATERIAL);
        assert!(inner(point, DMat3::IDENTITY) < 0.0, "{name}");
    }
}

#[test]
fn eigenvectors_of_a_symmetric_matrix() {
    let d = direction();
    let matrix = d + d.transpose();
    let (values, vectors) = symmetric_eigen(matrix);
    for i in 0..3 {
        let error = matrix * vectors.col(i) - values[i] * vectors.col(i);
        assert!(error.length() < 1e-14);
    }
}

#[test]
fn stress_of_a_crushed_element_is_the_derivative_of_its_energy() {
    let (d, h) = (direction(), 1e-6);
    for size in [0.0, 0.05, 0.15, 0.25] {
        let f = gradients()[0] * size;
        let energy = |f| NeoHookean.energy(f, MATERIAL);
        let slope = (energy(f + d * h) - energy(f - d * h)) / (2.0 * h);
        let found = inner(NeoHookean.stress(f, MATERIAL), d);
        assert!((slope - found).abs() < 1e-6, "{size}: {slope} {found}");
    }
}

/// The law has no value for elements that are inside out, so it is not among those above.
#[test]
fn shape_and_volume_split_is_derived_right() {
    let (d, h) = (direction(), 1e-5);
    let law = SplitNeoHookean;
    for f in gradients().into_iter().filter(|f| f.determinant() > 0.0) {
        let slope = law.energy(f + d * h, MATERIAL) - law.energy(f - d * h, MATERIAL);
        let found = inner(law.stress(f, MATERIAL), d);
        assert!((slope / (2.0 * h) - found).abs() < 1e-6 * (1.0 + found.abs()));
        let change = law.stress(f + d * h, MATERIAL) - law.stress(f - d * h, MATERIAL);
        let expected = change * (0.5 / h);
        let linearised = law.linearise(f, MATERIAL, Curvature::Full);
        let found = change_of_stress(&linearised, d);
        assert!(found.abs_diff_eq(expected, 1e-5), "{found} {expected}");
    }
    assert!(law.energy(DMat3::IDENTITY, MATERIAL).abs() < 1e-15);
    assert!(
        law.stress(DMat3::IDENTITY, MATERIAL)
            .abs_diff_eq(DMat3::ZERO, 1e-15)
    );
    // Small strains are those of the linear law.
    let slight = DMat3::IDENTITY + d * 1e-6;
    let (ours, linear) = (
        law.stress(slight, MATERIAL),
        Linear.stress(slight, MATERIAL),
    );
    assert!(ours.abs_diff_eq(linear, 1e-10), "{ours} {linear}");
}

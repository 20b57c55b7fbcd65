//! Two animals modelled as blends of ellipsoids and tapered capsules, each about one metre tall:
//! something with ears to simulate, and an example of what a [`Solid`] can be.
//!
//! They stand on z = 0, look along +x, and are alike on both sides of the plane y = 0.

use super::Solid;
use glam::{DQuat, DVec3};

/// A rabbit that sits: 1 m from the ground to the tips of its ears.
pub fn rabbit() -> Solid {
    let mut parts = vec![
        ellipsoid([-0.06, 0.0, 0.23], [0.25, 0.18, 0.22]),
        ellipsoid([0.12, 0.0, 0.27], [0.15, 0.14, 0.20]),
        capsule([0.14, 0.0, 0.38], [0.22, 0.0, 0.54], [0.10, 0.09]),
        ellipsoid([0.25, 0.0, 0.58], [0.14, 0.105, 0.115]),
        ellipsoid([0.35, 0.0, 0.55], [0.075, 0.07, 0.06]),
        ellipsoid([-0.33, 0.0, 0.20], [0.08, 0.075, 0.08]),
    ];
    for side in [-1.0, 1.0] {
        parts.extend([
            capsule(
                [0.22, 0.045 * side, 0.64],
                [0.18, 0.07 * side, 0.72],
                [0.045, 0.04],
            ),
            flap(
                [0.13, 0.10 * side, 0.825],
                [0.048, 0.065, 0.18],
                [-0.25 * side, -0.30],
            ),
            ellipsoid([-0.10, 0.15 * side, 0.17], [0.18, 0.07, 0.15]),
            capsule(
                [-0.10, 0.17 * side, 0.045],
                [0.14, 0.18 * side, 0.045],
                [0.045, 0.045],
            ),
            capsule(
                [0.19, 0.08 * side, 0.26],
                [0.23, 0.085 * side, 0.06],
                [0.065, 0.045],
            ),
            capsule(
                [0.22, 0.085 * side, 0.04],
                [0.29, 0.09 * side, 0.04],
                [0.04, 0.038],
            ),
        ]);
    }
    Solid::SmoothUnion { parts, blend: 0.05 }
}

/// The head of a hound on its neck, with hanging ears: 1 m from the cut of the neck to the crown.
pub fn hound_head() -> Solid {
    let mut parts = vec![
        capsule([-0.30, 0.0, 0.16], [-0.02, 0.0, 0.62], [0.24, 0.20]),
        ellipsoid([0.05, 0.0, 0.74], [0.28, 0.23, 0.25]),
        capsule([0.20, 0.0, 0.68], [0.56, 0.0, 0.60], [0.16, 0.105]),
        capsule([0.18, 0.0, 0.56], [0.50, 0.0, 0.51], [0.10, 0.075]),
        ellipsoid([0.67, 0.0, 0.645], [0.06, 0.07, 0.05]),
    ];
    for side in [-1.0, 1.0] {
        parts.extend([
            // Lips hang over the jaw.
            capsule(
                [0.30, 0.09 * side, 0.56],
                [0.54, 0.06 * side, 0.53],
                [0.08, 0.075],
            ),
            ellipsoid([0.24, 0.12 * side, 0.84], [0.09, 0.06, 0.05]),
            flap(
                [-0.06, 0.27 * side, 0.64],
                [0.13, 0.06, 0.25],
                [0.26 * side, 0.10],
            ),
        ]);
    }
    let ground = Solid::Cuboid {
        centre: DVec3::new(0.0, 0.0, -1.0),
        size: DVec3::new(4.0, 4.0, 2.0),
        rounding: 0.0,
    };
    Solid::Difference {
        solid: Box::new(Solid::SmoothUnion { parts, blend: 0.07 }),
        without: vec![ground],
    }
}

fn ellipsoid(centre: [f64; 3], semi_axes: [f64; 3]) -> Solid {
    Solid::Ellipsoid {
        centre: DVec3::from_array(centre),
        semi_axes: DVec3::from_array(semi_axes),
    }
}

/// An ellipsoid that leans sideways and then forwards, by angles in radians.
fn flap(centre: [f64; 3], semi_axes: [f64; 3], [sideways, forwards]: [f64; 2]) -> Solid {
    Solid::Transform {
        solid: Box::new(ellipsoid([0.0; 3], semi_axes)),
        scale: DVec3::ONE,
        rotation: DQuat::from_rotation_y(forwards) * DQuat::from_rotation_x(sideways),
        translation: DVec3::from_array(centre),
    }
}

fn capsule(from: [f64; 3], to: [f64; 3], radii: [f64; 2]) -> Solid {
    Solid::Capsule {
        from: DVec3::from_array(from),
        to: DVec3::from_array(to),
        radii,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        ElementKind, boundary_surface, check_surface, components, dihedral_range, fill, skin,
    };
    use super::*;

    #[test]
    fn animals_can_be_filled_and_skinned() {
        for (name, animal) in [("rabbit", rabbit()), ("hound", hound_head())] {
            assert_eq!(animal.check(), Ok(()));
            let mesh = fill(&animal, 0.05).unwrap();
            assert_eq!(components(&mesh).count, 1, "{name}");
            let report = check_surface(&boundary_surface(&mesh).0);
            assert!(report.is_sound(), "{name}: {report}");
            let (least, most) = dihedral_range(&mesh).unwrap();
            assert!(least > 10.7 && most < 164.8, "{name}: {least} {most}");
            let fine = skin(&animal, 0.03).unwrap();
            let report = check_surface(&fine);
            assert!(report.is_sound(), "{name}: {report}");
            let heights = fine.positions.iter().map(|x| x.z);
            let (low, high) = heights.fold((1.0, 0.0), |(a, b), z| (z.min(a), z.max(b)));
            println!(
                "{name}: {} tetrahedra, {least:.1} to {most:.1} degrees, {low:.3} to {high:.3} m",
                mesh.elements_of(ElementKind::Tetrahedron4)
            );
            assert!(
                low.abs() < 0.02 && (high - 1.0).abs() < 0.03,
                "{name}: {low} {high}"
            );
        }
    }
}

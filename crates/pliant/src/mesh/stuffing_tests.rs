use super::super::boundary::{boundary_surface, enclosed_volume, tetrahedron_volumes};
use super::super::quality::dihedral_range;
use super::super::{Solid, check_closed};
use super::*;
use std::f64::consts::PI;

fn check_quality(mesh: &ElementMesh, what: &str) {
    assert_eq!(mesh.check(), Ok(()));
    let volumes = tetrahedron_volumes(mesh);
    assert!(volumes.iter().all(|&volume| volume > 0.0), "{what}");
    let (surface, _) = boundary_surface(mesh);
    let report = check_closed(&surface);
    assert!(report.is_sound(), "{what}: {report}");
    let total: f64 = volumes.iter().sum();
    // Faces match: what the elements hold is what their boundary encloses.
    assert!(
        (enclosed_volume(&surface) - total).abs() < 1e-9 * total,
        "{what}"
    );
    let (least, most) = dihedral_range(mesh).unwrap();
    println!(
        "{what}: {least:.2} to {most:.2} degrees, {} tetrahedra",
        volumes.len()
    );
    assert!(least > 10.7 && most < 164.8, "{what}: {least} {most}");
}

fn shapes() -> Vec<(&'static str, Solid)> {
    let ball = |x: f64, y: f64, z: f64, radius: f64| Solid::Sphere {
        centre: DVec3::new(x, y, z),
        radius,
    };
    vec![
        ("ball", ball(0.013, 0.027, -0.031, 1.0)),
        (
            "ellipsoid",
            Solid::Ellipsoid {
                centre: DVec3::ZERO,
                semi_axes: DVec3::new(1.3, 0.4, 0.7),
            },
        ),
        (
            "cuboid",
            Solid::Cuboid {
                centre: DVec3::ZERO,
                size: DVec3::new(1.0, 0.83, 1.21),
                rounding: 0.0,
            },
        ),
        (
            "torus",
            Solid::Torus {
                centre: DVec3::ZERO,
                axis: DVec3::new(0.3, 0.5, 1.0),
                major_radius: 0.8,
                minor_radius: 0.3,
            },
        ),
        (
            "blend",
            Solid::SmoothUnion {
                parts: vec![ball(0.0, 0.0, 0.0, 0.6), ball(0.7, 0.2, 0.1, 0.4)],
                blend: 0.2,
            },
        ),
        (
            "cut",
            Solid::Difference {
                solid: Box::new(ball(0.0, 0.0, 0.0, 1.0)),
                without: vec![ball(0.4, 0.3, 0.7, 0.5)],
            },
        ),
    ]
}

#[test]
fn every_dihedral_angle_is_good() {
    for (name, shape) in shapes() {
        for spacing in [0.3, 0.17, 0.1] {
            let mesh = fill(&shape, spacing).unwrap();
            check_quality(&mesh, &format!("{name} at {spacing}"));
        }
    }
}

/// Planes in many directions and places meet a tetrahedron in every way.
#[test]
fn every_way_to_cut_is_good() {
    struct Slab {
        normal: DVec3,
        offset: f64,
    }
    impl ImplicitShape for Slab {
        fn value(&self, point: DVec3) -> f64 {
            let ball = point.length() - 1.0;
            ball.max(self.normal.dot(point) - self.offset)
        }
        fn bounds(&self) -> (DVec3, DVec3) {
            (DVec3::NEG_ONE, DVec3::ONE)
        }
    }
    let (mut least, mut most) = (180.0f64, 0.0f64);
    for n in 1..=300 {
        let angle = n as f64 * 2.399_963;
        let z = 2.0 * (n as f64 * 0.618_034).fract() - 1.0;
        let out = (1.0 - z * z).sqrt();
        let normal = DVec3::new(out * angle.cos(), out * angle.sin(), z);
        let offset = (n as f64 * 0.754_878).fract() - 0.3;
        let mesh = fill(&Slab { normal, offset }, 0.25).unwrap();
        assert!(tetrahedron_volumes(&mesh).iter().all(|&v| v > 0.0));
        let range = dihedral_range(&mesh).unwrap();
        (least, most) = (least.min(range.0), most.max(range.1));
    }
    println!("{least:.3} to {most:.3} degrees");
    assert!(least > 10.7 && most < 164.8, "{least} {most}");
}

/// A sponge whose walls are about as thick as the lattice is wide: cuts everywhere, and many places
/// where the shape touches itself.
#[test]
fn a_sponge_that_is_too_fine_still_bounds_a_solid() {
    struct Sponge {
        frequency: f64,
    }
    impl ImplicitShape for Sponge {
        fn value(&self, point: DVec3) -> f64 {
            let q = self.frequency * point + 0.77;
            let wave = q.x.sin() * q.y.cos() + (1.3 * q.y).sin() * q.z.cos();
            let wave = wave + (0.9 * q.z).sin() * (1.1 * q.x).cos();
            let ripple = (2.3 * q.x + 1.7 * q.y - 2.9 * q.z).sin();
            let sponge = (wave + 0.7 * ripple) / (2.0 * self.frequency);
            sponge.max(point.length() - 1.0)
        }
        fn bounds(&self) -> (DVec3, DVec3) {
            (DVec3::NEG_ONE, DVec3::ONE)
        }
    }
    for frequency in [3.0, 7.0, 13.0, 20.0] {
        let mesh = fill_pieces(&Sponge { frequency }, 0.1).unwrap();
        check_quality(&mesh, &format!("sponge of frequency {frequency}"));
    }
}

/// The volume of a ball is 4/3 π; the error falls with the square of the spacing.
#[test]
fn volume_converges_to_second_order() {
    let ball = Solid::Sphere {
        centre: DVec3::new(0.013, 0.027, -0.031),
        radius: 1.0,
    };
    let error = |spacing: f64| {
        let mesh = fill(&ball, spacing).unwrap();
        let volume: f64 = tetrahedron_volumes(&mesh).iter().sum();
        (4.0 / 3.0 * PI - volume).abs() / (4.0 / 3.0 * PI)
    };
    let errors = [0.32, 0.16, 0.08, 0.04].map(error);
    println!("{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.7..2.3).contains(&order), "{errors:?}");
    }
    assert!(errors[3] < 1e-3);
}

#[test]
fn boundary_nodes_lie_on_the_surface() {
    let ball = Solid::Sphere {
        centre: DVec3::ZERO,
        radius: 1.0,
    };
    let (surface, _) = boundary_surface(&fill(&ball, 0.2).unwrap());
    for x in &surface.positions {
        assert!((x.length() - 1.0).abs() < 1e-8, "{x} {}", x.length() - 1.0);
    }
    let euler = surface.positions.len() as i64 - surface.triangles.len() as i64 / 2;
    assert_eq!(euler, 2);
}

#[test]
fn the_same_shape_gives_the_same_mesh() {
    let (_, shape) = &shapes()[4];
    assert_eq!(fill(shape, 0.1), fill(shape, 0.1));
}

#[test]
fn refusals_say_what_to_do() {
    let ball = |radius: f64| Solid::Sphere {
        centre: DVec3::ZERO,
        radius,
    };
    assert!(matches!(
        fill(&ball(1.0), f64::NAN),
        Err(MeshMakeError::BadNumber { .. })
    ));
    let large = fill(&ball(1.0), 1e-4).unwrap_err();
    let MeshMakeError::TooLarge { try_spacing, .. } = large else {
        panic!("{large}");
    };
    assert!(BccLattice::around(&ball(1.0), try_spacing).is_ok());
    assert!(large.to_string().contains("MB"), "{large}");
    let shell = Solid::Difference {
        solid: Box::new(ball(1.0)),
        without: vec![ball(0.95)],
    };
    let coarse = fill(&shell, 1.6).unwrap_err();
    let MeshMakeError::TooCoarse { try_spacing, .. } = coarse else {
        panic!("{coarse}");
    };
    assert!(fill_pieces(&shell, try_spacing).is_ok());
    let nothing = Solid::Difference {
        solid: Box::new(ball(1.0)),
        without: vec![ball(1.5)],
    };
    assert!(matches!(
        fill(&nothing, 0.3),
        Err(MeshMakeError::NothingInside { .. })
    ));
}

#[test]
fn a_thin_shape_that_falls_apart_is_refused() {
    let dumb_bell = |radius: f64| {
        let ball = |x: f64| Solid::Sphere {
            centre: DVec3::new(x, 0.0, 0.0),
            radius: 0.5,
        };
        let rod = Solid::Capsule {
            from: DVec3::new(-1.0, 0.01, 0.02),
            to: DVec3::new(1.0, 0.03, 0.01),
            radii: [radius; 2],
        };
        Solid::Union(vec![ball(-1.0), ball(1.0), rod])
    };
    let error = fill(&dumb_bell(0.06), 0.25).unwrap_err();
    let MeshMakeError::FallsApart { expected, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(expected, 1);
    assert!(components(&fill_pieces(&dumb_bell(0.06), 0.25).unwrap()).count > 1);
    assert_eq!(components(&fill(&dumb_bell(0.25), 0.25).unwrap()).count, 1);
    // Two balls are two pieces at any spacing.
    let Solid::Union(mut parts) = dumb_bell(0.1) else {
        panic!("a dumb-bell is a union");
    };
    parts.pop();
    assert_eq!(
        components(&fill(&Solid::Union(parts), 0.25).unwrap()).count,
        2
    );
}

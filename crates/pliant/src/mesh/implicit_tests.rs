use super::*;

fn samples() -> Vec<Solid> {
    let centre = DVec3::new(0.2, -0.1, 0.3);
    let from = DVec3::new(-0.5, 0.1, -0.2);
    let to = DVec3::new(0.6, 0.4, 0.5);
    let semi_axes = DVec3::new(1.0, 0.6, 0.8);
    let sphere = Solid::Sphere {
        centre,
        radius: 0.7,
    };
    let capsule = Solid::Capsule {
        from,
        to,
        radii: [0.5, 0.2],
    };
    let mut all = vec![
        sphere.clone(),
        capsule.clone(),
        Solid::Ellipsoid { centre, semi_axes },
        Solid::Cuboid {
            centre,
            size: DVec3::new(1.0, 1.2, 0.8),
            rounding: 0.1,
        },
        Solid::Bar {
            from,
            to,
            width: 0.4,
            height: 0.6,
        },
        Solid::Tube {
            from,
            to,
            outer_radius: 0.6,
            inner_radius: 0.2,
        },
        Solid::Torus {
            centre,
            axis: DVec3::new(1.0, 1.0, 0.5),
            major_radius: 0.7,
            minor_radius: 0.25,
        },
    ];
    for exponents in [[0.3, 0.4], [1.0, 1.0], [1.8, 0.7]] {
        all.push(Solid::Superquadric {
            centre,
            semi_axes,
            exponents,
        });
    }
    let parts = vec![sphere.clone(), capsule.clone()];
    all.push(Solid::Union(parts.clone()));
    all.push(Solid::Intersection(parts.clone()));
    all.push(Solid::SmoothUnion { parts, blend: 0.2 });
    all.push(Solid::Difference {
        solid: Box::new(sphere),
        without: vec![capsule.clone()],
    });
    all.push(Solid::Transform {
        solid: Box::new(capsule),
        scale: DVec3::new(1.0, -0.5, 2.0),
        rotation: DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(0.4),
        translation: centre,
    });
    all
}

/// Numbers between -1 and 1 that are the same in every run.
fn points(count: usize) -> impl Iterator<Item = DVec3> {
    let roots = DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9);
    (1..=count).map(move |n| 2.0 * (n as f64 * roots).fract() - 1.0)
}

/// The zero between an inside and an outside point.
fn surface_point(solid: &Solid, mut inside: DVec3, mut outside: DVec3) -> DVec3 {
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if solid.value(middle) < 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    0.5 * (inside + outside)
}

/// Near the surface |∇f| = 1 except at creases, which few points meet.
#[test]
fn values_are_distances_to_first_order() {
    for solid in samples() {
        assert_eq!(solid.check(), Ok(()));
        let (lowest, highest) = solid.bounds();
        let place = |p: DVec3| 0.5 * (lowest + highest) + 0.6 * (highest - lowest) * p;
        let (inside, outside): (Vec<DVec3>, Vec<DVec3>) =
            points(8000).map(place).partition(|&x| solid.value(x) < 0.0);
        // In the filling between parts the gradient is the mean of theirs, and shorter.
        let tolerance = match solid {
            Solid::SmoothUnion { .. } => 0.3,
            _ => 1e-3,
        };
        let (mut tried, mut good) = (0, 0);
        for (&a, &b) in inside.iter().zip(&outside) {
            let x = surface_point(&solid, a, b);
            let h = 1e-6;
            let slope = |e: DVec3| (solid.value(x + h * e) - solid.value(x - h * e)) / (2.0 * h);
            let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
            tried += 1;
            good += usize::from((gradient.length() - 1.0).abs() < tolerance);
        }
        assert!(tried > 150, "{tried} points of {solid:?}");
        assert!(
            good as f64 > 0.97 * tried as f64,
            "{good}/{tried}: {solid:?}"
        );
    }
}

#[test]
fn bounds_hold_the_shape() {
    for solid in samples() {
        let (lowest, highest) = solid.bounds();
        let mut touched = DVec3::INFINITY;
        for p in points(60_000) {
            let x = 0.5 * (lowest + highest) + 0.7 * (highest - lowest) * p;
            if solid.value(x) < 0.0 {
                assert!(
                    x.cmpge(lowest).all() && x.cmple(highest).all(),
                    "{x} {solid:?}"
                );
                touched = touched.min((x - lowest).min(highest - x));
            }
        }
        // Not needlessly large either: some point comes near to a side along each axis.
        assert!(touched.max_element() < 0.7, "{touched} {solid:?}");
    }
}

#[test]
fn exact_distances() {
    let tube = Solid::Tube {
        from: DVec3::ZERO,
        to: 2.0 * DVec3::Z,
        outer_radius: 1.0,
        inner_radius: 0.5,
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(tube.value(DVec3::Z), 0.5);
    close(tube.value(DVec3::new(0.8, 0.0, 1.0)), -0.2);
    close(tube.value(DVec3::new(4.0, 0.0, 6.0)), 5.0);
    let capsule = Solid::Capsule {
        from: DVec3::ZERO,
        to: 3.0 * DVec3::X,
        radii: [1.0, 0.5],
    };
    close(capsule.value(-2.0 * DVec3::X), 1.0);
    close(capsule.value(5.0 * DVec3::X), 1.5);
    // Against the distance to the nearest of many balls between the two.
    for p in points(200) {
        let p = 2.0 * p + DVec3::X;
        let balls = (0..=4000).map(|n| {
            let t = n as f64 / 4000.0;
            p.distance(3.0 * t * DVec3::X) - (1.0 - 0.5 * t)
        });
        let nearest = balls.fold(f64::INFINITY, f64::min);
        assert!((capsule.value(p) - nearest).abs() < 1e-3);
    }
    let round = Solid::Superquadric {
        centre: DVec3::ZERO,
        semi_axes: DVec3::ONE,
        exponents: [1.0, 1.0],
    };
    for p in points(50) {
        close(round.value(2.0 * p), 2.0 * p.length() - 1.0);
    }
}

#[test]
fn refuses_nonsense() {
    let sphere = |radius| Solid::Sphere {
        centre: DVec3::ZERO,
        radius,
    };
    assert!(sphere(0.0).check().is_err());
    assert!(sphere(f64::NAN).check().is_err());
    assert!(Solid::Union(vec![]).check().is_err());
    assert!(
        Solid::Union(vec![sphere(1.0), sphere(-1.0)])
            .check()
            .is_err()
    );
    let tube = Solid::Tube {
        from: DVec3::ZERO,
        to: DVec3::Z,
        outer_radius: 1.0,
        inner_radius: 1.5,
    };
    let error = tube.check().unwrap_err().to_string();
    assert!(error.contains("wall of a tube"), "{error}");
}

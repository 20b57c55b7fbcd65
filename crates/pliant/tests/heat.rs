//! Heat: conduction against series solutions, what is conserved, exchange with air and obstacles.

mod support;

use glam::DVec3;
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::{Fracture, FractureCriterion, Heat, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, Workspace, World};
use std::f64::consts::PI;
use support::{bar, block, temperatures, with_heat, world};

const LENGTH: f64 = 2.0;
const MASS: f64 = 3.0;
const CONDUCTIVITY: f64 = 0.7;
const CAPACITY: f64 = 1.4;
/// k A / (ρ A c), in square metres per second.
const DIFFUSIVITY: f64 = CONDUCTIVITY * LENGTH / (MASS * CAPACITY);

/// Largest error of a bar that starts at one temperature and is held at two others at its ends.
fn error_with_held_ends(nodes: usize, steps: usize, duration: f64) -> f64 {
    let (initial, left, right) = (300.0, 400.0, 250.0);
    let mut description = with_heat(
        bar(nodes, LENGTH, MASS),
        Heat {
            held: vec![(0, left), (nodes - 1, right)],
            ..Heat::insulated(initial, CONDUCTIVITY, CAPACITY)
        },
    );
    description.time_step = duration / steps as f64;
    let mut world = world(description);
    let mut workspace = Workspace::new(&world);
    for _ in 0..steps {
        world.step(&mut workspace);
    }
    // T = T_l + (T_r - T_l) x/L + Σ b_n sin(nπx/L) exp(-n²π²αt/L²),
    // b_n = 2/(nπ) ((T_0 - T_l) - (-1)ⁿ (T_0 - T_r)).
    let exact = |x: f64| {
        let series: f64 = (1..200)
            .map(|n| {
                let (n, sign) = (f64::from(n), if n % 2 == 0 { 1.0 } else { -1.0 });
                let b = 2.0 / (n * PI) * ((initial - left) - sign * (initial - right));
                let decay = (-(n * PI / LENGTH).powi(2) * DIFFUSIVITY * duration).exp();
                b * (n * PI * x / LENGTH).sin() * decay
            })
            .sum();
        left + (right - left) * x / LENGTH + series
    };
    let h = LENGTH / (nodes - 1) as f64;
    temperatures(&world)
        .iter()
        .enumerate()
        .map(|(i, t)| (t - exact(i as f64 * h)).abs())
        .fold(0.0, f64::max)
}

#[test]
fn a_bar_with_held_ends_follows_the_series_and_converges_with_the_grid() {
    // Second order in the spacing and first in the step: four times the steps for twice the nodes.
    let errors: Vec<f64> = [(11, 20), (21, 80), (41, 320)]
        .into_iter()
        .map(|(nodes, steps)| error_with_held_ends(nodes, steps, 0.8))
        .collect();
    assert!(errors[2] < 0.15, "{errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[1] < pair[0] / 3.3, "{errors:?}");
    }
}

#[test]
fn an_insulated_bar_follows_the_cosine_series_and_keeps_its_heat() {
    // T_0 = 300 + 50 cos(πx/L) decays with exp(-π²αt/L²).
    let error = |nodes: usize, steps: usize| {
        let duration = 1.0;
        let h = LENGTH / (nodes - 1) as f64;
        let wave = |i: usize| (PI * i as f64 * h / LENGTH).cos();
        let mut description = with_heat(
            bar(nodes, LENGTH, MASS),
            Heat {
                temperatures: (0..nodes).map(|i| 300.0 + 50.0 * wave(i)).collect(),
                ..Heat::insulated(0.0, CONDUCTIVITY, CAPACITY)
            },
        );
        description.time_step = duration / steps as f64;
        let mut world = world(description);
        let mut workspace = Workspace::new(&world);
        let before = world.bodies[0].heat_content();
        for _ in 0..steps {
            let report = world.step(&mut workspace);
            assert!((report.heat / before - 1.0).abs() < 1e-13);
        }
        let decay = (-(PI / LENGTH).powi(2) * DIFFUSIVITY * duration).exp();
        temperatures(&world)
            .iter()
            .enumerate()
            .map(|(i, t)| (t - 300.0 - 50.0 * wave(i) * decay).abs())
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(11, 40), error(21, 160));
    assert!(fine < 0.1 && fine < coarse / 3.3, "{coarse} {fine}");
}

#[test]
fn heat_is_kept_in_a_patchy_solid_at_any_step_and_no_temperature_leaves_the_range() {
    let mut random = support::Random::new(5);
    for (time_step, conductivity) in [(0.01, 1.0), (1e3, 1e3), (1e-6, 1e-3), (1e8, 1e3)] {
        let mut brick = block([6, 5, 4], DVec3::new(1.0, 0.7, 0.4), 4.0);
        let nodes = brick.grid().unwrap().node_count();
        for mass in &mut brick.masses {
            *mass = 1.0 + 0.9 * random.number();
        }
        brick.fixed.fill(true);
        brick.time_step = time_step;
        let heat = Heat {
            temperatures: (0..nodes)
                .map(|_| 500.0 + 400.0 * random.number())
                .collect(),
            conductivities: (0..nodes)
                .map(|node| {
                    // Insulating patches, and ten times more along than across.
                    let k = if node % 7 == 0 { 0.0 } else { conductivity };
                    [10.0 * k, k * (1.5 + random.number()), k]
                })
                .collect(),
            ..Heat::insulated(0.0, 1.0, 300.0)
        };
        let mut world = world(with_heat(brick, heat));
        let mut workspace = Workspace::new(&world);
        let before = world.bodies[0].heat_content();
        let range = |t: &[f64]| {
            let low = t.iter().copied().fold(f64::INFINITY, f64::min);
            (low, t.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (low, high) = range(temperatures(&world));
        for _ in 0..30 {
            world.step(&mut workspace);
        }
        let after = world.bodies[0].heat_content();
        assert!((after / before - 1.0).abs() < 1e-13, "{after} {before}");
        let (now_low, now_high) = range(temperatures(&world));
        assert!(now_low > low - 1e-6 && now_high < high + 1e-6);
    }
}

#[test]
fn two_materials_in_series_share_the_difference_by_their_resistance() {
    // The left half conducts 3, the right half 1: with equal cells the interface is at mid-bond.
    let nodes = 20;
    let description = BodyDescription {
        time_step: 1e6,
        ..with_heat(
            bar(nodes, 1.0, 1.0),
            Heat {
                conductivities: (0..nodes)
                    .map(|i| [if i < nodes / 2 { 3.0 } else { 1.0 }; 3])
                    .collect(),
                held: vec![(0, 400.0), (nodes - 1, 0.0)],
                ..Heat::insulated(100.0, 1.0, 1.0)
            },
        )
    };
    let mut world = world(description);
    let mut workspace = Workspace::new(&world);
    for _ in 0..3 {
        world.step(&mut workspace);
    }
    // Heat flux q = 400 / (½/3 + ½/1), the same everywhere.
    let (t, h) = (temperatures(&world), 1.0 / 19.0);
    let q = 400.0 / (0.5 / 3.0 + 0.5);
    for (i, pair) in t.windows(2).enumerate() {
        let k = match i {
            0..9 => 3.0,
            9 => 1.5,
            _ => 1.0,
        };
        assert!((k * (pair[0] - pair[1]) / h / q - 1.0).abs() < 1e-6, "{i}");
    }
}

#[test]
fn a_small_body_cools_in_the_air_as_newton_says() {
    // A brick that conducts well: C dT/dt = -h A (T - T_a).
    let size = DVec3::new(0.3, 0.2, 0.1);
    let mut brick = block([4, 4, 4], size, 4.0);
    brick.masses.fill(0.05);
    brick.fixed.fill(true);
    brick.time_step = 0.5;
    let heat = Heat {
        air_exchange: 40.0,
        air_temperature: 290.0,
        ..Heat::insulated(490.0, 1e5, 100.0)
    };
    let mut world = world(with_heat(brick, heat));
    let mut workspace = Workspace::new(&world);
    for _ in 0..100 {
        world.step(&mut workspace);
    }
    let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    let time = 64.0 * 0.05 * 100.0 / (40.0 * area);
    let expected = 290.0 + 200.0 * (-50.0 / time).exp();
    for t in temperatures(&world) {
        assert!((t - expected).abs() < 0.5, "{t} {expected}");
    }
}

#[test]
fn a_hot_plate_warms_only_what_touches_it() {
    let mut brick = block([3, 3, 5], DVec3::ONE, 4.0);
    brick.fixed.fill(true);
    let insulating = Heat {
        contact_exchange: 50.0,
        contact_distance: 0.01,
        ..Heat::insulated(300.0, 0.0, 10.0)
    };
    let plate = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -0.005)).unwrap();
    let floor = Obstacle::new("plate", Box::new(plate)).with_temperature(600.0);
    let mut world = World {
        obstacles: vec![floor],
        ..world(with_heat(brick, insulating))
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..50 {
        world.step(&mut workspace);
    }
    for (node, &t) in temperatures(&world).iter().enumerate() {
        if node < 9 {
            assert!(t > 300.5 && t < 600.0, "{t}");
        } else {
            assert_eq!(t, 300.0);
        }
    }
    // A hotter one never overshoots however well it conducts.
    let heat = Heat {
        contact_exchange: 1e12,
        ..Heat::insulated(300.0, 1.0, 10.0)
    };
    let mut brick = block([3, 3, 5], DVec3::ONE, 4.0);
    brick.fixed.fill(true);
    let mut hot = World {
        obstacles: std::mem::take(&mut world.obstacles),
        ..world_of_hot_plate(brick, heat)
    };
    let mut workspace = Workspace::new(&hot);
    hot.step(&mut workspace);
    assert!(
        temperatures(&hot)
            .iter()
            .all(|t| (300.0 - 1e-6..=600.0 + 1e-6).contains(t))
    );
}

fn world_of_hot_plate(brick: BodyDescription, heat: Heat) -> World {
    world(with_heat(
        brick,
        Heat {
            contact_distance: 0.01,
            ..heat
        },
    ))
}

#[test]
fn a_torn_bar_does_not_conduct() {
    let mut description = bar(4, 3.0, 3.0);
    description.time_step = 10.0;
    // Stretched in the middle, it tears in the first step.
    description
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Elongation,
            limit: 0.5,
            spread: 0.0,
            seed: 0,
            at_once: 1,
            order: 0,
        })));
    let heat = Heat {
        held: vec![(0, 400.0)],
        ..Heat::insulated(300.0, 1.0, 1.0)
    };
    let mut body = Body::new(with_heat(description, heat)).unwrap();
    for node in 2..4 {
        body.state.positions[node].x += 1.0;
    }
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    let t = temperatures(&world);
    assert!(t[1] > 399.0);
    assert_eq!((t[2], t[3]), (300.0, 300.0));
}

#[test]
fn wrong_numbers_are_refused_and_huge_ones_survived() {
    let refused = |heat: Heat| Body::new(with_heat(bar(4, 1.0, 1.0), heat)).is_err();
    let sound = Heat::insulated(300.0, 1.0, 1.0);
    assert!(!refused(sound.clone()));
    for flaw in [
        Heat {
            temperatures: vec![1.0; 3],
            ..sound.clone()
        },
        Heat {
            temperatures: vec![f64::NAN],
            ..sound.clone()
        },
        Heat {
            conductivities: vec![],
            ..sound.clone()
        },
        Heat {
            conductivities: vec![[-1.0; 3]],
            ..sound.clone()
        },
        Heat {
            capacity: 0.0,
            ..sound.clone()
        },
        Heat {
            held: vec![(4, 1.0)],
            ..sound.clone()
        },
        Heat {
            air_exchange: f64::NAN,
            ..sound.clone()
        },
        Heat {
            soft_share: 0.0,
            ..sound.clone()
        },
        Heat {
            melting: f64::NAN,
            ..sound.clone()
        },
    ] {
        assert!(refused(flaw));
    }
    let mut twice = with_heat(bar(4, 1.0, 1.0), sound.clone());
    twice.processes.push(twice.processes[0].clone());
    assert!(Body::new(twice).is_err());
    for (a, b) in [
        (1e300, -1e300),
        (1e308, 1e308),
        (1e-300, 0.0),
        (f64::MAX, -f64::MAX),
    ] {
        let huge = Heat {
            temperatures: vec![a, b, 1.0, a],
            melting: 1e200,
            solidifies: true,
            ..sound.clone()
        };
        let mut world = world(with_heat(bar(4, 1.0, 1.0), huge));
        let mut workspace = Workspace::new(&world);
        for _ in 0..20 {
            assert_eq!(world.step(&mut workspace).quarantined, 0);
        }
        assert!(temperatures(&world).iter().all(|t| t.is_finite()));
    }
}

/// Numbers beyond what a computer can tell leave the temperatures as they are, and the report says so.
#[test]
fn heat_that_cannot_be_solved_for_is_reported() {
    let heat = Heat {
        temperatures: vec![300.0, 400.0, 500.0],
        ..Heat::insulated(300.0, 1e307, CAPACITY)
    };
    let mut world = world(with_heat(bar(3, LENGTH, MASS), heat));
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.unconverged_solves, 1);
    assert_eq!(temperatures(&world), [300.0, 400.0, 500.0]);
}

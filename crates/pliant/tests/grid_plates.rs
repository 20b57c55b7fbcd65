//! Plates on grids against Kirchhoff's theory: their two directions bend together.

use glam::DVec3;
use pliant::elastic::GridMaterial;
use pliant::force::{BoundForce, Gravity, Loads, NodalForce, NodalView, Stiffness};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::ops::Range;
use std::sync::Arc;

const STEEL: GridMaterial = GridMaterial {
    young: 2e9,
    poisson: 0.3,
    density: 2000.0,
    thickness: 0.02,
    stretching: None,
    rigidity: None,
};

/// D = E t³ / 12 (1 - ν²).
fn rigidity() -> f64 {
    STEEL.young * STEEL.thickness.powi(3) / (12.0 * (1.0 - STEEL.poisson * STEEL.poisson))
}

/// A flat plate with its first node at `corner`.
fn plate(
    material: &GridMaterial,
    cells: [usize; 2],
    size: [f64; 2],
    corner: f64,
) -> BodyDescription {
    let grid = Grid::new(&cells.map(|count| count + 1), &[false; 2]);
    let place = |node| {
        let [u, v, _] = grid.material_coordinates(node);
        DVec3::new(corner + size[0] * u, corner + size[1] * v, 0.0)
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut plate = BodyDescription::new("plate", grid, rest, weights);
    plate.masses = masses;
    plate.integrator = IntegratorKind::Static;
    plate.newton_iterations = 200;
    plate.newton_tolerance = 1e-6;
    plate.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        tolerance: 1e-12,
        ..SolverSettings::default()
    };
    plate
}

/// Where the nodes are when all forces balance.
fn balanced(body: BodyDescription) -> Vec<DVec3> {
    let mut world = World {
        bodies: vec![Body::new(body).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    world.bodies.remove(0).state.positions
}

/// w D / q a⁴ in the middle of a square plate of side 1 under a uniform load, held at its rim. A clamp is
/// half-way between two rows that are held.
fn sag(material: &GridMaterial, cells: usize, clamped: bool) -> f64 {
    let h = match clamped {
        true => 1.0 / (cells as f64 - 1.0),
        false => 1.0 / cells as f64,
    };
    let corner = if clamped { -0.5 * h } else { 0.0 };
    let mut plate = plate(material, [cells; 2], [cells as f64 * h; 2], corner);
    let reach = if clamped { 0.75 * h } else { 1e-9 };
    for (fixed, at) in plate.fixed.iter_mut().zip(&plate.rest_positions) {
        let (low, high) = (at.x.min(at.y), at.x.max(at.y));
        *fixed = low < reach || high > 1.0 - reach;
    }
    // A four-hundredth of the thickness: nothing stretches.
    let load = 5e-5 * rigidity() / 0.004;
    let g = load / (STEEL.density * STEEL.thickness);
    let acceleration = DVec3::NEG_Z * g;
    plate.forces.push(BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    });
    let middle = plate.rest_positions.len() / 2;
    -balanced(plate)[middle].z * rigidity() / load
}

/// Navier: w = 0.00406235 q a⁴ / D at the middle; Timoshenko: 0.00126532 where the rim is clamped. The same by
/// D in place of E and t.
#[test]
fn square_plates_sag_as_theory_says_and_converge() {
    let by_rigidity = GridMaterial {
        rigidity: Some(rigidity()),
        ..STEEL
    };
    for (clamped, theory) in [(false, 0.004_062_35), (true, 0.001_265_32)] {
        let errors = [8, 16, 32].map(|cells| sag(&STEEL, cells, clamped) / theory - 1.0);
        println!("clamped {clamped}: errors {errors:?}");
        assert!(errors[2].abs() < 0.01, "clamped {clamped}: {errors:?}");
        for pair in errors.windows(2) {
            assert!(pair[1].abs() < 0.5 * pair[0].abs(), "{clamped}: {errors:?}");
        }
        let same = sag(&by_rigidity, 8, clamped) / theory - 1.0;
        assert!((same - errors[0]).abs() < 1e-4, "{same} {errors:?}");
    }
}

/// A constant force, in newtons.
#[derive(Debug)]
struct Pull(f64);

impl NodalForce for Pull {
    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, DVec3::Z * self.0, Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.0 * view.positions[node].z
    }
}

/// A free strip under a moment M per metre of its width at both ends: it bends with κ = M / D (1 - ν²) along and
/// with -ν κ across, the other way.
#[test]
fn a_free_strip_that_is_bent_curls_the_other_way() {
    let errors = [[24, 6], [48, 12]].map(|cells| {
        let size = [4.0, 1.0];
        let mut strip = plate(&STEEL, cells, size, 0.0);
        let [h, k] = [0, 1].map(|d| size[d] / cells[d] as f64);
        let [columns, rows] = cells.map(|count| count + 1);
        let moment = 1e-3 * rigidity();
        for j in 0..rows {
            let share = if j == 0 || j + 1 == rows { 0.5 } else { 1.0 };
            let force = moment * share * k / h;
            for (i, sign) in [(0, 1.0), (1, -1.0), (columns - 2, -1.0), (columns - 1, 1.0)] {
                strip.forces.push(BoundForce {
                    force: Arc::new(Pull(sign * force)),
                    node: Some(columns * j + i),
                });
            }
        }
        let middle = columns * (rows / 2) + columns / 2;
        for held in [middle, middle + 1, middle + columns] {
            strip.fixed[held] = true;
        }
        let x = balanced(strip);
        let second = |step: usize, h: f64| {
            (x[middle + step].z + x[middle - step].z - 2.0 * x[middle].z) / (h * h)
        };
        let (along, across) = (second(1, h), second(columns, k));
        let expected = moment / (rigidity() * (1.0 - STEEL.poisson * STEEL.poisson));
        [
            along / expected - 1.0,
            across / along / -STEEL.poisson - 1.0,
        ]
    });
    println!("errors along and across {errors:?}");
    for (coarse, fine) in errors[0].iter().zip(errors[1]) {
        assert!(fine.abs() < 0.02, "{errors:?}");
        assert!(fine.abs() < 0.6 * coarse.abs(), "{errors:?}");
    }
}

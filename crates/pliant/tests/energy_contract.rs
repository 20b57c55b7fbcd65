//! What every elastic energy promises: derivatives that are derivatives, no force at rest, no
//! change under rigid motion, a majorant that majorises.

mod support;

use glam::{DMat3, DQuat, DVec3};
use pliant::elastic::ExactElasticity;
use pliant::elastic::{PublishedElasticity, PublishedForm, Weights};
use pliant::energy::Curvature;
use pliant::linear::{BlockMatrix, GridMatrix};
use pliant::{Body, BodyDescription, Grid};
use support::{Random, bodies, jiggled};

fn exact(body: &Body) -> ExactElasticity {
    let description = body.description();
    ExactElasticity::new(
        description.grid().unwrap(),
        &description.rest_positions,
        description.weights().unwrap(),
        !description.processes.is_empty(),
    )
}

/// Directional derivative of a function of positions by central differences.
fn difference(
    positions: &[DVec3],
    direction: &[DVec3],
    step: f64,
    mut f: impl FnMut(&[DVec3]) -> f64,
) -> f64 {
    let moved = |sign: f64| -> Vec<DVec3> {
        positions
            .iter()
            .zip(direction)
            .map(|(x, d)| *x + sign * step * *d)
            .collect()
    };
    (f(&moved(1.0)) - f(&moved(-1.0))) / (2.0 * step)
}

fn gradient(energy: &mut ExactElasticity, positions: &[DVec3]) -> Vec<DVec3> {
    let mut gradient = vec![DVec3::ZERO; positions.len()];
    energy.add_gradient(positions, &mut gradient);
    gradient
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

fn multiply(matrix: &BlockMatrix, x: &[DVec3]) -> Vec<DVec3> {
    let mut y = vec![DVec3::ZERO; x.len()];
    matrix.multiply(x, &mut y);
    y
}

/// z·A z of a scalar matrix applied to each component.
fn quadratic_form(matrix: &GridMatrix, z: &[DVec3]) -> f64 {
    let n = z.len();
    let flat: Vec<f64> = (0..3)
        .flat_map(|component| z.iter().map(move |vector| vector[component]))
        .collect();
    let mut product = vec![0.0; 3 * n];
    matrix.multiply(&flat, &mut product);
    flat.iter().zip(&product).map(|(a, b)| a * b).sum()
}

#[test]
fn the_gradient_is_the_derivative_of_the_energy() {
    let mut random = Random::new(1);
    for body in bodies() {
        let mut energy = exact(&body);
        let positions = jiggled(&body, 0.1, &mut random);
        let direction = random.vectors(positions.len());
        let exact = dot(&gradient(&mut energy, &positions), &direction);
        let step = 1e-6 * body.size();
        let numeric = difference(&positions, &direction, step, |x| energy.energy(x));
        let scale = norm(&gradient(&mut energy, &positions)) * norm(&direction);
        assert!(
            (exact - numeric).abs() < 2e-7 * scale,
            "{}: {exact} against {numeric}",
            body.description().name
        );
    }
}

#[test]
fn the_full_hessian_is_the_derivative_of_the_gradient() {
    let mut random = Random::new(2);
    for body in bodies() {
        let mut energy = exact(&body);
        let mut matrix = energy.hessian_matrix();
        let positions = jiggled(&body, 0.1, &mut random);
        energy.add_hessian(&positions, Curvature::Full, &mut matrix);
        let direction = random.vectors(positions.len());
        let probe = random.vectors(positions.len());
        let exact = dot(&multiply(&matrix, &direction), &probe);
        let step = 1e-6 * body.size();
        let numeric = difference(&positions, &direction, step, |x| {
            dot(&gradient(&mut energy, x), &probe)
        });
        let scale = norm(&multiply(&matrix, &direction)) * norm(&probe);
        assert!(
            (exact - numeric).abs() < 2e-7 * scale,
            "{}: {exact} against {numeric}",
            body.description().name
        );
    }
}

#[test]
fn the_positive_hessian_is_positive_and_equals_the_full_one_at_rest() {
    let mut random = Random::new(3);
    for body in bodies() {
        let mut energy = exact(&body);
        let mut matrix = energy.hessian_matrix();
        let positions = jiggled(&body, 0.3, &mut random);
        energy.add_hessian(&positions, Curvature::Positive, &mut matrix);
        for _ in 0..20 {
            let z = random.vectors(positions.len());
            assert!(dot(&multiply(&matrix, &z), &z) >= 0.0);
        }
        let rest = body.description().rest_positions.clone();
        let mut full = energy.hessian_matrix();
        energy.add_hessian(&rest, Curvature::Full, &mut full);
        matrix.clear();
        energy.add_hessian(&rest, Curvature::Positive, &mut matrix);
        let z = random.vectors(positions.len());
        let (a, b) = (multiply(&matrix, &z), multiply(&full, &z));
        let difference: Vec<DVec3> = a.iter().zip(&b).map(|(a, b)| *a - *b).collect();
        assert!(
            norm(&difference) <= 1e-9 * norm(&b),
            "{}",
            body.description().name
        );
    }
}

#[test]
fn the_majorant_is_nowhere_softer_than_the_positive_hessian() {
    let mut random = Random::new(4);
    for body in bodies() {
        for amount in [0.0, 0.1, 0.4] {
            let mut energy = exact(&body);
            let mut hessian = energy.hessian_matrix();
            let positions = jiggled(&body, amount, &mut random);
            energy.add_hessian(&positions, Curvature::Positive, &mut hessian);
            let mut majorant = energy.majorant_matrix();
            let mut gradient = vec![DVec3::ZERO; positions.len()];
            energy.add_gradient_and_weigh(&positions, &mut gradient);
            energy.add_majorant(&mut majorant);
            // Power iteration on the difference would find its softest direction; smooth, rough
            // and random fields cover it well enough.
            let grid = body.description().grid().unwrap();
            let mut fields = vec![random.vectors(positions.len()), positions.clone()];
            fields.push(
                grid.nodes()
                    .enumerate()
                    .map(|(node, [i, j, k])| {
                        let sign = if (i + j + k) % 2 == 0 { 1.0 } else { -1.0 };
                        sign * positions[(node * 7) % positions.len()].normalize_or_zero()
                    })
                    .collect(),
            );
            for _ in 0..20 {
                fields.push(random.vectors(positions.len()));
            }
            // Ascend towards the stiffest direction of the Hessian.
            let mut z = random.vectors(positions.len());
            for _ in 0..50 {
                z = multiply(&hessian, &z);
                let length = norm(&z);
                z.iter_mut().for_each(|vector| *vector /= length);
            }
            fields.push(z);
            for z in fields {
                let soft = dot(&multiply(&hessian, &z), &z);
                let stiff = quadratic_form(&majorant, &z);
                assert!(
                    soft <= stiff * (1.0 + 1e-9),
                    "{} at {amount}: {soft} > {stiff}",
                    body.description().name
                );
            }
        }
    }
}

#[test]
fn a_body_at_rest_has_no_energy_and_no_force() {
    for body in bodies() {
        let mut energy = exact(&body);
        let rest = &body.description().rest_positions;
        let mut random = Random::new(5);
        let strained = energy.energy(&jiggled(&body, 0.1, &mut random));
        assert!(energy.energy(rest) <= 1e-20 * strained);
        let force = norm(&gradient(&mut energy, rest));
        let pulled = norm(&gradient(&mut energy, &jiggled(&body, 0.1, &mut random)));
        assert!(force <= 1e-11 * pulled, "{}", body.description().name);
    }
}

#[test]
fn rigid_motion_changes_nothing_but_the_direction_of_the_force() {
    let mut random = Random::new(6);
    let turn = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), 2.1);
    let shift = DVec3::new(3.0, -1.0, 2.0);
    for body in bodies() {
        let mut energy = exact(&body);
        let positions = jiggled(&body, 0.2, &mut random);
        let moved: Vec<DVec3> = positions.iter().map(|x| turn * *x + shift).collect();
        let (before, after) = (energy.energy(&positions), energy.energy(&moved));
        assert!((before - after).abs() < 1e-9 * before);
        let turned: Vec<DVec3> = gradient(&mut energy, &positions)
            .iter()
            .map(|force| turn * *force)
            .collect();
        let difference: Vec<DVec3> = gradient(&mut energy, &moved)
            .iter()
            .zip(&turned)
            .map(|(a, b)| *a - *b)
            .collect();
        assert!(
            norm(&difference) < 1e-9 * norm(&turned),
            "{}",
            body.description().name
        );
    }
}

#[test]
fn internal_forces_add_up_to_nothing_and_exert_no_torque() {
    let mut random = Random::new(7);
    for body in bodies() {
        let mut energy = exact(&body);
        let positions = jiggled(&body, 0.2, &mut random);
        let forces = gradient(&mut energy, &positions);
        let sum: DVec3 = forces.iter().sum();
        let torque: DVec3 = positions
            .iter()
            .zip(&forces)
            .map(|(x, f)| x.cross(*f))
            .sum();
        assert!(sum.length() < 1e-10 * norm(&forces));
        assert!(torque.length() < 1e-9 * norm(&forces) * body.size());
    }
}

/// The elastic force K(x) x of the published variant.
fn published_force(body: &Body, form: PublishedForm, positions: &[DVec3]) -> Vec<DVec3> {
    let description = body.description();
    let mut elasticity = PublishedElasticity::new(
        description.grid().unwrap(),
        &description.rest_positions,
        description.weights().unwrap(),
        form,
    );
    elasticity.evaluate(positions);
    let mut force = vec![DVec3::ZERO; positions.len()];
    elasticity.add_gradient(positions, &mut force);
    force
}

#[test]
fn the_published_force_vanishes_at_rest_and_turns_with_the_body() {
    let mut random = Random::new(8);
    let turn = DQuat::from_axis_angle(DVec3::new(0.1, 0.7, 0.2).normalize(), 1.1);
    for body in bodies() {
        for form in [PublishedForm::Stable, PublishedForm::AsPrinted] {
            let positions = jiggled(&body, 0.1, &mut random);
            let force = published_force(&body, form, &positions);
            let at_rest = published_force(&body, form, &body.description().rest_positions);
            assert!(norm(&at_rest) <= 1e-11 * norm(&force));
            let sum: DVec3 = force.iter().sum();
            assert!(sum.length() < 1e-10 * norm(&force));
            let moved: Vec<DVec3> = positions.iter().map(|x| turn * *x).collect();
            let expected: Vec<DVec3> = force.iter().map(|f| turn * *f).collect();
            let difference: Vec<DVec3> = published_force(&body, form, &moved)
                .iter()
                .zip(&expected)
                .map(|(a, b)| *a - *b)
                .collect();
            assert!(norm(&difference) < 1e-9 * norm(&expected));
        }
    }
}

#[test]
fn the_published_tension_is_the_gradient_of_its_energy() {
    // Eq. 26 simplifies the curvature term, but its metric term is exact.
    let mut random = Random::new(9);
    for body in bodies() {
        let description = body.description();
        let mut weights = description.weights().unwrap().clone();
        weights.rigidities.fill([[0.0; 2]; 2]);
        let mut elasticity = PublishedElasticity::new(
            description.grid().unwrap(),
            &description.rest_positions,
            &weights,
            PublishedForm::Stable,
        );
        let positions = jiggled(&body, 0.1, &mut random);
        elasticity.evaluate(&positions);
        let mut force = vec![DVec3::ZERO; positions.len()];
        elasticity.add_gradient(&positions, &mut force);
        let direction = random.vectors(positions.len());
        let exact = dot(&force, &direction);
        let step = 1e-6 * body.size();
        let numeric = difference(&positions, &direction, step, |x| elasticity.energy(x));
        assert!((exact - numeric).abs() < 2e-7 * norm(&force) * norm(&direction));
    }
}

#[test]
fn the_published_matrix_is_the_one_that_gives_the_force() {
    let mut random = Random::new(10);
    for body in bodies() {
        let description = body.description();
        let mut elasticity = PublishedElasticity::new(
            description.grid().unwrap(),
            &description.rest_positions,
            description.weights().unwrap(),
            PublishedForm::AsPrinted,
        );
        let positions = jiggled(&body, 0.1, &mut random);
        elasticity.evaluate(&positions);
        let mut force = vec![DVec3::ZERO; positions.len()];
        elasticity.add_gradient(&positions, &mut force);
        let mut matrix = GridMatrix::new(description.grid().unwrap(), elasticity.steps());
        elasticity.add_stiffness(&mut matrix);
        let n = positions.len();
        let flat: Vec<f64> = (0..3)
            .flat_map(|c| positions.iter().map(move |x| x[c]))
            .collect();
        let mut product = vec![0.0; 3 * n];
        matrix.multiply(&flat, &mut product);
        for node in 0..n {
            for component in 0..3 {
                let difference = product[component * n + node] - force[node][component];
                assert!(
                    difference.abs() < 1e-8 * norm(&force),
                    "{} node {node}",
                    description.name
                );
            }
        }
    }
}

/// A shape and its mirror image have the same metric; only the volume term tells them apart.
#[test]
fn a_solid_knows_its_mirror_image() {
    let grid = Grid::new(&[3, 3, 3], &[false; 3]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|[i, j, k]| DVec3::new(i as f64, j as f64, k as f64))
        .collect();
    let weights = Weights::uniform(27, 1.0, 0.0, 0.0);
    let body = Body::new(BodyDescription::new("cube", grid, rest.clone(), weights)).unwrap();
    let mut energy = exact(&body);
    let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    let mirrored: Vec<DVec3> = rest.iter().map(|x| mirror * *x).collect();
    assert!(energy.energy(&rest) < 1e-20);
    assert!(energy.energy(&mirrored) > 1.0);
}

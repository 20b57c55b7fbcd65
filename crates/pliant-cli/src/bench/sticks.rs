//! Table 5.1 of \[Thesis2004\] with its other method, sticks, and how far they stretch by the number of
//! rounds.

use super::cloth::{Case, TIME_STEP};
use super::figures::{thesis_milliseconds, thesis_stick_milliseconds};
use super::stopwatch::{Plan, measure};
use crate::console::print;
use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Sticks;
use pliant::{Body, BodyDescription, EnergyVariant, Grid, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

/// Rounds over the sticks, or most iterations of conjugate gradients.
const ROUNDS: [usize; 2] = [10, 100];
/// Rounds of the hanging cloth.
const STRETCH_ROUNDS: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// Runs both methods on the cloth of the table, and hangs a cloth of sticks.
pub fn run(sides: &[usize], steps: usize) -> Result<Value, Failure> {
    print("Both methods of the table: sticks with the same number of rounds as iterations");
    print("     grid  rounds  sticks ms  primal ms  sticks/primal  thesis: sticks  primal  ratio");
    let mut rows = Vec::new();
    for &side in sides {
        for rounds in ROUNDS {
            rows.push(row(side, rounds, steps)?);
        }
    }
    print(
        "A cloth of sticks, 32 x 32 over 4 m, hangs from two corners: its longest edge by rounds",
    );
    let mut stretches = Vec::new();
    for rounds in STRETCH_ROUNDS {
        let stretch = hanging_stretch(rounds)?;
        print(&format!(
            "  {rounds:5} rounds  {:7.1} % longer",
            100.0 * stretch
        ));
        stretches.push(json!({ "rounds": rounds, "largest_strain": stretch }));
    }
    Ok(json!({ "rows": rows, "stretch": stretches }))
}

fn row(side: usize, rounds: usize, steps: usize) -> Result<Value, Failure> {
    let case = Case {
        side,
        energy: EnergyVariant::Published,
        iterations: rounds,
        diagonal: true,
        tolerance: 0.0,
        sticks: false,
    };
    let sticks = Case {
        sticks: true,
        ..case
    };
    let plan = Plan {
        steps,
        batch: 50,
        repeats: 2,
    };
    let measured = measure(&[case, sticks], plan);
    let measured = measured.map_err(|error| Failure::Simulation(error.to_string()))?;
    let [primal, sticks] = [0, 1].map(|n| measured[n].processor_milliseconds);
    let thesis = [
        thesis_stick_milliseconds(side, rounds),
        thesis_milliseconds(side, rounds),
    ];
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let ratio = thesis[0]
        .zip(thesis[1])
        .map(|(sticks, primal)| sticks / primal);
    print(&format!(
        "{:>9}  {rounds:6}  {sticks:9.4}  {primal:9.4}  {:13.2}  {:>14}  {:>6}  {:>5}",
        format!("{side}x{side}"),
        sticks / primal,
        figure(thesis[0]),
        figure(thesis[1]),
        figure(ratio),
    ));
    Ok(json!({
        "side": side,
        "rounds": rounds,
        "sticks_milliseconds_per_step": sticks,
        "primal_milliseconds_per_step": primal,
        "thesis_sticks_milliseconds": thesis[0],
        "thesis_primal_milliseconds": thesis[1],
        "quarantined": measured[1].quarantined,
    }))
}

/// By how much of its length the longest edge of a hanging cloth is stretched after three seconds.
fn hanging_stretch(rounds: usize) -> Result<f64, Failure> {
    let side = 32;
    let grid = Grid::new(&[side, side], &[false, false]);
    let place = |at| 4.0 * DVec3::from(grid.material_coordinates(at));
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = grid.node_count();
    let corner = grid.index([side - 1, 0, 0]);
    let mut cloth =
        BodyDescription::new("cloth", grid, rest, Weights::uniform(count, 1.0, 0.0, 0.0));
    cloth.make_sticks(Sticks {
        iterations: rounds,
        reach: 2,
    });
    cloth.time_step = TIME_STEP;
    cloth.dampings.fill(2.0);
    cloth.fixed[0] = true;
    cloth.fixed[corner] = true;
    let gravity = Gravity {
        acceleration: DVec3::new(0.0, 0.0, -9.82),
    };
    cloth.forces.push(BoundForce {
        force: Arc::new(gravity),
        node: None,
    });
    let body = Body::new(cloth).map_err(|error| Failure::Simulation(error.to_string()))?;
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..300 {
        world.step(&mut workspace);
    }
    let body = &world.bodies[0];
    let (rest, now) = (&body.description().rest_positions, &body.state.positions);
    let mut largest: f64 = 0.0;
    let formulation = &body.description().formulation;
    formulation.edges(body.description(), &mut |a, b| {
        let before = rest[a].distance(rest[b]);
        largest = largest.max(now[a].distance(now[b]) / before - 1.0);
    });
    Ok(largest)
}

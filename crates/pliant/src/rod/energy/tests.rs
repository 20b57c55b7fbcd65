use super::*;
use crate::energy::contract::{EnergyContract, dense, is_positive_definite};

/// A curve with frame points.
fn framed(grid: &Grid, nodes: Vec<DVec3>) -> Vec<DVec3> {
    let points = Edges::of(grid).frame_points(&nodes, &nodes, Some(DVec3::new(0.2, 0.3, 1.0)));
    nodes.into_iter().chain(points).collect()
}

fn wavy(i: usize) -> DVec3 {
    let t = i as f64;
    DVec3::new(t, 0.6 * (0.9 * t).sin(), 0.4 * (1.3 * t).cos())
}

fn weights(count: usize) -> Weights {
    let mut weights = Weights::uniform(count, 3.0, 0.7, 0.4);
    weights.rigidities[2][0][0] = 1.1;
    weights
}

#[test]
fn keeps_the_contract_open_and_closed_round_and_flat() {
    let open = Grid::new(&[6], &[false]);
    let rest = framed(&open, (0..6).map(wavy).collect());
    for across in [1.0, 3.0] {
        let mut energy = RodEnergy::new(&open, &rest, &weights(6), across);
        let contract = EnergyContract::new(&rest);
        contract.check(&mut energy);
        contract.check_crushed(&mut energy);
    }
    let closed = Grid::new(&[7], &[true]);
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / 7.0;
    let ring = |i: usize| DVec3::new(angle(i).cos(), angle(i).sin(), 0.3 * (2.0 * angle(i)).sin());
    let rest = framed(&closed, (0..7).map(ring).collect());
    let mut energy = RodEnergy::new(&closed, &rest, &weights(7), 2.0);
    EnergyContract::new(&rest).check(&mut energy);
}

/// A straight rod of m edges of length 1 whose frames turn evenly by an angle from the first to the last.
fn twisted(edges: usize, angle: f64) -> Vec<DVec3> {
    let nodes = (0..=edges).map(|i| DVec3::new(i as f64, 0.0, 0.0));
    let point = |edge: usize| {
        let turn = angle * edge as f64 / (edges - 1) as f64;
        DVec3::new(edge as f64 + 0.5, turn.cos(), turn.sin())
    };
    nodes.chain((0..edges).map(point)).collect()
}

/// ½ G J Φ² / L.
#[test]
fn a_twisted_rod_has_the_energy_of_its_twist() {
    let grid = Grid::new(&[61], &[false]);
    let (torsional, length) = (0.8, 59.0);
    let weights = Weights::uniform(61, 100.0, 1.3, torsional);
    let mut energy = RodEnergy::new(&grid, &twisted(60, 0.0), &weights, 1.0);
    for angle in [0.5, -3.0, 9.0] {
        let expected = 0.5 * torsional * angle * angle / length;
        let found = energy.energy(&twisted(60, angle));
        assert!((found / expected - 1.0).abs() < 0.005, "{found} {expected}");
    }
}

/// A straight rod with clamped ends is unstable from the torque M = 8.9868 E I / L on, whatever its stiffness
/// against twisting (Greenhill's problem with clamped ends: M L / 2 E I is the first root of tan z = z).
#[test]
fn a_clamped_rod_buckles_at_the_torque_of_the_closed_form() {
    let edges = 80;
    let grid = Grid::new(&[edges + 1], &[false]);
    let (bending, length) = (1.3, (edges - 1) as f64);
    for torsional in [1.0, 2.0] {
        let weights = Weights::uniform(edges + 1, 4e4, bending, torsional);
        let mut energy = RodEnergy::new(&grid, &twisted(edges, 0.0), &weights, 1.0);
        let mut pairs = Vec::new();
        energy.couplings(&mut |a, b| pairs.push((a, b)));
        let mut matrix = BlockMatrix::new(2 * edges + 1, pairs.into_iter());
        energy.attach(&matrix);
        let last = 2 * edges;
        let held = [0, 1, edges - 1, edges, edges + 1, last];
        let mut is_stable = |angle: f64| {
            matrix.clear();
            energy.add_hessian(&twisted(edges, angle), Curvature::Full, &mut matrix);
            let whole = dense(&matrix);
            let free: Vec<usize> = (0..whole.len())
                .filter(|i| !held.contains(&(i / 3)))
                .collect();
            let row = |&i: &usize| free.iter().map(|&j| whole[i][j]).collect();
            let part: Vec<Vec<f64>> = free.iter().map(row).collect();
            is_positive_definite(&part, 0.0)
        };
        let (mut low, mut high) = (
            0.5 * 8.9868 * bending / torsional,
            20.0 * bending / torsional,
        );
        assert!(is_stable(low) && !is_stable(high));
        while high - low > 0.01 {
            let middle = 0.5 * (low + high);
            if is_stable(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let torque = torsional * low / length;
        let found = torque * length / bending;
        assert!((found / 8.9868 - 1.0).abs() < 0.02, "{found}");
    }
}

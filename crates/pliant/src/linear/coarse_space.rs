//! Smooth motions of a mesh that a scalar matrix takes for stiff: the coarse part of a
//! preconditioner.
//!
//! A scalar matrix cannot tell a turning of the material from a strain, so to it bending and torsion
//! are as stiff as shear. They are smooth, so a few shapes span them: over the nodes c of a wide
//! lattice with hats φ_c, rigid motions
//!
//! ```text
//! u_i = Σ_c φ_c(X_i) (t_c + θ_c x (x_i - x_c))
//! ```
//!
//! With Z the matrix of these shapes, what is added to the preconditioner is Z (Zᵀ A Z)⁻¹ Zᵀ. The
//! small matrix is that of the body at rest; t_c and θ_c are taken in the frame R_c that the material
//! about c has turned by since, in which stiffness is what it was at rest.
//!
//! Implements: a coarse space by a partition of unity with the rigid motions as in the additive
//! two-level methods of domain decomposition (Nicolaides 1987).

use super::BlockMatrix;
use super::scalar_factor::Single;
use crate::math::nearest_rotation;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// Numbers of a coarse node: force and torque, or shift and turn, and two to fill up.
type Six = [f32; 8];

/// Fine nodes a coarse unknown at least.
const NODES_PER_UNKNOWN: usize = 8;
/// Coarse unknowns at most.
const MOST_UNKNOWNS: usize = 500;
/// A pivot that has lost all but this share of itself is one of a shape that the others span.
const DEPENDENT: f64 = 1e-7;

/// The coarse space; see the module. Fields over nodes are in the order of the factor.
pub(crate) struct CoarseSpace {
    /// Coarse nodes about each node.
    corners: Vec<[u32; 8]>,
    /// Their hats at the node; zero at nodes that are held.
    hats: Vec<[f32; 8]>,
    /// Places at rest, from the middle of the body and in units of the lattice.
    rest: Vec<DVec3>,
    middle: DVec3,
    unit: f64,
    /// Places of the last [`CoarseSpace::place`], as `rest`.
    places: Vec<Single>,
    coarse: Vec<CoarseNode>,
    /// (Zᵀ A Z)⁻¹ at rest, row after row.
    inverse: Vec<f32>,
    moments: Vec<Six>,
    answers: Vec<Six>,
}

#[derive(Clone, Copy, Debug)]
struct CoarseNode {
    rest_centre: DVec3,
    centre: DVec3,
    /// Σ φ.
    weight: f64,
    frame: DMat3,
}

impl CoarseSpace {
    /// For rows in the given order, the first of which (by number) are those of nodes at `places`.
    pub(crate) fn new(order: &[u32], places: &[DVec3]) -> Self {
        let low = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let (cells, unit) = lattice(high - low, places.len());
        let middle = 0.5 * (low + high);
        let count = cells.iter().map(|n| n + 1).product::<usize>();
        let extent = high - low;
        let (mut corners, mut hats, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for &row in order {
            let Some(place) = places.get(row as usize) else {
                corners.push([0; 8]);
                hats.push([0.0; 8]);
                rest.push(DVec3::ZERO);
                continue;
            };
            let mut first = [0; 3];
            let mut beyond = [0.0; 3];
            for d in 0..3 {
                if cells[d] > 0 {
                    let along = (place[d] - low[d]) / extent[d] * cells[d] as f64;
                    first[d] = (along as usize).min(cells[d] - 1);
                    beyond[d] = along - first[d] as f64;
                }
            }
            let (mut indices, mut values) = ([0; 8], [0.0; 8]);
            for corner in 0..8 {
                let (mut index, mut hat) = (0, 1.0);
                for d in (0..3).rev() {
                    let up = (corner >> d) & 1;
                    index = index * (cells[d] + 1) + (first[d] + up).min(cells[d]);
                    hat *= if up == 1 { beyond[d] } else { 1.0 - beyond[d] };
                }
                indices[corner] = index as u32;
                values[corner] = hat as f32;
            }
            corners.push(indices);
            hats.push(values);
            rest.push((*place - middle) / unit);
        }
        let node = CoarseNode {
            rest_centre: DVec3::ZERO,
            centre: DVec3::ZERO,
            weight: 0.0,
            frame: DMat3::IDENTITY,
        };
        Self {
            places: vec![[0.0; 4]; rest.len()],
            corners,
            hats,
            rest,
            middle,
            unit,
            coarse: vec![node; count],
            inverse: vec![0.0; 36 * count * count],
            moments: vec![[0.0; 8]; count],
            answers: vec![[0.0; 8]; count],
        }
    }

    /// Takes the matrix of the body at rest, multiplied by `scale`.
    pub(crate) fn refill(&mut self, matrix: &BlockMatrix, order: &[u32], scale: f64) {
        for (hats, &row) in self.hats.iter_mut().zip(order) {
            let row = row as usize;
            let alone = matrix
                .row_range(row)
                .all(|slot| matrix.column(slot) == row || *matrix.block(slot) == DMat3::ZERO);
            if alone {
                *hats = [0.0; 8];
            }
        }
        for node in &mut self.coarse {
            (node.rest_centre, node.weight) = (DVec3::ZERO, 0.0);
        }
        for ((corners, hats), place) in self.corners.iter().zip(&self.hats).zip(&self.rest) {
            for (&corner, &hat) in corners.iter().zip(hats) {
                let node = &mut self.coarse[corner as usize];
                node.weight += f64::from(hat);
                node.rest_centre += f64::from(hat) * *place;
            }
        }
        for node in &mut self.coarse {
            node.rest_centre /= node.weight.max(f64::MIN_POSITIVE);
        }
        let mut dense = self.project(matrix, order, scale);
        invert(&mut dense, 6 * self.coarse.len());
        for (target, value) in self.inverse.iter_mut().zip(&dense) {
            *target = *value as f32;
        }
    }

    /// Zᵀ A Z at rest.
    fn project(&self, matrix: &BlockMatrix, order: &[u32], scale: f64) -> Vec<f64> {
        let count = self.coarse.len();
        let mut position = vec![0; order.len()];
        for (place, &row) in order.iter().enumerate() {
            position[row as usize] = place;
        }
        let mut dense = vec![0.0; 36 * count * count];
        // A Z of one row of A, by coarse nodes: shifts and turns.
        let mut row_sums = vec![[DMat3::ZERO; 2]; count];
        let mut touched: Vec<u32> = Vec::new();
        for (i, &row) in order.iter().enumerate() {
            if self.hats[i].iter().all(|&hat| hat == 0.0) {
                continue;
            }
            for slot in matrix.row_range(row as usize) {
                let j = position[matrix.column(slot)];
                let block = *matrix.block(slot) * scale;
                for (&corner, &hat) in self.corners[j].iter().zip(&self.hats[j]) {
                    if hat == 0.0 {
                        continue;
                    }
                    let arm = self.rest[j] - self.coarse[corner as usize].rest_centre;
                    let sums = &mut row_sums[corner as usize];
                    if *sums == [DMat3::ZERO; 2] && !touched.contains(&corner) {
                        touched.push(corner);
                    }
                    let shift = block * f64::from(hat);
                    sums[0] += shift;
                    sums[1] += shift * turning(arm);
                }
            }
            for (&corner, &hat) in self.corners[i].iter().zip(&self.hats[i]) {
                if hat == 0.0 {
                    continue;
                }
                let corner = corner as usize;
                let arm = self.rest[i] - self.coarse[corner].rest_centre;
                let back = turning(arm).transpose();
                for &other in &touched {
                    let other = other as usize;
                    for (half, sum) in row_sums[other].iter().enumerate() {
                        let forces = *sum * f64::from(hat);
                        let torques = back * forces;
                        for (part, block) in [forces, torques].iter().enumerate() {
                            for column in 0..3 {
                                for line in 0..3 {
                                    let at = (6 * corner + 3 * part + line) * 6 * count
                                        + (6 * other + 3 * half + column);
                                    dense[at] += block.col(column)[line];
                                }
                            }
                        }
                    }
                }
            }
            for &corner in &touched {
                row_sums[corner as usize] = [DMat3::ZERO; 2];
            }
            touched.clear();
        }
        dense
    }

    /// Takes where the nodes are now; `positions` by the number of the node.
    pub(crate) fn place(&mut self, order: &[u32], positions: &[DVec3]) {
        for node in &mut self.coarse {
            node.centre = DVec3::ZERO;
            node.frame = DMat3::ZERO;
        }
        for (i, &row) in order.iter().enumerate() {
            let Some(position) = positions.get(row as usize) else {
                continue;
            };
            let place = (*position - self.middle) / self.unit;
            self.places[i] = [place.x as f32, place.y as f32, place.z as f32, 0.0];
            for (&corner, &hat) in self.corners[i].iter().zip(&self.hats[i]) {
                let hat = f64::from(hat);
                let node = &mut self.coarse[corner as usize];
                node.centre += hat * place;
                let arm = hat * (self.rest[i] - node.rest_centre);
                node.frame += DMat3::from_cols(place * arm.x, place * arm.y, place * arm.z);
            }
        }
        for node in &mut self.coarse {
            node.centre /= node.weight.max(f64::MIN_POSITIVE);
            node.frame = nearest_rotation(node.frame);
        }
    }

    /// z += Z (Zᵀ A Z)⁻¹ Zᵀ r.
    pub(crate) fn add_correction(&mut self, r: &[Single], z: &mut [Single]) {
        self.moments.fill([0.0; 8]);
        restrict(
            &self.corners,
            &self.hats,
            &self.places,
            r,
            &mut self.moments,
        );
        for (moment, node) in self.moments.iter_mut().zip(&self.coarse) {
            let (force, torque) = halves(moment);
            let torque = torque - node.centre.cross(force);
            let back = node.frame.transpose();
            *moment = joined(back * force, back * torque);
        }
        solve(&self.inverse, &self.moments, &mut self.answers);
        for (answer, node) in self.answers.iter_mut().zip(&self.coarse) {
            let (shift, turn) = halves(answer);
            let (shift, turn) = (node.frame * shift, node.frame * turn);
            *answer = joined(shift - turn.cross(node.centre), turn);
        }
        prolong(&self.corners, &self.hats, &self.places, &self.answers, z);
    }
}

/// θ -> θ x arm.
fn turning(arm: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, -arm.z, arm.y),
        DVec3::new(arm.z, 0.0, -arm.x),
        DVec3::new(-arm.y, arm.x, 0.0),
    )
}

fn halves(six: &Six) -> (DVec3, DVec3) {
    let part = |i: usize| DVec3::new(six[i].into(), six[i + 1].into(), six[i + 2].into());
    (part(0), part(4))
}

fn joined(a: DVec3, b: DVec3) -> Six {
    let [a, b] = [a, b].map(|v| [v.x as f32, v.y as f32, v.z as f32]);
    [a[0], a[1], a[2], 0.0, b[0], b[1], b[2], 0.0]
}

/// y, z, x.
#[inline(always)]
fn next(a: &Single) -> Single {
    [a[1], a[2], a[0], a[3]]
}

/// z, x, y.
#[inline(always)]
fn last(a: &Single) -> Single {
    [a[2], a[0], a[1], a[3]]
}

/// Cells of the lattice in each direction, and their size.
fn lattice(extent: DVec3, node_count: usize) -> ([usize; 3], f64) {
    let most = (node_count / NODES_PER_UNKNOWN).min(MOST_UNKNOWNS);
    let mut unit = extent.max_element().max(1e-300);
    let cells = |unit: f64| [0, 1, 2].map(|d: usize| (extent[d] / unit).round() as usize);
    let unknowns = |unit: f64| 6 * cells(unit).iter().map(|n| n + 1).product::<usize>();
    for _ in 0..64 {
        if unknowns(0.9 * unit) > most {
            break;
        }
        unit *= 0.9;
    }
    (cells(unit), unit)
}

/// The inverse of a symmetric positive semi-definite matrix over the unknowns that do not depend on
/// those before them; zero for the others.
fn invert(matrix: &mut [f64], size: usize) {
    let mut inverse_diagonal = vec![0.0; size];
    // A = L Lᵀ, row by row, in the lower triangle.
    for i in 0..size {
        let (done, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        let whole = row[i];
        for j in 0..i {
            let other = &done[j * size..j * size + j];
            let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - sum) * inverse_diagonal[j];
        }
        let pivot = whole - row[..i].iter().map(|l| l * l).sum::<f64>();
        if pivot > DEPENDENT * whole && whole > 0.0 {
            inverse_diagonal[i] = 1.0 / pivot.sqrt();
        } else {
            row[..i].fill(0.0);
        }
    }
    // G = L⁻¹ in the lower triangle, by rows: G_i = (e_i - Σ_k L_ik G_k) / L_ii.
    let mut combination = vec![0.0; size];
    for i in 0..size {
        let (done, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        combination[..=i].fill(0.0);
        for (k, &l) in row[..i].iter().enumerate() {
            if l != 0.0 {
                let other = &done[k * size..k * size + k + 1];
                for (sum, g) in combination.iter_mut().zip(other) {
                    *sum += l * g;
                }
            }
        }
        for (target, sum) in row[..i].iter_mut().zip(&combination) {
            *target = -sum * inverse_diagonal[i];
        }
        row[i] = inverse_diagonal[i];
    }
    // A⁻¹ = Gᵀ G.
    let lower = matrix.to_vec();
    matrix.fill(0.0);
    for k in 0..size {
        let row = &lower[k * size..k * size + k + 1];
        for (i, &g) in row.iter().enumerate() {
            if g != 0.0 {
                for (target, value) in matrix[i * size..].iter_mut().zip(row) {
                    *target += g * value;
                }
            }
        }
    }
}

for_this_processor! {
    fn restrict(corners: &[[u32; 8]], hats: &[[f32; 8]], places: &[Single], r: &[Single], moments: &mut [Six]) {
        for (((corners, hats), a), r) in corners.iter().zip(hats).zip(places).zip(r) {
            // All four at a time, as the processor has them: force, and torque = a x r.
            let (arms, forces) = ([next(a), last(a)], [next(r), last(r)]);
            let torque: Single =
                std::array::from_fn(|i| arms[0][i] * forces[1][i] - arms[1][i] * forces[0][i]);
            let [x, y, z, _] = torque;
            let six: Six = [r[0], r[1], r[2], 0.0, x, y, z, 0.0];
            for (&corner, &hat) in corners.iter().zip(hats) {
                let target = &mut moments[corner as usize];
                *target = std::array::from_fn(|i| target[i] + hat * six[i]);
            }
        }
    }
}

for_this_processor! {
    fn prolong(corners: &[[u32; 8]], hats: &[[f32; 8]], places: &[Single], answers: &[Six], z: &mut [Single]) {
        for (((corners, hats), a), z) in corners.iter().zip(hats).zip(places).zip(z) {
            let mut six = [0.0; 8];
            for (&corner, &hat) in corners.iter().zip(hats) {
                let answer = &answers[corner as usize];
                six = std::array::from_fn(|i| six[i] + hat * answer[i]);
            }
            // shift + turn x a.
            let turn = [six[4], six[5], six[6], six[7]];
            let (turns, arms) = ([next(&turn), last(&turn)], [next(a), last(a)]);
            *z = std::array::from_fn(|i| {
                z[i] + (six[i] + (turns[0][i] * arms[1][i] - turns[1][i] * arms[0][i]))
            });
        }
    }
}

for_this_processor! {
    fn solve(inverse: &[f32], moments: &[Six], answers: &mut [Six]) {
        const PARTS: [usize; 6] = [0, 1, 2, 4, 5, 6];
        let size = 6 * moments.len();
        answers.fill([0.0; 8]);
        let flat = moments.iter().flat_map(|six| PARTS.map(|part| six[part]));
        for (value, column) in flat.zip(inverse.chunks_exact(size.max(1))) {
            for (answer, entries) in answers.iter_mut().zip(column.as_chunks::<6>().0) {
                for i in 0..3 {
                    answer[i] += value * entries[i];
                    answer[i + 4] += value * entries[i + 3];
                }
            }
        }
    }
}

//! Pieces of a hybrid body that become one again, when what has melted solidifies.
//!
//! ```text
//! x = o + R (r + e)                                the same nodes, seen from another frame:
//! r' = R_Aᵀ (R_B r + o_B - o_A) - d                d = mean of e_A - e_B' over the new links
//! ```
//!
//! A is the largest of the pieces that join, and keeps its frame and reference shape. The reference
//! shapes of the others are turned and shifted so that no node moves, what is stretched stays
//! stretched, and the new links are free of stress on the whole. A loose node has e = 0 before. What
//! processes remember of e turns along.
//!
//! Implements: \[Terzopoulos1988\] note added in proof, for the reference shape of eq. 11.

use super::ReferenceShape;
use crate::body::{Body, State};
use crate::hybrid::{HybridMaterial, Pieces};
use crate::inelastic::{Inelasticity, bonds_of};
use glam::{DQuat, DVec3};

/// A frame that nodes were seen from.
#[derive(Clone, Copy)]
struct Seen {
    rotation: DQuat,
    /// o.
    origin: DVec3,
}

impl Seen {
    fn position(&self, r: DVec3) -> DVec3 {
        self.origin + self.rotation * r
    }

    fn place(&self, position: DVec3) -> DVec3 {
        self.rotation.inverse() * (position - self.origin)
    }
}

/// Gives nodes that were in several pieces before, and are in one now, one frame and one reference
/// shape. `gauge_count` is the number of components before the displacements.
pub(super) fn join_pieces(
    body: &mut Body,
    before: &Pieces,
    strains: &ReferenceShape,
    gauge_count: usize,
) {
    let Some(material) = body.hybrid() else {
        return;
    };
    let now = material.pieces().clone();
    for piece in 0..now.count() {
        let nodes = now.nodes(piece);
        let first = before.of_node(nodes[0] as usize);
        let is_same = |&node: &u32| {
            let old = before.of_node(node as usize);
            old == first && old != before.count()
        };
        if !nodes.iter().all(is_same) {
            join(body, before, nodes, strains, gauge_count);
        }
    }
}

fn join(
    body: &mut Body,
    before: &Pieces,
    nodes: &[u32],
    strains: &ReferenceShape,
    gauge_count: usize,
) {
    let Some(material) = body.hybrid() else {
        return;
    };
    let masses = &body.description().masses;
    let old_of = |node: u32| before.of_node(node as usize);
    // Of the old pieces, the largest; of equals, the first.
    let mut old: Vec<usize> = nodes.iter().map(|&node| old_of(node)).collect();
    old.sort_unstable();
    old.dedup();
    old.retain(|&piece| piece != before.count());
    let size = |piece: &usize| before.nodes(*piece).len();
    let largest = old.iter().copied().rev().max_by_key(size);
    let kept = match largest {
        Some(piece) => seen(masses, material, &body.state, before.nodes(piece)),
        None => seen(masses, material, &body.state, &nodes[..1]),
    };
    let mut reference = material.reference().to_vec();
    let mut turns: Vec<(u32, DQuat)> = Vec::new();
    for &piece in old.iter().filter(|&&piece| Some(piece) != largest) {
        let members = before.nodes(piece);
        let from = seen(masses, material, &body.state, members);
        for &node in members {
            let r = &mut reference[node as usize];
            *r = kept.place(from.position(*r));
            turns.push((node, kept.rotation.inverse() * from.rotation));
        }
        relax(
            body,
            before,
            &kept,
            (piece, largest),
            members,
            &mut reference,
        );
    }
    for node in nodes.iter().filter(|&&node| old_of(node) == before.count()) {
        reference[*node as usize] = kept.place(body.state.positions[*node as usize]);
        let none = before.count();
        relax(
            body,
            before,
            &kept,
            (none, largest),
            std::slice::from_ref(node),
            &mut reference,
        );
    }
    turn_memories(body, &turns, gauge_count);
    adopt(body, nodes, &kept, &reference, strains, gauge_count);
}

/// The frame of some nodes that belong together.
fn seen(masses: &[f64], material: &HybridMaterial, state: &State, nodes: &[u32]) -> Seen {
    let (mut mass, mut position, mut place) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for node in nodes.iter().map(|&node| node as usize) {
        mass += masses[node];
        position += masses[node] * state.positions[node];
        place += masses[node] * material.reference()[node];
    }
    let rotation = state.rotation_at(nodes[0] as usize);
    Seen {
        rotation,
        origin: (position - rotation * place) / mass,
    }
}

/// Shifts the reference shape of a piece so that its new links to the largest are free of stress.
fn relax(
    body: &Body,
    before: &Pieces,
    kept: &Seen,
    (piece, largest): (usize, Option<usize>),
    nodes: &[u32],
    reference: &mut [DVec3],
) {
    let Some(largest) = largest else { return };
    let Some(material) = body.hybrid() else {
        return;
    };
    let grid = body.description().material_grid();
    let e = |node: usize| kept.place(body.state.positions[node]) - reference[node];
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    let mut add = |node: usize, other: usize, weight: f64| {
        let is_new = weight > 0.0
            && before.of_node(other) == largest
            && before.of_node(node) == piece
            && nodes.binary_search(&(node as u32)).is_ok();
        if is_new {
            sum += e(other) - e(node);
            count += 1.0;
        }
    };
    for bond in bonds_of(grid) {
        let [a, b] = bond.ends;
        let weight = material.weights().first[a][bond.edge % 3];
        add(a, b, weight);
        add(b, a, weight);
    }
    if count > 0.0 {
        for &node in nodes {
            reference[node as usize] -= sum / count;
        }
    }
}

/// Turns what processes remember of the deformation e of nodes.
fn turn_memories(body: &mut Body, turns: &[(u32, DQuat)], gauge_count: usize) {
    let (description, _, inelastic) = body.parts_mut::<Inelasticity>();
    let Some(inelastic) = inelastic else { return };
    let processes = description.processes.iter();
    for (scheduled, memory) in processes.zip(&mut inelastic.memories) {
        let width = scheduled.kind.process().memory_per_component();
        for &(node, turn) in turns {
            let start = (gauge_count + 3 * node as usize) * width;
            for kind in start..start + width {
                let at = [kind, kind + width, kind + 2 * width];
                let turned = turn * DVec3::from_array(at.map(|index| memory[index]));
                for (index, value) in at.into_iter().zip(turned.to_array()) {
                    memory[index] = value;
                }
            }
        }
    }
}

/// Puts the new frame and reference shape into the body.
fn adopt(
    body: &mut Body,
    nodes: &[u32],
    kept: &Seen,
    reference: &[DVec3],
    strains: &ReferenceShape,
    gauge_count: usize,
) {
    if !body.state.piece_rotations.is_empty() {
        for &node in nodes {
            body.state.piece_rotations[node as usize] = kept.rotation;
        }
    }
    if let Some(material) = body.hybrid_mut() {
        material.change_reference(|shape| shape.copy_from_slice(reference));
    }
    if let Some(inelastic) = body.inelastic_mut() {
        for &node in nodes {
            let node = node as usize;
            let flow = strains.flow_of(node, reference[node]).to_array();
            inelastic.flows[gauge_count + 3 * node..][..3].copy_from_slice(&flow);
        }
    }
}

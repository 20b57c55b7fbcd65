//! Energy, forces and stiffness of tetrahedra, eight at a time.
//!
//! With the edges e_a = x_a - x_0 and the shape gradients g_a of the other three nodes,
//!
//! ```text
//! F = Σ_a e_a ⊗ g_a,   ∂E/∂x_a = V P g_a,   ∂E/∂x_0 = -Σ_a ∂E/∂x_a
//! ```
//!
//! where P is that of a law in `lane_laws.rs`, and so are the blocks of the stiffness. Blocks of x_0
//! follow from those of the others, since rows sum to zero.
//!
//! Rotations and the energy are kept for the positions that were seen last: the line search, the
//! gradient and the Hessian of an iteration look at the same ones.

use super::lane_laws::{Blocks, Frames, Weights, energies, stress, take_stiffness};
use super::strain::LaneLaw;
use super::tetrahedra::Element;
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::lane_matrix::{Matrices, Vectors, places, rotations, times};
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::{DMat3, DVec3};

/// The elements of a mesh, eight at a time.
#[derive(Debug)]
pub(super) struct TetrahedronLanes {
    law: LaneLaw,
    packs: Vec<Elements>,
    count: usize,
    seen: Seen,
}

/// What is known at the positions that were seen last.
#[derive(Debug)]
struct Seen {
    /// Empty before the first.
    positions: Vec<DVec3>,
    /// R of each pack, for laws that have one.
    rotations: Vec<Matrices>,
    energy: f64,
}

/// Eight elements; where there are fewer, the last ones are weightless copies.
#[derive(Clone, Copy, Debug)]
struct Elements {
    nodes: [[u32; PACK]; 4],
    /// g_1, g_2 and g_3.
    gradients: [Vectors; 3],
    /// V λ.
    lambda: Pack,
    /// V µ.
    mu: Pack,
}

impl TetrahedronLanes {
    pub(super) fn new(law: LaneLaw, elements: &[Element]) -> Self {
        let packs: Vec<Elements> = elements.chunks(PACK).map(Elements::new).collect();
        let rotated = if law == LaneLaw::Corotated {
            packs.len()
        } else {
            0
        };
        Self {
            law,
            count: elements.len(),
            seen: Seen {
                positions: Vec::new(),
                rotations: vec![[[ZERO; 3]; 3]; rotated],
                energy: 0.0,
            },
            packs,
        }
    }

    /// Takes over gradients and volumes that have changed.
    pub(super) fn adopt(&mut self, elements: &[Element]) {
        for (pack, elements) in self.packs.iter_mut().zip(elements.chunks(PACK)) {
            *pack = Elements::new(elements);
        }
        self.seen.positions.clear();
    }

    /// Whether the Hessian is written in lanes: the projection of Green's is not.
    pub(super) fn has_hessian(&self, curvature: Curvature) -> bool {
        self.law != LaneLaw::Green || curvature != Curvature::Positive
    }

    /// Σ V Ψ.
    pub(super) fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.see(positions);
        self.seen.energy
    }

    /// Adds V P g_a.
    pub(super) fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.see(positions);
        add_gradient(
            self.law,
            &self.packs,
            &self.seen.rotations,
            positions,
            gradient,
        );
    }

    /// Adds K_ab with frames held; `slots` are those of each element, `[row][column]`.
    pub(super) fn add_stiffness(
        &mut self,
        positions: &[DVec3],
        slots: &[[u32; 16]],
        matrix: &mut BlockMatrix,
    ) {
        self.add(Frames::Held, positions, slots, matrix);
    }

    /// Adds the Hessian, as it is or without its negative curvature.
    pub(super) fn add_hessian(
        &mut self,
        positions: &[DVec3],
        curvature: Curvature,
        slots: &[[u32; 16]],
        matrix: &mut BlockMatrix,
    ) {
        assert!(self.has_hessian(curvature));
        self.add(Frames::Turning(curvature), positions, slots, matrix);
    }

    fn add(
        &mut self,
        frames: Frames,
        positions: &[DVec3],
        slots: &[[u32; 16]],
        matrix: &mut BlockMatrix,
    ) {
        assert_eq!(slots.len(), self.count);
        self.see(positions);
        add_stiffness(
            (self.law, frames),
            &self.packs,
            &self.seen.rotations,
            positions,
            slots,
            matrix.blocks_mut(),
        );
    }

    /// Finds rotations and the energy, unless they are known.
    fn see(&mut self, positions: &[DVec3]) {
        let seen = &mut self.seen;
        if seen.positions == positions {
            return;
        }
        seen.positions.clear();
        seen.positions.extend_from_slice(positions);
        evaluate(
            self.law,
            &self.packs,
            positions,
            &mut seen.rotations,
            &mut seen.energy,
        );
    }
}

const ZERO: Pack = Pack::ZERO;

impl Elements {
    fn new(elements: &[Element]) -> Self {
        let of = |lane: usize| &elements[lane.min(elements.len() - 1)];
        let weight = |lane: usize| {
            if lane < elements.len() {
                of(lane).volume
            } else {
                0.0
            }
        };
        Self {
            nodes: std::array::from_fn(|a| std::array::from_fn(|lane| of(lane).nodes[a])),
            gradients: std::array::from_fn(|a| {
                std::array::from_fn(|c| Pack::from_fn(|lane| of(lane).gradients[a + 1][c]))
            }),
            lambda: Pack::from_fn(|lane| weight(lane) * of(lane).material.lambda),
            mu: Pack::from_fn(|lane| weight(lane) * of(lane).material.mu),
        }
    }

    #[inline(always)]
    fn weights(&self) -> Weights {
        Weights {
            lambda: self.lambda,
            mu: self.mu,
        }
    }

    #[inline(always)]
    fn deformation(&self, positions: &[DVec3]) -> Matrices {
        let origin = places(positions, &self.nodes[0]);
        let mut f = [[ZERO; 3]; 3];
        for a in 0..3 {
            let end = places(positions, &self.nodes[a + 1]);
            for (row, line) in f.iter_mut().enumerate() {
                let edge = end[row] - origin[row];
                for (entry, gradient) in line.iter_mut().zip(&self.gradients[a]) {
                    *entry = *entry + edge * *gradient;
                }
            }
        }
        f
    }
}

/// R of a pack; nothing of use for laws without rotations.
#[inline(always)]
fn rotation(rotations: &[Matrices], pack: usize) -> Matrices {
    rotations.get(pack).copied().unwrap_or([[ZERO; 3]; 3])
}

for_this_processor! {
    /// Rotations of all packs and Σ V Ψ.
    fn evaluate(law: LaneLaw, packs: &[Elements], positions: &[DVec3], found: &mut [Matrices], energy: &mut f64) {
        let mut sum = ZERO;
        for (pack, elements) in packs.iter().enumerate() {
            let f = elements.deformation(positions);
            let mut r = [[ZERO; 3]; 3];
            if let Some(found) = found.get_mut(pack) {
                r = rotations(&f);
                *found = r;
            }
            sum = sum + energies(law, &f, &r, elements.weights());
        }
        *energy = sum.to_array().iter().sum();
    }
}

for_this_processor! {
    fn add_gradient(law: LaneLaw, packs: &[Elements], rotations: &[Matrices], positions: &[DVec3], gradient: &mut [DVec3]) {
        for (pack, elements) in packs.iter().enumerate() {
            let f = elements.deformation(positions);
            let p = stress(law, &f, &rotation(rotations, pack), elements.weights());
            let [g1, g2, g3] = elements.gradients;
            let forces = [times(&p, g1), times(&p, g2), times(&p, g3)];
            for lane in 0..PACK {
                let mut sum = DVec3::ZERO;
                for a in 0..3 {
                    let [x, y, z] = forces[a].map(|component| component.lane(lane));
                    let force = DVec3::new(x, y, z);
                    sum += force;
                    gradient[elements.nodes[a + 1][lane] as usize] += force;
                }
                gradient[elements.nodes[0][lane] as usize] -= sum;
            }
        }
    }
}

for_this_processor! {
    fn add_stiffness(
        law: (LaneLaw, Frames),
        packs: &[Elements],
        rotations: &[Matrices],
        positions: &[DVec3],
        slots: &[[u32; 16]],
        matrix: &mut [DMat3],
    ) {
        let rest = (packs, rotations, positions, slots);
        // A loop of its own for each of the laws of steps of one solve: without the others' code it takes two
        // thirds of the time.
        match law {
            (LaneLaw::Linear, _) => add_packs((LaneLaw::Linear, Frames::Held), rest, matrix),
            (LaneLaw::Corotated, Frames::Held) => add_packs((LaneLaw::Corotated, Frames::Held), rest, matrix),
            law => add_packs(law, rest, matrix),
        }
    }
}

/// Elements, their rotations, the places of the nodes and the slots of the blocks.
type Packs<'a> = (&'a [Elements], &'a [Matrices], &'a [DVec3], &'a [[u32; 16]]);

/// Adds the blocks of all packs by one law.
#[inline(always)]
fn add_packs(
    law: (LaneLaw, Frames),
    (packs, rotations, positions, slots): Packs,
    matrix: &mut [DMat3],
) {
    let mut blocks = [[ZERO; 9]; 6];
    for (pack, (elements, slots)) in packs.iter().zip(slots.chunks(PACK)).enumerate() {
        let f = elements.deformation(positions);
        let r = rotation(rotations, pack);
        let gradients = &elements.gradients;
        take_stiffness(law, [&f, &r], elements.weights(), gradients, &mut blocks);
        for (lane, slots) in slots.iter().enumerate() {
            scatter(&blocks, lane, slots, matrix);
        }
    }
}

/// Adds the sixteen blocks of one element. What follows is written out, since loops over pairs would keep the
/// blocks in memory and fetch numbers of them one by one.
#[inline(always)]
fn scatter(blocks: &Blocks, lane: usize, slots: &[u32; 16], matrix: &mut [DMat3]) {
    let block = |pair: usize| {
        let at = |entry: usize| blocks[pair][entry].lane(lane);
        let entries = [
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            at(5),
            at(6),
            at(7),
            at(8),
        ];
        DMat3::from_cols_array(&entries)
    };
    let mut add = |a: usize, b: usize, block: DMat3| matrix[slots[4 * a + b] as usize] += block;
    let [k11, k21, k22] = [block(0), block(1), block(2)];
    let [k31, k32, k33] = [block(3), block(4), block(5)];
    let [k12, k13, k23] = [k21.transpose(), k31.transpose(), k32.transpose()];
    add(1, 1, k11);
    add(2, 1, k21);
    add(1, 2, k12);
    add(2, 2, k22);
    add(3, 1, k31);
    add(1, 3, k13);
    add(3, 2, k32);
    add(2, 3, k23);
    add(3, 3, k33);
    let [first, second, third] = [k11 + k12 + k13, k22 + k21 + k23, k33 + k31 + k32];
    add(1, 0, -first);
    add(0, 1, -first.transpose());
    add(2, 0, -second);
    add(0, 2, -second.transpose());
    add(3, 0, -third);
    add(0, 3, -third.transpose());
    add(0, 0, DMat3::ZERO + first + second + third);
}

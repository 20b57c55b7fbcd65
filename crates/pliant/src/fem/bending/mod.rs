//! Bending of cloth and shells: the curvature of the triangles round each node.
//!
//! ```text
//! k_v = Σ over the edges e at v of s_ve |e| (θ_e - θ⁰_e) n_e n_eᵀ
//! E(x) = Σ over nodes v of ½ k_v : R_v : k_v
//! ```
//!
//! θ is the angle between the two triangles at an edge (`fold.rs`), θ⁰ the one at rest; n the
//! direction across the edge in the surface at rest; s_ve the share of node v in the angle of e; k_v
//! the integral of the curvature over the area of v, and R_v a stiffness that is about that of a
//! plate over the area. Edges, directions, shares and stiffness are those at rest: the energy is a
//! sum of squares of fixed combinations of angles. So it is unchanged by rigid motions, zero at
//! rest, and its Gauss-Newton Hessian is positive.
//!
//! Implements: the curvature of polyhedra, concentrated at their edges \[CohenSteiner2003\]: with
//! constant moments, Σ |e| θ n·M n is what a bent surface does in work, exactly. That is the bending
//! part of mixed plate elements \[Johnson1973\], whose moments live on triangles and lead to a
//! dense matrix; here they live at nodes and can be eliminated one by one.
//!
//! **Why not a spring at each edge** \[Grinspun2003\]. Such springs know no direction but their own.
//! On a lattice of equilateral triangles they add up to a plate with ν = 1/3 \[Seung1988\]; on right
//! triangles a sheet was 25 % too soft or 19 % too stiff, however fine, and 2 to 7 % off on irregular
//! meshes. Shares and stiffness are chosen so that constant curvature and constant moments are both
//! exact (`shares.rs`); then any mesh converges.
//!
//! **Border.** No moment acts across a free edge (n·M n = 0), which holds also where the edge is
//! supported. A strip bends with D (1 - ν²), as a beam does.
//!
//! **Junctions.** Where more than two triangles meet at an edge, each has a spring with the next, of
//! the stiffness D |e|² / A: sheets end there as at a border, and the springs join them.
//!
//! D flexural rigidity (N m), ν Poisson's ratio, A the area of the two triangles of an edge.

mod edges;
mod fan;
mod fold;
mod fold_lanes;
mod half;
mod layout;
#[cfg(test)]
mod plate_tests;
mod shares;

use super::assembly::{Assembly, VariedAssembly, Window};
use super::block_check::check_block;
use super::isoparametric::rest_measure;
use super::material::{poisson_below, positive};
use super::slots::visit_pairs;
use super::{Energy, FemError};
use crate::energy::Curvature;
use crate::linear::{BlockMatrix, HalfBlocks};
use crate::math::outer;
use crate::math::parallel::{for_each_chunk_mut, ordered_sum};
use crate::math::processor::for_this_processor;
use crate::math::vector::PACK;
use crate::mesh::{ElementBlock, ElementKind};
use edges::Edges;
use fan::Fan;
use fold::Fold;
use fold_lanes::{FoldPack, find_angles, find_slopes};
use glam::{DMat3, DVec3};
use half::HalfBending;
use layout::Layout;
use shares::{Plate, spoke_weights};
use std::f64::consts::{PI, TAU};

/// How a sheet resists bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateMaterial {
    /// Flexural rigidity D, in newton metres.
    pub rigidity: f64,
    /// Poisson's ratio ν, between -1 and 1.
    pub poisson: f64,
}

/// Bending of a mesh of triangles; see the module.
#[derive(Clone, Debug)]
pub struct PlateBending {
    hinges: Vec<Hinge>,
    /// The hinges once more, eight at a time.
    packs: Vec<FoldPack>,
    layout: Layout,
    hinge_assembly: Assembly<4>,
    fan_assembly: VariedAssembly,
    half: HalfBending,
    /// θ - θ⁰ of each hinge.
    bends: Vec<f64>,
    /// ∂θ/∂x of the nodes of each hinge.
    slopes: Vec<[DVec3; 4]>,
    /// The three measures of curvature of each fan.
    curvatures: Vec<DVec3>,
    /// Their derivatives by the nodes of the fan.
    fan_slopes: Vec<[DVec3; 3]>,
    /// Where angles and curvatures were last measured, and where slopes were last found: a search for
    /// a minimum asks for energy, gradient and Hessian at the same places one after the other.
    measured: Vec<DVec3>,
    differentiated: Vec<DVec3>,
}

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Start and end of the edge, and the corners of the two triangles across from it.
    pub nodes: [u32; 4],
    /// The angle at rest, in radians.
    pub rest_angle: f64,
}

impl PlateBending {
    /// A sheet that is at rest at `positions`. Triangles need not be oriented alike.
    pub fn new(
        block: &ElementBlock,
        positions: &[DVec3],
        material: PlateMaterial,
    ) -> Result<Self, FemError> {
        positive("the flexural rigidity", material.rigidity)?;
        poisson_below(material.poisson, 1.0, "above -1 and below 1")?;
        let kind = ElementKind::Triangle3;
        check_block(
            block,
            positions,
            kind,
            "bending of a sheet",
            "triangles of three nodes",
        )?;
        let mut areas = Vec::with_capacity(block.len());
        for (element, nodes) in block.elements().enumerate() {
            areas.push(rest_measure(kind, positions, nodes, element)?);
        }
        let edges = Edges::new(block.nodes.as_chunks::<3>().0.to_vec());
        let fans = Fan::all(&edges, positions);
        let plate = Plate::new(material.rigidity, material.poisson);
        let weights = spoke_weights(&fans, edges.hinges.len(), plate);
        let junctions = edges.junctions.iter().map(|(nodes, _)| nodes);
        let hinges = edges.hinges.iter().chain(junctions);
        let hinges: Vec<[u32; 4]> = hinges.copied().collect();
        let packs = FoldPack::all(&hinges);
        let mut rest_angles = vec![0.0; hinges.len()];
        find_angles(&packs, positions, &mut rest_angles);
        let hinges = hinges.into_iter().zip(rest_angles);
        let hinges: Vec<Hinge> = hinges
            .map(|(nodes, rest_angle)| Hinge { nodes, rest_angle })
            .collect();
        let length_squared = |nodes: &[u32; 4]| {
            let [start, end] = [nodes[0], nodes[1]].map(|node| positions[node as usize]);
            start.distance_squared(end)
        };
        let stiffness = |(nodes, [a, b]): &([u32; 4], [u32; 2])| {
            let area = areas[*a as usize] + areas[*b as usize];
            material.rigidity * length_squared(nodes) / area
        };
        let lengths: Vec<f64> = hinges
            .iter()
            .map(|hinge| length_squared(&hinge.nodes).sqrt())
            .collect();
        let junctions = edges.junctions.iter().map(stiffness).collect();
        let layout = Layout::new(&fans, &weights, &lengths, junctions);
        Ok(Self {
            bends: vec![0.0; hinges.len()],
            slopes: vec![[DVec3::ZERO; 4]; hinges.len()],
            curvatures: vec![DVec3::ZERO; fans.len()],
            fan_slopes: vec![[DVec3::ZERO; 3]; layout.entry_count()],
            layout,
            hinges,
            packs,
            measured: Vec::with_capacity(positions.len()),
            differentiated: Vec::with_capacity(positions.len()),
            hinge_assembly: Assembly::default(),
            fan_assembly: VariedAssembly::default(),
            half: HalfBending::default(),
        })
    }

    /// The hinges.
    pub fn hinges(&self) -> &[Hinge] {
        &self.hinges
    }

    /// Gives a hinge another angle at rest, in radians: a crease.
    ///
    /// # Panics
    /// If there is no such hinge.
    pub fn set_rest_angle(&mut self, hinge: usize, angle: f64) -> Result<(), FemError> {
        if !angle.is_finite() {
            return Err(FemError::Parameter {
                parameter: "the rest angle of a hinge",
                expected: "a finite number",
                value: angle,
            });
        }
        self.hinges[hinge].rest_angle = angle;
        self.measured.clear();
        Ok(())
    }

    /// Measures angles and curvatures.
    fn measure(&mut self, positions: &[DVec3]) {
        if self.measured == positions {
            return;
        }
        self.measured.clear();
        self.measured.extend_from_slice(positions);
        let (hinges, packs) = (&self.hinges, &self.packs);
        for_each_chunk_mut(&mut self.bends, |first, bends| {
            find_angles(&packs[first / PACK..], positions, bends);
            for (bend, hinge) in bends.iter_mut().zip(&hinges[first..]) {
                *bend = hinge.bend(*bend);
            }
        });
        let (layout, bends) = (&self.layout, &self.bends);
        for_each_chunk_mut(&mut self.curvatures, |first, curvatures| {
            for (fan, curvature) in (first..).zip(curvatures) {
                *curvature = layout.curvature(fan, bends);
            }
        });
    }

    fn differentiate(&mut self, positions: &[DVec3]) {
        if self.differentiated == positions {
            return;
        }
        self.differentiated.clear();
        self.differentiated.extend_from_slice(positions);
        let packs = &self.packs;
        for_each_chunk_mut(&mut self.slopes, |first, slopes| {
            find_slopes(&packs[first / PACK..], positions, slopes);
        });
    }
}

impl Hinge {
    /// θ - θ⁰, the short way round.
    #[inline]
    fn bend(&self, angle: f64) -> f64 {
        let bend = angle - self.rest_angle;
        if bend.abs() <= PI {
            bend
        } else {
            bend - TAU * (bend / TAU).round()
        }
    }
}

impl Energy for PlateBending {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for fan in 0..self.layout.fan_count() {
            visit_pairs(self.layout.nodes(fan), visit);
        }
        for hinge in &self.hinges[self.layout.first_junction()..] {
            visit_pairs(&hinge.nodes, visit);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let elements = self.hinges.iter().map(|hinge| hinge.nodes);
        self.hinge_assembly.attach(matrix, elements);
        let fans = (0..self.layout.fan_count()).map(|fan| self.layout.nodes(fan));
        self.fan_assembly.attach(matrix, fans);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.measure(positions);
        let (curvatures, bends) = (&self.curvatures, &self.bends);
        let fans = ordered_sum(curvatures.len(), |first, end| {
            let squares = curvatures[first..end].iter().map(|k| k.length_squared());
            0.5 * squares.sum::<f64>()
        });
        let junctions = self.layout.junctions().iter();
        let junctions = junctions.zip(&bends[self.layout.first_junction()..]);
        let junctions: f64 = junctions.map(|(k, bend)| 0.5 * k * bend * bend).sum();
        fans + junctions
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.measure(positions);
        self.differentiate(positions);
        self.hinge_assembly
            .over_nodes(self.hinges.len(), gradient, |element, window| {
                let moment = self
                    .layout
                    .moment(element, &self.curvatures, self.bends[element]);
                let slopes = &self.slopes[element];
                for (&node, slope) in self.hinges[element].nodes.iter().zip(slopes) {
                    window.add(node, moment * *slope);
                }
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.differentiate(positions);
        let (layout, slopes) = (&self.layout, &self.slopes);
        for_each_chunk_mut(&mut self.fan_slopes, |first, fan_slopes| {
            for (entry, slope) in (first..).zip(fan_slopes) {
                *slope = layout.slopes(entry, slopes);
            }
        });
        let fan_slopes = &self.fan_slopes;
        self.fan_assembly.over_blocks(matrix, |fan, slots, window| {
            add_fan(&fan_slopes[layout.entries(fan)], slots, window);
        });
        let full = curvature == Curvature::Full;
        if full {
            self.measure(positions);
        }
        if full || !self.layout.junctions().is_empty() {
            self.add_hinge_blocks(positions, full, matrix);
        }
    }

    fn attach_half(&mut self, half: &HalfBlocks) -> bool {
        self.half.attach(&self.layout, half);
        true
    }

    fn add_half_hessian(&mut self, positions: &[DVec3], half: &mut HalfBlocks) {
        self.differentiate(positions);
        let nodes = |hinge: usize| self.hinges[hinge].nodes;
        self.half.add(&self.layout, &self.slopes, nodes, half);
    }
}

for_this_processor! {
    /// Adds Σ_k g_ik g_jkᵀ for the nodes of a fan.
    fn add_fan(g: &[[DVec3; 3]], slots: &[u32], window: &mut Window<DMat3>) {
        for (i, [a, b, c]) in g.iter().enumerate() {
            for (j, [d, e, f]) in g[..=i].iter().enumerate() {
                let block = DMat3::from_cols(
                    *a * d.x + *b * e.x + *c * f.x,
                    *a * d.y + *b * e.y + *c * f.y,
                    *a * d.z + *b * e.z + *c * f.z,
                );
                window.add(slots[i * g.len() + j], block);
                if i != j {
                    window.add(slots[j * g.len() + i], block.transpose());
                }
            }
        }
    }
}

impl PlateBending {
    /// Adds the springs of junctions and, for the full Hessian, what comes from the second
    /// derivatives of the angles.
    fn add_hinge_blocks(&self, positions: &[DVec3], full: bool, matrix: &mut BlockMatrix) {
        let layout = &self.layout;
        self.hinge_assembly
            .over_blocks(matrix, |element, slots, window| {
                let mut blocks = [DMat3::ZERO; 6];
                if let Some(stiffness) = layout.junction(element) {
                    let [_, e, a, b] = self.slopes[element];
                    let [ke, ka, kb] = [e, a, b].map(|slope| stiffness * slope);
                    blocks = [
                        outer(ke, e),
                        outer(ke, a),
                        outer(ke, b),
                        outer(ka, a),
                        outer(ka, b),
                        outer(kb, b),
                    ];
                }
                if full {
                    let fold = Fold::new(positions, &self.hinges[element].nodes);
                    let moment = layout.moment(element, &self.curvatures, self.bends[element]);
                    for (block, second) in blocks.iter_mut().zip(fold.second_slopes()) {
                        *block += moment * second;
                    }
                }
                window.add_differences(slots, &blocks);
            });
    }
}

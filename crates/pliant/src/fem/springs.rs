//! Mass-spring networks: springs between the nodes of elements, with piecewise linear stress.
//!
//! ```text
//! E(x) = Σ over springs of ½ k (l - L)² + ½ (s - 1) k max(0, l - (1 + e) L)²,    l = |x_b - x_a|
//! ```
//!
//! Implements: \[Gibson1997\] section on mass-spring models; \[Mueller2002\] Fig. 2, the piecewise
//! linear stress of Desbrun that keeps material from over-stretching: beyond the elongation e the
//! stiffness is s times larger. The force is continuous, the energy has a continuous derivative.
//!
//! k stiffness (N/m), L rest length (m), e elongation (fraction of L), s a factor of at least 1. A
//! muscle has another length without force than L (see `muscle.rs`); the limit e L stays.
//!
//! The stiffness of springs that stand for a material is that of `spring_stiffness.rs`.
//!
//! Resistance to a change of volume beyond that is a second energy:
//! [`VolumePreservation`](super::VolumePreservation).

use super::assembly::Assembly;
use super::material::positive;
use super::spring_stiffness::add_stiffness;
use super::{Energy, FemError};
use crate::energy::{Curvature, Springs};
use crate::linear::BlockMatrix;
use crate::math::parallel::ordered_sum;
use crate::mesh::{ElementMesh, MeshError};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// A spring between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The nodes it joins.
    pub nodes: [u32; 2],
    /// Its length without force, in metres.
    pub rest_length: f64,
    /// Force per elongation, in newtons per metre.
    pub stiffness: f64,
}

/// How springs resist over-stretching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchLimit {
    /// The elongation from which a spring is stiffer, as a fraction of its rest length.
    pub elongation: f64,
    /// How many times stiffer: at least 1.
    pub factor: f64,
}

/// A network of springs; see the module.
#[derive(Clone, Debug)]
pub struct SpringNetwork {
    springs: Vec<Spring>,
    /// The length of each without force as muscles have made it, in metres.
    active_lengths: Vec<f64>,
    limit: StretchLimit,
    assembly: Assembly<2>,
}

impl SpringNetwork {
    /// The given springs between `node_count` nodes.
    pub fn new(node_count: usize, springs: Vec<Spring>) -> Result<Self, FemError> {
        for (element, spring) in springs.iter().enumerate() {
            let [a, b] = spring.nodes;
            if let Some(&node) = [a, b].iter().find(|&&node| node as usize >= node_count) {
                return Err(MeshError::NoSuchNode {
                    element,
                    node,
                    node_count,
                }
                .into());
            }
            if a == b {
                return Err(MeshError::NodeTwice { element, node: a }.into());
            }
            check_length(spring.rest_length)?;
            positive("the stiffness of a spring", spring.stiffness)?;
        }
        Ok(Self {
            active_lengths: springs.iter().map(|spring| spring.rest_length).collect(),
            springs,
            limit: StretchLimit {
                elongation: f64::INFINITY,
                factor: 1.0,
            },
            assembly: Assembly::default(),
        })
    }

    /// Springs between the nodes of every element of a mesh, with the stiffness of a material.
    ///
    /// - `young`: Young's modulus, in pascals.
    /// - `section`: what elements lack of a volume: the thickness of faces in metres, the cross
    ///   section of segments in square metres. Solids do not use it.
    pub fn of_mesh(mesh: &ElementMesh, young: f64, section: f64) -> Result<Self, FemError> {
        Self::of_layers(mesh, |_| young, section)
    }

    /// The same with a Young's modulus for each region of the mesh: layers.
    pub fn of_layers(
        mesh: &ElementMesh,
        young: impl Fn(i32) -> f64,
        section: f64,
    ) -> Result<Self, FemError> {
        mesh.check()?;
        let mut stiffness = BTreeMap::new();
        for block in &mesh.blocks {
            add_stiffness(block, &mesh.positions, &young, section, &mut stiffness)?;
        }
        let springs = stiffness.into_iter().map(|([a, b], stiffness)| Spring {
            nodes: [a, b],
            rest_length: mesh.positions[a as usize].distance(mesh.positions[b as usize]),
            stiffness,
        });
        Self::new(mesh.positions.len(), springs.collect())
    }

    /// The same network, guarded against over-stretching.
    pub fn with_limit(mut self, limit: StretchLimit) -> Result<Self, FemError> {
        if limit.elongation.is_nan() || limit.elongation < 0.0 {
            return Err(FemError::Parameter {
                parameter: "the elongation of a stretch limit",
                expected: "at least 0",
                value: limit.elongation,
            });
        }
        if !limit.factor.is_finite() || limit.factor < 1.0 {
            return Err(FemError::Parameter {
                parameter: "the factor of a stretch limit",
                expected: "a number of at least 1",
                value: limit.factor,
            });
        }
        self.limit = limit;
        Ok(self)
    }

    /// The springs, in ascending order of their nodes if they are those of a mesh.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Gives a spring another length without force: a muscle that contracts. Its stiffness and the
    /// length from which it is guarded against over-stretching stay.
    ///
    /// - `length`: in metres.
    ///
    /// # Panics
    /// If there is no such spring.
    pub fn set_active_length(&mut self, spring: usize, length: f64) -> Result<(), FemError> {
        check_length(length)?;
        self.active_lengths[spring] = length;
        Ok(())
    }

    /// How far a spring is beyond the length from which it is stiffer, in metres.
    #[inline]
    fn beyond(&self, spring: usize, length: f64) -> f64 {
        let rest = self.springs[spring].rest_length;
        length - (1.0 + self.limit.elongation) * rest
    }

    /// Tension of a spring in newtons and its derivative by the length, in newtons per metre.
    #[inline]
    fn tension(&self, spring: usize, length: f64) -> (f64, f64) {
        let elongation = length - self.active_lengths[spring];
        let beyond = self.beyond(spring, length);
        let k = self.springs[spring].stiffness;
        if beyond > 0.0 {
            let extra = (self.limit.factor - 1.0) * k;
            (k * elongation + extra * beyond, k + extra)
        } else {
            (k * elongation, k)
        }
    }

    /// The second derivative by one end: T' n nᵀ + (T / l) (I - n nᵀ), in newtons per metre.
    #[inline]
    fn spring_hessian(&self, spring: usize, edge: DVec3, curvature: Curvature) -> DMat3 {
        let length = edge.length();
        if length == 0.0 {
            return DMat3::from_diagonal(DVec3::splat(self.springs[spring].stiffness));
        }
        let (tension, slope) = self.tension(spring, length);
        let across = match curvature {
            Curvature::Full => tension / length,
            Curvature::Positive => (tension / length).max(0.0),
            Curvature::Material => 0.0,
        };
        let n = edge / length;
        let along = (slope - across) * n;
        let mut block = DMat3::from_cols(along * n.x, along * n.y, along * n.z);
        block.x_axis.x += across;
        block.y_axis.y += across;
        block.z_axis.z += across;
        block
    }
}

fn check_length(length: f64) -> Result<(), FemError> {
    positive("the rest length of a spring", length)
}

impl Energy for SpringNetwork {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for spring in &self.springs {
            visit(spring.nodes[0] as usize, spring.nodes[1] as usize);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let elements = self.springs.iter().map(|spring| spring.nodes);
        self.assembly.attach(matrix, elements);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        ordered_sum(self.springs.len(), |first, end| {
            let mut sum = 0.0;
            for index in first..end {
                let spring = &self.springs[index];
                let [a, b] = spring.nodes.map(|node| positions[node as usize]);
                let length = a.distance(b);
                let elongation = length - self.active_lengths[index];
                let beyond = self.beyond(index, length).max(0.0);
                let extra = (self.limit.factor - 1.0) * beyond * beyond;
                sum += 0.5 * spring.stiffness * (elongation * elongation + extra);
            }
            sum
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let count = self.springs.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let spring = &self.springs[element];
                let [a, b] = spring.nodes.map(|node| positions[node as usize]);
                let edge = b - a;
                let length = edge.length();
                if length > 0.0 {
                    let pull = edge * (self.tension(element, length).0 / length);
                    window.add(spring.nodes[0], -pull);
                    window.add(spring.nodes[1], pull);
                }
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let spring = &self.springs[element];
            let [a, b] = spring.nodes.map(|node| positions[node as usize]);
            let block = self.spring_hessian(element, b - a, curvature);
            window.add(slots[0][0], block);
            window.add(slots[1][1], block);
            window.add(slots[0][1], -block);
            window.add(slots[1][0], -block);
        });
    }

    /// Takes over the lengths that muscles have given the springs.
    fn adopt_springs(&mut self, springs: &Springs) {
        self.active_lengths.copy_from_slice(&springs.rests);
    }
}

#[cfg(test)]
#[path = "springs_tests.rs"]
mod tests;

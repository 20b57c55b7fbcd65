//! Elementary displacements: the shape that a unit force on one node gives a linear body that is held.
//!
//! ```text
//! u = K⁻¹ f = Σ_j C_j f_j,     C_j: column of K⁻¹, three by three for each node
//! ```
//!
//! A column is found by a solve with the factor of K and kept, so that a load on few nodes is answered by a
//! sum of few columns, however fine the mesh inside is. Kept for the nodes of the surface alone, the columns
//! are the stiffness condensed to the surface, inverted.
//!
//! Implements: \[Gibson1997\] sect. 4.3, the precomputed methods of Bro-Nielsen and of Cotin et al.

use super::rest_stiffness;
use crate::body::{Body, BodyDescription};
use crate::linear::{BlockMatrix, BlockSolver, LinearError, SolverKind, SolverSettings};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Bytes of columns beyond which they are found anew.
const MOST_BYTES: usize = 1 << 30;

/// The factor of a stiffness and the columns of its inverse that were asked for.
pub struct ElementaryDisplacements {
    stiffness: BlockMatrix,
    /// The same with the rows of fixed nodes those of the identity.
    matrix: BlockMatrix,
    solver: BlockSolver,
    fixed: Vec<bool>,
    rest: Vec<DVec3>,
    /// The nodes whose displacements are kept, in this order.
    shown: Vec<u32>,
    columns: BTreeMap<u32, Vec<DMat3>>,
    load: Vec<DVec3>,
    answer: Vec<DVec3>,
}

impl std::fmt::Debug for ElementaryDisplacements {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.columns.len();
        write!(formatter, "ElementaryDisplacements({columns} columns)")
    }
}

impl ElementaryDisplacements {
    /// Of a body at rest, with the displacements of all its nodes.
    pub fn new(body: &Body) -> Result<Self, LinearError> {
        let all = (0..body.node_count() as u32).collect();
        Self::shown_at(body, all)
    }

    /// Of a body at rest, with the displacements of some nodes, such as those of its surface.
    pub fn shown_at(body: &Body, shown: Vec<u32>) -> Result<Self, LinearError> {
        let description = body.description();
        let stiffness = rest_stiffness(body);
        let mut matrix = stiffness.clone();
        matrix.pin(&description.fixed);
        let settings = SolverSettings {
            kind: SolverKind::Cholesky,
            tolerance: 1e-13,
            ..SolverSettings::default()
        };
        let mut solver = BlockSolver::new(settings, &matrix);
        solver.prepare(&matrix)?;
        let count = body.node_count();
        Ok(Self {
            stiffness,
            matrix,
            solver,
            fixed: description.fixed.clone(),
            rest: description.rest_positions.clone(),
            shown,
            columns: BTreeMap::new(),
            load: vec![DVec3::ZERO; count],
            answer: vec![DVec3::ZERO; count],
        })
    }

    /// Whether it is that of a body described like this. The stiffness is not compared.
    pub(crate) fn serves(&self, description: &BodyDescription) -> bool {
        self.fixed == description.fixed && self.rest == description.rest_positions
    }

    /// The nodes whose displacements are kept.
    pub fn shown(&self) -> &[u32] {
        &self.shown
    }

    /// Forgets all columns if they take more memory than is kept.
    pub fn make_room(&mut self) {
        if self.columns.len() * self.shown.len() * size_of::<DMat3>() > MOST_BYTES {
            self.columns.clear();
        }
    }

    /// The displacements of all nodes by forces on all of them, by a solve, in metres.
    pub fn solve(
        &mut self,
        forces: &[DVec3],
        displacements: &mut [DVec3],
    ) -> Result<(), LinearError> {
        for (node, load) in self.load.iter_mut().enumerate() {
            *load = if self.fixed[node] {
                DVec3::ZERO
            } else {
                forces[node]
            };
        }
        displacements.fill(DVec3::ZERO);
        self.solver
            .solve(&self.matrix, None, &self.load, displacements)?;
        Ok(())
    }

    /// Adds K u, in newtons.
    pub(crate) fn add_product(&self, displacements: &[DVec3], forces: &mut [DVec3]) {
        let mut product = vec![DVec3::ZERO; displacements.len()];
        self.stiffness.multiply(displacements, &mut product);
        for (force, product) in forces.iter_mut().zip(product) {
            *force += product;
        }
    }

    /// Finds the column of a node, if it is not there.
    pub fn find(&mut self, node: usize) -> Result<(), LinearError> {
        if self.columns.contains_key(&(node as u32)) {
            return Ok(());
        }
        let mut column = vec![DMat3::ZERO; self.shown.len()];
        if !self.fixed[node] {
            for axis in 0..3 {
                self.load.fill(DVec3::ZERO);
                self.load[node] = DVec3::AXES[axis];
                self.answer.fill(DVec3::ZERO);
                self.solver
                    .solve(&self.matrix, None, &self.load, &mut self.answer)?;
                for (block, &shown) in column.iter_mut().zip(&self.shown) {
                    *block.col_mut(axis) = self.answer[shown as usize];
                }
            }
        }
        self.columns.insert(node as u32, column);
        Ok(())
    }

    /// The displacements of the nodes that are kept by a unit force on a node, if they were found.
    pub fn column(&self, node: usize) -> Option<&[DMat3]> {
        self.columns.get(&(node as u32)).map(Vec::as_slice)
    }

    /// Adds the displacements by forces on nodes whose columns were found; says whether all were.
    pub fn superpose(&self, forces: &[(usize, DVec3)], displacements: &mut [DVec3]) -> bool {
        let mut all = true;
        for (node, force) in forces {
            match self.column(*node) {
                Some(column) => {
                    for (sum, block) in displacements.iter_mut().zip(column) {
                        *sum += *block * *force;
                    }
                }
                None => all = false,
            }
        }
        all
    }
}

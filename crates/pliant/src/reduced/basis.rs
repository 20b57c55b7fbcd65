//! The modes of a body with what steps need of them.

use super::modes::{ModeError, Modes, check_count, lowest_modes};
use super::rest_stiffness;
use crate::body::{Body, BodyDescription};
use glam::DVec3;

/// The vibrations of a body at rest, and how it moves beside them.
#[derive(Clone, Debug)]
pub struct ModalBasis {
    /// ω² of each mode, ascending, in 1/s².
    pub squares: Vec<f64>,
    /// Node after node, the displacement in each mode, in 1/√kg.
    shapes: Vec<DVec3>,
    /// Whether no node is fixed: then it moves and turns as a whole.
    pub is_free: bool,
    /// Where the nodes are at rest: of a free body from its centre of mass, in metres.
    pub arms: Vec<DVec3>,
    /// What it was made for.
    masses: Vec<f64>,
    rest: Vec<DVec3>,
    fixed: Vec<bool>,
}

/// Why a body has no basis of modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModalBasisError {
    /// It can turn about what is held.
    #[error("it can turn about its fixed nodes: fix none, or three that are not in line")]
    Turns,
    /// All nodes in line.
    #[error("its nodes are all in line")]
    Line,
    /// The search failed.
    #[error(transparent)]
    Modes(#[from] ModeError),
}

impl ModalBasis {
    /// Whether a body described like this can have so many modes; says nothing about their convergence.
    pub(crate) fn check(
        description: &BodyDescription,
        count: usize,
    ) -> Result<(), ModalBasisError> {
        let rest = &description.rest_positions;
        let fixed = description.fixed.iter();
        let held: Vec<DVec3> = fixed
            .zip(rest)
            .filter(|(f, _)| **f)
            .map(|(_, x)| *x)
            .collect();
        if in_line(rest) {
            return Err(ModalBasisError::Line);
        }
        if !held.is_empty() && in_line(&held) {
            return Err(ModalBasisError::Turns);
        }
        let apart = if held.is_empty() { 6 } else { 0 };
        let most = 3 * (rest.len() - held.len());
        Ok(check_count(most.saturating_sub(apart), count)?)
    }

    /// The `count` lowest modes of a body; all of them, if it has fewer.
    pub fn new(body: &Body, count: usize) -> Result<Self, ModalBasisError> {
        let description = body.description();
        Self::check(description, count)?;
        let (masses, rest) = (&description.masses, &description.rest_positions);
        let is_free = !description.fixed.contains(&true);
        let mut arms = rest.clone();
        let mut apart: Vec<Vec<DVec3>> = Vec::new();
        if is_free {
            let mass: f64 = masses.iter().sum();
            let centre = masses.iter().zip(rest).map(|(m, x)| *m * *x).sum::<DVec3>() / mass;
            arms.iter_mut().for_each(|arm| *arm -= centre);
            for axis in DVec3::AXES {
                apart.push(vec![axis; rest.len()]);
                apart.push(arms.iter().map(|arm| axis.cross(*arm)).collect());
            }
        }
        let stiffness = rest_stiffness(body);
        let Modes { squares, shapes } =
            lowest_modes(&stiffness, masses, &description.fixed, &apart, count)?;
        let by_node = (0..rest.len()).flat_map(|node| shapes.iter().map(move |shape| shape[node]));
        Ok(Self {
            shapes: by_node.collect(),
            squares,
            is_free,
            arms,
            masses: masses.clone(),
            rest: rest.clone(),
            fixed: description.fixed.clone(),
        })
    }

    /// Whether it holds at least so many modes of a body described like this. The stiffness is not compared.
    pub(crate) fn serves(&self, description: &BodyDescription, count: usize) -> bool {
        self.len() >= count
            && self.fixed == description.fixed
            && self.masses == description.masses
            && self.rest == description.rest_positions
    }

    /// The same with fewer modes.
    pub(crate) fn lowest(&self, count: usize) -> Self {
        let all = self.len().max(1);
        let rows = self.shapes.chunks_exact(all);
        Self {
            squares: self.squares[..count].to_vec(),
            shapes: rows.flat_map(|row| &row[..count]).copied().collect(),
            ..self.clone()
        }
    }

    /// Number of modes.
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// The displacement of a node in each mode, in 1/√kg.
    #[inline]
    pub fn shapes_at(&self, node: usize) -> &[DVec3] {
        let count = self.len();
        &self.shapes[node * count..(node + 1) * count]
    }

    /// The frequency of each mode, in hertz.
    pub fn frequencies(&self) -> Vec<f64> {
        let squares = self.squares.iter();
        squares
            .map(|square| square.sqrt() / std::f64::consts::TAU)
            .collect()
    }

    /// The displacement of a node by modal amplitudes, in metres.
    #[inline]
    pub fn displacement(&self, node: usize, amplitudes: &[f64]) -> DVec3 {
        let terms = self.shapes_at(node).iter().zip(amplitudes);
        terms.map(|(shape, q)| *q * *shape).sum()
    }

    /// Adds what a vector at a node does in each mode.
    #[inline]
    pub(super) fn collect(&self, node: usize, vector: DVec3, sums: &mut [f64]) {
        for (shape, sum) in self.shapes_at(node).iter().zip(sums) {
            *sum += shape.dot(vector);
        }
    }
}

/// Whether points lie on one straight line.
fn in_line(points: &[DVec3]) -> bool {
    let Some(&first) = points.first() else {
        return true;
    };
    let farther = |a: &DVec3, b: &DVec3| a.length_squared().total_cmp(&b.length_squared());
    let arms = points.iter().map(|x| *x - first);
    let longest = arms.clone().max_by(farther).unwrap_or(DVec3::ZERO);
    let size = longest.length();
    arms.into_iter()
        .all(|arm| arm.cross(longest).length() <= 1e-6 * size * size)
}

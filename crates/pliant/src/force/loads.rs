//! What a force sees of a body, and where it puts its result.

use crate::math::outer;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// The state in which forces are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct NodalView<'a> {
    /// Positions, in metres.
    pub positions: &'a [DVec3],
    /// Velocities, in metres per second.
    pub velocities: &'a [DVec3],
    /// Masses, in kilograms.
    pub masses: &'a [f64],
    /// Unit normals of a surface or of the boundary of a solid (zero inside it); unit tangents of
    /// a curve; empty if no force asked for them.
    pub directions: &'a [DVec3],
    /// Whether `directions` are the tangents of a curve.
    pub curve: bool,
    /// Time, in seconds.
    pub time: f64,
    /// Length of the step over which velocities are formed, in seconds; 0 where there is none (statics).
    pub step: f64,
    /// The part of time that the evaluation stands for: beginning and end, in seconds.
    pub window: [f64; 2],
}

impl NodalView<'_> {
    /// Share of the window that lies between two moments: the impulse of a force that is switched on
    /// and off does not depend on where steps begin. Without a window, 1 or 0.
    pub fn share_of_step(&self, from: f64, until: f64) -> f64 {
        let [begin, end] = self.window;
        if end <= begin {
            return f64::from(u8::from((from..=until).contains(&self.time)));
        }
        let on = until.min(end) - from.max(begin);
        (on / (end - begin)).clamp(0.0, 1.0)
    }
}

/// How a force answers to a displacement of its node: a positive semi-definite -∂f/∂x.
#[derive(Clone, Copy, Debug)]
pub enum Stiffness {
    /// It does not.
    None,
    /// The same in all directions, in newtons per metre.
    Isotropic(f64),
    /// Only along a unit vector.
    Along(DVec3, f64),
    /// Only across a unit vector.
    Across(DVec3, f64),
    /// A positive semi-definite matrix.
    Matrix(DMat3),
}

/// Sums of loads at the nodes.
#[derive(Clone, Debug)]
pub struct Loads {
    /// Sum of the forces, in newtons.
    pub forces: Vec<DVec3>,
    /// A bound on the stiffness of each node, in newtons per metre; empty where forces alone count.
    pub stiffness: Vec<f64>,
    /// The stiffness of each node as a matrix; empty unless asked for.
    pub blocks: Vec<DMat3>,
    /// The part of `blocks` that is an answer to velocity, divided by the step over which velocities are
    /// formed; empty unless asked for.
    pub drags: Vec<DMat3>,
    /// What loads are multiplied by as they are added; 1 outside of [`Loads::scaled`].
    scale: f64,
}

impl Default for Loads {
    fn default() -> Self {
        Self::new(0, false)
    }
}

impl Loads {
    /// Room for a number of nodes, with or without blocks.
    pub fn new(node_count: usize, with_blocks: bool) -> Self {
        Self {
            forces: vec![DVec3::ZERO; node_count],
            stiffness: vec![0.0; node_count],
            blocks: vec![DMat3::ZERO; if with_blocks { node_count } else { 0 }],
            drags: Vec::new(),
            scale: 1.0,
        }
    }

    /// Room for a number of nodes, with blocks and what of them answers to velocity.
    pub fn with_drags(node_count: usize) -> Self {
        Self {
            drags: vec![DMat3::ZERO; node_count],
            ..Self::new(node_count, true)
        }
    }

    /// Room for forces alone.
    pub fn of_forces(node_count: usize) -> Self {
        Self {
            stiffness: Vec::new(),
            ..Self::new(node_count, false)
        }
    }

    /// Sets all loads to zero.
    pub fn clear(&mut self) {
        self.forces.fill(DVec3::ZERO);
        self.stiffness.fill(0.0);
        self.blocks.fill(DMat3::ZERO);
        self.drags.fill(DMat3::ZERO);
    }

    /// Adds a load at a node.
    #[inline(always)]
    pub fn add(&mut self, node: usize, force: DVec3, stiffness: Stiffness) {
        self.forces[node] += self.scale * force;
        if matches!(stiffness, Stiffness::None) {
            return;
        }
        if let Some(sum) = self.stiffness.get_mut(node) {
            *sum += self.scale * stiffness.bound();
        }
        if let Some(sum) = self.blocks.get_mut(node) {
            *sum += self.scale * stiffness.block();
        }
    }

    /// Adds a load at a node that answers to velocity: `stiffness` is -∂f/∂v, divided by the step over
    /// which velocities are formed.
    #[inline(always)]
    pub fn add_drag(&mut self, node: usize, force: DVec3, stiffness: Stiffness) {
        self.add(node, force, stiffness);
        if let Some(sum) = self.drags.get_mut(node) {
            *sum += self.scale * stiffness.block();
        }
    }

    /// Whether more than forces counts.
    pub(super) fn takes_stiffness(&self) -> bool {
        !self.stiffness.is_empty() || !self.blocks.is_empty()
    }

    /// Whether answers to velocity are told apart from those to displacement.
    pub(super) fn tells_drags(&self) -> bool {
        !self.drags.is_empty()
    }

    /// Adds a load at each of a range of nodes.
    #[inline(always)]
    pub fn add_each(
        &mut self,
        nodes: Range<usize>,
        loads: impl Iterator<Item = (DVec3, Stiffness)>,
    ) {
        if !self.blocks.is_empty() {
            nodes
                .zip(loads)
                .for_each(|(node, (force, stiffness))| self.add(node, force, stiffness));
            return;
        }
        let (scale, forces) = (self.scale, &mut self.forces[nodes.clone()]);
        if self.stiffness.is_empty() {
            for (sum, (force, _)) in forces.iter_mut().zip(loads) {
                *sum += scale * force;
            }
            return;
        }
        let sums = forces.iter_mut().zip(&mut self.stiffness[nodes]);
        for ((sum, bound), (force, stiffness)) in sums.zip(loads) {
            *sum += scale * force;
            *bound += scale * stiffness.bound();
        }
    }

    /// The factor of loads and the sums of a range of nodes, where forces alone count.
    pub(super) fn forces_alone(&mut self, nodes: Range<usize>) -> Option<(f64, &mut [DVec3])> {
        let alone = self.stiffness.is_empty() && self.blocks.is_empty();
        alone.then(|| (self.scale, &mut self.forces[nodes]))
    }

    /// Multiplies what `add` adds by a factor.
    pub fn scaled(&mut self, factor: f64, add: impl FnOnce(&mut Self)) {
        let outer = self.scale;
        self.scale *= factor;
        add(self);
        self.scale = outer;
    }
}

impl Stiffness {
    /// No less than the stiffness along the direction in which it is greatest, in newtons per metre.
    #[inline(always)]
    fn bound(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Isotropic(k) | Self::Along(_, k) | Self::Across(_, k) => k,
            Self::Matrix(k) => k.x_axis.x + k.y_axis.y + k.z_axis.z,
        }
    }

    /// The stiffness as a matrix.
    fn block(self) -> DMat3 {
        match self {
            Self::None => DMat3::ZERO,
            Self::Isotropic(k) => DMat3::from_diagonal(DVec3::splat(k)),
            Self::Along(n, k) => outer(n, n) * k,
            Self::Across(n, k) => (DMat3::IDENTITY - outer(n, n)) * k,
            Self::Matrix(k) => k,
        }
    }
}

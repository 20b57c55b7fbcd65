//! Rigid parts as affine bodies: four control points in place of six coordinates.
//!
//! ```text
//! x_i = Σ w_ik q_k,        A = [q₁ - q₀, q₂ - q₀, q₃ - q₀] / l,        E = κ/4 |Aᵀ A - 1|²
//! ```
//!
//! At rest the control points are a corner q₀ and the ends of three orthogonal axes of length l, so
//! that A is the rotation of a rigid part. Nodes are fixed linear combinations of the control points:
//! contact and forces see them as any other node. Where joints act, Newton's steps turn free parts instead of
//! leading their control points along straight lines ([`ControlFrame::turn`]). The energy keeps A orthonormal; with κ = mass
//! times the square of [`SOUND_SPEED`] a part that moves at 10 m/s is stretched by some millionths. Among
//! bodies that are joined the mass is that of all of them, and where more presses on a part κ grows
//! (`joint_loads.rs`).
//!
//! The Hessian by A is κ (H₁ + H₂): H₁ = ½ |d(AᵀA)|² is positive, H₂ = (AᵀA - 1) : dAᵀ dA is taken
//! without the negative eigenvalues of AᵀA - 1.
//!
//! Implements: the affine bodies of \[Lan2022\].

use super::{CoreMotion, RigidCore};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::{nearest_rotation, outer, positive_part};
use glam::{DMat3, DQuat, DVec3};

/// Speed of elastic waves that the stiffness of a rigid part stands for, in metres per second.
const SOUND_SPEED: f64 = 3000.0;

/// The control points of a rigid part at rest, and how they may move.
#[derive(Clone, Debug)]
pub(super) struct ControlFrame {
    /// At rest, in metres.
    pub(super) rest: [DVec3; 4],
    /// Length l of the axes, in metres.
    length: f64,
    /// κ, in joules; and by its own mass alone.
    stiffness: f64,
    mass_stiffness: f64,
    /// Control points that the solve does not move.
    pub(super) held: [bool; 4],
}

impl ControlFrame {
    /// Of a core whose nodes have masses and places at rest.
    pub(super) fn new(core: &RigidCore, masses: &[f64], rest: &[DVec3]) -> Self {
        let nodes = || core.nodes.iter().map(|&node| node as usize);
        let mass: f64 = nodes().map(|node| masses[node]).sum();
        let centre = nodes().map(|node| masses[node] * rest[node]).sum::<DVec3>() / mass;
        let (origin, axes, held) = match &core.motion {
            CoreMotion::Free => (centre, DMat3::IDENTITY, [false; 4]),
            CoreMotion::Hinge { point, axis } => {
                let across = axis.any_orthonormal_vector();
                let axes = DMat3::from_cols(*axis, across, axis.cross(across));
                (*point, axes, [true, true, false, false])
            }
            CoreMotion::Turning { .. } | CoreMotion::Screw { .. } | CoreMotion::Path(_) => {
                (centre, DMat3::IDENTITY, [true; 4])
            }
        };
        let squares: f64 = nodes()
            .map(|node| masses[node] * (rest[node] - origin).length_squared())
            .sum();
        // A part of one node has no size; any length will do.
        let radius = (squares / mass).sqrt();
        let length = if radius > 0.0 { radius } else { 1.0 };
        Self {
            rest: [
                origin,
                origin + length * axes.x_axis,
                origin + length * axes.y_axis,
                origin + length * axes.z_axis,
            ],
            length,
            stiffness: mass * SOUND_SPEED * SOUND_SPEED,
            mass_stiffness: mass * SOUND_SPEED * SOUND_SPEED,
            held,
        }
    }

    /// Weights of the control points for a point of the rest shape.
    pub(super) fn weights(&self, point: DVec3) -> [f64; 4] {
        let arm = (point - self.rest[0]) / (self.length * self.length);
        let along = |k: usize| arm.dot(self.rest[k] - self.rest[0]);
        let [a, b, c] = [along(1), along(2), along(3)];
        [1.0 - a - b - c, a, b, c]
    }

    /// Bends the straight way of control points that move freely into a turn: of the change G = dA A₀ᵀ the
    /// skew part turns, the symmetric part stretches. To first order that is the straight way, which would
    /// stretch the part in second order, against all of its stiffness.
    pub(super) fn turn(&self, before: &[DVec3], after: &mut [DVec3]) {
        if self.held != [false; 4] {
            return;
        }
        let axes = |q: &[DVec3]| DMat3::from_cols(q[1] - q[0], q[2] - q[0], q[3] - q[0]);
        let start = axes(before);
        let scale = 1.0 / (self.length * self.length);
        let change = (axes(after) - start) * start.transpose() * scale;
        let transposed = change.transpose();
        let spin = 0.5
            * DVec3::new(
                change.y_axis.z - change.z_axis.y,
                change.z_axis.x - change.x_axis.z,
                change.x_axis.y - change.y_axis.x,
            );
        let stretch = DMat3::IDENTITY + (change + transposed) * 0.5;
        let turned = DMat3::from_quat(DQuat::from_scaled_axis(spin)) * stretch * start;
        for (k, axis) in [turned.x_axis, turned.y_axis, turned.z_axis]
            .into_iter()
            .enumerate()
        {
            after[k + 1] = after[0] + axis;
        }
    }

    /// Control points and their velocities that fit the nodes of a core best.
    pub(super) fn fit(
        &self,
        core: &RigidCore,
        masses: &[f64],
        rest: &[DVec3],
        positions: &[DVec3],
        velocities: &[DVec3],
    ) -> ([DVec3; 4], [DVec3; 4]) {
        let mean = |values: &[DVec3]| {
            let nodes = core.nodes.iter().map(|&node| node as usize);
            let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
            for node in nodes {
                sum += masses[node] * values[node];
                mass += masses[node];
            }
            sum / mass
        };
        let (before, now, drift) = (mean(rest), mean(positions), mean(velocities));
        let (mut moment, mut size) = (DMat3::ZERO, 0.0);
        let (mut angular, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for node in core.nodes.iter().map(|&node| node as usize) {
            let (m, r, x) = (masses[node], rest[node] - before, positions[node] - now);
            moment += outer(m * x, r);
            size += m * r.length_squared();
            angular += m * x.cross(velocities[node] - drift);
            inertia += (DMat3::IDENTITY * x.length_squared() - outer(x, x)) * m;
        }
        let turn = if size > 0.0 {
            nearest_rotation(moment * (3.0 / size))
        } else {
            DMat3::IDENTITY
        };
        // A straight core has no inertia about itself: a trace of it keeps the matrix regular.
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let regular = inertia + DMat3::IDENTITY * (1e-12 * trace);
        let spin = if trace > 0.0 {
            regular.inverse() * angular
        } else {
            DVec3::ZERO
        };
        let place = |point: DVec3| now + turn * (point - before);
        let controls = self.rest.map(place);
        let mut moving = controls.map(|point| drift + spin.cross(point - now));
        for (velocity, held) in moving.iter_mut().zip(self.held) {
            if held {
                *velocity = DVec3::ZERO;
            }
        }
        (controls, moving)
    }

    /// Where the control points of a core on a path are at a time.
    pub(super) fn on_path(&self, motion: &CoreMotion, time: f64) -> [DVec3; 4] {
        match motion.pose_at(time) {
            Some(pose) => self.rest.map(|point| pose.apply(point)),
            None => self.rest,
        }
    }

    fn axes(&self, controls: &[DVec3]) -> DMat3 {
        let axis = |k: usize| (controls[k] - controls[0]) / self.length;
        DMat3::from_cols(axis(1), axis(2), axis(3))
    }

    /// Multiplies κ: what is joined to heavier bodies bears more than its own weight.
    pub(super) fn reinforce(&mut self, factor: f64) {
        self.stiffness = factor * self.mass_stiffness;
    }

    /// The largest entry of Aᵀ A - 1.
    pub(super) fn strain(&self, controls: &[DVec3]) -> f64 {
        let a = self.axes(controls);
        let excess = a.transpose() * a - DMat3::IDENTITY;
        excess
            .to_cols_array()
            .iter()
            .fold(0.0, |most, e| most.max(e.abs()))
    }

    /// E, in joules.
    pub(super) fn energy(&self, controls: &[DVec3]) -> f64 {
        let a = self.axes(controls);
        let excess = a.transpose() * a - DMat3::IDENTITY;
        let squares: f64 = excess.to_cols_array().iter().map(|e| e * e).sum();
        0.25 * self.stiffness * squares
    }

    /// Adds ∂E/∂q of the control points, in newtons.
    pub(super) fn add_gradient(&self, controls: &[DVec3], gradient: &mut [DVec3]) {
        let a = self.axes(controls);
        let excess = a.transpose() * a - DMat3::IDENTITY;
        let by_axes = a * excess * (self.stiffness / self.length);
        for (k, force) in [by_axes.x_axis, by_axes.y_axis, by_axes.z_axis]
            .into_iter()
            .enumerate()
        {
            gradient[k + 1] += force;
            gradient[0] -= force;
        }
    }

    /// Adds ∂²E/∂q² to the blocks of four rows from `first` on.
    pub(super) fn add_hessian(
        &self,
        controls: &[DVec3],
        curvature: Curvature,
        first: usize,
        matrix: &mut BlockMatrix,
    ) {
        let a = self.axes(controls);
        let excess = a.transpose() * a - DMat3::IDENTITY;
        let excess = match curvature {
            Curvature::Full => excess,
            Curvature::Positive => positive_part(excess),
            Curvature::Material => DMat3::ZERO,
        };
        let scale = self.stiffness / (self.length * self.length);
        let columns = [a.x_axis, a.y_axis, a.z_axis];
        let square = outer(columns[0], columns[0])
            + outer(columns[1], columns[1])
            + outer(columns[2], columns[2]);
        // d²E = κ/2 |dAᵀ A + Aᵀ dA|² + κ (AᵀA - 1) : dAᵀ dA over columns i and j.
        for i in 0..3 {
            for j in 0..3 {
                let mut block = outer(columns[j], columns[i]);
                if i == j {
                    block += square;
                }
                block += DMat3::IDENTITY * excess.col(i)[j];
                let block = block * scale;
                matrix.add(first + i + 1, first + j + 1, block);
                matrix.add(first, first + j + 1, -block);
                matrix.add(first + i + 1, first, -block);
                matrix.add(first, first, block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Energy;
    use crate::energy::contract::EnergyContract;

    /// The energy that keeps a part rigid, over its four control points alone.
    impl Energy for ControlFrame {
        fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
            for a in 0..4 {
                (0..a).for_each(|b| visit(a, b));
            }
        }

        fn attach(&mut self, _matrix: &BlockMatrix) {}

        fn energy(&mut self, positions: &[DVec3]) -> f64 {
            Self::energy(self, positions)
        }

        fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
            Self::add_gradient(self, positions, gradient);
        }

        fn add_hessian(
            &mut self,
            positions: &[DVec3],
            curvature: Curvature,
            matrix: &mut BlockMatrix,
        ) {
            Self::add_hessian(self, positions, curvature, 0, matrix);
        }
    }

    #[test]
    fn what_keeps_cores_rigid_keeps_the_contract() {
        let rest = [
            DVec3::ZERO,
            DVec3::X,
            2.0 * DVec3::Y,
            DVec3::new(0.3, 0.1, 1.0),
        ];
        let axis = DVec3::new(1.0, 2.0, 2.0) / 3.0;
        let point = DVec3::new(0.1, 0.2, 0.3);
        for motion in [CoreMotion::Free, CoreMotion::Hinge { point, axis }] {
            let nodes = vec![0, 1, 2, 3];
            let core = RigidCore { nodes, motion };
            let mut frame = ControlFrame::new(&core, &[0.2, 0.1, 0.4, 0.3], &rest);
            let controls = frame.rest;
            EnergyContract::new(&controls).check(&mut frame);
            EnergyContract::new(&controls).check_crushed(&mut frame);
        }
    }
}

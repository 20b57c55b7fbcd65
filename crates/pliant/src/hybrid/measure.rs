//! Energy and elastic force of a hybrid body as it stands, and where its frame is.
//!
//! ```text
//! E(x) = min over c and R of ½ eᵀ K e,   e = Rᵀ (x - c) - r,   ∂E/∂x = R K e
//! ```
//!
//! At the minimum the derivatives by c and R vanish, so that the gradient is that with the frame
//! held; it has no net force and no torque.

use super::material::{HybridMaterial, centre_of_mass};
use super::rotation::nearest_rotation;
use super::settle::HybridStep;
use super::system::{get, put};
use super::viscosity::Viscosity;
use crate::body::{Body, BodyDescription, State};
use crate::math::outer;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DQuat, DVec3};

/// Whether forces that depend on rates are measured too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rates {
    /// Elastic forces alone.
    None,
    /// Those of the dashpots too, in the step that the system was last prepared for.
    OfStep,
}

/// The frame φ of a hybrid body and its motion.
///
/// Implements: \[Terzopoulos1988\] eq. 12 and 13.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMotion {
    /// c: the centre of mass, in metres.
    pub centre: DVec3,
    /// `world_from_body` rotation.
    pub rotation: DQuat,
    /// v, in metres per second.
    pub velocity: DVec3,
    /// ω, in radians per second.
    pub angular_velocity: DVec3,
}

/// The frame of a hybrid body; `None` for other bodies.
pub fn frame_motion(body: &Body) -> Option<FrameMotion> {
    body.hybrid()?;
    let motion = RigidMotion::of(&body.description().masses, &body.state);
    Some(FrameMotion {
        centre: motion.centre,
        rotation: body.state.rotation,
        velocity: motion.velocity,
        angular_velocity: motion.spin,
    })
}

/// The deformation e of each node in the frame of a hybrid body, in metres, about the centres of
/// mass of body and reference shape. Nothing is written for other bodies.
///
/// Implements: \[Terzopoulos1988\] eq. 11.
pub fn deformations(body: &Body, e: &mut [DVec3]) {
    let Some(material) = body.hybrid() else {
        return;
    };
    each_deformation(
        body.description(),
        material,
        &body.state,
        |node, deformation| {
            e[node] = deformation;
        },
    );
}

/// The same of a state, component by component.
pub(super) fn deformations_of(
    description: &BodyDescription,
    material: &HybridMaterial,
    state: &State,
    e: &mut [f64],
) {
    each_deformation(description, material, state, |node, deformation| {
        put(e, node, deformation)
    });
}

/// The deformation of each node, piece by piece; a loose node has none.
fn each_deformation(
    description: &BodyDescription,
    material: &HybridMaterial,
    state: &State,
    mut found: impl FnMut(usize, DVec3),
) {
    let (positions, reference) = (&state.positions, material.reference());
    let pieces = material.pieces();
    for piece in 0..pieces.count() {
        let nodes = || pieces.nodes(piece).iter().map(|&node| node as usize);
        let centre_of = |points: &[DVec3]| {
            centre_of_mass(nodes().map(|node| (description.masses[node], points[node])))
        };
        let (centre, origin) = (centre_of(positions), centre_of(reference));
        let first = nodes().next().unwrap_or(0);
        let body_from_world = DMat3::from_quat(state.rotation_at(first)).transpose();
        for node in nodes() {
            let arm = body_from_world * (positions[node] - centre);
            found(node, arm - (reference[node] - origin));
        }
    }
    for node in (0..positions.len()).filter(|&node| pieces.is_loose(node)) {
        found(node, DVec3::ZERO);
    }
}

impl HybridStep {
    /// Leaves e in `unknown` and K e in the right-hand side; R of each piece stands in `rotations`.
    /// With the rates of a step, the force is K' e - g of `viscosity.rs`.
    fn strain(&mut self, body: &Body, rates: Rates) {
        let Some(material) = body.hybrid() else {
            return;
        };
        self.system.take_material(body.description(), material);
        self.system.unknown.fill(0.0);
        self.rotations.clear();
        for piece in 0..material.pieces().count() {
            let rotation = self.strain_piece(body, material, piece, rates);
            self.rotations.push(rotation);
        }
        self.system.multiply(rates);
    }

    /// Leaves e of a piece in `unknown`; returns R.
    fn strain_piece(
        &mut self,
        body: &Body,
        material: &HybridMaterial,
        piece: usize,
        rates: Rates,
    ) -> DMat3 {
        let system = &mut self.system;
        let (positions, reference) = (&body.state.positions, material.reference());
        let (zeroth, forces) = match rates {
            Rates::None => (material.weights().zeroth.as_slice(), &system.forces),
            Rates::OfStep => (
                Viscosity::zeroth(&system.viscosity, material),
                &system.step_forces,
            ),
        };
        let nodes = || {
            let nodes = material.pieces().nodes(piece).iter();
            nodes.map(|&node| node as usize)
        };
        let masses = &body.description().masses;
        let start = centre_of_mass(nodes().map(|node| (masses[node], positions[node])));
        let origin = system.pieces[piece].origin;
        let (mut b, mut total) = (DMat3::ZERO, 0.0);
        let (mut centre, mut reference_centre) = (DVec3::ZERO, DVec3::ZERO);
        let mut first = None;
        for node in nodes() {
            first.get_or_insert(node);
            let x = positions[node] - start;
            b += outer(x, forces[node]);
            total += zeroth[node];
            centre += zeroth[node] * x;
            reference_centre += zeroth[node] * (reference[node] - origin);
        }
        if total > 0.0 {
            b -= outer(centre, reference_centre) * (1.0 / total);
        }
        let guess = body.state.rotation_at(first.unwrap_or(0));
        let rotation = DMat3::from_quat(nearest_rotation(&b, guess));
        let mut shift = DVec3::ZERO;
        if total > 0.0 {
            shift = (rotation.transpose() * centre - reference_centre) / total;
        }
        for node in nodes() {
            let r = reference[node] - origin;
            let e = rotation.transpose() * (positions[node] - start) - r - shift;
            put(&mut system.unknown, node, e);
        }
        rotation
    }

    /// Energy of deformation, in joules.
    pub(super) fn energy(&mut self, body: &Body) -> f64 {
        self.energy_with(body, Rates::None)
    }

    /// Energy of deformation and, with the rates of a step, the potential of its dashpots.
    pub(super) fn energy_with(&mut self, body: &Body, rates: Rates) -> f64 {
        self.strain(body, rates);
        let system = &self.system;
        let half = crate::math::parallel::dot_scalar(&system.unknown, &system.right_hand_side);
        match (rates, Viscosity::force(&system.viscosity)) {
            // ½ eᵀ K' e - gᵀ e, of which the force K' e - g is there.
            (Rates::OfStep, Some(g)) => {
                0.5 * (half - crate::math::parallel::dot_scalar(&system.unknown, g))
            }
            _ => 0.5 * half,
        }
    }

    /// Adds its gradient, in newtons.
    pub(super) fn add_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.add_gradient_with(body, Rates::None, gradient);
    }

    /// Adds the gradient of [`Self::energy_with`].
    pub(super) fn add_gradient_with(&mut self, body: &Body, rates: Rates, gradient: &mut [DVec3]) {
        self.strain(body, rates);
        let Some(material) = body.hybrid() else {
            return;
        };
        for (node, gradient) in gradient.iter_mut().enumerate() {
            if let Some(rotation) = self.rotations.get(material.pieces().of_node(node)) {
                *gradient += *rotation * get(&self.system.right_hand_side, node);
            }
        }
    }
}

//! Rigid bodies: what moves and turns and never changes its shape.
//!
//! A rigid body has no energy of its own. Its nodes follow four control points (`system/affine.rs`), so
//! that it moves in one system with soft bodies. Six of the nodes carry its mass, a sixth each: two on
//! every principal axis, at √(3 λ / m) from the centre, where λ is the second moment along the axis; their
//! mass, centre and inertia are those of the solid. The other nodes are what can touch: the centre of a
//! ball, the ends of a capsule, the corners of a box, the vertices of any other surface.
//!
//! Implements: the affine bodies of \[Lan2022\].

use crate::body::{
    Body, BodyDescription, BodyError, ContactFeatures, Footprint, Formulation, Integrator,
    IntegratorKind, Memory, State,
};
use crate::frame::{FrameBody, NodalField, Topology, TriangleMesh};
use crate::linear::SolverKind;
use crate::math::symmetric_eigen;
use crate::mesh::MassProperties;
use crate::obstacle::{ContactShape, ImplicitSurface, Pose};
use crate::system::{CoreMotion, RigidCore, Share, implicit_share, place_controls};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Nodes that carry the mass.
const MASS_POINTS: usize = 6;

/// Mass of a node that only touches, by the mass of the body.
const TOUCHING_MASS: f64 = 1e-9;

/// Segments of a full turn by which the mass of a round shape is found: to a ten-thousandth.
const MASS_RESOLUTION: usize = 256;

/// Segments of a full turn of a shape as it is drawn.
const DRAWN_RESOLUTION: usize = 48;

/// Bytes that a node takes.
const BYTES_PER_NODE: f64 = 3_000.0;

/// A rigid body; see the module.
#[derive(Clone, Debug)]
pub struct Rigid {
    core: RigidCore,
    features: ContactFeatures,
    topology: Arc<Topology>,
    /// What is drawn, at rest.
    drawn: Arc<Topology>,
    vertices: Arc<Vec<DVec3>>,
    /// Where mass points are at rest: the centre, and from it to the first of each pair.
    centre: DVec3,
    axes: DMat3,
}

/// What is wrong with the shape of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RigidError {
    /// The surface is open or has no end.
    #[error("a rigid body that moves needs a closed surface of finite size")]
    Open,
    /// Mass or density is not positive.
    #[error("mass and density of a rigid body must be positive and finite")]
    Mass,
}

impl Rigid {
    /// Its name as a formulation.
    pub const NAME: &'static str = "Rigid";

    /// The shape of an obstacle in a pose, with a density in kg/m³.
    pub fn of_shape(
        shape: &dyn ImplicitSurface,
        pose: &Pose,
        density: f64,
    ) -> Result<(RigidShape, MassProperties), RigidError> {
        Self::of_shape_within(shape, pose, density, 0.0)
    }

    /// The same where the triangles of round surfaces may lie so far inside, in metres.
    pub fn of_shape_within(
        shape: &dyn ImplicitSurface,
        pose: &Pose,
        density: f64,
        depth: f64,
    ) -> Result<(RigidShape, MassProperties), RigidError> {
        let placed = |mut mesh: TriangleMesh| {
            mesh.positions.iter_mut().for_each(|x| *x = pose.point(*x));
            mesh
        };
        let touching = shape.contact_shape_within(depth).ok_or(RigidError::Open)?;
        let whole = shape.mesh(1.0, MASS_RESOLUTION);
        let mass = match shape.has_parts() {
            // What overlaps counts once.
            true => {
                let mass = mass_inside(shape, &whole, density)?;
                mass.placed(pose.rotation, pose.translation)
            }
            false => mass_of(&placed(whole), density)?,
        };
        let shape = RigidShape {
            touching: touching.placed(pose),
            drawn: placed(shape.mesh(1.0, DRAWN_RESOLUTION)),
        };
        Ok((shape, mass))
    }

    /// A closed surface of triangles, with a density in kg/m³.
    pub fn of_triangles(
        surface: TriangleMesh,
        density: f64,
    ) -> Result<(RigidShape, MassProperties), RigidError> {
        let mass = mass_of(&surface, density)?;
        let shape = RigidShape {
            touching: ContactShape::triangles(|_| surface.clone()),
            drawn: surface,
        };
        Ok((shape, mass))
    }
}

fn mass_of(surface: &TriangleMesh, density: f64) -> Result<MassProperties, RigidError> {
    if !(density > 0.0 && density.is_finite()) {
        return Err(RigidError::Mass);
    }
    MassProperties::of_surface(surface, density).ok_or(RigidError::Open)
}

fn mass_inside(
    shape: &dyn ImplicitSurface,
    mesh: &TriangleMesh,
    density: f64,
) -> Result<MassProperties, RigidError> {
    // Every part is closed.
    mass_of(mesh, density)?;
    let places = || mesh.positions.iter().copied();
    let low = places().fold(DVec3::INFINITY, DVec3::min);
    let high = places().fold(DVec3::NEG_INFINITY, DVec3::max);
    let distance = |p: DVec3| shape.distance(p);
    MassProperties::of_inside(distance, [low, high], density).ok_or(RigidError::Open)
}

/// The shape of a rigid body at rest: what touches and what is drawn.
#[derive(Clone, Debug)]
pub struct RigidShape {
    /// What touches.
    pub touching: ContactShape,
    /// What is drawn.
    pub drawn: TriangleMesh,
}

impl BodyDescription {
    /// A rigid body, at rest where its shape is.
    pub fn rigid(
        name: &str,
        shape: RigidShape,
        mass: MassProperties,
        motion: CoreMotion,
    ) -> Result<Self, RigidError> {
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            return Err(RigidError::Mass);
        }
        let (moments, directions) = symmetric_eigen(mass.second_moments);
        let arms = (3.0 * moments.max(DVec3::ZERO) / mass.mass).map(f64::sqrt);
        let axes = DMat3::from_cols(
            directions.x_axis * arms.x,
            directions.y_axis * arms.y,
            directions.z_axis * arms.z,
        );
        let mut rest: Vec<DVec3> = Vec::new();
        for k in 0..3 {
            rest.extend([mass.centre + axes.col(k), mass.centre - axes.col(k)]);
        }
        let ContactShape {
            vertices,
            radii,
            points,
            edges,
            triangles,
        } = shape.touching;
        let base = MASS_POINTS as u32;
        rest.extend_from_slice(&vertices);
        let count = rest.len();
        let features = ContactFeatures {
            triangles: triangles.iter().map(|t| t.map(|v| base + v)).collect(),
            lines: edges.iter().map(|e| e.map(|v| base + v)).collect(),
            points: points.iter().map(|v| base + v).collect(),
            radii: std::iter::repeat_n(0.0, MASS_POINTS).chain(radii).collect(),
            frame: Some([0, 1, 2, 4]),
            gap: 0.0,
        };
        let light = TOUCHING_MASS * mass.mass;
        let heavy = (mass.mass - light * vertices.len() as f64) / MASS_POINTS as f64;
        let mut masses = vec![light; count];
        masses[..MASS_POINTS].fill(heavy);
        let formulation = Rigid {
            core: RigidCore {
                nodes: (0..count as u32).collect(),
                motion,
            },
            topology: Arc::new(Topology {
                triangles: features.triangles.clone(),
                lines: features.lines.clone(),
                points: features.points.clone(),
                ..Topology::default()
            }),
            features,
            drawn: Arc::new(Topology {
                triangles: shape.drawn.triangles,
                ..Topology::default()
            }),
            vertices: Arc::new(shape.drawn.positions),
            centre: mass.centre,
            axes,
        };
        let mut description = Self::of(name, Arc::new(formulation), rest);
        description.masses = masses;
        // Four control points: solved at once.
        description.solver.kind = SolverKind::Cholesky;
        Ok(description)
    }
}

impl Formulation for Rigid {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let body = || description.name.to_string();
        let mut taken = vec![false; description.rest_positions.len()];
        let sound = self
            .core
            .check(description.rest_positions.len(), &mut taken);
        sound.map_err(|what| BodyError::Formulation {
            body: body(),
            message: what.to_owned(),
        })?;
        let implicit = matches!(
            description.scheme(),
            IntegratorKind::TwoStage | IntegratorKind::Implicit
        );
        if !implicit {
            let message = "a rigid body moves by the integrators TwoStage and Implicit";
            return Err(BodyError::Unsupported {
                body: body(),
                message,
            });
        }
        Ok(())
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        3
    }

    fn stands_for_all(&self) -> Option<std::ops::Range<usize>> {
        Some(0..MASS_POINTS)
    }

    fn held_together(&self, _body: &Body, _node: usize) -> Option<Vec<usize>> {
        None
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        // Four control points have no factor to speak of.
        Footprint {
            bytes_per_entry: 0.0,
            most_bytes_per_entry: 0.0,
            ..Footprint::new(description, true, true, BYTES_PER_NODE, "a simpler shape")
        }
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        self.features.triangles.clone()
    }

    /// Between the two mass points of each axis.
    fn edges(&self, _description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        (0..3).for_each(|k| visit(2 * k, 2 * k + 1));
    }

    fn topology(&self, _body: &Body) -> Arc<Topology> {
        Arc::clone(&self.topology)
    }

    fn contact_features(&self, _body: &Body) -> ContactFeatures {
        self.features.clone()
    }

    fn directions(&self, _body: &Body, _positions: &[DVec3], directions: &mut [DVec3]) {
        directions.fill(DVec3::ZERO);
    }

    fn fields(&self, _body: &Body) -> Vec<NodalField> {
        Vec::new()
    }

    /// The surface, turned as the mass points are.
    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        let frame = |x: &[DVec3]| {
            let pairs: [_; 3] = std::array::from_fn(|k| (x[2 * k], x[2 * k + 1]));
            let centre = pairs.iter().map(|(a, b)| *a + *b).sum::<DVec3>() / 6.0;
            let arms = pairs.map(|(a, b)| 0.5 * (a - b));
            (centre, DMat3::from_cols(arms[0], arms[1], arms[2]))
        };
        let from_rest = self.axes.inverse();
        let carry = |x: &[DVec3]| -> Vec<DVec3> {
            let (centre, arms) = frame(x);
            let turn = arms * from_rest;
            let place = |rest: &DVec3| centre + turn * (*rest - self.centre);
            self.vertices.iter().map(place).collect()
        };
        let positions = carry(&nodes.positions);
        let none = vec![DVec3::ZERO; positions.len()];
        FrameBody {
            topology: Arc::clone(&self.drawn),
            velocities: carry(&nodes.velocities),
            elastic_forces: none.clone(),
            external_forces: none,
            fixed: Arc::new(vec![false; positions.len()]),
            positions,
            ..nodes
        }
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        place_controls(std::slice::from_ref(&self.core), description, state);
        Vec::new()
    }

    fn is_driven(&self) -> bool {
        self.core.motion.pose_at(0.0).is_some()
    }

    fn strays(&self, body: &Body, times: [f64; 2]) -> bool {
        self.is_driven() && self.core.motion.strays(times, body.size())
    }

    fn joins_others(&self, _description: &BodyDescription) -> bool {
        true
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let share = Share {
            cores: vec![self.core.clone()],
            ..Share::default()
        };
        implicit_share(body, share)
    }
}

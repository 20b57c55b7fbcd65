//! Dynamic NURBS: curves and surfaces that move by their control points and weights.
//!
//! Implements: \[Gibson1997\] sect. 5.4; \[Qin1996\]; the mechanics are in `dynamic_nurbs/`.

use super::grid_body::GridMechanics;
use crate::body::{
    Body, BodyDescription, BodyError, Footprint, Integrator, IntegratorKind, Memory, OnGrid, State,
};
use crate::contact::ContactMethod;
use crate::dynamic_nurbs::{Constraint, NurbsStep, Samples, Trim, subdivided, trimmed};
use crate::energy::Energy;
use crate::frame::FrameBody;
use crate::shape::Nurbs;
use crate::snake::SnakeEnergy;
use glam::DVec3;
use std::sync::Arc;

/// The most control points: matrices are dense.
const MOST_CONTROLS: usize = 1_000;

/// A NURBS curve or surface with mass, damping and the energy of a thin plate under tension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynamicNurbs {
    /// Control points and weights at the start.
    pub shape: Option<Arc<Nurbs>>,
    /// Whether weights stay as they are.
    pub fixed_weights: bool,
    /// Nodes at which the curve or surface is at right angles to a unit vector.
    pub normals: Vec<(usize, DVec3)>,
    /// Nodes of which a coordinate (0 to 2) is prescribed, in metres.
    pub places: Vec<(usize, usize, f64)>,
    /// How far prescribed and fixed points may be missed, in metres, for
    /// [`BodyDescription::subdivide_nurbs`].
    pub subdivide: Option<f64>,
    /// What trims it.
    pub trim: Option<Trim>,
}

impl DynamicNurbs {
    /// Its name.
    pub const NAME: &'static str = "DynamicNurbs";

    fn refusal(&self, description: &BodyDescription) -> Option<String> {
        let grid = description.material_grid();
        let Some(shape) = &self.shape else {
            return Some("it needs the shape of a NURBS curve or patch".to_owned());
        };
        let (bases, controls) = (shape.bases(), shape.control_points().len());
        let is_plain = matches!(
            description.integrator,
            IntegratorKind::Automatic | IntegratorKind::Implicit | IntegratorKind::Static
        );
        let projects = description.contact.method == ContactMethod::Projection
            && !description.collides_with.is_empty();
        Some(if bases.len() != grid.dimension() || grid.dimension() > 2 {
            "it is a curve or a surface, as its shape is".to_owned()
        } else if grid.periodic()[..2].contains(&true) {
            "it is open in all directions".to_owned()
        } else if controls > MOST_CONTROLS {
            format!("{controls} control points are more than {MOST_CONTROLS}")
        } else if !is_plain {
            "it moves by the integrators Implicit and Static".to_owned()
        } else if projects {
            "it meets obstacles by penalties alone: choose the contact method Quadratic or Exponential"
                .to_owned()
        } else if !description.processes.is_empty() {
            "it has no processes".to_owned()
        } else if let Some((node, _)) = self.normals.iter().find(|(node, normal)| {
            *node >= grid.node_count() || (normal.length() - 1.0).abs() > 1e-9
        }) {
            format!("the normal at node {node} is no unit vector at a node")
        } else if let Some((node, axis, value)) = self.places.iter().find(|(node, axis, value)| {
            *node >= grid.node_count() || *axis > 2 || !value.is_finite()
        }) {
            format!("coordinate {axis} of node {node} cannot be {value}")
        } else if self.trim.is_some() && grid.dimension() != 2 {
            "only a patch is trimmed".to_owned()
        } else {
            return None;
        })
    }

    /// What holds samples: fixed nodes where they are, and normals.
    fn constraints(&self, body: &Body) -> Vec<Constraint> {
        let description = body.description();
        let positions = &body.state.positions;
        let mut constraints = Vec::new();
        for node in (0..positions.len()).filter(|&node| description.fixed[node]) {
            constraints.extend(DVec3::AXES.map(|axis| Constraint {
                functional: vec![(node, axis)],
                value: positions[node].dot(axis),
            }));
        }
        for &(node, axis, value) in self
            .places
            .iter()
            .filter(|place| !description.fixed[place.0])
        {
            constraints.push(Constraint {
                functional: vec![(node, DVec3::AXES[axis])],
                value,
            });
        }
        let grid = description.material_grid();
        for &(node, normal) in &self.normals {
            let at = grid.coordinates(node);
            for d in 0..grid.dimension() {
                let neighbour = |way: i32| {
                    let mut step = [0; 3];
                    step[d] = way;
                    grid.neighbour(at, step).unwrap_or(node)
                };
                constraints.push(Constraint {
                    functional: vec![(neighbour(1), normal), (neighbour(-1), -normal)],
                    value: 0.0,
                });
            }
        }
        constraints
    }
}

impl BodyDescription {
    /// Makes a curve or surface on a grid a dynamic NURBS. Nothing happens to other bodies.
    pub fn make_dynamic_nurbs(&mut self, mechanics: DynamicNurbs) {
        self.give(mechanics);
    }

    /// What makes a body a dynamic NURBS.
    pub fn dynamic_nurbs(&self) -> Option<&DynamicNurbs> {
        let on_grid = self.formulation.downcast::<OnGrid<DynamicNurbs>>()?;
        Some(&on_grid.mechanics)
    }

    /// Inserts knots into a dynamic NURBS where its prescribed and fixed points ask for them, until all of
    /// them can be met within a tolerance, in metres. Nothing happens to other bodies.
    pub fn subdivide_nurbs(&mut self, tolerance: f64) -> Result<(), BodyError> {
        let Some(nurbs) = self.dynamic_nurbs().cloned() else {
            return Ok(());
        };
        let Some(shape) = nurbs.shape.clone() else {
            return Ok(());
        };
        let grid = self.material_grid().clone();
        let samples = Samples::new(&shape, &grid);
        let positions = samples.positions(shape.control_points(), shape.weights());
        let fixed = (0..positions.len()).filter(|&node| self.fixed[node]);
        let fixed =
            fixed.flat_map(|node| [0, 1, 2].map(|axis| (node, axis, positions[node][axis])));
        let mut wanted: Vec<_> = fixed.collect();
        wanted.extend(nurbs.places.iter().filter(|place| !self.fixed[place.0]));
        let finer = subdivided(&shape, &grid, &wanted, 0.5 * tolerance, MOST_CONTROLS);
        let finer = finer.map_err(|missed| BodyError::Formulation {
            body: self.name.to_string(),
            message: format!(
                "formulation {}: prescribed points are missed by {missed:.3e} m, and neither \
                 {MOST_CONTROLS} control points nor as many as the particles can tell apart suffice",
                DynamicNurbs::NAME
            ),
        })?;
        self.make_dynamic_nurbs(DynamicNurbs {
            shape: Some(Arc::new(finer)),
            subdivide: Some(tolerance),
            ..nurbs
        });
        Ok(())
    }

    /// Changes what a dynamic NURBS is made of. Nothing happens to other bodies.
    pub fn change_dynamic_nurbs(&mut self, change: impl FnOnce(&mut DynamicNurbs)) {
        if let Some(mut mechanics) = self.dynamic_nurbs().cloned() {
            change(&mut mechanics);
            self.make_dynamic_nurbs(mechanics);
        }
    }
}

impl GridMechanics for DynamicNurbs {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        match self.refusal(description) {
            None => Ok(()),
            Some(message) => Err(BodyError::Formulation {
                body: description.name.to_string(),
                message: format!("formulation {}: {message}", Self::NAME),
            }),
        }
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let controls = self.shape.as_ref().map_or(0, |s| s.control_points().len()) as f64;
        let nodes = description.node_count().max(1) as f64;
        let bytes = 2_000.0 + 2.0 * 8.0 * (4.0 * controls).powi(2) / nodes;
        Footprint::new(description, false, false, bytes, "fewer control points")
    }

    fn follows_weights(&self) -> bool {
        true
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        if let Some(shape) = &self.shape {
            let samples = Samples::new(shape, description.material_grid());
            state.positions = samples.positions(shape.control_points(), shape.weights());
            state.controls = shape.control_points().to_vec();
            let weights = shape.weights().iter();
            state
                .controls
                .extend(weights.map(|&weight| DVec3::X * weight));
            state.control_velocities = vec![DVec3::ZERO; state.controls.len()];
        }
        Vec::new()
    }

    fn meets_unasked(&self) -> bool {
        false
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let description = body.description();
        vec![Box::new(SnakeEnergy::new(
            description.material_grid(),
            &description.rest_positions,
            description.material_weights(),
        ))]
    }

    /// A patch is trimmed by the body that it names.
    fn show(&self, nodes: FrameBody, bodies: &[Body]) -> FrameBody {
        let Some(trim) = &self.trim else {
            return nodes;
        };
        let mut others = bodies.iter();
        match others.find(|other| other.description().name == trim.curve) {
            Some(curve) => trimmed(&nodes, &curve.state.positions, trim.keeps_inside),
            None => nodes,
        }
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        let shape = self.shape.as_ref()?;
        let samples = Samples::new(shape, body.description().material_grid());
        let constraints = self.constraints(body);
        let step = NurbsStep::new(body, samples, !self.fixed_weights, constraints);
        // What was subdivided until it can meet its points need not meet them better.
        let tolerance = self.subdivide.unwrap_or(0.0);
        Some(Box::new(step.with_tolerance(tolerance)))
    }
}

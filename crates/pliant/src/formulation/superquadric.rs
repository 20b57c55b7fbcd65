//! Deformable superquadrics: surfaces of few numbers that points draw to themselves.
//!
//! Implements: \[Gibson1997\] sect. 5.2, \[Terzopoulos1991\], \[Metaxas1993\].

use super::grid_body::GridMechanics;
use super::grid_footprint;
use crate::body::{Body, BodyDescription, BodyError, Footprint, Integrator, Memory, OnGrid, State};
use crate::superquadric::{
    FitRules, LocalWeights, PointSequence, SuperquadricMover, SuperquadricParameters, begin,
    parameters_of,
};
use std::sync::Arc;

/// A surface that is fitted to points: first its place, axes and squareness, then displacements of its nodes.
/// It begins as the ellipsoid about its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedSuperquadric {
    /// The points.
    pub data: Arc<PointSequence>,
    /// Error of the points, in metres.
    pub noise: f64,
    /// Time in which a fit to points at rest goes most of its way, in seconds.
    pub pace: f64,
    /// Whether the points move and are followed by a Kalman filter.
    pub tracks: bool,
    /// How fast the motion of points that are tracked may change: by the size of the surface and in radians,
    /// per second and root of a second.
    pub agility: f64,
    /// When local deformations begin, in seconds.
    pub local_time: f64,
    /// The spline energy of local deformations.
    pub weights: LocalWeights,
}

impl Default for FittedSuperquadric {
    fn default() -> Self {
        Self {
            data: Arc::default(),
            noise: 0.01,
            pace: 0.5,
            tracks: false,
            agility: 1.0,
            local_time: f64::INFINITY,
            weights: LocalWeights::default(),
        }
    }
}

impl FittedSuperquadric {
    /// Its name.
    pub const NAME: &'static str = "Superquadric";

    fn rules(&self) -> FitRules {
        FitRules {
            noise: self.noise,
            pace: (!self.tracks).then_some(self.pace),
            agility: self.agility,
        }
    }

    fn fault(&self, description: &BodyDescription) -> Option<&'static str> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let weights = [
            self.weights.hold,
            self.weights.tension,
            self.weights.rigidity,
        ];
        if description.material_grid().dimension() != 2 {
            Some("a superquadric that is fitted is a surface")
        } else if !description.processes.is_empty() || !description.forces.is_empty() {
            Some(
                "a superquadric that is fitted has no forces and no processes: its data pull at it",
            )
        } else if !description.collides_with.is_empty() {
            Some("a superquadric that is fitted touches nothing")
        } else if description.fixed.contains(&true) || !description.sliders.is_empty() {
            Some("a superquadric that is fitted has no fixed nodes")
        } else if !positive(self.noise) || !positive(self.pace) || !positive(self.agility) {
            Some("noise, pace and agility of a superquadric must be positive")
        } else if weights.iter().any(|w| !w.is_finite() || *w < 0.0) || weights[0] == 0.0 {
            Some("the weights of local deformations must not be negative, and their hold positive")
        } else if self.local_time.is_nan() {
            Some("the time of local deformations must be a number")
        } else {
            self.data.fault()
        }
    }
}

impl BodyDescription {
    /// Makes a surface on a grid a superquadric that is fitted. Nothing happens to other bodies.
    pub fn make_superquadric(&mut self, mechanics: FittedSuperquadric) {
        self.give(mechanics);
    }

    /// Changes what only such superquadrics have. Nothing happens to other bodies.
    pub fn change_superquadric(&mut self, change: impl FnOnce(&mut FittedSuperquadric)) {
        self.change(change);
    }

    /// Whether the body is a superquadric that is fitted.
    pub fn is_superquadric(&self) -> bool {
        let fitted = self.formulation.downcast::<OnGrid<FittedSuperquadric>>();
        fitted.is_some()
    }
}

impl Body {
    /// The shape that has been found, of a superquadric that is fitted.
    pub fn superquadric(&self) -> Option<SuperquadricParameters> {
        let is_one = self.description().is_superquadric();
        is_one.then(|| parameters_of(&self.state)).flatten()
    }
}

impl GridMechanics for FittedSuperquadric {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        self.fault(description).map_or(Ok(()), |message| {
            Err(BodyError::Unsupported {
                body: description.name.to_string(),
                message,
            })
        })
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        grid_footprint::of_grid(description, false)
    }

    fn begin(&self, _description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        begin(state);
        Vec::new()
    }

    fn meets_unasked(&self) -> bool {
        false
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        let data = Arc::clone(&self.data);
        Some(Box::new(SuperquadricMover::new(
            body,
            data,
            self.rules(),
            self.weights,
            self.local_time,
        )))
    }
}

//! Nodes that are held along one direction only.

use super::{BodyDescription, BodyError};
use glam::DVec3;

/// A node that stays in the plane through its rest position across a direction, and slides in it: a
/// roller, or a point of a plane of symmetry. Several of them may hold one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// The node.
    pub node: usize,
    /// The direction along which it is held, of length 1.
    pub normal: DVec3,
}

impl Slider {
    /// How far a place of the node is from the plane, along the normal, in metres.
    pub(crate) fn missing(&self, rest: &[DVec3], place: DVec3) -> f64 {
        self.normal.dot(rest[self.node] - place)
    }
}

/// Whether all sliders can be kept.
pub(super) fn check_sliders(description: &BodyDescription) -> Result<(), BodyError> {
    let wrong = |message: String| BodyError::Formulation {
        body: description.name.to_string(),
        message,
    };
    let count = description.rest_positions.len();
    for Slider { node, normal } in &description.sliders {
        if *node >= count {
            return Err(wrong(format!(
                "a slider names node {node}, but there are {count}"
            )));
        }
        if (normal.length() - 1.0).abs() > 1e-9 {
            return Err(wrong(format!(
                "the normal of a slider at node {node} is not of length 1"
            )));
        }
    }
    let can = description.formulation.joins_others(description);
    if !description.sliders.is_empty() && !can {
        return Err(wrong(
            "single coordinates are fixed only with an integrator that solves for the whole step \
             (TwoStage, Implicit, Midpoint, Newmark, Static) and the formulations Primal, Hybrid and Mesh"
                .to_owned(),
        ));
    }
    Ok(())
}

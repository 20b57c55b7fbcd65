//! What can be wrong with a shape.

/// Why a shape cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The number of control points does not fit the order.
    #[error(
        "a Bézier shape of order {order} with {dimension} directions needs {expected} control \
         points, but {given} are given"
    )]
    ControlPointCount {
        /// Polynomial order n in each direction.
        order: usize,
        /// Number of directions d.
        dimension: usize,
        /// (n + 1)^d.
        expected: usize,
        /// Number of control points given.
        given: usize,
    },
    /// The order of a Bézier shape is out of range.
    #[error("the order of a Bézier shape must be between 1 and {largest}, but is {order}")]
    Order {
        /// The order given.
        order: usize,
        /// The largest order supported.
        largest: usize,
    },
    /// Control points, degrees or weights of a B-spline that do not fit.
    #[error("the B-spline cannot be made: {reason}")]
    Spline {
        /// What is wrong with it.
        reason: String,
    },
    /// The shape cannot lie on a grid with so many directions.
    #[error("this shape fits a grid with {expected} directions, but the grid has {given}")]
    Dimension {
        /// Directions the shape can have, in words.
        expected: &'static str,
        /// Directions of the grid.
        given: usize,
    },
    /// The number of positions is not the number of nodes.
    #[error("the grid has {expected} nodes, but {given} positions are given")]
    NodeCount {
        /// Nodes of the grid.
        expected: usize,
        /// Positions given.
        given: usize,
    },
    /// A direction with so few nodes that it has no extent, or is its own neighbour.
    #[error("direction {direction} needs at least {needed} nodes, but has {count}")]
    TooFewNodes {
        /// The direction, counted from 0.
        direction: usize,
        /// Its number of nodes.
        count: usize,
        /// 2 for an open direction, 3 for a periodic one.
        needed: usize,
    },
    /// A position or control point is infinite or undefined.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// "control point" or "node".
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// A parameter is out of range.
    #[error("{parameter} must be {expected}, but is {value}")]
    Parameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// Allowed values, in words.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// The shape has no length, area or volume somewhere.
    #[error("the shape is singular at node {node:?}: {reason}; {remedy}")]
    Singular {
        /// Grid coordinates of the node.
        node: [usize; 3],
        /// What is wrong there.
        reason: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A cell of a solid is inside out.
    #[error(
        "the solid is inside out at node {node:?}: its three directions are left-handed there; \
         exchange two directions, or untangle the control points"
    )]
    InsideOut {
        /// Grid coordinates of the node.
        node: [usize; 3],
    },
}

//! What formulations on grids make of the numbers of particles, as scenes ask before they make a body.

/// What a formulation makes of the numbers that a scene gives to the particles of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridUses {
    /// Whether solids have a rigidity, too.
    pub solid_rigidity: bool,
    /// Whether particles can be held to their places in a rigid shape.
    pub hold: bool,
    /// Whether implicit steps solve for all coordinates together, by Newton's method, which can damp by stiffness;
    /// else one matrix serves the three coordinates.
    pub newton: bool,
}

impl GridUses {
    /// What most of them do.
    pub(crate) const COMMON: Self = Self {
        solid_rigidity: false,
        hold: false,
        newton: true,
    };
}

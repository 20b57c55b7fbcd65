//! Settings of contact between bodies.

/// How bodies answer to each other and to themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct PairContactSettings {
    /// Whether bodies meet at all. Where they do not, they can still be joined.
    pub meets: bool,
    /// Distance at which surfaces begin to push each other, in metres. Between parts of one body it is
    /// at most 0.9 of their distance at rest.
    pub thickness: f64,
    /// Coulomb's friction coefficient.
    pub friction: f64,
    /// Speed below which a contact counts as sticking, in metres per second.
    pub smoothing_speed: f64,
    /// Whether bodies meet themselves.
    pub with_itself: bool,
    /// Pairs of bodies that do not meet, by their places in the world; a body twice does not meet
    /// itself.
    pub exceptions: Vec<[usize; 2]>,
    /// Bodies and obstacles, by their places in the world, that meet by nodes of the body alone.
    pub by_nodes: Vec<[usize; 2]>,
    /// Ranges of pairs that begin closer than half of the thickness, in metres, in the order of the pairs: bodies by
    /// their places in the world, the lower first, then obstacles. `lowered_ranges` measures them.
    pub lowered: Vec<([usize; 2], f64)>,
}

impl PairContactSettings {
    /// The range of two bodies, or of a body and an obstacle that is counted on after the bodies, in metres.
    pub fn range_of(&self, [a, b]: [usize; 2]) -> f64 {
        let pair = [a.min(b), a.max(b)];
        match self.lowered.binary_search_by_key(&pair, |known| known.0) {
            Ok(place) => self.thickness.min(self.lowered[place].1),
            Err(_) => self.thickness,
        }
    }
}

impl Default for PairContactSettings {
    fn default() -> Self {
        Self {
            meets: true,
            thickness: 0.002,
            friction: 0.0,
            smoothing_speed: 1e-3,
            with_itself: true,
            exceptions: Vec::new(),
            by_nodes: Vec::new(),
            lowered: Vec::new(),
        }
    }
}

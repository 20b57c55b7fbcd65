//! Settings of contact between bodies.

use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};

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
    /// Ranges of pairs that have begun within the thickness and have not yet been that far apart, in metres, in the
    /// order of the pairs: bodies by their places in the world, the lower first, then obstacles. It is state: the
    /// first step measures them if they are not there (`lowered_ranges`), and each step lets them grow.
    pub lowered: Option<Vec<([usize; 2], f64)>>,
}

/// How far inside a round surface its triangles may lie, by the thickness.
const FACET_DEPTH: f64 = 0.02;

impl PairContactSettings {
    /// How far inside a round surface the triangles may lie that stand for it, in metres: what is far below the
    /// thickness makes no difference, and many triangles within it cost much.
    pub fn facet_depth(&self) -> f64 {
        FACET_DEPTH * self.thickness
    }

    /// The range of two bodies, or of a body and an obstacle that is counted on after the bodies, in metres.
    pub fn range_of(&self, [a, b]: [usize; 2]) -> f64 {
        let pair = [a.min(b), a.max(b)];
        let lowered = self.lowered.as_deref().unwrap_or_default();
        match lowered.binary_search_by_key(&pair, |known| known.0) {
            Ok(place) => self.thickness.min(lowered[place].1),
            Err(_) => self.thickness,
        }
    }
}

impl PairContactSettings {
    /// Writes what steps change.
    pub(crate) fn save(&self, writer: &mut SnapshotWriter) {
        let Some(lowered) = &self.lowered else {
            return writer.count(0);
        };
        writer.count(1 + lowered.len());
        for ([a, b], range) in lowered {
            writer.count(*a);
            writer.count(*b);
            writer.number(*range);
        }
    }

    /// Reads it again.
    pub(crate) fn restore(&mut self, reader: &mut SnapshotReader) -> Result<(), SnapshotError> {
        self.lowered = None;
        for number in 0..reader.count()? {
            let lowered = self.lowered.get_or_insert_default();
            if number > 0 {
                let pair = [reader.count()? as usize, reader.count()? as usize];
                lowered.push((pair, reader.number()?));
            }
        }
        Ok(())
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
            lowered: None,
        }
    }
}

//! How far many pairs may move together.

use crate::free_fraction::prove;
use crate::{Clearance, Pair};
use glam::DVec3;
use rayon::prelude::*;

/// Fewer pairs stay on the calling thread, since waking others costs more.
const PARALLEL_PAIRS: usize = 4096;

/// Pairs that a thread takes at once.
const CHUNK: usize = 512;

/// How far many pairs may move together, and what it took to prove that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeMotions {
    /// All points may move by this fraction.
    pub fraction: f64,
    /// The pair that allows no more, the first of them; nothing if the whole motion is free.
    pub stopped_by: Option<Pair>,
    /// Pairs for which the directions at the ends of the motion decided.
    pub by_certificate: usize,
    /// Pairs that needed directions on the way.
    pub by_advancement: usize,
    /// How many directions those were, all together.
    pub advancements: usize,
}

impl FreeMotions {
    const NONE: Self = Self {
        fraction: 1.0,
        stopped_by: None,
        by_certificate: 0,
        by_advancement: 0,
        advancements: 0,
    };

    /// Both together. The result does not depend on how they are grouped: of equal fractions the
    /// lower pair counts.
    fn and(self, other: Self) -> Self {
        let comes_first = |a: &Self, b: &Self| match (a.stopped_by, b.stopped_by) {
            (Some(a), Some(b)) => a <= b,
            (stopped, _) => stopped.is_some(),
        };
        let other_stops = other.fraction < self.fraction
            || other.fraction == self.fraction && comes_first(&other, &self);
        let worst = if other_stops { &other } else { &self };
        Self {
            fraction: worst.fraction,
            stopped_by: worst.stopped_by,
            by_certificate: self.by_certificate + other.by_certificate,
            by_advancement: self.by_advancement + other.by_advancement,
            advancements: self.advancements + other.advancements,
        }
    }
}

/// How far all points may move from `from` towards `to`: by the smallest of what
/// [`free_fraction_with`](crate::free_fraction_with) gives for the pairs. Positions are those of all
/// nodes. The same for any number of threads.
pub fn free_motions(
    pairs: &[Pair],
    from: &[DVec3],
    to: &[DVec3],
    clearance: &Clearance,
) -> FreeMotions {
    let of_pair = |pair: &Pair| {
        let (start, end) = (pair.gather(from), pair.gather(to));
        let proof = prove(pair.kind, &start, &end, clearance);
        let advanced = usize::from(proof.advancements > 0);
        FreeMotions {
            fraction: proof.fraction,
            stopped_by: (proof.fraction < 1.0).then_some(*pair),
            by_certificate: 1 - advanced,
            by_advancement: advanced,
            advancements: proof.advancements as usize,
        }
    };
    let of_chunk = |chunk: &[Pair]| {
        let motions = chunk.iter().map(of_pair);
        motions.fold(FreeMotions::NONE, FreeMotions::and)
    };
    if pairs.len() >= PARALLEL_PAIRS && rayon::current_num_threads() > 1 {
        pairs
            .par_chunks(CHUNK)
            .map(of_chunk)
            .reduce(|| FreeMotions::NONE, FreeMotions::and)
    } else {
        of_chunk(pairs)
    }
}

/// The fraction of [`free_motions`].
pub fn smallest_free_fraction(
    pairs: &[Pair],
    from: &[DVec3],
    to: &[DVec3],
    clearance: &Clearance,
) -> f64 {
    free_motions(pairs, from, to, clearance).fraction
}

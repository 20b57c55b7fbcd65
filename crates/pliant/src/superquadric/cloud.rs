//! Points that a model is fitted to, which may change in time.

use glam::DVec3;

/// Points at moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointSequence {
    /// When each list of points begins to count, in seconds, rising.
    times: Vec<f64>,
    lists: Vec<Vec<DVec3>>,
}

impl PointSequence {
    /// The same points at all times.
    pub fn still(points: Vec<DVec3>) -> Self {
        Self {
            times: vec![0.0],
            lists: vec![points],
        }
    }

    /// Lists of points, `rate` of them per second from 0 s on.
    pub fn moving(rate: f64, lists: Vec<Vec<DVec3>>) -> Self {
        Self {
            times: (0..lists.len()).map(|k| k as f64 / rate).collect(),
            lists,
        }
    }

    /// Whether there are no points, or some that are not finite, or times that do not rise.
    pub fn fault(&self) -> Option<&'static str> {
        if self.lists.iter().all(Vec::is_empty) {
            return Some("it has no data: points to be fitted to");
        }
        if self.lists.iter().flatten().any(|point| !point.is_finite()) {
            return Some("a data point is not finite");
        }
        let rises = self.times.windows(2).all(|pair| pair[0] < pair[1]);
        let finite = self.times.iter().all(|time| time.is_finite());
        (!rises || !finite).then_some("the times of data must be finite and rise")
    }

    /// The points at a time: those of the last list that has begun.
    pub fn at(&self, time: f64) -> &[DVec3] {
        // A moment that a step misses by rounding counts as reached.
        let begun = self
            .times
            .partition_point(|&moment| moment <= time * (1.0 + 1e-12) + 1e-12);
        self.lists
            .get(begun.saturating_sub(1))
            .map_or(&[], Vec::as_slice)
    }
}

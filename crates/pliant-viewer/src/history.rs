//! The moments that can be gone back to: a ring of snapshots, bounded by bytes.

use pliant::StepReport;
use std::collections::VecDeque;
use std::sync::Arc;

/// The world after a step.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Steps taken.
    pub step: usize,
    /// Simulated time, in seconds.
    pub time: f64,
    /// What steps change, as bytes.
    pub snapshot: Vec<u8>,
    /// The text of the scene as it was then: values may have been changed on the way.
    pub text: Arc<str>,
    /// What the step told.
    pub report: StepReport,
}

/// The last moments of a run. One of them is the present one; those after it are the future that was
/// left by going back, which is forgotten once the run takes another way.
#[derive(Debug)]
pub struct History {
    moments: VecDeque<Moment>,
    bytes: usize,
    limit: usize,
    present: usize,
}

/// Which moments there are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistorySpan {
    /// Number of moments.
    pub count: usize,
    /// Which of them is the present one, from 0.
    pub present: usize,
    /// Time of the oldest, in seconds.
    pub oldest: f64,
    /// Time of the newest, in seconds.
    pub newest: f64,
    /// Bytes that they take.
    pub bytes: usize,
}

impl History {
    /// A history that takes at most so many bytes, but always holds the present moment.
    pub fn new(limit: usize, first: Moment) -> Self {
        Self {
            bytes: size(&first),
            moments: VecDeque::from([first]),
            limit,
            present: 0,
        }
    }

    /// Adds what came after the present moment; what had come after it before is forgotten, and so
    /// are the oldest moments if there is no room.
    pub fn push(&mut self, moment: Moment) {
        self.forget_future();
        self.bytes += size(&moment);
        self.moments.push_back(moment);
        while self.bytes > self.limit && self.moments.len() > 1 {
            let oldest = self.moments.pop_front();
            self.bytes -= oldest.as_ref().map_or(0, size);
        }
        self.present = self.moments.len() - 1;
    }

    /// Begins anew with a first moment.
    pub fn reset(&mut self, first: Moment) {
        *self = Self::new(self.limit, first);
    }

    /// Forgets all moments after the present one.
    pub fn forget_future(&mut self) {
        for moment in self.moments.drain(self.present + 1..) {
            self.bytes -= size(&moment);
        }
    }

    /// Whether the present moment is the newest.
    pub fn is_newest(&self) -> bool {
        self.present + 1 == self.moments.len()
    }

    /// The present moment.
    pub fn present(&self) -> &Moment {
        &self.moments[self.present]
    }

    /// Goes to a moment by its number; one that is too large means the newest.
    pub fn go_to(&mut self, index: usize) -> &Moment {
        self.present = index.min(self.moments.len() - 1);
        self.present()
    }

    /// Which moments there are.
    pub fn span(&self) -> HistorySpan {
        HistorySpan {
            count: self.moments.len(),
            present: self.present,
            oldest: self.moments.front().map_or(0.0, |moment| moment.time),
            newest: self.moments.back().map_or(0.0, |moment| moment.time),
            bytes: self.bytes,
        }
    }
}

fn size(moment: &Moment) -> usize {
    moment.snapshot.len() + size_of::<Moment>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(step: usize, bytes: usize) -> Moment {
        Moment {
            step,
            time: step as f64,
            snapshot: vec![0; bytes],
            text: Arc::from(""),
            report: StepReport::default(),
        }
    }

    #[test]
    fn the_oldest_go_first_and_the_limit_is_kept() {
        let limit = 10 * (1000 + size_of::<Moment>());
        let mut history = History::new(limit, moment(0, 1000));
        for step in 1..100 {
            history.push(moment(step, 1000));
            assert!(history.span().bytes <= limit);
        }
        let span = history.span();
        assert_eq!((span.count, span.oldest, span.newest), (10, 90.0, 99.0));
        assert_eq!(span.bytes, limit);
        // A moment that does not fit is kept all the same: it is the present.
        history.push(moment(100, 10 * limit));
        assert_eq!(history.span().count, 1);
        assert_eq!(history.present().step, 100);
    }

    #[test]
    fn another_way_forgets_the_future() {
        let mut history = History::new(usize::MAX, moment(0, 10));
        (1..6).for_each(|step| history.push(moment(step, 10)));
        assert_eq!(history.go_to(2).step, 2);
        assert!(!history.is_newest());
        assert_eq!(history.span().count, 6);
        history.push(moment(3, 20));
        assert!(history.is_newest());
        let span = history.span();
        assert_eq!((span.count, span.newest), (4, 3.0));
        assert_eq!(span.bytes, 4 * size_of::<Moment>() + 50);
        assert_eq!(history.go_to(99).step, 3);
    }
}

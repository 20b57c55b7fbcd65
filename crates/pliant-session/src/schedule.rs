//! Which steps are taken and after which of them a frame is written.

use crate::Source;

/// The steps and frames of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Number of steps.
    pub steps: usize,
    /// Steps from one frame to the next.
    pub steps_a_frame: usize,
}

impl Schedule {
    /// For a scene, unless `seconds` or `frames` say something else ([`Schedule::new`]).
    pub fn of(source: &Source, seconds: Option<f64>, frames: Option<usize>) -> Self {
        let setting = &source.scene.simulation;
        let time_step = source.world.time_step();
        Self::new(time_step, setting.fps, setting.duration, seconds, frames)
    }

    /// Steps of `time_step` seconds, with `fps` frames per second, for the duration of the scene
    /// unless `seconds` or `frames` (the initial state included) are given; with both, until the
    /// first of them is reached.
    pub fn new(
        time_step: f64,
        fps: f64,
        duration: f64,
        seconds: Option<f64>,
        frames: Option<usize>,
    ) -> Self {
        // Casts from floating point saturate, so no number of seconds is too large. A world
        // without bodies has no time step and takes none.
        let steps_a_frame = ((1.0 / (fps * time_step)).round() as usize).max(1);
        let steps_in = |seconds: f64| (seconds / time_step).round() as usize;
        let steps_to = |frames: usize| frames.saturating_sub(1).saturating_mul(steps_a_frame);
        let steps = match (seconds.map(steps_in), frames.map(steps_to)) {
            (Some(time), Some(frames)) => time.min(frames),
            (Some(steps), None) | (None, Some(steps)) => steps,
            (None, None) => steps_in(duration),
        };
        Self {
            steps: if time_step > 0.0 { steps } else { 0 },
            steps_a_frame,
        }
    }

    /// Whether a frame is written after this many steps.
    pub fn has_frame(&self, step: usize) -> bool {
        step.is_multiple_of(self.steps_a_frame)
    }

    /// Frames in a second of simulated time, for steps of `time_step` seconds; 1 if time stands
    /// still.
    pub fn frames_a_second(&self, time_step: f64) -> f64 {
        let seconds = self.steps_a_frame as f64 * time_step;
        if seconds > 0.0 {
            (1.0 / seconds).clamp(0.1, 1000.0)
        } else {
            1.0
        }
    }

    /// Numbers of this many frames, evenly spread from the first to the last; none without a
    /// number.
    pub fn moments(&self, count: Option<usize>) -> Vec<usize> {
        spread(self.frames(), count)
    }

    /// Number of frames, that of the initial state included.
    pub fn frames(&self) -> usize {
        self.steps / self.steps_a_frame + 1
    }
}

/// `count` numbers evenly spread over `0..frames`, each once.
pub fn spread(frames: usize, count: Option<usize>) -> Vec<usize> {
    let Some(count) = count else {
        return Vec::new();
    };
    let last = frames.saturating_sub(1);
    let share = |index: usize| index as f64 / (count.max(2) - 1) as f64;
    let mut numbers: Vec<usize> = (0..count)
        .map(|index| (share(index) * last as f64).round() as usize)
        .collect();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(101, Some(5)), [0, 25, 50, 75, 100]);
        assert_eq!(spread(2, Some(5)), [0, 1]);
        assert_eq!(spread(1, Some(2)), [0]);
        assert!(spread(100, None).is_empty());
        let schedule = Schedule::new(0.01, 25.0, 2.0, None, None);
        assert!((schedule.frames_a_second(0.01) - 25.0).abs() < 1e-12);
    }

    #[test]
    fn frames_are_counted_with_the_first() {
        let schedule = Schedule::new(0.01, 25.0, 2.0, None, None);
        assert_eq!((schedule.steps, schedule.steps_a_frame), (200, 4));
        assert_eq!(schedule.frames(), 51);
        let written = (0..=schedule.steps).filter(|&step| schedule.has_frame(step));
        assert_eq!(written.count(), 51);
    }

    #[test]
    fn frames_can_be_limited() {
        let limited = |seconds, frames| Schedule::new(0.01, 25.0, 2.0, seconds, frames);
        let schedule = limited(None, Some(3));
        assert_eq!((schedule.steps, schedule.frames()), (8, 3));
        assert_eq!(limited(None, Some(1)).steps, 0);
        assert_eq!(limited(Some(0.05), None).steps, 5);
        assert_eq!(limited(Some(0.05), Some(3)).steps, 5);
        assert_eq!(limited(Some(5.0), Some(3)).steps, 8);
    }

    #[test]
    fn steps_longer_than_a_frame_and_worlds_without_bodies() {
        assert_eq!(Schedule::new(0.1, 60.0, 1.0, None, None).frames(), 11);
        let empty = Schedule::new(0.0, 60.0, 1.0, None, Some(5));
        assert_eq!((empty.steps, empty.frames()), (0, 1));
    }
}

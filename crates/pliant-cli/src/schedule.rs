//! Which steps are taken and after which of them a frame is written.

/// The steps and frames of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Number of steps.
    pub steps: usize,
    /// Steps from one frame to the next.
    pub steps_a_frame: usize,
}

impl Schedule {
    /// Steps of `time_step` seconds, with `fps` frames a second, for the duration of the scene
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
        // without bodies has an endless time step and takes no step.
        let steps_a_frame = ((1.0 / (fps * time_step)).round() as usize).max(1);
        let steps_in = |seconds: f64| (seconds / time_step).round() as usize;
        let steps_to = |frames: usize| frames.saturating_sub(1).saturating_mul(steps_a_frame);
        let steps = match (seconds.map(steps_in), frames.map(steps_to)) {
            (Some(time), Some(frames)) => time.min(frames),
            (Some(steps), None) | (None, Some(steps)) => steps,
            (None, None) => steps_in(duration),
        };
        Self {
            steps: if time_step.is_finite() { steps } else { 0 },
            steps_a_frame,
        }
    }

    /// Whether a frame is written after this many steps.
    pub fn has_frame(&self, step: usize) -> bool {
        step.is_multiple_of(self.steps_a_frame)
    }

    /// Number of frames, that of the initial state included.
    pub fn frames(&self) -> usize {
        self.steps / self.steps_a_frame + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let empty = Schedule::new(f64::INFINITY, 60.0, 1.0, None, Some(5));
        assert_eq!((empty.steps, empty.frames()), (0, 1));
    }
}

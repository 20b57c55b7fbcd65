//! How fine the picture is where the processor plays the card: coarser while something moves and
//! pictures come late; whole, with soft shadows, as soon as it rests.

/// Shares of the resolution, from coarse to fine. Few, so that the target is seldom made anew.
const SHARES: [f32; 5] = [0.4, 0.5, 0.63, 0.8, 1.0];

/// Pictures that take longer than this become coarser, in seconds.
const SLOW: f32 = 1.0 / 22.0;

/// Pictures that take less than this become finer, in seconds.
const FAST: f32 = 1.0 / 45.0;

/// How long it stays coarse after a change and after the last movement, in seconds.
const PATIENCE: f64 = 0.4;

/// How fine the picture is.
#[derive(Clone, Copy, Debug)]
pub struct Sharpness {
    place: usize,
    changed: f64,
    /// When a picture of something that moved is to be drawn again as a whole.
    due: Option<f64>,
}

impl Default for Sharpness {
    fn default() -> Self {
        Self {
            place: SHARES.len() - 1,
            changed: 0.0,
            due: None,
        }
    }
}

impl Sharpness {
    /// The share for a picture of something that moves, at a time, when pictures take so long; all in
    /// seconds.
    pub fn while_moving(&mut self, now: f64, seconds: f32) -> f32 {
        if now - self.changed > PATIENCE {
            if seconds > SLOW && self.place > 0 {
                self.place -= 1;
                self.changed = now;
            } else if seconds < FAST && self.place + 1 < SHARES.len() {
                self.place += 1;
                self.changed = now;
            }
        }
        let share = SHARES[self.place];
        self.due = Some(now + PATIENCE);
        share
    }

    /// The share for a picture of something at rest.
    pub fn at_rest(&mut self) -> f32 {
        self.due = None;
        1.0
    }

    /// Whether the picture is to be drawn again, since nothing has moved for a while.
    pub fn is_due(&self, now: f64) -> bool {
        self.due.is_some_and(|due| now >= due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_pictures_become_coarser_and_rest_makes_them_whole() {
        let mut sharpness = Sharpness::default();
        let mut now = 10.0;
        let mut shares = Vec::new();
        for _ in 0..60 {
            now += 0.1;
            shares.push(sharpness.while_moving(now, 0.1));
        }
        assert!(shares.is_sorted_by(|one, other| one >= other));
        assert_eq!(shares.last(), Some(&0.4));
        assert!(!sharpness.is_due(now) && sharpness.is_due(now + 0.5));
        assert_eq!(sharpness.at_rest(), 1.0);
        assert!(!sharpness.is_due(now + 5.0));
        for _ in 0..60 {
            now += 0.1;
            sharpness.while_moving(now, 0.005);
        }
        assert_eq!(sharpness.while_moving(now, 0.005), 1.0);
        // In between it stays as it is.
        assert_eq!(sharpness.while_moving(now + 9.0, 0.03), 1.0);
    }
}

//! How many steps are due: simulated time follows the clock on the wall at a chosen speed.
//!
//! A simulation that cannot keep up falls behind and stays behind: it never owes more than a tenth of
//! a second, so that it does not race after a pause or a slow step.

use std::collections::VecDeque;

/// The slowest and the fastest speed, in simulated seconds per second.
pub const SPEEDS: [f64; 2] = [1.0 / 32.0, 8.0];

/// The most that a simulation owes, in seconds of the wall.
const MOST_OWED: f64 = 0.1;

/// How long the real-time factor is averaged, in seconds of the wall.
const WINDOW: f64 = 0.75;

/// Keeps simulated time in step with the wall. All times are given by the caller, in seconds.
#[derive(Clone, Debug)]
pub struct Pace {
    speed: f64,
    /// Simulated seconds that are due.
    owed: f64,
    last: f64,
    /// Wall and simulated time of the last steps.
    steps: VecDeque<(f64, f64)>,
}

impl Pace {
    /// Starts at a time, at the speed of the wall.
    pub fn new(now: f64) -> Self {
        Self {
            speed: 1.0,
            owed: 0.0,
            last: now,
            steps: VecDeque::new(),
        }
    }

    /// The speed, in simulated seconds per second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Changes the speed, within [`SPEEDS`].
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed.clamp(SPEEDS[0], SPEEDS[1]);
        }
    }

    /// Begins anew after a pause.
    pub fn resume(&mut self, now: f64) {
        self.last = now;
        self.owed = 0.0;
        self.steps.clear();
    }

    /// Whether a step of that length is due.
    pub fn is_due(&mut self, now: f64, step: f64) -> bool {
        self.owed += (now - self.last).max(0.0) * self.speed;
        self.last = now;
        // A step that is longer than what may be owed still comes.
        self.owed = self.owed.min((MOST_OWED * self.speed).max(step));
        self.owed >= step
    }

    /// How long to wait for a step of that length, in seconds of the wall.
    pub fn wait(&self, step: f64) -> f64 {
        ((step - self.owed) / self.speed).max(0.0)
    }

    /// A step of that length was taken.
    pub fn took(&mut self, now: f64, step: f64) {
        self.owed = (self.owed - step).max(0.0);
        self.steps.push_back((now, step));
        while self
            .steps
            .front()
            .is_some_and(|(then, _)| now - then > WINDOW)
            && self.steps.len() > 2
        {
            self.steps.pop_front();
        }
    }

    /// Simulated seconds per second of the wall, over the last steps; zero if there were none.
    pub fn real_time_factor(&self) -> f64 {
        let (Some(first), Some(last)) = (self.steps.front(), self.steps.back()) else {
            return 0.0;
        };
        let simulated: f64 = self.steps.iter().skip(1).map(|(_, step)| step).sum();
        let wall = last.0 - first.0;
        if wall > 0.0 { simulated / wall } else { 0.0 }
    }
}

/// The next faster or slower of 1/32, 1/16 … 4, 8.
pub fn next_speed(speed: f64, faster: bool) -> f64 {
    let power = speed.log2();
    let next = match faster {
        true => (power + 1e-6).floor() + 1.0,
        false => (power - 1e-6).ceil() - 1.0,
    };
    next.exp2().clamp(SPEEDS[0], SPEEDS[1])
}

/// A speed as people say it: `1/4`, `2`.
pub fn speed_words(speed: f64) -> String {
    let round = |number: f64| (number - number.round()).abs() < 1e-9;
    if speed < 1.0 && round(1.0 / speed) {
        return format!("1/{:.0}", 1.0 / speed);
    }
    if round(speed) {
        return format!("{speed:.0}");
    }
    format!("{speed:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs for `seconds` of a made-up wall, with steps that take `cost` seconds; gives the steps
    /// taken and the real-time factor.
    fn run(speed: f64, step: f64, cost: f64, seconds: f64) -> (usize, f64) {
        let mut pace = Pace::new(0.0);
        pace.set_speed(speed);
        let (mut now, mut steps) = (0.0, 0);
        while now < seconds {
            if pace.is_due(now, step) {
                now += cost;
                pace.took(now, step);
                steps += 1;
            } else {
                now += pace.wait(step).max(1e-4);
            }
        }
        (steps, pace.real_time_factor())
    }

    #[test]
    fn a_fast_simulation_keeps_to_the_chosen_speed() {
        for speed in [1.0 / 32.0, 0.25, 1.0, 8.0] {
            let (steps, factor) = run(speed, 0.01, 1e-4, 10.0);
            let expected = 10.0 * speed / 0.01;
            assert!((steps as f64 - expected).abs() < 0.02 * expected + 2.0);
            assert!((factor / speed - 1.0).abs() < 0.05, "{factor} {speed}");
        }
    }

    #[test]
    fn a_slow_simulation_says_how_slow_it_is() {
        let (steps, factor) = run(1.0, 0.01, 0.04, 10.0);
        assert!((245..=255).contains(&steps), "{steps}");
        assert!((factor - 0.25).abs() < 0.01, "{factor}");
    }

    #[test]
    fn nothing_is_caught_up_after_a_pause_or_a_slow_step() {
        let mut pace = Pace::new(0.0);
        assert!(pace.is_due(100.0, 0.01));
        let mut steps = 0;
        while pace.is_due(100.0, 0.01) {
            pace.took(100.0, 0.01);
            steps += 1;
        }
        assert!(steps <= 10, "{steps}");
        pace.resume(200.0);
        assert!(!pace.is_due(200.0, 0.01));
        // A step longer than what may be owed still comes.
        assert!(!pace.is_due(200.4, 0.5) || pace.is_due(200.4, 0.5));
        assert!(pace.is_due(201.0, 0.5));
    }

    #[test]
    fn speeds_go_by_powers_of_two() {
        assert_eq!(next_speed(1.0, true), 2.0);
        assert_eq!(next_speed(1.0, false), 0.5);
        assert_eq!(next_speed(0.3, true), 0.5);
        assert_eq!(next_speed(8.0, true), 8.0);
        assert_eq!(next_speed(1.0 / 32.0, false), 1.0 / 32.0);
        assert_eq!(speed_words(0.25), "1/4");
        assert_eq!(speed_words(8.0), "8");
        assert_eq!(speed_words(0.3), "0.30");
        let mut pace = Pace::new(0.0);
        pace.set_speed(f64::NAN);
        assert_eq!(pace.speed(), 1.0);
        pace.set_speed(100.0);
        assert_eq!(pace.speed(), 8.0);
    }
}

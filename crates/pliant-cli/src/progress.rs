//! How far a run is: one line that is rewritten on a terminal, a plain line every tenth elsewhere.

use crate::clock;
use crate::console::{note, note_unfinished, readable_seconds};
use pliant_session::{Moment, Schedule};
use std::io::IsTerminal;

/// Seconds between two updates on a terminal.
const UPDATE_SECONDS: f64 = 0.1;
/// Characters of the bar.
const BAR_WIDTH: usize = 24;
/// Clears the rest of a line on a terminal.
const CLEAR_LINE: &str = "\r\u{1b}[2K";

/// Where progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Terminal,
    Lines,
}

/// Shows how far a run is.
#[derive(Debug)]
pub struct Progress {
    place: Place,
    schedule: Schedule,
    /// Steps that were taken before this run.
    first_step: usize,
    start: f64,
    last_update: f64,
    last_tenth: usize,
}

impl Progress {
    /// For a run that begins now, after this many steps.
    pub fn new(schedule: Schedule, first_step: usize, quiet: bool) -> Self {
        let place = if quiet {
            Place::Nowhere
        } else if std::io::stderr().is_terminal() {
            Place::Terminal
        } else {
            Place::Lines
        };
        Self {
            place,
            schedule,
            first_step,
            start: clock::seconds(),
            last_update: f64::NEG_INFINITY,
            last_tenth: 10 * first_step / schedule.steps.max(1),
        }
    }

    /// Shows the moment, if it is time for that.
    pub fn update(&mut self, moment: Moment) {
        let now = clock::seconds();
        match self.place {
            Place::Nowhere => {}
            Place::Terminal => {
                let is_last = moment.step == self.schedule.steps;
                if is_last || now - self.last_update >= UPDATE_SECONDS {
                    self.last_update = now;
                    let bar = bar(self.share(moment.step));
                    let line = self.line(moment, now - self.start);
                    note_unfinished(&format!("{CLEAR_LINE}{bar} {line}"));
                }
            }
            Place::Lines => {
                let tenth = (10.0 * self.share(moment.step)) as usize;
                if tenth > self.last_tenth {
                    self.last_tenth = tenth;
                    note(&format!(
                        "{:3} %  {}",
                        10 * tenth,
                        self.line(moment, now - self.start)
                    ));
                }
            }
        }
    }

    /// Says something while the run goes on.
    pub fn interrupt(&mut self, message: &str) {
        self.end();
        note(message);
    }

    /// Takes the line away from a terminal.
    pub fn end(&mut self) {
        if self.place == Place::Terminal {
            note_unfinished(CLEAR_LINE);
        }
    }

    fn share(&self, step: usize) -> f64 {
        step as f64 / self.schedule.steps.max(1) as f64
    }

    fn line(&self, moment: Moment, elapsed: f64) -> String {
        let done = moment.step.saturating_sub(self.first_step);
        let left = elapsed * (self.schedule.steps - moment.step.min(self.schedule.steps)) as f64
            / done.max(1) as f64;
        format!(
            "frame {}/{}  {:.2} s  {:.0} steps/s  {} contacts  {} left",
            moment.step / self.schedule.steps_a_frame + 1,
            self.schedule.frames(),
            moment.time,
            done as f64 / elapsed.max(1e-9),
            moment.contacts,
            readable_seconds(left),
        )
    }
}

fn bar(share: f64) -> String {
    let filled = ((share * BAR_WIDTH as f64) as usize).min(BAR_WIDTH);
    format!("[{}{}]", "#".repeat(filled), ".".repeat(BAR_WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_frames_speed_and_time_left() {
        let schedule = Schedule {
            steps: 100,
            steps_a_frame: 10,
        };
        let progress = Progress::new(schedule, 0, true);
        let moment = Moment {
            step: 25,
            time: 0.25,
            contacts: 3,
        };
        assert_eq!(
            progress.line(moment, 5.0),
            "frame 3/11  0.25 s  5 steps/s  3 contacts  15.0 s left"
        );
        let continued = Progress::new(schedule, 20, true);
        assert_eq!(
            continued.line(moment, 5.0),
            "frame 3/11  0.25 s  1 steps/s  3 contacts  1 min 15 s left"
        );
    }

    #[test]
    fn the_bar_fills() {
        assert_eq!(bar(0.0), format!("[{}]", ".".repeat(BAR_WIDTH)));
        assert_eq!(bar(1.0), format!("[{}]", "#".repeat(BAR_WIDTH)));
    }
}

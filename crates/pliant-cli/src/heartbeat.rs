//! A sign of life while something takes long: a line after ten seconds, and then ever more rarely.

use crate::console::{note, readable_seconds};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Seconds until the first line.
const FIRST: f64 = 10.0;

/// Says that work is going on until it is dropped.
#[derive(Debug)]
pub struct Heartbeat {
    beats: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Begins with work of this name, unless nothing is to be said.
    pub fn new(work: &str, quiet: bool) -> Self {
        if quiet {
            return Self {
                beats: None,
                thread: None,
            };
        }
        let (beats, received) = channel();
        let mut work = work.to_owned();
        let watch = move || {
            let (mut start, mut pause) = (Instant::now(), FIRST);
            loop {
                match received.recv_timeout(Duration::from_secs_f64(pause)) {
                    Ok(next) => {
                        work = next;
                        (start, pause) = (Instant::now(), FIRST);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let elapsed = start.elapsed().as_secs_f64();
                        note(&format!(
                            "still {work} after {} (Control-C stops it)",
                            readable_seconds(elapsed)
                        ));
                        pause *= 2.0;
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        };
        // Without the thread there are no signs of life, which is no reason not to work.
        let thread = std::thread::Builder::new().name("heartbeat".to_owned());
        Self {
            beats: Some(beats),
            thread: thread.spawn(watch).ok(),
        }
    }

    /// Other work begins.
    pub fn now(&self, work: String) {
        if let Some(beats) = &self.beats {
            let _ = beats.send(work);
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.beats = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

//! Ends the program when an answer does not come, after keeping the input that it waits for.

use crate::{LONGEST, Sample, keep};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An answer that takes this many times [`LONGEST`] never comes.
const PATIENCE: u32 = 3;

/// How often the watch looks.
const PERIOD: Duration = Duration::from_secs(1);

/// What is read now, and since when.
type Current = Arc<Mutex<Option<(Instant, Arc<Sample>)>>>;

/// Looks after the reader of a target until it is dropped.
pub(crate) struct Watch {
    current: Current,
    /// The watch ends with it.
    _alive: Sender<()>,
}

impl Watch {
    pub(crate) fn begin(target: &'static str) -> Self {
        let current = Current::default();
        let (alive, ended) = channel::<()>();
        let watched = current.clone();
        std::thread::spawn(move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let longest = PATIENCE * LONGEST;
                if let Some(input) = overdue(&watched, longest) {
                    let kept = keep(target, 0, &input);
                    eprintln!("{target}: no answer in {longest:?}, kept in {kept}");
                    std::process::exit(1);
                }
            }
        });
        Self {
            current,
            _alive: alive,
        }
    }

    /// Says what is read from now on.
    pub(crate) fn set(&self, input: Option<Arc<Sample>>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = input.map(|input| (Instant::now(), input));
    }
}

/// What has been read for longer than it may.
fn overdue(current: &Current, longest: Duration) -> Option<Arc<Sample>> {
    let current = current.lock().unwrap_or_else(PoisonError::into_inner);
    let (since, input) = current.as_ref()?;
    (since.elapsed() > longest).then(|| input.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_known() {
        let watch = Watch::begin("nothing");
        let input = Arc::new(Sample {
            name: "endless.xml".to_owned(),
            bytes: Vec::new(),
        });
        watch.set(Some(input.clone()));
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(
            overdue(&watch.current, Duration::from_millis(1)),
            Some(input)
        );
        assert_eq!(overdue(&watch.current, LONGEST), None);
        watch.set(None);
        assert_eq!(overdue(&watch.current, Duration::ZERO), None);
    }
}

//! Control-C and its kin: the first asks a run to end with the frame at hand, or without it if that
//! takes long; the second ends the program at once.

use crate::console::note;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The exit code of a command that was interrupted.
pub const EXIT_CODE: u8 = 130;

/// What a run gets to finish its frame.
const PATIENCE: Duration = Duration::from_secs(5);

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// From now on signals are requests. Before that they end the program, which is right as long as
/// there is nothing to finish.
pub fn listen() {
    static IS_LISTENING: OnceLock<()> = OnceLock::new();
    if IS_LISTENING.set(()).is_err() {
        return;
    }
    let heard = ctrlc::set_handler(|| {
        if IS_ASKED.swap(true, Ordering::SeqCst) {
            // What is not finished has no final name; its files are removed by the next run.
            std::process::exit(EXIT_CODE.into());
        }
        note(&format!(
            "\nstopping after this frame, or in {} s without it; once more to stop at once",
            PATIENCE.as_secs()
        ));
        // The next signal must find this thread free.
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            stop_flag().store(true, Ordering::Relaxed);
        });
    });
    if let Err(error) = heard {
        note(&format!("warning: Control-C will not be graceful: {error}"));
    }
}

/// Whether somebody wants the program to stop.
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::SeqCst)
}

/// Becomes true when the step at hand is to be given up.
pub fn stop_flag() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    STOP.get_or_init(Arc::default).clone()
}

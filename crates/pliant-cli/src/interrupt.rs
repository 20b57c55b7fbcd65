//! Control-C and its kin: the first asks a run to end with the frame at hand, the second ends the
//! program at once.

use crate::console::note;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that was interrupted.
pub const EXIT_CODE: u8 = 130;

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
        note("\nstopping after this frame; once more to stop at once");
    });
    if let Err(error) = heard {
        note(&format!("warning: Control-C will not be graceful: {error}"));
    }
}

/// Whether somebody wants the program to stop.
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::SeqCst)
}

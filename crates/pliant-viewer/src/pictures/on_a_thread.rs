//! The pictures are drawn by a thread of their own.

use super::picture;
use pliant_scene::gallery;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

/// Pictures of the built-in scenes, as they are drawn.
#[derive(Debug)]
pub struct Pictures {
    inbox: Receiver<(usize, Vec<u8>)>,
    stop: Arc<AtomicBool>,
}

impl Pictures {
    /// Begins to draw. `wake` is called whenever there is a new one.
    pub fn start(wake: impl Fn() + Send + 'static) -> Self {
        let (outbox, inbox) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("pictures".to_owned());
        // Without the thread there are names without pictures.
        let _ = thread.spawn(move || {
            for (index, scene) in gallery().iter().enumerate() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if let Some(picture) = picture(scene.name, &is_over)
                    && outbox.send((index, picture)).is_ok()
                {
                    wake();
                }
            }
        });
        Self { inbox, stop }
    }

    /// The next picture that is ready: the number of its scene and its pixels.
    pub fn next(&self) -> Option<(usize, Vec<u8>)> {
        self.inbox.try_recv().ok()
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

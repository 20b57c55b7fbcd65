//! A film encoded by a thread of its own, while the next picture is made.

use crate::{FilmError, FilmWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Pictures that may wait for the encoder, as many as may come at once. More would only take memory: when the
/// encoder is the slower side, [`FilmWriter::add`] waits for it.
const WAITING: usize = 4;

/// Moves a film to a thread of its own. An error of a picture is reported by a later `add` or by
/// `finish`. `path` is the film's, for messages.
pub fn in_background(path: &Path, film: Box<dyn FilmWriter>) -> Box<dyn FilmWriter> {
    let (sender, receiver) = sync_channel::<Vec<u8>>(WAITING);
    let (emptied, used) = channel::<Vec<u8>>();
    let thread = std::thread::spawn(move || {
        let mut film = film;
        while let Ok(picture) = receiver.recv() {
            // Leaving drops the receiver, which the next `add` notices.
            film.add(&picture)?;
            // At the end nobody needs the memory any more.
            let _ = emptied.send(picture);
        }
        Ok(film)
    });
    Box::new(BackgroundFilm {
        path: path.to_path_buf(),
        sender: Some(sender),
        used,
        thread: Some(thread),
    })
}

/// Pictures on their way to the thread.
struct BackgroundFilm {
    path: PathBuf,
    sender: Option<SyncSender<Vec<u8>>>,
    /// Memory of pictures that are in the film.
    used: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<Result<Box<dyn FilmWriter>, FilmError>>>,
}

impl BackgroundFilm {
    /// Waits for the thread; gives the film back, or what went wrong with it.
    fn join(&mut self) -> Result<Box<dyn FilmWriter>, FilmError> {
        self.sender = None;
        let stopped = || FilmError::EncoderStopped {
            path: self.path.clone(),
        };
        let thread = self.thread.take().ok_or_else(stopped)?;
        thread.join().map_err(|_| stopped())?
    }
}

impl FilmWriter for BackgroundFilm {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        let mut picture = self.used.try_recv().unwrap_or_default();
        picture.clear();
        picture.extend_from_slice(rgba);
        if let Some(sender) = &self.sender
            && sender.send(picture).is_ok()
        {
            return Ok(());
        }
        Err(match self.join() {
            Err(error) => error,
            Ok(_) => FilmError::EncoderStopped {
                path: self.path.clone(),
            },
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
        self.join()?.finish()
    }
}

impl Drop for BackgroundFilm {
    fn drop(&mut self) {
        // The thread must not outlive this: it would leave its temporary files when the program
        // ends. What it says is of no use any more.
        let _ = self.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts pictures; refuses one of length 0; panics at one of length 1.
    struct Counter(usize);

    impl FilmWriter for Counter {
        fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
            assert_ne!(rgba.len(), 1);
            self.0 += 1;
            if rgba.is_empty() {
                let path = PathBuf::from(format!("refused {}", self.0));
                return Err(FilmError::Empty { path });
            }
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
            Ok(vec![PathBuf::new(); self.0])
        }
    }

    fn film() -> Box<dyn FilmWriter> {
        in_background(Path::new("film"), Box::new(Counter(0)))
    }

    #[test]
    fn all_pictures_arrive() {
        let mut film = film();
        for _ in 0..10 {
            film.add(&[1, 2]).unwrap();
        }
        assert_eq!(film.finish().unwrap().len(), 10);
    }

    #[test]
    fn an_error_comes_back_once_and_no_picture_is_taken_after_it() {
        let mut film = film();
        film.add(&[1, 2]).unwrap();
        film.add(&[]).unwrap();
        let error = (0..100).find_map(|_| film.add(&[1, 2]).err()).unwrap();
        assert!(error.to_string().contains("refused 2"), "{error}");
        assert!(film.add(&[1, 2]).is_err());
        assert!(film.finish().is_err());
    }

    #[test]
    fn an_error_of_the_last_picture_comes_with_the_finish() {
        let mut film = film();
        film.add(&[]).unwrap();
        assert!(matches!(film.finish(), Err(FilmError::Empty { .. })));
    }

    #[test]
    fn a_fault_in_the_encoder_is_an_error() {
        let mut film = film();
        film.add(&[1]).unwrap();
        assert!(matches!(
            film.finish(),
            Err(FilmError::EncoderStopped { .. })
        ));
    }
}

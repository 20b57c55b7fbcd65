//! The film of the desktop: pictures of the window go to a thread that encodes them.

use crate::request::Shown;
use eframe::egui::{self, ColorImage};
use pliant_film::{FilmSettings, FilmWriter, film_for};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};

/// Pictures per second.
const RATE: f64 = 30.0;

/// The most pictures in a row that are the same, where the window is slower than the film.
const MOST_REPEATS: usize = 30;

/// A film that is being made.
#[derive(Debug)]
pub struct Camera {
    pictures: Sender<Taken>,
    clock: FilmClock,
}

/// A picture of the window, cut out, and how many times it is shown.
struct Taken {
    size: [usize; 2],
    rgba: Vec<u8>,
    repeats: usize,
}

/// What films have to say when they are done.
static NEWS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How many pictures are due: simulated time at the speed that was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FilmClock {
    last: Option<f64>,
    /// Pictures that are due and were not taken.
    owed: f64,
}

impl FilmClock {
    /// How many pictures are due at a simulated time, in seconds, at a speed. After going back in time
    /// it goes on from there.
    pub fn due(&mut self, time: f64, speed: f64) -> usize {
        let Some(last) = self.last.replace(time) else {
            return 1;
        };
        self.owed += RATE * (time - last).max(0.0) / speed.max(1e-3);
        let due = self.owed.floor();
        self.owed -= due;
        (due as usize).min(MOST_REPEATS)
    }
}

impl Camera {
    /// Begins a film under the next free name.
    pub fn start(scene: &str) -> Result<Self, String> {
        let free = (0..10_000)
            .map(|number| PathBuf::from(format!("{scene}-{number:03}.mp4")))
            .find(|path| !path.exists());
        let path = free.ok_or("there is no free name for the film")?;
        let (pictures, inbox) = mpsc::channel();
        let thread = std::thread::Builder::new().name("film".to_owned());
        let started = thread.spawn(move || {
            let message = match encode(&path, &inbox) {
                Ok(0) => "the film had no pictures: nothing moved".to_owned(),
                Ok(count) => {
                    let seconds = count as f64 / RATE;
                    format!("wrote {}, {seconds:.1} s", path.display())
                }
                Err(message) => message,
            };
            NEWS.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(message);
        });
        started.map_err(|error| format!("cannot start a film: {error}"))?;
        Ok(Self {
            pictures,
            clock: FilmClock::default(),
        })
    }

    /// Takes the pictures that are due of a part of the window.
    pub fn capture(&mut self, context: &egui::Context, rect: egui::Rect, shown: &Shown) {
        let repeats = self.clock.due(shown.time, shown.speed);
        if repeats == 0 {
            return;
        }
        let outbox = self.pictures.clone();
        let scale = context.pixels_per_point();
        let callback = egui::ScreenshotCallback::new(move |image| {
            let (size, rgba) = cut(&image, rect, scale);
            // Nobody takes it if the film has failed, which the thread says.
            let _ = outbox.send(Taken {
                size,
                rgba,
                repeats,
            });
        });
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
    }

    /// Ends it; what became of it is told later.
    pub fn end(self, context: &egui::Context) -> Result<Option<String>, String> {
        drop(self.pictures);
        context.request_repaint_after_secs(0.5);
        Ok(Some("the film is being written".to_owned()))
    }

    /// What films have to say since the last time.
    pub fn news() -> Vec<String> {
        std::mem::take(&mut *NEWS.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A part of a picture of the window, with sides that films can have.
fn cut(image: &ColorImage, rect: egui::Rect, scale: f32) -> ([usize; 2], Vec<u8>) {
    let [wide, high] = image.size;
    let pixel = |place: f32, most: usize| ((place * scale).round().max(0.0) as usize).min(most);
    let (left, right) = (pixel(rect.left(), wide), pixel(rect.right(), wide));
    let (top, bottom) = (pixel(rect.top(), high), pixel(rect.bottom(), high));
    // Formats with half the resolution for colours need even sides.
    let size = [(right - left) & !1, (bottom - top) & !1];
    let mut rgba = Vec::with_capacity(4 * size[0] * size[1]);
    for row in top..top + size[1] {
        let start = row * wide + left;
        for pixel in &image.pixels[start..start + size[0]] {
            rgba.extend([pixel.r(), pixel.g(), pixel.b(), 255]);
        }
    }
    (size, rgba)
}

/// Writes pictures until no more come; gives their number.
fn encode(path: &Path, inbox: &Receiver<Taken>) -> Result<usize, String> {
    let failed = |error: pliant_film::FilmError| format!("the film cannot be written: {error}");
    let mut film: Option<(Box<dyn FilmWriter>, [usize; 2])> = None;
    let mut count = 0;
    for taken in inbox {
        let (writer, size) = match &mut film {
            Some((writer, size)) => (writer, *size),
            None => {
                let settings = FilmSettings::new(taken.size[0], taken.size[1], RATE);
                let writer = film_for(path, &settings).map_err(failed)?;
                let (writer, size) = film.insert((writer, taken.size));
                (writer, *size)
            }
        };
        // A film has one size: it ends where the window gets another.
        if taken.size != size {
            break;
        }
        for _ in 0..taken.repeats {
            writer.add(&taken.rgba).map_err(failed)?;
            count += 1;
        }
    }
    if let Some((writer, _)) = film {
        writer.finish().map_err(failed)?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_follows_simulated_time_at_its_speed() {
        for (speed, seconds, expected) in [(1.0, 2.0, 60), (0.5, 2.0, 120), (2.0, 2.0, 30)] {
            let mut clock = FilmClock::default();
            let steps = 500;
            let taken: usize = (0..=steps)
                .map(|step| clock.due(seconds * f64::from(step) / f64::from(steps), speed))
                .sum();
            assert!(taken.abs_diff(expected + 1) <= 1, "{taken} {expected}");
        }
        let mut clock = FilmClock::default();
        clock.due(5.0, 1.0);
        assert_eq!(clock.due(5.0, 1.0), 0);
        // Back in time nothing is due, and it goes on from there.
        assert_eq!(clock.due(1.0, 1.0), 0);
        assert_eq!(clock.due(1.1, 1.0), 3);
    }

    #[test]
    fn the_picture_is_cut_out_with_even_sides() {
        let mut image = ColorImage::filled([20, 10], egui::Color32::BLACK);
        image.pixels[3 * 20 + 5] = egui::Color32::RED;
        let rect = egui::Rect::from_min_max(egui::pos2(5.0, 3.0), egui::pos2(12.0, 8.0));
        let (size, rgba) = cut(&image, rect, 1.0);
        assert_eq!(size, [6, 4]);
        assert_eq!(rgba.len(), 4 * 24);
        assert_eq!(rgba[..4], [255, 0, 0, 255]);
        // A part that reaches out of the window is cut off.
        let rect = egui::Rect::from_min_max(egui::pos2(15.0, -3.0), egui::pos2(90.0, 90.0));
        assert_eq!(cut(&image, rect, 1.0).0, [4, 10]);
    }

    #[test]
    fn a_film_is_written_and_ends_where_its_size_changes() {
        let path = std::env::temp_dir().join(format!("pliant-film-{}.mp4", std::process::id()));
        let (outbox, inbox) = mpsc::channel();
        for side in [64, 64, 32] {
            let size = [side, 48];
            let rgba = vec![128; 4 * side * 48];
            let taken = Taken {
                size,
                rgba,
                repeats: 2,
            };
            outbox.send(taken).unwrap();
        }
        drop(outbox);
        assert_eq!(encode(&path, &inbox), Ok(4));
        assert!(std::fs::metadata(&path).unwrap().len() > 100);
        std::fs::remove_file(&path).unwrap();
    }
}

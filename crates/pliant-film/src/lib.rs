//! Pictures in a row become a film.
//!
//! [`film_for`] chooses the format from a path; the [`FilmWriter`] it gives receives the pictures
//! one by one and streams them to the disk. No program or library of the system is needed.
//! `docs/film.md` says what each format is good for and what it costs.
//!
//! A film appears under its name only when it is complete. A format is one file (or folder) here
//! and one entry in [`FILM_FORMATS`].

mod apng;
mod background;
mod change;
mod error;
mod ffmpeg;
mod film;
mod frame_rate;
mod gif_film;
mod h264;
mod mp4;
mod png_film;
mod settings;
mod webp;
mod yuv;

pub use background::in_background;
pub use error::FilmError;
pub use ffmpeg::ffmpeg_film;
pub use film::{FILM_FORMATS, FilmFormat, FilmWriter, OpenFilm, film_for, film_format};
pub use png_film::{png_sequence, save_png};
pub use settings::{FilmSettings, Quality};

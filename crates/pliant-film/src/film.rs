//! The film formats and how one is chosen.

use crate::{FilmError, FilmSettings};
use std::path::{Path, PathBuf};

/// Receives the pictures of a film one by one.
///
/// Dropped without [`FilmWriter::finish`], it leaves no file (a sequence of pictures excepted,
/// whose files are complete one by one).
pub trait FilmWriter: Send {
    /// Adds a picture: rows from the top, four bytes (red, green, blue, alpha; sRGB, alpha not
    /// premultiplied) a pixel. Formats without transparency ignore alpha.
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError>;

    /// Completes the film and returns the files that were written.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, FilmError>;
}

/// Begins a film at a path.
pub type OpenFilm = fn(&Path, &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError>;

/// A kind of film file.
#[derive(Clone, Copy, Debug)]
pub struct FilmFormat {
    /// Name in lower case.
    pub name: &'static str,
    /// Extensions in lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Begins a film.
    pub open: OpenFilm,
    /// One line about it.
    pub description: &'static str,
}

/// All film formats.
pub const FILM_FORMATS: &[FilmFormat] = &[
    FilmFormat {
        name: "mp4",
        extensions: &["mp4", "m4v"],
        open: crate::h264::open,
        description: "H.264 video, plays nearly everywhere",
    },
    FilmFormat {
        name: "gif",
        extensions: &["gif"],
        open: crate::gif_film::open,
        description: "animated GIF, 256 colours for the whole film",
    },
    FilmFormat {
        name: "apng",
        extensions: &["apng"],
        open: crate::apng::open,
        description: "animated PNG, without loss, with transparency",
    },
    FilmFormat {
        name: "webp",
        extensions: &["webp"],
        open: crate::webp::open,
        description: "animated WebP, without loss, with transparency",
    },
];

/// The film format of a path, by its extension (of any case).
pub fn film_format(path: &Path) -> Option<&'static FilmFormat> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    FILM_FORMATS
        .iter()
        .find(|format| format.extensions.contains(&extension.as_str()))
}

/// Begins the film that the extension of the path names.
pub fn film_for(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    match film_format(path) {
        Some(format) => (format.open)(path, settings),
        None => Err(FilmError::UnknownFormat {
            path: path.to_path_buf(),
            extension: path
                .extension()
                .map(|extension| extension.to_string_lossy().into_owned()),
            known: FILM_FORMATS
                .iter()
                .flat_map(|format| format.extensions)
                .map(|extension| format!(".{extension}"))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_one_format_each() {
        let mut seen = std::collections::HashSet::new();
        for format in FILM_FORMATS {
            assert!(!format.description.is_empty());
            for extension in format.extensions {
                assert!(seen.insert(*extension), "{extension} twice");
                let path = PathBuf::from(format!("film.{}", extension.to_uppercase()));
                assert_eq!(film_format(&path).unwrap().name, format.name);
            }
        }
    }

    #[test]
    fn an_unknown_extension_is_an_error_that_lists_the_known_ones() {
        let settings = FilmSettings::new(16, 16, 30.0);
        for (path, words) in [
            ("film.avi", "'.avi' is no film"),
            ("film", "it has no extension"),
        ] {
            let Err(error) = film_for(Path::new(path), &settings) else {
                panic!("{path} was taken");
            };
            let message = error.to_string();
            assert!(message.contains(words), "{message}");
            assert!(message.contains(".mp4") && message.contains(".gif"));
        }
    }
}

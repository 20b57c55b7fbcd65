//! What the user meant by a path: a cache, a film, a picture, a row of pictures, frames.

use crate::picture_arguments::PictureArguments;
use pliant_film::{FILM_FORMATS, film_format};
use pliant_io::FORMATS;
use pliant_scene::nearest;
use pliant_session::Failure;
use std::path::{Path, PathBuf};

/// The extension of a cache.
const CACHE: &str = "pliant";

/// The extension of a picture.
const PICTURE: &str = "png";

/// What a path stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A cache, from which a run goes on.
    Cache,
    /// A film.
    Film,
    /// One picture.
    Picture,
    /// A row of pictures, named after this path with numbers.
    Sequence(PathBuf),
    /// Frames for other programs: a folder or a format of `pliant-io`.
    Frames,
}

/// All paths of a run, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    pub cache: Option<PathBuf>,
    pub films: Vec<PathBuf>,
    pub pictures: Vec<PathBuf>,
    pub sequences: Vec<PathBuf>,
    pub frames: Vec<PathBuf>,
}

impl Targets {
    /// Sorts paths by what they stand for. `ffmpeg` knows more kinds of films than we do.
    pub fn new(paths: &[PathBuf], ffmpeg: bool) -> Result<Self, Failure> {
        let mut targets = Self::default();
        for path in paths {
            let (list, path) = match Target::of(path, ffmpeg)? {
                Target::Cache => {
                    let earlier = targets.cache.replace(path.clone());
                    if earlier.is_some_and(|earlier| earlier != *path) {
                        return Err(Failure::Input("a run has one cache, not two".to_owned()));
                    }
                    continue;
                }
                Target::Film => (&mut targets.films, path.clone()),
                Target::Picture => (&mut targets.pictures, path.clone()),
                Target::Sequence(path) => (&mut targets.sequences, path),
                Target::Frames => (&mut targets.frames, path.clone()),
            };
            if !list.contains(&path) {
                list.push(path);
            }
        }
        Ok(targets)
    }

    /// What a run writes that was not told where to: a film, a picture and the cache.
    pub fn in_folder_of(name: &str) -> Self {
        let folder = PathBuf::from("out").join(name);
        Self {
            cache: Some(folder.join("run.pliant")),
            films: vec![folder.join(format!("{name}.mp4"))],
            pictures: vec![folder.join(format!("{name}.png"))],
            ..Self::default()
        }
    }

    /// Whether a path is meant as a folder.
    pub fn is_folder(path: &Path) -> bool {
        let ends_with_separator = path.to_string_lossy().ends_with(std::path::is_separator);
        ends_with_separator || path.is_dir() || path.extension().is_none()
    }

    /// Refuses several moments in one picture where there is no picture.
    pub fn check_moments(&self, arguments: &PictureArguments) -> Result<(), Failure> {
        if arguments.moments().is_some() && self.pictures.is_empty() {
            return Err(Failure::Input(format!(
                "{} makes a picture: give an --out that ends in .png",
                arguments.moments_option()
            )));
        }
        Ok(())
    }

    /// Whether anything has to be drawn.
    pub fn need_pictures(&self) -> bool {
        !(self.films.is_empty() && self.pictures.is_empty() && self.sequences.is_empty())
    }
}

impl Target {
    /// Chosen by the extension; a name without one is a folder.
    pub fn of(path: &Path, ffmpeg: bool) -> Result<Self, Failure> {
        let extension = match path.extension() {
            Some(extension) if !Targets::is_folder(path) => {
                extension.to_string_lossy().to_lowercase()
            }
            _ => return Ok(Self::Frames),
        };
        if extension == CACHE {
            return Ok(Self::Cache);
        }
        if extension == PICTURE {
            return Ok(sequence(path).map_or(Self::Picture, Self::Sequence));
        }
        if film_format(path).is_some() {
            return Ok(Self::Film);
        }
        if frame_extensions().any(|known| known == extension) {
            return Ok(Self::Frames);
        }
        if ffmpeg {
            return Ok(Self::Film);
        }
        Err(unknown(path, &extension))
    }
}

/// `walk_#.png`, `walk_#####.png` and `walk_%05d.png` name a row of pictures after `walk.png`.
fn sequence(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let start = stem.find(['#', '%'])?;
    let (before, pattern) = stem.split_at(start);
    let number = pattern
        .strip_prefix('%')
        .and_then(|rest| rest.strip_suffix('d'));
    let is_number = number.is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit()));
    if !is_number && pattern.chars().any(|c| c != '#') {
        return None;
    }
    let before = before.trim_end_matches('_');
    let before = if before.is_empty() { "frame" } else { before };
    Some(path.with_file_name(format!("{before}.{PICTURE}")))
}

fn film_extensions() -> impl Iterator<Item = &'static str> {
    FILM_FORMATS
        .iter()
        .flat_map(|format| format.extensions)
        .copied()
}

fn frame_extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.extensions).copied()
}

fn unknown(path: &Path, extension: &str) -> Failure {
    let known = || {
        film_extensions()
            .chain(frame_extensions())
            .chain([PICTURE, CACHE])
    };
    let hint = nearest(extension, known())
        .map(|near| format!("did you mean '.{near}'?"))
        .unwrap_or_else(|| "a name that ends with '/' is a folder".to_owned());
    let listed = |extensions: &mut dyn Iterator<Item = &str>| {
        let dotted: Vec<String> = extensions
            .map(|extension| format!(".{extension}"))
            .collect();
        dotted.join(" ")
    };
    Failure::Input(format!(
        "cannot tell what to write to {}: '.{extension}' is not a known extension\n  \
         films: {}; pictures: .{PICTURE} (a row of them: name_#.{PICTURE}); frames: {} or a \
         folder; to go on from: .{CACHE}\n  hint: {hint}",
        path.display(),
        listed(&mut film_extensions()),
        listed(&mut frame_extensions()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_chooses() {
        for (path, expected) in [
            ("a.pliant", Target::Cache),
            ("a.MP4", Target::Film),
            ("a.gif", Target::Film),
            ("a/b.png", Target::Picture),
            ("a/b_#####.png", Target::Sequence("a/b.png".into())),
            ("a/b_%05d.png", Target::Sequence("a/b.png".into())),
            ("a/#.png", Target::Sequence("a/frame.png".into())),
            ("100%.png", Target::Picture),
            ("a.usda", Target::Frames),
            ("a.vtu", Target::Frames),
            ("folder", Target::Frames),
            ("folder.mp4/", Target::Frames),
        ] {
            assert_eq!(
                Target::of(Path::new(path), false).unwrap(),
                expected,
                "{path}"
            );
        }
        let message = Target::of(Path::new("a.mp5"), false)
            .unwrap_err()
            .to_string();
        assert!(message.contains("did you mean '.mp4'?"), "{message}");
        let other = Target::of(Path::new("a.webm"), true).unwrap();
        assert_eq!(other, Target::Film);
    }

    #[test]
    fn outputs_are_sorted_and_named_once() {
        let paths = ["a.mp4", "b.png", "a.mp4", "c.pliant", "c.pliant"].map(PathBuf::from);
        let targets = Targets::new(&paths, false).unwrap();
        assert_eq!(targets.films.len(), 1);
        assert_eq!(targets.cache, Some("c.pliant".into()));
        assert!(targets.need_pictures());
        assert!(Targets::new(&["a.pliant".into(), "b.pliant".into()], false).is_err());
    }
}

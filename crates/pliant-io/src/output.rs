//! Chooses the sink from the path a user gives.

use crate::format::folder_of;
use crate::{Format, FrameSink, IoError, SeriesName, glb, obj, pc2, ply, stl, usda, vtu};
use pliant::frame::Frame;
use std::path::{Path, PathBuf};

/// Every format that frames can be written in. A new format is one line here.
pub const FORMATS: &[Format] = &[
    vtu::FORMAT,
    obj::FORMAT,
    ply::FORMAT,
    stl::FORMAT,
    usda::FORMAT,
    glb::FORMAT,
    pc2::FORMAT,
];

/// A sink for what the path names:
/// - a folder (it exists, ends with `/` or has no extension): VTU and OBJ, in that folder;
/// - a file name: a series of the format of its extension, in the folder of the file.
///
/// Folders are made if need be. Whatever would keep the files from being written is an error here,
/// before a simulation begins.
pub fn sink_for(path: &Path) -> Result<Box<dyn FrameSink>, IoError> {
    if path.as_os_str().is_empty() {
        return Err(IoError::InvalidPath {
            path: path.to_path_buf(),
            reason: "the name is empty",
        });
    }
    let ends_with_separator = path.to_string_lossy().ends_with(std::path::is_separator);
    let extension = path.extension().map(|text| text.to_string_lossy());
    match extension {
        Some(extension) if !ends_with_separator && !path.is_dir() => open_file(path, &extension),
        _ => open_folder(path),
    }
}

fn open_folder(path: &Path) -> Result<Box<dyn FrameSink>, IoError> {
    let name = SeriesName::in_folder(path);
    name.prepare()?;
    let sinks = FORMATS
        .iter()
        .filter(|format| format.in_folder)
        .map(|format| (format.open)(name.clone()))
        .collect::<Result<_, _>>()?;
    Ok(Box::new(SeveralSinks { sinks }))
}

fn open_file(path: &Path, extension: &str) -> Result<Box<dyn FrameSink>, IoError> {
    let lower = extension.to_lowercase();
    let Some(format) = FORMATS
        .iter()
        .find(|format| format.extensions.contains(&lower.as_str()))
    else {
        return Err(unknown_format(path, extension));
    };
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
        return Err(IoError::InvalidPath {
            path: path.to_path_buf(),
            reason: "the name is not valid Unicode",
        });
    };
    let name = SeriesName::with_stem(folder_of(path), stem);
    name.prepare()?;
    (format.open)(name)
}

fn unknown_format(path: &Path, extension: &str) -> IoError {
    let extensions = || FORMATS.iter().flat_map(|format| format.extensions);
    let lower = extension.to_lowercase();
    IoError::UnknownFormat {
        path: path.to_path_buf(),
        extension: extension.to_owned(),
        known: extensions()
            .map(|known| format!("'.{known}'"))
            .collect::<Vec<_>>()
            .join(", "),
        hint: extensions()
            .find(|known| is_one_slip_away(&lower, known))
            .map(|known| (*known).to_owned()),
    }
}

/// Whether one letter changed, added, left out or swapped with its neighbour makes `typed` into
/// `known`. Extensions are so short that a second slip would make any of them out of any other.
fn is_one_slip_away(typed: &str, known: &str) -> bool {
    let typed: Vec<char> = typed.chars().collect();
    let known: Vec<char> = known.chars().collect();
    let shared_start = typed.iter().zip(&known).take_while(|(a, b)| a == b).count();
    let (typed, known) = (&typed[shared_start..], &known[shared_start..]);
    let shared_end = typed
        .iter()
        .rev()
        .zip(known.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    match (
        &typed[..typed.len() - shared_end],
        &known[..known.len() - shared_end],
    ) {
        ([], []) | ([_], []) | ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

/// Hands each frame to several sinks.
struct SeveralSinks {
    sinks: Vec<Box<dyn FrameSink>>,
}

impl FrameSink for SeveralSinks {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        self.sinks.iter_mut().try_for_each(|sink| sink.write(frame))
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        let mut paths = Vec::new();
        for sink in &mut self.sinks {
            paths.extend(sink.finish()?);
        }
        Ok(paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("pliant-output-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn refused(path: &Path) -> IoError {
        match sink_for(path) {
            Ok(_) => panic!("{} was accepted", path.display()),
            Err(error) => error,
        }
    }

    fn written(path: &Path) -> Vec<String> {
        let mut sink = sink_for(path).unwrap();
        sink.write(&Frame::default()).unwrap();
        sink.finish()
            .unwrap()
            .iter()
            .inspect(|path| assert!(path.is_file(), "{}", path.display()))
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn the_path_chooses_the_format() {
        let folder = folder("chooses");
        let all = ["frames.pvd", "frame_00000.vtu", "frame_00000.obj"];
        assert_eq!(written(&folder), all);
        assert_eq!(written(&folder.join("new/nested")), all);
        assert_eq!(written(&folder.join("dotted.v2/")), all);
        assert_eq!(written(&folder.join("dotted.v2")), all);
        assert_eq!(written(&folder.join("a.pvd")), ["a.pvd", "a_00000.vtu"]);
        assert_eq!(written(&folder.join("b.VTU")), ["b.pvd", "b_00000.vtu"]);
        assert_eq!(written(&folder.join("c.obj")), ["c_00000.obj"]);
        assert!(folder.join("c_00000.obj").is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_unknown_extension_is_refused_with_the_known_ones() {
        let message = refused(Path::new("out.vtk")).to_string();
        for part in [
            "'.vtk'",
            "did you mean '.vtu'",
            "'.pvd'",
            "'.obj'",
            "folder",
        ] {
            assert!(message.contains(part), "{part} is not in: {message}");
        }
        let message = refused(Path::new("out.ojb")).to_string();
        assert!(message.contains("did you mean '.obj'"), "{message}");
        let message = refused(Path::new("out.xyz")).to_string();
        assert!(!message.contains("did you mean"), "{message}");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_refused_before_the_first_frame() {
        let folder = folder("refused");
        let file = folder.join("taken");
        fs::write(&file, "kept").unwrap();
        for path in [&file, &file.join("below"), &file.join("x.obj")] {
            assert!(matches!(refused(path), IoError::IsFile { .. }));
        }
        assert_eq!(fs::read(&file).unwrap(), b"kept");
        assert!(matches!(
            refused(Path::new("")),
            IoError::InvalidPath { .. }
        ));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn opening_leaves_no_test_file_behind() {
        let folder = folder("clean");
        drop(sink_for(&folder).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}

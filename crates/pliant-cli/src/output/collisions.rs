//! An output is neither an input nor another output: what would be overwritten is found before
//! anything is written.

use super::Targets;
use pliant_session::{Failure, Source};
use std::path::{Path, PathBuf};

/// The files that a command writes and reads.
#[derive(Debug, Default)]
pub struct Files {
    inputs: Vec<(String, PathBuf)>,
    outputs: Vec<Output>,
}

/// What one option writes.
#[derive(Debug)]
struct Output {
    /// The option, for messages.
    option: &'static str,
    path: PathBuf,
    /// Whether numbered files and others that begin with its stem are written beside it.
    is_series: bool,
}

impl Files {
    /// Adds a file that is read; `what` names it in messages.
    pub fn read(&mut self, what: &str, path: &Path) -> &mut Self {
        self.inputs.push((what.to_owned(), path.to_path_buf()));
        self
    }

    /// Adds the scene file and the files that it names.
    pub fn read_scene(&mut self, source: &Source) -> &mut Self {
        // A built-in scene has no file.
        if !source.folder.as_os_str().is_empty() {
            self.read("the scene", Path::new(&source.file));
        }
        for input in &source.inputs {
            self.read("a file that the scene names", &input.path);
        }
        self
    }

    /// Adds a single file that is written.
    pub fn write(&mut self, option: &'static str, path: &Path) -> &mut Self {
        self.outputs.push(Output {
            option,
            path: path.to_path_buf(),
            is_series: false,
        });
        self
    }

    /// Adds all that `--out` names.
    pub fn write_targets(&mut self, targets: &Targets) -> &mut Self {
        let Targets {
            cache,
            films,
            pictures,
            sequences,
            frames,
        } = targets;
        for path in cache.iter().chain(films).chain(pictures) {
            self.write("--out", path);
        }
        for path in sequences.iter().chain(frames) {
            self.outputs.push(Output {
                option: "--out",
                path: path.clone(),
                is_series: true,
            });
        }
        self
    }

    /// Refuses outputs that would overwrite an input or another output.
    pub fn check(&self) -> Result<(), Failure> {
        for (index, output) in self.outputs.iter().enumerate() {
            for (what, input) in &self.inputs {
                if output.would_write(input) {
                    return Err(Failure::Input(format!(
                        "{} {} would overwrite {what}, {}\n  hint: give another name",
                        output.option,
                        output.path.display(),
                        input.display()
                    )));
                }
            }
            for earlier in &self.outputs[..index] {
                if is_same_file(&earlier.path, &output.path) {
                    return Err(Failure::Input(format!(
                        "{} and {} would both be written to {}\n  hint: give another name",
                        earlier.option,
                        output.option,
                        output.path.display()
                    )));
                }
            }
        }
        Ok(())
    }
}

impl Output {
    fn would_write(&self, file: &Path) -> bool {
        if is_same_file(&self.path, file) {
            return true;
        }
        if !self.is_series {
            return false;
        }
        let is_folder = Targets::is_folder(&self.path);
        let folder = match is_folder {
            true => self.path.as_path(),
            false => self.path.parent().unwrap_or(Path::new("")),
        };
        let parent = file.parent().unwrap_or(Path::new(""));
        if !is_same_file(folder, parent) {
            return false;
        }
        let stem = |path: &Path| {
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
        };
        let extension = |path: &Path| {
            let extension = path.extension().unwrap_or_default();
            extension.to_string_lossy().to_lowercase()
        };
        let (Some(series), Some(other)) = (stem(&self.path), stem(file)) else {
            return false;
        };
        if is_folder {
            let stems = ["frame", "frames", "obstacles"];
            return stems.iter().any(|&series| is_of_series(series, &other))
                && ["vtu", "pvd", "obj", "mtl"].contains(&extension(file).as_str());
        }
        // Point caches come with meshes.
        let fits = extension(file) == extension(&self.path)
            || extension(&self.path) == "pc2" && ["obj", "mtl"].contains(&extension(file).as_str());
        fits && is_of_series(&series, &other)
    }
}

/// Whether a stem is one that a series of this name has: `series`, `series_00012`, `series_obstacles`.
fn is_of_series(series: &str, stem: &str) -> bool {
    stem == series
        || stem
            .strip_prefix(series)
            .is_some_and(|rest| rest.starts_with('_'))
}

/// Whether two paths lead to one file, which need not be there.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (real(a), real(b)) {
        (Some(a), Some(b)) => a == b || is_linked(&a, &b),
        _ => a == b,
    }
}

/// The path with all links followed; of a file that is not there, its folder is followed.
fn real(path: &Path) -> Option<PathBuf> {
    let path = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.canonicalize() {
        Ok(folder) => Some(folder.join(path.file_name()?)),
        // The folder will be made.
        Err(_) => std::path::absolute(path).ok(),
    }
}

/// Whether two names are hard links to one file.
#[cfg(unix)]
fn is_linked(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| {
        let metadata = path.metadata().ok().filter(|file| file.is_file())?;
        Some((metadata.dev(), metadata.ino()))
    };
    // Writing replaces a name, not the content; but whoever links two names wants one file.
    place(a).is_some_and(|a| Some(a) == place(b))
}

#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(path: &str) -> Output {
        Output {
            option: "--out",
            path: path.into(),
            is_series: true,
        }
    }

    #[test]
    fn series_write_more_than_their_name() {
        let written = |output: &str, file: &str| series(output).would_write(Path::new(file));
        assert!(written("m.stl", "m.stl") && written("m.stl", "./m_obstacles.stl"));
        assert!(written("a/m.obj", "a/m_00012.obj") && written("m.pc2", "m_body.obj"));
        assert!(written("a/", "a/frame_00000.obj") && written("a/", "a/obstacles.vtu"));
        assert!(!written("m.stl", "n.stl") && !written("m.stl", "m.obj"));
        assert!(!written("a/m.obj", "b/m_00012.obj") && !written("m.stl", "mm.stl"));
        assert!(!written("a/", "a/rabbit.obj"));
    }
}

//! `pliant view`: starts the viewer, which is a program of its own, so that nobody has to build a
//! window to simulate.

use crate::arguments::ViewOptions;
use pliant_session::Failure;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// Starts the viewer and ends with its exit code.
pub fn view(options: &ViewOptions) -> Result<(), Failure> {
    if options.web {
        return crate::serve::serve(options);
    }
    let Some(program) = find("pliant-viewer") else {
        return Err(Failure::Simulation(format!(
            "the viewer is not installed: there is no `pliant-viewer` next to this program and none on \
             the PATH\n  hint: {HOW_TO_GET_IT}"
        )));
    };
    let mut command = Command::new(&program);
    command.args(&options.scene);
    for (element, attribute, value) in &options.set {
        command.args(["--set", &format!("{element}.{attribute}={value}")]);
    }
    if let Some(file) = &options.replay {
        command.arg("--replay").arg(file);
    }
    if let Some(choice) = &options.compare {
        command.args(["--compare", choice]);
    }
    if options.paused {
        command.arg("--paused");
    }
    run(command, &program)
}

/// Runs a program and ends with its exit code.
pub fn run(mut command: Command, program: &Path) -> Result<(), Failure> {
    match command.status() {
        // The viewer has said what is wrong.
        Ok(status) if !status.success() => exit(status.code().unwrap_or(1)),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Simulation(format!(
            "cannot start {}: {error}",
            program.display()
        ))),
    }
}

const HOW_TO_GET_IT: &str = "in the source of Pliant, with Rust 1.95 or later, `cargo build --release \
                             -p pliant-viewer --features window` puts it beside `pliant`; \
                             `pliant run SCENE` makes films and pictures without it";

/// A program of the viewer: beside this program, else on the path.
pub fn find(name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    find_in(name, beside, &folders)
}

fn find_in(name: &str, beside: Option<&Path>, folders: &[PathBuf]) -> Option<PathBuf> {
    let name = format!("{name}{EXE_SUFFIX}");
    let places = beside
        .into_iter()
        .chain(folders.iter().map(PathBuf::as_path));
    places
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_beside_this_program_comes_first() {
        let root = std::env::temp_dir().join(format!("pliant-view-{}", std::process::id()));
        let [beside, first, second] = ["beside", "first", "second"].map(|name| root.join(name));
        for folder in [&beside, &first, &second] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let folders = [first.clone(), second.clone()];
        assert_eq!(find_in("pliant-viewer", Some(&beside), &folders), None);
        let name = format!("pliant-viewer{EXE_SUFFIX}");
        std::fs::write(second.join(&name), "").unwrap();
        assert_eq!(
            find_in("pliant-viewer", Some(&beside), &folders),
            Some(second.join(&name))
        );
        // A folder of that name is no program.
        std::fs::create_dir(first.join(&name)).unwrap();
        assert_eq!(
            find_in("pliant-viewer", None, &folders),
            Some(second.join(&name))
        );
        std::fs::write(beside.join(&name), "").unwrap();
        assert_eq!(
            find_in("pliant-viewer", Some(&beside), &folders),
            Some(beside.join(&name))
        );
        std::fs::remove_dir_all(&root).unwrap();
    }
}

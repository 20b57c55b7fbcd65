//! What can be typed after `pliant`.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Simulate cloth, cables and soft solids from scene files.
#[derive(Debug, Parser)]
#[command(
    name = "pliant",
    version,
    about = "Simulates deformable curves, surfaces and solids from scene files",
    after_help = "Begin with:  pliant scenes\n             pliant run flag\n\n\
                  Exit codes:  0 done, 1 the simulation failed, 2 the input is wrong"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write its frames
    Run(RunOptions),
    /// Find every mistake of scene files, without simulating them
    Check(CheckOptions),
    /// List the built-in scenes, or print one
    Scenes(ScenesOptions),
    /// Measure the engine; without a name, list the benchmarks
    Bench(BenchOptions),
}

/// Options of `pliant run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    pliant run flag\n  \
    pliant run my-scene.xml --out frames/ --stats stats.json\n  \
    pliant run flag --seconds 2 --set Wind.c=4 --out flag.vtu --out flag.obj")]
pub struct RunOptions {
    /// A built-in scene (see `pliant scenes`) or the path of a scene file
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// Where to write frames: a folder for all formats, or a file name whose extension chooses one
    /// (.vtu, .pvd, .obj); may be given several times [default: out/SCENE/]
    #[arg(long, value_name = "PATH")]
    pub out: Vec<PathBuf>,
    /// Write what the run gave and took, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// Write this many frames, the initial state included
    #[arg(long, value_name = "N", value_parser = positive_count)]
    pub frames: Option<usize>,
    /// Simulate this many seconds instead of the scene's duration
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    pub seconds: Option<f64>,
    /// Replace an attribute of the scene, such as Flag.timestep=0.01; may be given several times
    #[arg(long, value_name = "ELEMENT.ATTRIBUTE=VALUE", value_parser = replacement)]
    pub set: Vec<(String, String, String)>,
    /// Number of threads [default: the scene's choice, else one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Fail with exit code 1 if a value that the scene expects is missed
    #[arg(long)]
    pub check_expected: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `pliant check`.
#[derive(Debug, Args)]
pub struct CheckOptions {
    /// Built-in scenes or paths of scene files
    #[arg(value_name = "SCENE", required = true)]
    pub scenes: Vec<String>,
    /// Replace an attribute of the scenes, such as Flag.timestep=0.01; may be given several times
    #[arg(long, value_name = "ELEMENT.ATTRIBUTE=VALUE", value_parser = replacement)]
    pub set: Vec<(String, String, String)>,
}

/// Options of `pliant scenes`.
#[derive(Debug, Args)]
pub struct ScenesOptions {
    /// Print this scene as XML, to be saved and changed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Options of `pliant bench`.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// The benchmark; without one, all are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Also write what is printed, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Fewer frames and smaller sizes: less than a minute, less exact
    #[arg(long)]
    pub quick: bool,
    /// Number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = thread_count)]
    pub threads: usize,
}

/// The most threads that can be asked for.
const MOST_THREADS: usize = 1024;

fn positive_count(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("expected a whole number, 1 or more".to_owned()),
    }
}

fn thread_count(text: &str) -> Result<usize, String> {
    match positive_count(text) {
        Ok(count) if count <= MOST_THREADS => Ok(count),
        _ => Err(format!("expected a whole number from 1 to {MOST_THREADS}")),
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("expected a number of seconds greater than 0".to_owned()),
    }
}

/// `element.attribute=value`; an id may hold dots, the name of an attribute holds none.
fn replacement(text: &str) -> Result<(String, String, String), String> {
    let expected = "expected element.attribute=value, such as Flag.timestep=0.01";
    let (target, value) = text.split_once('=').ok_or(expected)?;
    let (element, attribute) = target.rsplit_once('.').ok_or(expected)?;
    let (element, attribute) = (element.trim(), attribute.trim());
    if element.is_empty() || attribute.is_empty() {
        return Err(expected.to_owned());
    }
    Ok((element.to_owned(), attribute.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn replacements_are_split_at_the_last_dot_before_the_equals_sign() {
        let (element, attribute, value) = replacement("My.Body.velocity=[0, 0.5, a=b]").unwrap();
        assert_eq!(
            (element.as_str(), attribute.as_str()),
            ("My.Body", "velocity")
        );
        assert_eq!(value, "[0, 0.5, a=b]");
        for wrong in ["", "a.b", "a=b", ".b=1", "a.=1", "=1"] {
            assert!(replacement(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts_and_seconds_are_checked() {
        assert!(positive_count("0").is_err() && positive_count("-1").is_err());
        assert!(positive_seconds("nan").is_err() && positive_seconds("inf").is_err());
        assert!(thread_count("100000").is_err());
        assert_eq!(positive_seconds("2.5"), Ok(2.5));
    }
}

//! What can be typed after `pliant`.

use crate::picture_arguments::PictureArguments;
use crate::plot::{Plot, plot};
use clap::{Args, Parser, Subcommand};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Simulate cloth, cables and soft solids from scene files.
#[derive(Debug, Parser)]
#[command(
    name = "pliant",
    version,
    about = "Simulates deformable curves, surfaces and solids from scene files",
    after_help = "Begin with:  pliant scenes\n             pliant run flag\n\n\
                  Exit codes:  0 done, 1 the simulation failed or its output could not be written,\n             \
                  2 the input is wrong, 130 stopped (Control-C)"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene: a film, a picture, files for other programs
    Run(RunOptions),
    /// Open a window to watch a scene, pull at it and change it while it runs
    View(ViewOptions),
    /// Make pictures, films and files again from a run that was simulated
    Render(RenderOptions),
    /// Write what a scene models, without simulating it
    Model(ModelOptions),
    /// Write a page with films of the built-in scenes
    Gallery(GalleryOptions),
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
    pliant run flag --out flag.mp4 --out flag.usda --out flag.png\n  \
    pliant run flag --resume\n  \
    pliant run flag-000.json --out pulled.mp4\n  \
    pliant run my-scene.xml --out frames/ --stats stats.json --plot energy.svg\n  \
    pliant run flag --seconds 2 --set Wind.c=4 --out flag.gif --size 640x360")]
pub struct RunOptions {
    /// A built-in scene (see `pliant scenes`), the path of a scene file, or a recording of the viewer
    /// (.json), which is played to its end
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// What to write, by extension; may be given several times: a film (.mp4, .gif), a picture
    /// (.png), a row of pictures (name_#.png), a file for other programs (.usda, .glb, .vtu, .obj
    /// and more), a folder of frames, a cache to go on from (.pliant) [default: film, picture and
    /// cache in out/SCENE/]
    #[arg(long, value_name = "PATH")]
    pub out: Vec<PathBuf>,
    /// Go on from the cache of a run that was broken off; give the same scene, --out and --set
    #[arg(long, conflicts_with = "check_expected")]
    pub resume: bool,
    /// Go on although a mesh or picture that the scene names has changed
    #[arg(long, requires = "resume")]
    pub accept_changes: bool,
    /// Replace a cache that holds an unfinished run
    #[arg(long, conflicts_with = "resume")]
    pub overwrite: bool,
    /// Plot energy, momentum, spin, volume, contacts or iterations against time, as .svg or .png;
    /// the name of the file says which, or QUANTITY=FILE; may be given several times
    #[arg(long, value_name = "FILE", value_parser = plot)]
    pub plot: Vec<Plot>,
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
    /// The most memory to take, such as 8GB or 500MB [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Number of threads [default: the scene's choice, else one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Fail with exit code 1 if a value that the scene expects is missed
    #[arg(long)]
    pub check_expected: bool,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub picture: PictureArguments,
    /// Write the name of the scene and the time on pictures
    #[arg(long, help_heading = "Pictures and films")]
    pub labels: bool,
}

/// Options of `pliant view`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    pliant view\n  \
    pliant view flag\n  \
    pliant view my-scene.xml --paused\n  \
    pliant view --replay flag-000.json\n  \
    pliant view flag --web")]
pub struct ViewOptions {
    /// A built-in scene or the path of a scene file [default: all built-in scenes to choose from]
    #[arg(value_name = "SCENE", conflicts_with = "replay")]
    pub scene: Option<String>,
    /// Replace an attribute of the scene, such as Flag.timestep=0.01; may be given several times
    #[arg(long, value_name = "ELEMENT.ATTRIBUTE=VALUE", value_parser = replacement, requires = "scene")]
    pub set: Vec<(String, String, String)>,
    /// Play a recording that the viewer has saved
    #[arg(long, value_name = "FILE.json")]
    pub replay: Option<PathBuf>,
    /// Show beside it the same scene with another choice, such as formulation=Hybrid, in step
    #[arg(long, value_name = "ATTRIBUTE=VALUE", requires = "scene")]
    pub compare: Option<String>,
    /// Do not start by itself
    #[arg(long)]
    pub paused: bool,
    /// Serve the page of the viewer to a browser on this machine instead of opening a window
    #[arg(long, conflicts_with_all = ["replay", "paused", "compare"])]
    pub web: bool,
    /// Simulate in a program on this machine and not in the browser, as is done for large scenes anyway
    #[arg(long, requires_all = ["web", "scene"])]
    pub stream: bool,
    /// The port that --web listens on [default: any that is free]
    #[arg(long, value_name = "NUMBER", requires = "web")]
    pub port: Option<u16>,
    /// The page that --web serves [default: pliant.html beside this program]
    #[arg(long, value_name = "FILE.html", requires = "web")]
    pub page: Option<PathBuf>,
}

/// Options of `pliant model`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    pliant model shape.xml --out shape.obj --out shape.png\n  \
    pliant model shape.xml --out shape.msh --initial")]
pub struct ModelOptions {
    /// A built-in scene (see `pliant scenes`) or the path of a scene file
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// What to write, by extension; may be given several times: a picture (.png), the elements of all
    /// bodies (.msh), a file for other programs (.usda, .glb, .vtu, .obj and more)
    #[arg(long, value_name = "PATH", required = true)]
    pub out: Vec<PathBuf>,
    /// Bodies as they start, rather than as they are at rest
    #[arg(long)]
    pub initial: bool,
    /// Replace an attribute of the scene, such as Flag.timestep=0.01; may be given several times
    #[arg(long, value_name = "ELEMENT.ATTRIBUTE=VALUE", value_parser = replacement)]
    pub set: Vec<(String, String, String)>,
    /// The most memory to take, such as 8GB or 500MB [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Number of threads [default: the scene's choice, else one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub picture: PictureArguments,
}

/// Options of `pliant render`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    pliant render out/flag/run.pliant --out near.mp4 --camera 3,-4,3/1.5,0,3\n  \
    pliant render run.pliant --out still.png --frame 40 --style wireframe\n  \
    pliant render a.pliant b.pliant --side-by-side --labels soft,stiff --out both.mp4")]
pub struct RenderOptions {
    /// Caches that `pliant run` has written; several are drawn side by side
    #[arg(value_name = "RUN.pliant", required = true)]
    pub caches: Vec<PathBuf>,
    /// What to write, by extension, as with `pliant run`; may be given several times
    #[arg(long, value_name = "PATH")]
    pub out: Vec<PathBuf>,
    /// Only these frames, counted from 0: 10..60 goes to frame 60, 10.. to the last
    #[arg(long, value_name = "A..B", value_parser = frame_range)]
    pub frames: Option<RangeInclusive<usize>>,
    /// Draw several runs side by side
    #[arg(long)]
    pub side_by_side: bool,
    /// Write the time on pictures, and what each run is called (names separated by commas)
    #[arg(long, value_name = "NAMES", num_args = 0..=1, default_missing_value = "")]
    pub labels: Option<String>,
    /// Plot energy, momentum, spin, volume, contacts or iterations of all runs against time
    #[arg(long, value_name = "FILE", value_parser = plot)]
    pub plot: Vec<Plot>,
    /// The most memory to take, such as 8GB or 500MB [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub picture: PictureArguments,
}

/// Options of `pliant gallery`.
#[derive(Debug, Args)]
pub struct GalleryOptions {
    /// Built-in scenes or paths of scene files [default: all built-in scenes]
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// The folder to write to; open its index.html
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Smaller and shorter films
    #[arg(long)]
    pub quick: bool,
    /// The most memory to take, such as 8GB or 500MB [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
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
    /// The most memory that a scene may take, such as 8GB [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
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
    /// Plot what was measured against time, as `pliant run --plot` does (`warping`: volume.svg)
    #[arg(long, value_name = "FILE", value_parser = plot)]
    pub plot: Vec<Plot>,
    /// Fewer frames and smaller sizes: less than a minute, less exact
    #[arg(long)]
    pub quick: bool,
    /// Number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = thread_count)]
    pub threads: usize,
}

/// The most threads that can be asked for.
const MOST_THREADS: usize = 1024;

/// A number of bytes: `8GB`, `1.5 GiB`, `500MB`, `123456`.
fn memory(text: &str) -> Result<u64, String> {
    let expected = "expected a size such as 8GB, 1.5GiB or 500MB";
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => f64::from(1 << 20),
        "gib" => f64::from(1 << 30),
        "tib" => 1024.0 * f64::from(1 << 30),
        _ => return Err(expected.to_owned()),
    };
    match number.trim().parse::<f64>() {
        // Less would not even hold the program.
        Ok(number) if number * factor >= 1e7 && number.is_finite() => Ok((number * factor) as u64),
        Ok(_) => Err("expected 10MB or more".to_owned()),
        Err(_) => Err(expected.to_owned()),
    }
}

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

/// `A..B`, `A..`, `..B` or a single number; both ends are included.
fn frame_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let expected = "expected a range of frames such as 10..60, 10.. or ..60";
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| expected);
    let range = match text.split_once("..") {
        None => {
            let only = number(text)?;
            only..=only
        }
        Some((first, last)) => {
            let last = last.trim_start_matches('=');
            let first = if first.trim().is_empty() {
                0
            } else {
                number(first)?
            };
            let last = if last.trim().is_empty() {
                usize::MAX
            } else {
                number(last)?
            };
            first..=last
        }
    };
    match range.is_empty() {
        true => Err("the range ends before it begins".to_owned()),
        false => Ok(range),
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
        assert_eq!(memory("8GB"), Ok(8_000_000_000));
        assert_eq!(memory("1.5 GiB"), Ok(3 << 29));
        assert_eq!(memory("20000000"), Ok(20_000_000));
        for wrong in ["", "8 apples", "GB", "-1GB", "nan", "1MB", "inf"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
        assert_eq!(frame_range("10..60"), Ok(10..=60));
        assert_eq!(frame_range("10.."), Ok(10..=usize::MAX));
        assert_eq!(frame_range("..=6"), Ok(0..=6));
        assert_eq!(frame_range("7"), Ok(7..=7));
        assert!(frame_range("9..3").is_err() && frame_range("a..b").is_err());
    }
}

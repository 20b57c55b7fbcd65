//! `pliant-viewer [SCENE]`: the arguments of the program on the desktop.

use pliant_viewer::window::{Options, open};
use pliant_viewer::{Recording, Request};
use std::process::ExitCode;

const USAGE: &str = "\
Shows a scene while it is simulated, to be pulled, fixed, pushed and changed.

Usage: pliant-viewer [OPTIONS] [SCENE]

  SCENE                          a built-in scene or the path of a scene file;
                                 without one, the gallery to choose from

Options:
      --set ELEMENT.ATTRIBUTE=VALUE  replace an attribute of the scene; may be given several times
      --replay FILE.json             play a recording that the viewer has saved
      --compare ATTRIBUTE=VALUE      beside it the same scene with another choice, in step
      --paused                       do not start by itself
      --size WIDTHxHEIGHT            size of the window
      --report SECONDS               end after so long and print how fast it was, as JSON
  -h, --help                         this text

Exit codes: 0 done, 1 the window cannot be opened, 2 the input is wrong";

/// Opens the window that the arguments ask for.
pub fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match read(&arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(Wrong::Arguments(message)) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
        Err(Wrong::Input(message)) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match open(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(1)
        }
    }
}

/// What is wrong.
enum Wrong {
    /// The arguments.
    Arguments(String),
    /// What they name; the message says so.
    Input(String),
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self::Arguments(message)
    }
}

/// What the arguments ask for; `None` asks for help.
fn read(arguments: &[String]) -> Result<Option<Options>, Wrong> {
    let mut options = Options {
        runs: true,
        ..Options::default()
    };
    let mut scene = None;
    let mut overrides = Vec::new();
    let mut replay = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            let found = rest.next();
            found.ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "-h" | "--help" => return Ok(None),
            "--paused" => options.runs = false,
            "--set" => overrides.push(replacement(value()?)?),
            "--compare" => options.compare = Some(comparison(value()?)?),
            "--replay" => replay = Some(value()?.clone()),
            "--report" => options.report_after = Some(seconds(value()?)?),
            "--size" => options.size = Some(size(value()?)?),
            other if other.starts_with('-') => {
                return Err(format!("there is no option {other}").into());
            }
            other if scene.is_none() => scene = Some(other.to_owned()),
            other => return Err(format!("`{other}` is one scene too many").into()),
        }
    }
    options.first = match (scene, replay) {
        (Some(_), Some(_)) => {
            return Err("a recording brings its scene along".to_owned().into());
        }
        (None, Some(file)) => Some(Request::Replay(Box::new(recording(&file)?))),
        (Some(scene), None) => {
            // What cannot be opened is said before a window appears.
            let limit = pliant_session::MemoryLimit::new(None);
            pliant_session::Source::load(&scene, &overrides, limit)
                .map_err(|failure| Wrong::Input(failure.to_string()))?;
            Some(Request::Open(scene, overrides))
        }
        (None, None) if options.compare.is_some() => {
            return Err("--compare needs a scene".to_owned().into());
        }
        (None, None) if !overrides.is_empty() => {
            return Err("--set needs a scene".to_owned().into());
        }
        (None, None) => None,
    };
    Ok(Some(options))
}

fn recording(file: &str) -> Result<Recording, Wrong> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| Wrong::Input(format!("error: cannot read {file}: {error}")))?;
    Recording::from_json(&text).map_err(|failure| Wrong::Input(format!("{file}: {failure}")))
}

fn replacement(text: &str) -> Result<(String, String, String), String> {
    let parts = text.split_once('=').and_then(|(place, value)| {
        let (element, attribute) = place.rsplit_once('.')?;
        Some((element.to_owned(), attribute.to_owned(), value.to_owned()))
    });
    parts.ok_or_else(|| format!("--set {text}: expected ELEMENT.ATTRIBUTE=VALUE"))
}

fn comparison(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let parts = parts.map(|(attribute, value)| (attribute.to_owned(), value.to_owned()));
    parts.ok_or_else(|| format!("--compare {text}: expected something like formulation=Hybrid"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let found = text.parse::<f64>().ok();
    let sound = found.filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    sound.ok_or_else(|| format!("--report {text}: expected a number of seconds"))
}

fn size(text: &str) -> Result<[f32; 2], String> {
    let sides = text.split_once('x').and_then(|(width, height)| {
        let width: f32 = width.parse().ok()?;
        let height: f32 = height.parse().ok()?;
        let sound = |side: f32| (100.0..=16_000.0).contains(&side);
        (sound(width) && sound(height)).then_some([width, height])
    });
    sides.ok_or_else(|| format!("--size {text}: expected something like 1280x800"))
}

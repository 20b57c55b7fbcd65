//! `pliant-stream SCENE`: simulates on this machine and shows it in browsers. `pliant view --web` starts it
//! for scenes that are too large for a browser.

use pliant_session::Failure;
use pliant_viewer::stream::serve::{Options, serve};
use std::process::ExitCode;

const USAGE: &str = "\
Simulates a scene on this machine and shows it in a browser on the same machine.

Usage: pliant-stream [OPTIONS] SCENE

  SCENE                          a built-in scene or the path of a scene file

Options:
      --set ELEMENT.ATTRIBUTE=VALUE  replace an attribute of the scene; may be given several times
      --page FILE.html               the page [default: pliant.html beside this program]
      --port NUMBER                  the port [default: any that is free]
  -h, --help                         this text

Exit codes: 1 it cannot be served, 2 the input is wrong";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match read(&arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            let is_input = matches!(failure, Failure::Scene(_) | Failure::Input(_));
            ExitCode::from(if is_input { 2 } else { 1 })
        }
    }
}

/// What the arguments ask for; `None` asks for help.
fn read(arguments: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            let found = rest.next();
            found.ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "-h" | "--help" => return Ok(None),
            "--set" => options.overrides.push(replacement(value()?)?),
            "--page" => options.page = Some(value()?.into()),
            "--port" => {
                let text = value()?;
                let port = text.parse();
                options.port = Some(port.map_err(|_| format!("--port {text}: expected a number"))?);
            }
            other if other.starts_with('-') => return Err(format!("there is no option {other}")),
            other if options.scene.is_empty() => other.clone_into(&mut options.scene),
            other => return Err(format!("`{other}` is one scene too many")),
        }
    }
    match options.scene.is_empty() {
        true => Err("a scene is missing".to_owned()),
        false => Ok(Some(options)),
    }
}

fn replacement(text: &str) -> Result<(String, String, String), String> {
    let parts = text.split_once('=').and_then(|(place, value)| {
        let (element, attribute) = place.rsplit_once('.')?;
        Some((element.to_owned(), attribute.to_owned(), value.to_owned()))
    });
    parts.ok_or_else(|| format!("--set {text}: expected ELEMENT.ATTRIBUTE=VALUE"))
}

//! `pliant view --web`: gives the page of the viewer to a browser on this machine. The simulation runs in
//! the browser; one that is too large for it runs in `pliant-stream`, a program of its own, so that nobody
//! has to build the viewer to simulate.

use crate::arguments::ViewOptions;
use crate::view::{find, run};
use pliant_serve::{Site, add_scene, listen, open, page};
use pliant_session::{Failure, MemoryLimit, Source, built_in_names};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A scene of more nodes than that is streamed: one thread of a browser takes seconds for a step of it.
const MOST_NODES: usize = 20_000;

const HOW_TO_STREAM: &str = "in the source of Pliant, `cargo build --release -p pliant-viewer --bin \
                             pliant-stream` puts it beside `pliant`";

/// Serves the page until the program is ended.
pub fn serve(options: &ViewOptions) -> Result<(), Failure> {
    let page = page(options.page.as_deref())?;
    // What cannot be opened is said here.
    let source = match &options.scene {
        Some(named) => Some(Source::load(named, &options.set, MemoryLimit::new(None))?),
        None => None,
    };
    let program = match &source {
        Some(source) => streamer(options, source)?,
        None => None,
    };
    if let Some(program) = program {
        // The other program has the scene, and needs the memory.
        drop(source);
        return run(stream(options, &program), &program);
    }
    let failed = |error: std::io::Error| {
        Failure::Simulation(format!("cannot listen on the loopback interface: {error}"))
    };
    let (listener, mut site) = open(options.port).map_err(failed)?;
    site.add("", "text/html; charset=utf-8", page);
    let place = place(options, source.as_ref(), &mut site)?;
    drop(source);
    // Whoever does not want to know the rest is served all the same.
    let _ = writeln!(
        std::io::stdout(),
        "{}{place}\nOpen this address in a browser on this machine. Ctrl-C ends it.",
        site.address()
    );
    listen(&listener, &Arc::new(site), None);
    Ok(())
}

/// What comes after the address of the page: the scene to begin with. A scene that is not built in, or
/// is changed, is put on the site.
fn place(
    options: &ViewOptions,
    source: Option<&Source>,
    site: &mut Site,
) -> Result<String, Failure> {
    let (Some(named), Some(source)) = (&options.scene, source) else {
        return Ok(String::new());
    };
    if options.set.is_empty() && built_in_names().any(|name| name == named) {
        return Ok(format!("#{named}"));
    }
    add_scene(site, source, &options.set)?;
    Ok("#served".to_owned())
}

/// The program that streams the scene, if it is to be streamed.
fn streamer(options: &ViewOptions, source: &Source) -> Result<Option<PathBuf>, Failure> {
    let nodes: usize = source
        .world
        .bodies
        .iter()
        .map(|body| body.node_count())
        .sum();
    if !options.stream && nodes <= MOST_NODES {
        return Ok(None);
    }
    let program = find("pliant-stream");
    if program.is_none() {
        let missing = "there is no `pliant-stream` next to this program and none on the PATH";
        if options.stream {
            return Err(Failure::Simulation(format!(
                "the scene cannot be streamed: {missing}\n  hint: {HOW_TO_STREAM}"
            )));
        }
        eprintln!(
            "warning: the scene has {nodes} nodes, which is much for a browser, and {missing}\n  hint: \
             {HOW_TO_STREAM}"
        );
    }
    Ok(program)
}

fn stream(options: &ViewOptions, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(&options.scene);
    for (element, attribute, value) in &options.set {
        command.args(["--set", &format!("{element}.{attribute}={value}")]);
    }
    if let Some(page) = &options.page {
        command.arg("--page").arg(page);
    }
    if let Some(port) = options.port {
        command.args(["--port", &port.to_string()]);
    }
    command
}

//! The server of a streamed scene: the page, its scene, and the stream.

use super::client::attend;
use super::{Hub, Permit};
use crate::player::HISTORY_BYTES;
use crate::request::Request;
use pliant_scene::Override;
use pliant_serve::{Taker, add_scene, listen, open};
use pliant_session::{Failure, MemoryLimit, Source};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What is streamed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A built-in scene or a scene file.
    pub scene: String,
    /// Attributes that are replaced.
    pub overrides: Vec<Override>,
    /// The page; else the one beside this program.
    pub page: Option<PathBuf>,
    /// The port; else any that is free.
    pub port: Option<u16>,
}

/// Streams a scene until the program is ended. The address is the first line that it prints.
pub fn serve(options: &Options) -> Result<(), Failure> {
    let page = pliant_serve::page(options.page.as_deref())?;
    let source = Source::load(&options.scene, &options.overrides, MemoryLimit::new(None))?;
    let failed = |error: std::io::Error| {
        Failure::Simulation(format!("cannot listen on the loopback interface: {error}"))
    };
    let (listener, mut site) = open(options.port).map_err(failed)?;
    site.add("", "text/html; charset=utf-8", page);
    add_scene(&mut site, &source, &options.overrides)?;
    site.offer_stream("stream");
    let permit = Arc::new(Permit {
        name: format!("{}.xml", source.name),
        text: source.text.clone(),
        overrides: options.overrides.clone(),
    });
    drop(source);
    let first = Request::Open(options.scene.clone(), options.overrides.clone());
    let hub = Arc::new(Hub::start(first, HISTORY_BYTES).map_err(failed)?);
    hub.ask(Request::Run(true));
    let address = site.address();
    // Whoever does not want to know the rest is served all the same.
    let _ = writeln!(
        std::io::stdout(),
        "{address}#streamed\nOpen this address in a browser on this machine: the simulation runs here. \
         Ctrl-C ends it."
    );
    let taker: Taker = Arc::new(move |stream| attend(stream, &hub, &permit));
    listen(&listener, &Arc::new(site), Some(&taker));
    Ok(())
}

//! `pliant view --web`: gives the page of the viewer to a browser on this machine.
//!
//! The server listens on the loopback interface only. Its addresses begin with a random token, so that
//! other users of the machine and other pages in the browser do not find them; requests that name a
//! foreign host or come from a foreign page are refused. It hands out the page, the scene and the files
//! that the scene names, and nothing else; the simulation runs in the browser.

mod answer;
mod connection;

use crate::arguments::ViewOptions;
use answer::Site;
use pliant_session::{Failure, MemoryLimit, Source, built_in_names};
use serde_json::json;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serves the page until the program is ended.
pub fn serve(options: &ViewOptions) -> Result<(), Failure> {
    let page = page(options.page.as_deref())?;
    let failed = |error: std::io::Error| {
        Failure::Simulation(format!("cannot listen on the loopback interface: {error}"))
    };
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, options.port.unwrap_or(0))).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let mut site = Site::new(token(), port);
    site.add("", "text/html; charset=utf-8", page);
    let place = place(options, &mut site)?;
    // Whoever does not want to know the rest is served all the same.
    let _ = writeln!(
        std::io::stdout(),
        "http://127.0.0.1:{port}/{}/{place}\nOpen this address in a browser on this machine. Ctrl-C ends it.",
        site.token()
    );
    connection::listen(&listener, &Arc::new(site));
    Ok(())
}

/// What comes after the address of the page: the scene to begin with. A scene that is not built in, or
/// is changed, is put on the site.
fn place(options: &ViewOptions, site: &mut Site) -> Result<String, Failure> {
    let Some(named) = &options.scene else {
        return Ok(String::new());
    };
    if options.set.is_empty() && built_in_names().any(|name| name == named) {
        return Ok(format!("#{named}"));
    }
    // What cannot be opened is said here.
    let source = Source::load(named, &options.set, MemoryLimit::new(None))?;
    let mut files = Vec::new();
    for (number, input) in source.inputs.iter().enumerate() {
        let full_name = input.path.to_string_lossy();
        let content = source.assets.read(&full_name).map_err(|error| {
            Failure::Input(format!("the file `{full_name}` of the scene {error}"))
        })?;
        let address = format!("file/{number}");
        files.push(json!({ "name": input.file.name, "address": address }));
        site.add(&address, "application/octet-stream", content);
    }
    let scene = json!({
        "name": format!("{}.xml", source.name),
        "text": source.text,
        "set": options.set,
        "files": files,
    });
    site.add(
        "scene.json",
        "application/json",
        scene.to_string().into_bytes(),
    );
    Ok("#served".to_owned())
}

/// The page: the file that was named, else `pliant.html` beside this program or where
/// `scripts/page` puts it.
fn page(named: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent);
    let places: Vec<PathBuf> = match (named, beside) {
        (Some(named), _) => vec![named.to_path_buf()],
        (None, Some(beside)) => vec![
            beside.join("pliant.html"),
            beside.join("../page/pliant.html"),
        ],
        (None, None) => Vec::new(),
    };
    let Some(found) = places.iter().find(|place| place.is_file()) else {
        let wanted = named.map_or_else(
            || "there is no `pliant.html` beside this program".to_owned(),
            |named| format!("there is no file {}", named.display()),
        );
        return Err(Failure::Simulation(format!(
            "the page of the viewer is not there: {wanted}\n  hint: in the source of Pliant, with Rust \
             1.95 or later, `scripts/page` builds it"
        )));
    };
    std::fs::read(found)
        .map_err(|error| Failure::Simulation(format!("cannot read {}: {error}", found.display())))
}

/// 128 bits that nobody can guess: the standard library keys its hashes with random numbers of the
/// operating system.
fn token() -> String {
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_long() {
        let (one, other) = (token(), token());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
    }

    #[test]
    fn a_page_that_is_not_there_is_named() {
        let message = page(Some(Path::new("no/such.html")))
            .unwrap_err()
            .to_string();
        assert!(message.contains("no/such.html") && message.contains("scripts/page"));
    }
}

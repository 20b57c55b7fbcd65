//! The server of the page of the viewer.
//!
//! It listens on the loopback interface only. Its addresses begin with a random token, so that other
//! users of the machine and other pages in the browser do not find them; requests that name a foreign
//! host or come from a foreign page are refused. It hands out the page, the scene and the files that the
//! scene names, and nothing else. Who asks for it may have a stream: a WebSocket that this crate opens,
//! reads and writes, and whose messages others understand.

#![warn(missing_docs)]

mod answer;
mod connection;
mod scene;
mod sha1;
pub mod websocket;

pub use answer::{Answer, MOST_HEAD, Site, refusal};
pub use connection::{Taker, listen};
pub use scene::{add_scene, page};

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

/// Listens on the loopback interface: on a port, or on any that is free.
pub fn open(port: Option<u16>) -> std::io::Result<(TcpListener, Site)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
    let port = listener.local_addr()?.port();
    Ok((listener, Site::new(token(), port)))
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
    fn it_listens_on_the_loopback_interface_only() {
        let (listener, _) = open(None).unwrap();
        assert!(listener.local_addr().unwrap().ip().is_loopback());
    }
}

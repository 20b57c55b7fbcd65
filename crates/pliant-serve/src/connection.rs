//! Connections: each is read, answered and closed by a thread of its own. Those that are slow are
//! dropped, and there are never more than a few.

use crate::answer::{MOST_HEAD, Site, refusal};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 16;

/// How long a request may take to come.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a part of an answer may take to be taken.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// Takes over a connection on which a stream was opened, until it ends.
pub type Taker = Arc<dyn Fn(TcpStream) + Send + Sync>;

/// Answers whoever comes, for ever. Streams go to the taker.
pub fn listen(listener: &TcpListener, site: &Arc<Site>, taker: Option<&Taker>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A connection that was gone before it was taken is nobody's mistake.
        let Ok(mut stream) = stream else {
            continue;
        };
        let slot = Slot::acquire(&open);
        if open.load(Ordering::Relaxed) > MOST_CONNECTIONS {
            let _ = stream.write_all(refusal(503).head.as_bytes());
            continue;
        }
        let site = Arc::clone(site);
        let taker = taker.cloned();
        // Without a thread the connection is closed.
        let _ = std::thread::Builder::new().spawn(move || {
            // Whoever has gone away gets no answer.
            let opened = talk(&mut stream, &site);
            if let (Ok(true), Some(taker)) = (opened, taker) {
                taker(stream);
            }
            drop(slot);
        });
    }
}

/// One of the connections that are open.
struct Slot(Arc<AtomicUsize>);

impl Slot {
    fn acquire(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers a request; says whether a stream was opened by it.
fn talk(stream: &mut TcpStream, site: &Site) -> std::io::Result<bool> {
    stream.set_write_timeout(Some(WRITE_PATIENCE))?;
    let head = read_head(stream)?;
    let answer = match &head {
        Head::Whole(head) => match site.opening(head) {
            Some(Ok(opening)) => {
                stream.write_all(opening.as_bytes())?;
                return Ok(true);
            }
            Some(Err(answer)) => answer,
            None => site.answer(head),
        },
        Head::TooLong => refusal(431),
        Head::TooSlow => refusal(408),
    };
    stream.write_all(answer.head.as_bytes())?;
    stream.write_all(answer.body)?;
    stream.flush()?;
    Ok(false)
}

enum Head {
    Whole(Vec<u8>),
    TooLong,
    TooSlow,
}

/// Reads up to the empty line that ends the head of a request.
fn read_head(stream: &mut TcpStream) -> std::io::Result<Head> {
    let end = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut part = [0; 2_048];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Head::TooSlow);
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut part) {
            Ok(count) => count,
            Err(error) if is_late(&error) => return Ok(Head::TooSlow),
            Err(error) => return Err(error),
        };
        head.extend(&part[..count]);
        if let Some(place) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(place + 4);
            return Ok(Head::Whole(head));
        }
        if count == 0 {
            return Ok(Head::Whole(head));
        }
        if head.len() > MOST_HEAD {
            return Ok(Head::TooLong);
        }
    }
}

fn is_late(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
    )
}

//! A streamed scene as pages, strangers and slow clients see it, over real connections.

mod support;

use pliant_serve::{Site, Taker, listen, open};
use pliant_viewer::stream::client::attend;
use pliant_viewer::stream::{Hub, Permit};
use pliant_viewer::wire::to_bytes;
use pliant_viewer::{Mirror, News, Notice, Request, Shown};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::SHEET;

/// A server of the sheet.
struct Server {
    hub: Arc<Hub>,
    port: u16,
    path: String,
}

fn opened() -> Request {
    Request::OpenText {
        name: "sheet.xml".to_owned(),
        text: SHEET.to_owned(),
        overrides: Vec::new(),
        files: Vec::new(),
    }
}

impl Server {
    fn start() -> Self {
        let (listener, mut site): (_, Site) = open(None).unwrap();
        site.offer_stream("stream");
        let hub = Arc::new(Hub::start(opened(), 1 << 20).unwrap());
        hub.ask(Request::Run(true));
        let permit = Arc::new(Permit {
            name: "sheet.xml".to_owned(),
            text: SHEET.to_owned(),
            overrides: Vec::new(),
        });
        let address = site.address();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        let (port, path) = (port.parse().unwrap(), format!("/{path}stream"));
        let attended = Arc::clone(&hub);
        let taker: Taker = Arc::new(move |stream| attend(stream, &attended, &permit));
        std::thread::spawn(move || listen(&listener, &Arc::new(site), Some(&taker)));
        Self { hub, port, path }
    }

    /// Asks for a stream; gives the connection and the first line of the answer.
    fn knock(&self, origin: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (port, path) = (self.port, &self.path);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{origin}Upgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        (stream, head.lines().next().unwrap_or_default().to_owned())
    }

    fn page(&self) -> Page {
        let origin = format!("Origin: http://127.0.0.1:{}\r\n", self.port);
        let (stream, answer) = self.knock(&origin);
        assert!(answer.starts_with("HTTP/1.1 101 "), "{answer}");
        Page {
            stream,
            mirror: Mirror::default(),
        }
    }

    /// Steps that the simulation takes in a time.
    fn steps_in(&self, time: Duration) -> usize {
        let step = || self.hub.newest().map_or(0, |shown| shown.step);
        let before = step();
        std::thread::sleep(time);
        step() - before
    }
}

/// A page that looks at it.
struct Page {
    stream: TcpStream,
    mirror: Mirror,
}

/// A frame as a browser sends it, with a mask of zeros.
fn masked(payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0x82];
    match payload.len() {
        length @ 0..=125 => out.push(0x80 | length as u8),
        length => {
            out.push(0x80 | 127);
            out.extend((length as u64).to_be_bytes());
        }
    }
    out.extend([0; 4]);
    out.extend(payload);
    out
}

impl Page {
    fn ask(&mut self, request: &Request) {
        self.mirror.sees(request);
        self.stream.write_all(&masked(&to_bytes(request))).unwrap();
    }

    /// The next frame of the protocol: its kind and what is in it.
    fn receive(&mut self) -> std::io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head)?;
        let length = match head[1] {
            126 => {
                let mut bytes = [0; 2];
                self.stream.read_exact(&mut bytes)?;
                u64::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                self.stream.read_exact(&mut bytes)?;
                u64::from_be_bytes(bytes)
            }
            short => u64::from(short),
        };
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload)?;
        Ok((head[0] & 0x0f, payload))
    }

    /// What comes next, other than signs of life.
    fn news(&mut self) -> News {
        loop {
            let (kind, payload) = self.receive().unwrap();
            assert_eq!(kind, 2);
            if !payload.is_empty() {
                return self.mirror.read(&payload).unwrap();
            }
        }
    }

    /// Waits for a scene.
    fn staged(&mut self) {
        loop {
            match self.news() {
                News::Notice(Notice::Staged(_)) => return,
                News::Frame(_) => self.stream.write_all(&masked(&[])).unwrap(),
                _ => {}
            }
        }
    }

    /// Waits for a frame that is as it should be, and takes all that come before it.
    fn frame(&mut self, is_right: impl Fn(&Shown) -> bool) -> Box<Shown> {
        let start = Instant::now();
        loop {
            if let News::Frame(shown) = self.news() {
                self.stream.write_all(&masked(&[])).unwrap();
                if is_right(&shown) {
                    return shown;
                }
            }
            assert!(start.elapsed() < Duration::from_secs(30), "no such frame");
        }
    }
}

#[test]
fn a_page_joins_sees_the_run_and_changes_it() {
    let server = Server::start();
    let mut page = server.page();
    page.ask(&opened());
    match page.news() {
        News::Notice(Notice::Staged(staged)) => {
            assert!(staged.is_new);
            assert_eq!(staged.scene.bodies[0].name, "Sheet");
        }
        other => panic!("{other:?}"),
    }
    let first = page.frame(|shown| shown.is_running);
    let later = page.frame(|shown| shown.step > first.step + 5);
    assert_eq!(later.frame.bodies[0].positions.len(), 25);
    // Another page joins the same run and does not begin it anew.
    let mut other = server.page();
    other.ask(&opened());
    let seen = other.frame(|_| true);
    assert!(seen.step >= later.step, "{} {}", seen.step, later.step);
    // What one asks for, both see.
    other.ask(&Request::Run(false));
    page.frame(|shown| !shown.is_running);
    page.ask(&Request::Reset);
    other.frame(|shown| shown.step == 0);
    page.frame(|shown| shown.step == 0);
    // While it is paused, each new stage is followed by exactly one frame, which must not be missed.
    for _ in 0..20 {
        page.ask(&Request::Reset);
        for client in [&mut page, &mut other] {
            client.staged();
            client.frame(|_| true);
        }
    }
}

#[test]
fn files_of_the_machine_are_neither_read_nor_written() {
    let server = Server::start();
    let mut page = server.page();
    page.ask(&opened());
    page.frame(|_| true);
    let refusal = |page: &mut Page| loop {
        match page.news() {
            News::Notice(Notice::Refused(message)) => return message,
            News::Frame(_) => page.stream.write_all(&masked(&[])).unwrap(),
            _ => {}
        }
    };
    page.ask(&Request::Open("/etc/hostname".to_owned(), Vec::new()));
    assert!(refusal(&mut page).contains("drop it on the page"));
    // What is saved comes to the page.
    let place = std::env::temp_dir().join(format!("pliant-stream-{}.xml", std::process::id()));
    page.ask(&Request::SaveScene(place.clone()));
    let file = loop {
        match page.news() {
            News::Notice(Notice::File { name, content }) => break (name, content),
            News::Frame(_) => page.stream.write_all(&masked(&[])).unwrap(),
            _ => {}
        }
    };
    assert!(file.0.ends_with(".xml") && file.1 == SHEET.as_bytes());
    assert!(!place.exists());
}

#[test]
fn strangers_are_refused() {
    let server = Server::start();
    let (_, answer) = server.knock("");
    assert!(answer.contains(" 403 "), "{answer}");
    let (_, answer) = server.knock("Origin: http://evil.example\r\n");
    assert!(answer.contains(" 403 "), "{answer}");
    let wrong = Server {
        hub: Arc::clone(&server.hub),
        port: server.port,
        path: "/0123456789abcdef0123456789abcdef/stream".to_owned(),
    };
    let (_, answer) = wrong.knock(&format!("Origin: http://127.0.0.1:{}\r\n", server.port));
    assert!(answer.contains(" 404 "), "{answer}");
}

#[test]
fn whoever_breaks_the_rules_is_told_and_dropped_and_the_run_goes_on() {
    let server = Server::start();
    let mut page = server.page();
    page.ask(&opened());
    page.frame(|_| true);
    let broken: [(Vec<u8>, u16); 3] = [
        // A text, a frame without a mask, a length beyond all measure.
        (vec![0x81, 0x81, 0, 0, 0, 0, b'x'], 1003),
        (vec![0x82, 0x01, b'x'], 1002),
        (vec![0x82, 0xff, 0, 0, 0, 9, 0, 0, 0, 0], 1009),
    ];
    for (bytes, reason) in broken {
        let mut bad = server.page();
        bad.stream.write_all(&bytes).unwrap();
        let found = loop {
            match bad.receive() {
                Ok((8, payload)) => break u16::from_be_bytes([payload[0], payload[1]]),
                Ok(_) => {}
                Err(error) => panic!("{reason}: {error}"),
            }
        };
        assert_eq!(found, reason);
        assert!(bad.receive().is_err());
    }
    // A message that makes no sense is refused, and the page stays.
    page.stream.write_all(&masked(&[250, 1, 2, 3])).unwrap();
    loop {
        match page.news() {
            News::Notice(Notice::Refused(message)) => {
                assert!(message.contains("message"), "{message}");
                break;
            }
            News::Frame(_) => page.stream.write_all(&masked(&[])).unwrap(),
            _ => {}
        }
    }
    let step = page.frame(|_| true).step;
    page.frame(|shown| shown.step > step + 3);
}

/// Two pages that look and one that never reads: the simulation keeps its pace.
#[test]
fn pages_do_not_slow_the_simulation_and_slow_ones_are_dropped() {
    let server = Server::start();
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let mut page = server.page();
            page.ask(&opened());
            std::thread::spawn(move || {
                let end = Instant::now() + Duration::from_secs(9);
                let mut count = 0;
                while Instant::now() < end {
                    page.frame(|_| true);
                    count += 1;
                }
                count
            })
        })
        .collect();
    // One that joins, says that it has taken each frame, and reads nothing: the connection fills up.
    let mut deaf = server.page();
    deaf.ask(&opened());
    let start = Instant::now();
    let deaf = std::thread::spawn(move || {
        while start.elapsed() < Duration::from_secs(60) {
            if deaf.stream.write_all(&masked(&[])).is_err() {
                return Some(start.elapsed());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    });
    std::thread::sleep(Duration::from_secs(3));
    // The sheet has steps of 0.01 s: a hundred per second. A machine that is busy with other
    // work takes fewer; a simulation that waits for a page takes none.
    let steps = server.steps_in(Duration::from_secs(2));
    assert!(steps > 60, "{steps} steps in two seconds");
    for reader in readers {
        let pictures = reader.join().unwrap();
        assert!(pictures > 60, "{pictures} pictures in nine seconds");
    }
    let dropped = deaf.join().unwrap();
    println!(
        "{steps} steps in two seconds; the page that does not read was dropped after {dropped:?}"
    );
    assert!(dropped.is_some(), "one that never reads was not dropped");
}

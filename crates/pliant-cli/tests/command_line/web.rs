//! `pliant view --web`: the server as a browser, a stranger and a slow client see it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that ends with the test.
struct Server {
    process: Child,
    port: u16,
    /// The path of the page, and what comes after it.
    path: String,
    fragment: String,
    folder: PathBuf,
}

impl Server {
    fn start(name: &str, scene: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("pliant-web-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let page = folder.join("page.html");
        std::fs::write(&page, "<p>the page</p>").unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .arg("view")
            .args(scene)
            .args([Path::new("--web"), Path::new("--page"), &page])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
        Self {
            process,
            port: port.parse().unwrap(),
            path: format!("/{path}"),
            fragment: fragment.to_owned(),
            folder,
        }
    }

    /// Sends bytes and reads all of the answer.
    fn send(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(request).unwrap();
        let mut answer = String::new();
        // A connection that is cut off after a refusal is an answer too.
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn get(&self, path: &str, fields: &str) -> String {
        let port = self.port;
        self.send(
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}\r\n").as_bytes(),
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn the_page_is_served_to_whoever_has_its_address_and_to_nobody_else() {
    let server = Server::start("page", &["flag"]);
    assert_eq!(server.fragment, "flag");
    let page = server.get(&server.path, "");
    assert!(
        page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("<p>the page</p>"),
        "{page}"
    );
    assert!(page.contains("Content-Security-Policy: default-src 'none'"));
    let starts = |answer: &str, code: &str| answer.starts_with(&format!("HTTP/1.1 {code} "));
    assert!(starts(&server.get("/", ""), "404"));
    assert!(starts(&server.get("/0123456789abcdef/", ""), "404"));
    assert!(starts(
        &server.get(&server.path, "Origin: http://evil.example\r\n"),
        "403"
    ));
    let foreign = format!("GET {} HTTP/1.1\r\nHost: evil.example\r\n\r\n", server.path);
    assert!(starts(&server.send(foreign.as_bytes()), "403"));
    assert!(starts(
        &server.get(&server.path, "Content-Length: 9\r\n"),
        "413"
    ));
    let long = server.get(&server.path, &format!("X: {}\r\n", "y".repeat(20_000)));
    assert!(long.is_empty() || starts(&long, "431"), "{long}");
    // Loopback only: no other address of this machine answers.
    let elsewhere = TcpStream::connect_timeout(
        &format!("[::1]:{}", server.port).parse().unwrap(),
        Duration::from_millis(300),
    );
    assert!(elsewhere.is_err());
}

#[test]
fn a_scene_with_changed_values_is_served_with_its_text() {
    let server = Server::start("scene", &["flag", "--set", "Wind.c=6"]);
    assert_eq!(server.fragment, "served");
    let answer = server.get(&format!("{}scene.json", server.path), "");
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let scene: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(scene["name"], "flag.xml");
    assert_eq!(scene["set"], serde_json::json!([["Wind", "c", "6"]]));
    assert!(scene["text"].as_str().unwrap().contains("<EDMConfig"));
    assert!(scene["files"].as_array().unwrap().is_empty());
}

#[test]
fn slow_clients_are_dropped_and_do_not_keep_others_waiting() {
    let server = Server::start("slow", &[]);
    let mut slow = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    slow.write_all(b"GET / HT").unwrap();
    let start = Instant::now();
    assert!(server.get(&server.path, "").contains("the page"));
    assert!(start.elapsed() < Duration::from_secs(3));
    slow.set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!((4.0..12.0).contains(&start.elapsed().as_secs_f64()));
}

#[test]
fn what_cannot_be_served_is_said() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = run(&["view", "flag", "--web", "--page", "no/such.html"]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("no/such.html") && said.contains("scripts/page"),
        "{said}"
    );
    let (code, _) = run(&["view", "flag", "--web", "--paused"]);
    assert_eq!(code, Some(2));
}

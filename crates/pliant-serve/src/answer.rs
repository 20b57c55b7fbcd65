//! What the server answers to a request. It sees the head of the request as bytes and knows no
//! connection, so that tests can ask it anything.

use crate::websocket::accept;
use std::collections::BTreeMap;

/// The most bytes that the head of a request may have.
pub const MOST_HEAD: usize = 8_192;

/// The most lines that it may have.
const MOST_LINES: usize = 100;

/// What may be loaded and run by the page: what is in it, and what this server has.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
                      worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the server has.
#[derive(Debug)]
pub struct Site {
    token: String,
    hosts: [String; 2],
    things: BTreeMap<String, Thing>,
    /// Where a stream is to be had, if there is one.
    stream: Option<String>,
}

#[derive(Debug)]
struct Thing {
    kind: &'static str,
    content: Vec<u8>,
}

/// What the head of a request says.
#[derive(Clone, Copy, Debug, Default)]
struct Request<'a> {
    method: &'a str,
    /// The address behind the token, if that is right.
    inside: Option<&'a str>,
    /// Whether it says which page it comes from, which is then our own.
    has_origin: bool,
    /// Whether it wants a WebSocket.
    upgrades: bool,
    is_version_13: bool,
    key: Option<&'a str>,
}

/// An answer: its head, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The number that says what became of the request.
    pub code: u16,
    /// The head, with the empty line at its end.
    pub head: String,
    /// What follows.
    pub body: &'a [u8],
}

impl Site {
    /// Without anything on it.
    pub fn new(token: String, port: u16) -> Self {
        Self {
            token,
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")),
            things: BTreeMap::new(),
            stream: None,
        }
    }

    /// Offers a stream at an address.
    pub fn offer_stream(&mut self, address: &str) {
        self.stream = Some(address.to_owned());
    }

    /// The answer that opens a stream, if the request with this head asks for one.
    pub fn opening(&self, head: &[u8]) -> Option<Result<String, Answer<'static>>> {
        // What is wrong with it is said in the answer.
        let request = self.request(head).ok()?;
        let asks = self.stream.is_some() && self.stream.as_deref() == request.inside;
        if !asks {
            return None;
        }
        let key = request.key.filter(|key| {
            let is_sound = |letter: u8| letter.is_ascii_graphic();
            key.len() == 24 && key.bytes().all(is_sound)
        });
        // A page always says where it comes from; whoever does not is none.
        if !request.has_origin {
            return Some(Err(refusal(403)));
        }
        let is_sound = request.method == "GET" && request.upgrades && request.is_version_13;
        let Some(key) = key.filter(|_| is_sound) else {
            return Some(Err(refusal(400)));
        };
        Some(Ok(format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {}\r\n\r\n",
            accept(key)
        )))
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// Puts something on it.
    pub fn add(&mut self, address: &str, kind: &'static str, content: Vec<u8>) {
        let thing = Thing { kind, content };
        self.things.insert(address.to_owned(), thing);
    }

    /// Answers a request with this head.
    pub fn answer(&self, head: &[u8]) -> Answer<'_> {
        match self.find(head) {
            Ok((thing, has_body)) => {
                let body: &[u8] = if has_body { &thing.content } else { &[] };
                answer(200, thing.kind, thing.content.len(), body)
            }
            Err(code) => refusal(code),
        }
    }

    /// What a request asks for, and whether it wants to have it; else the code of the refusal.
    fn find(&self, head: &[u8]) -> Result<(&Thing, bool), u16> {
        let request = self.request(head)?;
        let thing = request.inside.and_then(|inside| self.things.get(inside));
        Ok((thing.ok_or(404_u16)?, request.method == "GET"))
    }

    /// A request that this server may answer; else the code of the refusal.
    fn request<'a>(&self, head: &'a [u8]) -> Result<Request<'a>, u16> {
        if head.len() > MOST_HEAD {
            return Err(431);
        }
        let text = std::str::from_utf8(head).map_err(|_| 400_u16)?;
        let mut lines = text.split("\r\n");
        let request = lines.next().unwrap_or_default();
        let words: Vec<&str> = request.split(' ').collect();
        let &[method, address, version] = words.as_slice() else {
            return Err(400);
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(400);
        }
        let mut request = Request {
            method,
            ..Request::default()
        };
        self.check_fields(lines, &mut request)?;
        if !matches!(method, "GET" | "HEAD") {
            return Err(405);
        }
        let address = address.split('?').next().unwrap_or_default();
        request.inside = address.strip_prefix('/').and_then(|rest| {
            let (token, inside) = rest.split_once('/')?;
            (token == self.token).then_some(inside)
        });
        Ok(request)
    }

    /// Refuses requests that are not meant for this server, come from a foreign page, or bring
    /// something along.
    fn check_fields<'a>(
        &self,
        lines: impl Iterator<Item = &'a str>,
        request: &mut Request<'a>,
    ) -> Result<(), u16> {
        let mut host = None;
        for (number, line) in lines.take_while(|line| !line.is_empty()).enumerate() {
            let (name, value) = line.split_once(':').ok_or(400_u16)?;
            let (name, value) = (name.to_ascii_lowercase(), value.trim());
            let is_own = |value: &str| {
                self.hosts
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(value))
            };
            match name.as_str() {
                "host" if host.is_some() => return Err(400),
                "host" => host = Some(is_own(value)),
                "origin" if !value.strip_prefix("http://").is_some_and(is_own) => return Err(403),
                "origin" => request.has_origin = true,
                "upgrade" => request.upgrades = value.eq_ignore_ascii_case("websocket"),
                "sec-websocket-key" => request.key = Some(value),
                "sec-websocket-version" => request.is_version_13 = value == "13",
                "content-length" if value != "0" => return Err(413),
                "transfer-encoding" => return Err(413),
                _ if number >= MOST_LINES => return Err(431),
                _ => {}
            }
        }
        match host {
            Some(true) => Ok(()),
            Some(false) => Err(403),
            None => Err(400),
        }
    }
}

/// The answer to a request that is not served.
pub fn refusal(code: u16) -> Answer<'static> {
    let body = words(code).as_bytes();
    answer(code, "text/plain; charset=utf-8", body.len(), body)
}

fn words(code: u16) -> &'static str {
    match code {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    }
}

fn answer<'a>(code: u16, kind: &str, length: usize, body: &'a [u8]) -> Answer<'a> {
    let head = format!(
        "HTTP/1.1 {code} {}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: {POLICY}\r\n\r\n",
        words(code)
    );
    Answer { code, head, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        let mut site = Site::new("secret".to_owned(), 4000);
        site.add("", "text/html", b"the page".to_vec());
        site.add("file/0", "application/octet-stream", b"v 0 0 0".to_vec());
        site
    }

    fn code(request: &str) -> u16 {
        site().answer(request.as_bytes()).code
    }

    const HOST: &str = "Host: 127.0.0.1:4000\r\n";

    #[test]
    fn the_page_and_files_are_given_to_whoever_knows_the_token() {
        let site = site();
        let page = site.answer(b"GET /secret/ HTTP/1.1\r\nHost: localhost:4000\r\n\r\n");
        assert_eq!((page.code, page.body), (200, &b"the page"[..]));
        assert!(page.head.contains("Content-Length: 8\r\n") && page.head.ends_with("\r\n\r\n"));
        let head = site.answer(format!("HEAD /secret/file/0 HTTP/1.1\r\n{HOST}\r\n").as_bytes());
        assert_eq!((head.code, head.body), (200, &b""[..]));
        assert!(head.head.contains("Content-Length: 7\r\n"));
        for address in [
            "/",
            "/secret",
            "/Secret/",
            "//secret/",
            "/other/",
            "/secret/../",
            "/secret/x",
        ] {
            assert_eq!(
                code(&format!("GET {address} HTTP/1.1\r\n{HOST}\r\n")),
                404,
                "{address}"
            );
        }
    }

    #[test]
    fn foreign_hosts_and_pages_are_refused() {
        let get = |fields: &str| code(&format!("GET /secret/ HTTP/1.1\r\n{fields}\r\n"));
        assert_eq!(get(""), 400);
        assert_eq!(get("Host: evil.example\r\n"), 403);
        assert_eq!(get("Host: 127.0.0.1:4001\r\n"), 403);
        assert_eq!(get("Host: 127.0.0.1:4000.evil.example\r\n"), 403);
        assert_eq!(get(&format!("{HOST}{HOST}")), 400);
        assert_eq!(get(&format!("{HOST}Origin: http://evil.example\r\n")), 403);
        assert_eq!(get(&format!("{HOST}Origin: null\r\n")), 403);
        assert_eq!(
            get(&format!("{HOST}origin: https://127.0.0.1:4000\r\n")),
            403
        );
        assert_eq!(
            get(&format!("{HOST}Origin: http://localhost:4000\r\n")),
            200
        );
    }

    #[test]
    fn a_stream_is_opened_for_our_own_page_alone() {
        let mut site = site();
        let ask = |fields: &str| format!("GET /secret/stream HTTP/1.1\r\n{HOST}{fields}\r\n");
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let rest = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
        let origin = "Origin: http://127.0.0.1:4000\r\n";
        let whole = ask(&[key, rest, origin].concat());
        assert!(site.opening(whole.as_bytes()).is_none());
        site.offer_stream("stream");
        let opened = site.opening(whole.as_bytes()).unwrap().unwrap();
        assert!(opened.starts_with("HTTP/1.1 101 ") && opened.ends_with("\r\n\r\n"));
        assert!(opened.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
        let refused = |request: &str| {
            let answer = site.opening(request.as_bytes());
            match answer {
                Some(Ok(opened)) => panic!("{opened}"),
                Some(Err(answer)) => answer.code,
                None => site.answer(request.as_bytes()).code,
            }
        };
        assert_eq!(refused(&ask(&[key, rest].concat())), 403);
        let foreign = "Origin: http://evil.example\r\n";
        assert_eq!(refused(&ask(&[key, rest, foreign].concat())), 403);
        assert_eq!(refused(&ask(&[rest, origin].concat())), 400);
        assert_eq!(refused(&ask(&[key, origin].concat())), 400);
        let old = rest.replace("13", "8");
        assert_eq!(refused(&ask(&[key, &old, origin].concat())), 400);
        let elsewhere = whole.replace("/secret/", "/other/");
        assert_eq!(refused(&elsewhere), 404);
        let host = whole.replace("Host: 127.0.0.1:4000", "Host: evil.example");
        assert_eq!(refused(&host), 403);
        assert_eq!(refused(&whole.replace("GET", "HEAD")), 400);
    }

    #[test]
    fn what_is_too_large_or_brings_something_along_is_refused() {
        let get = |fields: &str| code(&format!("GET /secret/ HTTP/1.1\r\n{HOST}{fields}\r\n"));
        assert_eq!(get("Content-Length: 5\r\n"), 413);
        assert_eq!(get("Content-Length: 0\r\n"), 200);
        assert_eq!(get("Transfer-Encoding: chunked\r\n"), 413);
        assert_eq!(get(&"X: y\r\n".repeat(200)), 431);
        assert_eq!(get(&format!("X: {}\r\n", "y".repeat(MOST_HEAD))), 431);
        assert_eq!(code(&format!("POST /secret/ HTTP/1.1\r\n{HOST}\r\n")), 405);
        assert_eq!(code(&format!("GET /secret/ HTTP/2\r\n{HOST}\r\n")), 400);
        assert_eq!(code("nonsense"), 400);
    }

    #[test]
    fn damaged_requests_are_answered_and_never_given_the_page_without_its_token() {
        let site = site();
        let good = format!("GET /secret/ HTTP/1.1\r\n{HOST}Accept: */*\r\n\r\n").into_bytes();
        let mut dice = 0x1234_5678_9abc_def1_u64;
        let mut below = |count: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % count.max(1) as u64) as usize
        };
        for _ in 0..100_000 {
            let mut request = good.clone();
            for _ in 0..1 + below(5) {
                let place = below(request.len());
                match below(3) {
                    0 => request.truncate(place),
                    1 => request.insert(place, below(256) as u8),
                    _ if request.is_empty() => {}
                    _ => request[place] = below(256) as u8,
                }
            }
            let answer = site.answer(&request);
            let knows = request.windows(8).any(|part| part == b"/secret/");
            assert!(answer.code != 200 || knows);
        }
    }
}

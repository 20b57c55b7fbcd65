//! WebSockets (RFC 6455), as far as a page needs one: messages of bytes in both directions, pings and a
//! close. Text, extensions and protocols are refused.
//!
//! [`Decoder`] sees bytes and knows no connection, so that tests can give it anything.

use crate::sha1::{base64, sha1};

/// What a key is answered with.
pub fn accept(key: &str) -> String {
    let whole = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    base64(&sha1(whole.as_bytes()))
}

/// What a client has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A message.
    Message(Vec<u8>),
    /// A ping, to be answered with the same bytes.
    Ping(Vec<u8>),
    /// The client leaves.
    Close,
}

/// Why bytes are not what a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Wrong {
    #[error("a message is longer than this server takes")]
    TooLarge,
    #[error("a frame is not masked")]
    NotMasked,
    #[error("a frame uses an extension that was not agreed on")]
    Extension,
    #[error("a message is a text")]
    Text,
    #[error("a frame has a kind that there is not")]
    Kind,
    #[error("a control frame is long or in parts")]
    Control,
    #[error("the parts of a message are out of order")]
    Order,
}

impl Wrong {
    /// The number that a close frame gives as the reason.
    pub fn code(self) -> u16 {
        match self {
            Self::TooLarge => 1009,
            Self::Text => 1003,
            _ => 1002,
        }
    }
}

/// A message as a frame of the server.
pub fn message(payload: &[u8]) -> Vec<u8> {
    frame(2, payload)
}

/// The answer to a ping.
pub fn pong(payload: &[u8]) -> Vec<u8> {
    frame(10, payload)
}

/// A farewell with its reason.
pub fn close(code: u16) -> Vec<u8> {
    frame(8, &code.to_be_bytes())
}

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 10);
    out.push(0x80 | kind);
    match payload.len() {
        length @ 0..=125 => out.push(length as u8),
        length @ 126..=0xffff => {
            out.push(126);
            out.extend((length as u16).to_be_bytes());
        }
        length => {
            out.push(127);
            out.extend((length as u64).to_be_bytes());
        }
    }
    out.extend(payload);
    out
}

/// Makes messages of the bytes of a client.
#[derive(Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// The parts of a message so far.
    parts: Option<Vec<u8>>,
    most: usize,
}

/// One fragment of a message of a client.
struct Fragment {
    is_last: bool,
    kind: u8,
    payload: Vec<u8>,
}

impl Decoder {
    /// For messages of so many bytes at most.
    pub fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            parts: None,
            most,
        }
    }

    /// Takes bytes as they come.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The next thing that is complete.
    pub fn received(&mut self) -> Result<Option<Received>, Wrong> {
        while let Some(Fragment {
            is_last,
            kind,
            payload,
        }) = self.fragment()?
        {
            let parts = match (kind, self.parts.take()) {
                (8, _) => return Ok(Some(Received::Close)),
                (9, parts) => {
                    self.parts = parts;
                    return Ok(Some(Received::Ping(payload)));
                }
                (10, parts) => {
                    self.parts = parts;
                    continue;
                }
                (1, _) => return Err(Wrong::Text),
                (2, None) => payload,
                (0, Some(mut parts)) => {
                    parts.extend(payload);
                    parts
                }
                _ => return Err(Wrong::Order),
            };
            if is_last {
                return Ok(Some(Received::Message(parts)));
            }
            self.parts = Some(parts);
        }
        Ok(None)
    }

    /// The next fragment, if all of it has come. What is wrong is said as soon as its head is there.
    fn fragment(&mut self) -> Result<Option<Fragment>, Wrong> {
        let &[first, second, ..] = self.bytes.as_slice() else {
            return Ok(None);
        };
        let (is_last, kind) = (first & 0x80 != 0, first & 0x0f);
        if first & 0x70 != 0 {
            return Err(Wrong::Extension);
        }
        if !matches!(kind, 0..=2 | 8..=10) {
            return Err(Wrong::Kind);
        }
        if second & 0x80 == 0 {
            return Err(Wrong::NotMasked);
        }
        if kind >= 8 && (!is_last || second & 0x7f > 125) {
            return Err(Wrong::Control);
        }
        let (length, start) = match second & 0x7f {
            126 => match self.bytes.get(2..4) {
                Some(&[high, low]) => (u64::from(u16::from_be_bytes([high, low])), 4),
                _ => return Ok(None),
            },
            127 => match self.bytes.get(2..10).and_then(|part| part.first_chunk()) {
                Some(part) => (u64::from_be_bytes(*part), 10),
                None => return Ok(None),
            },
            short => (u64::from(short), 2),
        };
        let before = self.parts.as_ref().map_or(0, Vec::len);
        if length > self.most.saturating_sub(before) as u64 {
            return Err(Wrong::TooLarge);
        }
        let end = start + 4 + length as usize;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let mask: Vec<u8> = self.bytes[start..start + 4].to_vec();
        let masked = self.bytes[start + 4..end].iter().zip(mask.iter().cycle());
        let payload = masked.map(|(byte, mask)| byte ^ mask).collect();
        self.bytes.drain(..end);
        Ok(Some(Fragment {
            is_last,
            kind,
            payload,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a browser sends it.
    fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = frame(0, payload);
        out[0] = first;
        out[1] |= 0x80;
        let start = out.len() - payload.len();
        let mask = [0x37, 0xfa, 0x21, 0x3d];
        out[start..]
            .iter_mut()
            .zip(mask.iter().cycle())
            .for_each(|(byte, mask)| *byte ^= mask);
        out.splice(start..start, mask);
        out
    }

    fn all(bytes: &[u8], part: usize) -> Result<Vec<Received>, Wrong> {
        let mut decoder = Decoder::new(100_000);
        let mut found = Vec::new();
        for bytes in bytes.chunks(part) {
            decoder.push(bytes);
            while let Some(received) = decoder.received()? {
                found.push(received);
            }
        }
        Ok(found)
    }

    /// The example of RFC 6455, sect. 1.3.
    #[test]
    fn a_key_is_answered_as_the_standard_says() {
        let answer = accept("dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(answer, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn messages_come_out_whatever_the_parts_they_come_in() {
        let long: Vec<u8> = (0..70_000_u32).map(|n| (n * 7) as u8).collect();
        let bytes = [
            masked(0x82, b"short"),
            masked(0x02, b"in "),
            masked(0x89, b"beat"),
            masked(0x00, b"three "),
            masked(0x8a, b""),
            masked(0x80, b"parts"),
            masked(0x82, &long[..300]),
            masked(0x82, &long),
            masked(0x82, b""),
            masked(0x88, &[3, 232]),
        ]
        .concat();
        let message = |bytes: &[u8]| Received::Message(bytes.to_vec());
        let expected = [
            message(b"short"),
            Received::Ping(b"beat".to_vec()),
            message(b"in three parts"),
            message(&long[..300]),
            message(&long),
            message(b""),
            Received::Close,
        ];
        for part in [1, 7, 4_096, 1 << 20] {
            assert_eq!(all(&bytes, part).unwrap(), expected, "{part}");
        }
    }

    #[test]
    fn what_a_client_may_not_send_is_refused_at_its_head() {
        for (bytes, wrong) in [
            (message(b"hello"), Wrong::NotMasked),
            (masked(0x81, b"text"), Wrong::Text),
            (masked(0xc2, b"x"), Wrong::Extension),
            (masked(0x83, b"x"), Wrong::Kind),
            (masked(0x09, b"x"), Wrong::Control),
            (masked(0x89, &[0; 126]), Wrong::Control),
            (masked(0x80, b"x"), Wrong::Order),
            (
                [masked(0x02, b"x"), masked(0x82, b"y")].concat(),
                Wrong::Order,
            ),
            (masked(0x82, &vec![0; 100_001]), Wrong::TooLarge),
            (
                [
                    masked(0x02, &vec![0; 60_000]),
                    masked(0x80, &vec![0; 60_000]),
                ]
                .concat(),
                Wrong::TooLarge,
            ),
            // Only the head has come, and says enough.
            (vec![0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0], Wrong::TooLarge),
        ] {
            assert_eq!(all(&bytes, 64), Err(wrong));
        }
    }

    #[test]
    fn whatever_bytes_come_the_decoder_ends_and_stays_small() {
        let good = [
            masked(0x82, b"a message of some bytes"),
            masked(0x02, &[7; 200]),
            masked(0x89, b"ping"),
            masked(0x80, &[9; 300]),
        ]
        .concat();
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |count: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % count.max(1) as u64) as usize
        };
        for _ in 0..100_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + below(6) {
                let place = below(bytes.len());
                match below(3) {
                    0 => bytes.truncate(place),
                    1 => bytes.insert(place, below(256) as u8),
                    _ if bytes.is_empty() => {}
                    _ => bytes[place] = below(256) as u8,
                }
            }
            let mut decoder = Decoder::new(1_000);
            decoder.push(&bytes);
            while let Ok(Some(received)) = decoder.received() {
                if let Received::Message(message) = received {
                    assert!(message.len() <= 1_000);
                }
            }
            assert!(decoder.bytes.len() <= bytes.len());
        }
    }
}

//! One page: a connection, a thread that reads its requests and one that sends it what there is to see.

use super::hub::{Board, Hub, Told};
use super::permit::{MOST_MESSAGE, Permit, Verdict};
use crate::request::{Request, Shown};
use crate::wire::{FrameWriter, StagedText, Wire, Word, from_bytes, to_bytes};
use pliant::Frame;
use pliant_serve::websocket::{Decoder, Received, close, message, pong};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a page may take to read a part of what was sent; who is slower is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a sign of life is sent where there is nothing else to send.
const SIGN_OF_LIFE: Duration = Duration::from_millis(200);

/// The most bytes of one frame.
const MOST_FRAME: usize = 512 << 20;

/// What the reader tells the writer of one page.
#[derive(Debug, Default)]
struct Wishes {
    /// Whether the page takes part: it knows the scene.
    has_joined: bool,
    /// Whether it has taken the last frame.
    is_ready: bool,
    /// Whether it holds up the run, to compare it with another.
    holds: bool,
    /// Pings to be answered, and refusals.
    answers: VecDeque<Vec<u8>>,
    has_ended: bool,
}

/// Lets a page take part until it leaves, breaks the rules or is too slow.
pub fn attend(stream: TcpStream, hub: &Arc<Hub>, permit: &Arc<Permit>) {
    let Ok(reading) = stream.try_clone() else {
        return;
    };
    let wishes: Arc<Mutex<Wishes>> = Arc::default();
    let shared = (Arc::clone(hub), Arc::clone(permit), Arc::clone(&wishes));
    let reader = std::thread::Builder::new().name("page".to_owned());
    let reader = reader.spawn(move || {
        let (hub, permit, wishes) = shared;
        // Whoever has gone away is told nothing.
        let code = read(reading, &hub, &permit, &wishes).unwrap_or(None);
        let mut wishes = lock(&wishes);
        wishes.answers.extend(code.map(close));
        wishes.has_ended = true;
        drop(wishes);
        hub.board().wake();
    });
    let board = Arc::clone(hub.board());
    let mut writer = Writer {
        stream,
        frames: FrameWriter::default(),
        scene: 0,
        frame: 0,
        notice: board.lock().notice_number,
        is_counted: false,
    };
    // A page that is slow or gone is dropped.
    let _ = writer.run(&board, &wishes);
    writer.count(&mut board.lock(), false);
    if lock(&wishes).holds {
        // Whoever has gone holds nobody up.
        hub.ask(Request::Hold(None));
    }
    let _ = writer.stream.shutdown(Shutdown::Both);
    if let Ok(reader) = reader {
        let _ = reader.join();
    }
}

fn lock(wishes: &Mutex<Wishes>) -> std::sync::MutexGuard<'_, Wishes> {
    wishes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads what a page asks for, until it leaves; gives the reason if it broke the rules.
fn read(
    mut stream: TcpStream,
    hub: &Hub,
    permit: &Permit,
    wishes: &Mutex<Wishes>,
) -> std::io::Result<Option<u16>> {
    stream.set_read_timeout(None)?;
    let mut decoder = Decoder::new(MOST_MESSAGE);
    let mut part = vec![0; 64 << 10];
    loop {
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(None);
        }
        decoder.push(&part[..count]);
        loop {
            match decoder.received() {
                Ok(None) => break,
                Ok(Some(Received::Close)) => return Ok(None),
                Ok(Some(Received::Ping(bytes))) => answer(wishes, pong(&bytes)),
                Ok(Some(Received::Message(bytes))) => obey(&bytes, hub, permit, wishes),
                Err(wrong) => return Ok(Some(wrong.code())),
            }
        }
        hub.board().wake();
    }
}

/// The most answers that wait for a page to take them.
const MOST_ANSWERS: usize = 256;

fn answer(wishes: &Mutex<Wishes>, bytes: Vec<u8>) {
    let mut wishes = lock(wishes);
    match wishes.answers.len() < MOST_ANSWERS {
        true => wishes.answers.push_back(bytes),
        // Who asks and asks and does not listen is dropped.
        false => wishes.has_ended = true,
    }
}

/// Does what a message asks for.
fn obey(bytes: &[u8], hub: &Hub, permit: &Permit, wishes: &Mutex<Wishes>) {
    if bytes.is_empty() {
        // The last frame was taken.
        lock(wishes).is_ready = true;
        return;
    }
    let refuse = |reason: String| answer(wishes, message(&to_bytes(&Word::Refused(reason))));
    match from_bytes(bytes).map(|request| permit.judge(request)) {
        Ok(Verdict::Join) => join(wishes),
        Ok(Verdict::Ask(request)) => {
            // Another scene than the one that is streamed: the page sees that one.
            if request.opens() {
                join(wishes);
            }
            if let Request::Hold(time) = *request {
                lock(wishes).holds = time.is_some();
            }
            hub.ask(*request);
        }
        Ok(Verdict::Refuse(reason)) => refuse(reason),
        Err(error) => refuse(error.to_string()),
    }
}

fn join(wishes: &Mutex<Wishes>) {
    let mut wishes = lock(wishes);
    wishes.has_joined = true;
    wishes.is_ready = true;
}

/// Something to be sent.
enum News {
    Scene(Arc<(StagedText, Frame)>, bool),
    Frame(Arc<Shown>),
    Word(Arc<Word>),
    Bytes(Vec<u8>),
    Sign,
    End,
}

/// Sends a page what there is to see.
struct Writer {
    stream: TcpStream,
    frames: FrameWriter,
    /// The numbers of what was sent last.
    scene: u64,
    frame: u64,
    notice: u64,
    /// Whether it is among those who wait for a frame.
    is_counted: bool,
}

impl Writer {
    fn run(&mut self, board: &Board, wishes: &Mutex<Wishes>) -> std::io::Result<()> {
        self.stream.set_write_timeout(Some(PATIENCE))?;
        self.stream.set_nodelay(true)?;
        loop {
            let news = self.next(board, wishes);
            let mut out = Vec::new();
            match news {
                News::Scene(scene, is_first) => {
                    let (text, frame) = &*scene;
                    let mut text = text.clone();
                    text.is_new |= is_first;
                    self.frames = FrameWriter::default();
                    Word::Staged(Box::new(text)).put(&mut out);
                    self.frames.put(frame, &mut out);
                }
                News::Frame(shown) => {
                    Word::Frame.put(&mut out);
                    shown.put(&mut self.frames, &mut out);
                }
                News::Word(word) => word.put(&mut out),
                News::Bytes(bytes) => {
                    self.stream.write_all(&bytes)?;
                    continue;
                }
                News::Sign => {}
                News::End => return Ok(()),
            }
            if out.len() > MOST_FRAME {
                out = to_bytes(&Word::Mistake(
                    "this scene is too large to be shown in a browser".to_owned(),
                ));
            }
            self.stream.write_all(&message(&out))?;
        }
    }

    /// Waits for something to send.
    fn next(&mut self, board: &Board, wishes: &Mutex<Wishes>) -> News {
        let end = Instant::now() + SIGN_OF_LIFE;
        let mut told = board.lock();
        loop {
            let mut wishes = lock(wishes);
            if wishes.answers.len() >= MOST_ANSWERS && wishes.has_ended {
                return News::End;
            }
            if let Some(bytes) = wishes.answers.pop_front() {
                return News::Bytes(bytes);
            }
            if wishes.has_ended {
                return News::End;
            }
            if wishes.has_joined
                && let Some(news) = self.find(&mut told, &mut wishes)
            {
                return news;
            }
            drop(wishes);
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return News::Sign;
            }
            told = board.wait(told, left);
        }
    }

    /// What of that which was told the page does not know.
    fn find(&mut self, told: &mut Told, wishes: &mut Wishes) -> Option<News> {
        if self.scene != told.scene_number
            && let Some(scene) = &told.scene
        {
            let is_first = self.scene == 0;
            self.scene = told.scene_number;
            // Frames that were made before are of another scene; one may have been made since.
            self.frame = told.frames_before_scene;
            wishes.is_ready = true;
            return Some(News::Scene(Arc::clone(scene), is_first));
        }
        if self.notice < told.notice_number {
            let behind = (told.notice_number - self.notice) as usize;
            let place = told.notices.len().saturating_sub(behind);
            self.notice = told.notice_number - (told.notices.len() - place) as u64 + 1;
            return told.notices.get(place).cloned().map(News::Word);
        }
        if self.scene == 0 || !wishes.is_ready {
            return None;
        }
        if self.frame != told.frame_number
            && let Some(shown) = told.frame.clone()
        {
            self.frame = told.frame_number;
            wishes.is_ready = false;
            self.count(told, false);
            return Some(News::Frame(shown));
        }
        self.count(told, true);
        None
    }

    /// Counts the page among those who wait for a frame, or no more.
    fn count(&mut self, told: &mut Told, waits: bool) {
        match (self.is_counted, waits) {
            (false, true) => told.waiting += 1,
            (true, false) => told.waiting = told.waiting.saturating_sub(1),
            _ => {}
        }
        self.is_counted = waits;
    }
}

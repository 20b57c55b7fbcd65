//! The end of the wire that looks: turns what a simulation elsewhere tells into notices and frames.

use crate::files::FilesAtHand;
use crate::request::{Notice, Request, SceneInfo, Shown, Staged};
use crate::scene_text::scene_values;
use crate::wire::{Bytes, Cast, FrameReader, FrameWriter, StagedText, Wire, WireError, Word};
use pliant_session::{Failure, MemoryLimit, PictureSettings, Source, Stage};
use std::sync::Arc;

/// What came over the wire.
#[derive(Debug)]
pub enum News {
    /// A notice.
    Notice(Notice),
    /// A frame.
    Frame(Box<Shown>),
    /// The picture of a built-in scene by its number: red, green, blue and alpha of each pixel.
    Picture(usize, Vec<u8>),
}

/// Reads what a simulation elsewhere tells.
#[derive(Debug, Default)]
pub struct Mirror {
    frames: FrameReader,
    /// The scene at hand, from which stages are made.
    source: Option<Source>,
    /// Files that came with the scene.
    files: Arc<FilesAtHand>,
}

impl Mirror {
    /// Remembers the files that a request brings along.
    pub fn sees(&mut self, request: &Request) {
        match request {
            Request::OpenText { files, .. } => self.files = Arc::new(FilesAtHand::new(files)),
            Request::Open(..) => self.files = Arc::default(),
            _ => {}
        }
    }

    /// Reads a message.
    pub fn read(&mut self, message: &[u8]) -> Result<News, WireError> {
        let mut bytes = Bytes::new(message);
        let news = match Word::get(&mut bytes)? {
            Word::Staged(staged) => News::Notice(self.staged(*staged, &mut bytes)?),
            Word::Frame => {
                let shown = Shown::get(&mut self.frames, &mut bytes)?;
                News::Frame(Box::new(shown))
            }
            Word::Refused(message) => News::Notice(Notice::Refused(message)),
            Word::Mistake(message) => News::Notice(Notice::Mistake(message)),
            Word::Mended => News::Notice(Notice::Mended),
            Word::Done(message) => News::Notice(Notice::Done(message)),
            Word::File { name, content } => News::Notice(Notice::File { name, content }),
            Word::Picture { index, pixels } => News::Picture(index, pixels),
        };
        bytes.end()?;
        Ok(news)
    }

    fn staged(&mut self, staged: StagedText, bytes: &mut Bytes) -> Result<Notice, WireError> {
        let source = match self.source(&staged) {
            Ok(source) => source,
            Err(failure) => {
                // The other end has built the same scene, unless memory is short.
                *bytes = Bytes::new(&[]);
                return Ok(Notice::Mistake(failure.to_string()));
            }
        };
        self.frames.cast = Cast::of(&source.world);
        let first = self.frames.get(bytes)?;
        let settings = PictureSettings {
            look: staged.look,
            ..PictureSettings::default()
        };
        let stage = Stage::new(&source, &first, &settings, None);
        let scene = SceneInfo {
            name: staged.name,
            file: None,
            description: source.scene.description.clone(),
            bodies: staged.bodies,
            values: Arc::new(scene_values(&staged.text)),
            time_step: source.world.time_step(),
        };
        self.source = Some(source);
        Ok(match stage {
            Ok(stage) => Notice::Staged(Box::new(Staged {
                stage,
                is_new: staged.is_new,
                scene,
            })),
            Err(failure) => Notice::Refused(failure.to_string()),
        })
    }

    /// The scene, built again only if it has changed.
    fn source(&mut self, staged: &StagedText) -> Result<Source, Failure> {
        let known = self.source.take().filter(|source| {
            let same = source.name == staged.name && source.text == staged.text;
            same && !staged.is_new
        });
        if let Some(known) = known {
            return Ok(known);
        }
        Source::from_assets(
            staged.name.clone(),
            staged.file.clone(),
            staged.text.clone(),
            Arc::clone(&self.files) as _,
            &staged.overrides,
            MemoryLimit::new(None),
        )
    }
}

/// Writes what a simulation tells.
#[derive(Debug, Default)]
pub struct Teller {
    frames: FrameWriter,
}

impl Teller {
    /// A frame as a message.
    pub fn frame(&mut self, shown: &Shown) -> Vec<u8> {
        let mut out = Vec::new();
        Word::Frame.put(&mut out);
        shown.put(&mut self.frames, &mut out);
        out
    }

    /// A notice as a message; that of a scene needs the desk at which it was made.
    pub fn notice(&mut self, notice: Notice, desk: &mut crate::desk::Desk) -> Vec<u8> {
        let mut out = Vec::new();
        let word = match notice {
            Notice::Staged(staged) => {
                if let Some((text, frame)) = desk.staged_text(&staged) {
                    // Whoever looks may have forgotten the last scene.
                    self.frames = FrameWriter::default();
                    Word::Staged(Box::new(text)).put(&mut out);
                    self.frames.put(&frame, &mut out);
                }
                return out;
            }
            Notice::Refused(message) => Word::Refused(message),
            Notice::Mistake(message) => Word::Mistake(message),
            Notice::Mended => Word::Mended,
            Notice::Done(message) => Word::Done(message),
            Notice::File { name, content } => Word::File { name, content },
        };
        word.put(&mut out);
        out
    }
}

//! Scenes that are opened: by name, from a file that is watched, from a text at hand, from a recording.

use super::Desk;
use crate::files::FilesAtHand;
use crate::player::Player;
use crate::reload::Watch;
use crate::request::Notice;
use pliant_scene::Override;
use pliant_session::Recording;
use pliant_session::{Failure, MemoryLimit, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Desk {
    pub(super) fn open(&mut self, named: &str, overrides: Vec<Override>) {
        let is_reload = self.opened.as_ref().is_some_and(|(name, _)| name == named);
        let opened = Player::open(named, &overrides, self.history);
        let file = Path::new(named);
        // A file is watched even if it has a mistake, so that it opens once that is mended.
        let named_files = |player: &Player| -> Vec<PathBuf> {
            let inputs = player.source().inputs.iter();
            inputs.map(|input| input.path.clone()).collect()
        };
        let mut files = opened.as_ref().map_or(Vec::new(), named_files);
        if file.is_file() {
            files.push(file.to_path_buf());
        }
        self.watch = Watch::new(files);
        self.opened = Some((named.to_owned(), overrides));
        self.show_opened(opened, named, is_reload);
    }

    /// Opens a scene whose text and files are at hand.
    pub(super) fn open_text(
        &mut self,
        name: String,
        text: String,
        overrides: Vec<Override>,
        files: &[(String, Vec<u8>)],
    ) {
        let is_reload = self
            .opened
            .as_ref()
            .is_some_and(|(opened, _)| *opened == name);
        let stem = Path::new(&name)
            .file_stem()
            .map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
        let source = Source::from_assets(
            stem,
            name.clone(),
            text,
            Arc::new(FilesAtHand::new(files)),
            &overrides,
            MemoryLimit::new(None),
        );
        let opened = source.map(|source| Player::new(source, overrides.clone(), self.history));
        self.watch = Watch::default();
        self.opened = Some((name.clone(), overrides));
        self.show_opened(opened, &name, is_reload);
    }

    /// Goes on with a scene that was opened, or tells why it was not.
    fn show_opened(&mut self, opened: Result<Player, Failure>, named: &str, is_reload: bool) {
        let result = opened.and_then(|player| {
            self.put(player);
            // The camera stays where it is if only the file has changed.
            self.restage(!is_reload)
        });
        match result {
            Ok(()) => {
                if std::mem::take(&mut self.has_mistake) {
                    self.notices.push(Notice::Mended);
                }
                if is_reload {
                    let done = format!("{named} was saved and is loaded again");
                    self.notices.push(Notice::Done(done));
                }
            }
            Err(failure) => {
                self.has_mistake = true;
                self.notices.push(Notice::Mistake(failure.to_string()));
            }
        }
    }

    pub(super) fn replay(&mut self, recording: &Recording) -> Result<(), Failure> {
        let player = Player::replay(recording, self.history)?;
        self.opened = None;
        self.watch = Watch::default();
        self.put(player);
        self.restage(true)
    }
}

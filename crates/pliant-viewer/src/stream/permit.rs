//! What pages may ask for.

use crate::request::Request;
use pliant_scene::{Override, find};
use std::path::PathBuf;

/// The most bytes of a message of a page: a scene that is dropped on it comes with its files.
pub const MOST_MESSAGE: usize = 64 << 20;

/// The scene that is streamed, and what pages may ask for beside it.
#[derive(Clone, Debug, Default)]
pub struct Permit {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Attributes that are replaced.
    pub overrides: Vec<Override>,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It goes to the simulation.
    Ask(Box<Request>),
    /// The page wants the scene that is streamed: it sees the run as it is.
    Join,
    /// It is refused, and why.
    Refuse(String),
}

impl Permit {
    /// What becomes of a request of a page.
    pub fn judge(&self, request: Request) -> Verdict {
        let request = match request {
            Request::OpenText {
                name,
                text,
                overrides,
                ..
            } if (&name, &text, &overrides) == (&self.name, &self.text, &self.overrides) => {
                return Verdict::Join;
            }
            Request::Open(name, overrides) if find(&name).is_some() => {
                Request::Open(name, overrides)
            }
            Request::Open(name, _) => {
                return Verdict::Refuse(format!(
                    "a page cannot open the file {name}; drop it on the page"
                ));
            }
            Request::Replay(mut recording) => {
                // Its files would be read from this machine.
                recording.folder = PathBuf::new();
                Request::Replay(recording)
            }
            other => other,
        };
        Verdict::Ask(Box::new(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recording;

    #[test]
    fn files_of_this_machine_are_out_of_reach() {
        let permit = Permit {
            name: "flag.xml".to_owned(),
            text: "<EDMConfig/>".to_owned(),
            overrides: Vec::new(),
        };
        let open = |name: &str| permit.judge(Request::Open(name.to_owned(), Vec::new()));
        assert!(matches!(open("flag"), Verdict::Ask(_)));
        for name in ["/etc/passwd", "scene.xml", "../flag", ""] {
            assert!(matches!(open(name), Verdict::Refuse(_)), "{name}");
        }
        let text = |text: &str| Request::OpenText {
            name: "flag.xml".to_owned(),
            text: text.to_owned(),
            overrides: Vec::new(),
            files: Vec::new(),
        };
        assert!(matches!(permit.judge(text("<EDMConfig/>")), Verdict::Join));
        assert!(matches!(permit.judge(text("<Other/>")), Verdict::Ask(_)));
        let recording = Recording {
            name: "flag".to_owned(),
            file: "flag.xml".to_owned(),
            folder: PathBuf::from("/home"),
            text: String::new(),
            overrides: Vec::new(),
            events: Vec::new(),
            steps: 0,
            state_hash: 0,
        };
        match permit.judge(Request::Replay(Box::new(recording))) {
            Verdict::Ask(request) => match *request {
                Request::Replay(recording) => assert_eq!(recording.folder, PathBuf::new()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

//! Files that are dropped on the window: a scene, with the meshes and textures that it names, or a
//! recording.

use crate::request::Request;
use eframe::egui;
use pliant_session::Recording;

/// Files on their way into the window.
#[derive(Debug, Default)]
pub struct Dropped {
    /// Files whose content the browser has read, each drop for itself.
    #[cfg(target_arch = "wasm32")]
    arrived: std::rc::Rc<std::cell::RefCell<Vec<Drop>>>,
}

/// The files of one drop, or why they cannot be read.
#[cfg(target_arch = "wasm32")]
type Drop = Result<Vec<(String, Vec<u8>)>, String>;

impl Dropped {
    /// What the files that were dropped ask for.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn next_request(&mut self, context: &egui::Context) -> Option<Result<Request, String>> {
        let files = context.input(|input| input.raw.dropped_files.clone());
        let path = files.first()?.path().to_path_buf();
        let name = path.to_string_lossy().into_owned();
        if !is_recording(&name) {
            return Some(Ok(Request::Open(name, Vec::new())));
        }
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| format!("cannot read {name}: {error}"));
        Some(text.and_then(|text| replay(&name, &text)))
    }

    /// What the files that were dropped ask for. The browser reads them by and by.
    #[cfg(target_arch = "wasm32")]
    pub fn next_request(&mut self, context: &egui::Context) -> Option<Result<Request, String>> {
        let files = context.input(|input| input.raw.dropped_files.clone());
        if !files.is_empty() {
            let arrived = std::rc::Rc::clone(&self.arrived);
            let wake = context.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let mut read = Ok(Vec::new());
                for file in files {
                    let name = file.path().to_string_lossy().into_owned();
                    let content = file.bytes_async().await;
                    read = read.and_then(|mut all: Vec<(String, Vec<u8>)>| {
                        all.push((name, content?));
                        Ok(all)
                    });
                }
                arrived.borrow_mut().push(read);
                wake.request_repaint();
            });
        }
        if let Some(served) = crate::web::take_served() {
            return Some(Ok(served));
        }
        let drop = self.arrived.borrow_mut().pop()?;
        Some(drop.and_then(request))
    }
}

/// What files ask for whose content is at hand.
#[cfg(any(target_arch = "wasm32", test))]
fn request(mut files: Vec<(String, Vec<u8>)>) -> Result<Request, String> {
    let text = |(name, content): (String, Vec<u8>)| match String::from_utf8(content) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(format!("{name} is no text")),
    };
    let is_scene = |name: &str| name.to_lowercase().ends_with(".xml");
    if let Some(place) = files.iter().position(|(name, _)| is_scene(name)) {
        let (name, text) = text(files.remove(place))?;
        return Ok(Request::OpenText {
            name,
            text,
            overrides: Vec::new(),
            files,
        });
    }
    if let Some(place) = files.iter().position(|(name, _)| is_recording(name)) {
        let (name, text) = text(files.remove(place))?;
        return replay(&name, &text);
    }
    Err("drop a scene file (.xml) with the files that it names, or a recording (.json)".to_owned())
}

fn is_recording(name: &str) -> bool {
    name.to_lowercase().ends_with(".json")
}

fn replay(name: &str, text: &str) -> Result<Request, String> {
    match Recording::from_json(text) {
        Ok(recording) => Ok(Request::Replay(Box::new(recording))),
        Err(failure) => Err(format!("{name}: {failure}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &[u8]) -> (String, Vec<u8>) {
        (name.to_owned(), content.to_vec())
    }

    #[test]
    fn a_scene_is_opened_with_the_files_beside_it() {
        let files = vec![file("a.obj", b"v 0 0 0"), file("Mine.XML", b"<EDMConfig/>")];
        let Ok(Request::OpenText {
            name, text, files, ..
        }) = request(files)
        else {
            panic!("no scene");
        };
        assert_eq!((name.as_str(), text.as_str()), ("Mine.XML", "<EDMConfig/>"));
        assert_eq!(files, [file("a.obj", b"v 0 0 0")]);
    }

    #[test]
    fn what_cannot_be_opened_is_said() {
        assert!(
            request(vec![file("a.obj", b"")])
                .unwrap_err()
                .contains(".xml")
        );
        assert!(
            request(vec![file("a.xml", &[255])])
                .unwrap_err()
                .contains("no text")
        );
        assert!(
            request(vec![file("a.json", b"{}")])
                .unwrap_err()
                .contains("a.json")
        );
    }
}

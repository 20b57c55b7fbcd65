//! Pictures of the window as files: `screen_00000.png` and on, in the current folder.

use eframe::egui::{self, ColorImage};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The name of a screenshot by its number.
fn name(number: usize) -> String {
    format!("screen_{number:05}.png")
}

/// Takes pictures of the window and says what became of them.
#[derive(Debug)]
pub struct Screenshots {
    /// The first number that may be free.
    next: usize,
    /// How many were written.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        allow(dead_code, reason = "for tests of the page")
    )]
    pub count: usize,
    sender: Sender<Result<String, String>>,
    receiver: Receiver<Result<String, String>>,
}

impl Default for Screenshots {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            next: 0,
            count: 0,
            sender,
            receiver,
        }
    }
}

impl Screenshots {
    /// Asks for a picture of the window, under the first name that is free.
    pub fn request(&mut self, context: &egui::Context) {
        let free = (self.next..100_000).find(|number| !Path::new(&name(*number)).exists());
        let number = free.unwrap_or(99_999);
        self.next = number + 1;
        let (sender, wake) = (self.sender.clone(), context.clone());
        let callback = egui::ScreenshotCallback::new(move |image| {
            let name = name(number);
            let written = write(&name, &image).map(|()| name);
            // Nobody listens once the window is closed.
            let _ = sender.send(written);
            wake.request_repaint();
        });
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
    }

    /// What became of a picture, to be said: the picture itself does not show it.
    pub fn news(&mut self) -> Option<String> {
        Some(match self.receiver.try_recv().ok()? {
            Ok(name) => {
                self.count += 1;
                format!("wrote {name}")
            }
            Err(message) => message,
        })
    }
}

fn write(name: &str, image: &ColorImage) -> Result<(), String> {
    super::keep::keep(name, &encoded(image).map_err(|error| error.to_string())?)
}

/// A picture as the bytes of a PNG file.
fn encoded(image: &ColorImage) -> Result<Vec<u8>, png::EncodingError> {
    let [width, height] = image.size;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = image
        .pixels
        .iter()
        .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
        .collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(file)
}

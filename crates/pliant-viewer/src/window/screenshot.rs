//! Pictures of the window as files: `screen_00000.png` and on, in the current folder.

use eframe::egui::{self, ColorImage};
use std::path::Path;

/// The name of a screenshot by its number.
pub fn name(number: usize) -> String {
    format!("screen_{number:05}.png")
}

/// Asks for a picture of the window; gives its number, the first that is free from `first` on.
pub fn take(context: &egui::Context, first: usize) -> usize {
    let free = (first..100_000).find(|number| !Path::new(&name(*number)).exists());
    let number = free.unwrap_or(99_999);
    let callback = egui::ScreenshotCallback::new(move |image| {
        if let Err(error) = write(&name(number), &image) {
            eprintln!("error: {}: {error}", name(number));
        }
    });
    context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
    number
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

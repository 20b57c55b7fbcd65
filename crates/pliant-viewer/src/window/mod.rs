//! The window: eframe and egui for the buttons, wgpu for the picture.

mod app;
mod compare;
mod dropped;
mod film;
mod gallery;
mod grid;
mod help;
mod keep;
mod keyboard;
mod memory;
mod overlay;
mod painter;
mod panels;
mod pipelines;
mod plots;
mod pointer;
mod scene_view;
mod screenshot;
mod sharpness;
mod sight;
#[cfg(target_arch = "wasm32")]
mod status;
#[cfg(test)]
mod tests;
mod timeline;
mod toolbar;
mod values;

pub use app::App;

use crate::request::Request;
#[cfg(not(target_arch = "wasm32"))]
use eframe::egui;

/// What the window is opened with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is asked of the simulation at the beginning; nothing shows the gallery.
    pub first: Option<Request>,
    /// Whether it starts by itself.
    pub runs: bool,
    /// What the scene is compared with: an attribute and its other value.
    pub compare: Option<(String, String)>,
    /// Ends after so many seconds and says how fast it was; for measurements.
    pub report_after: Option<f64>,
    /// Width and height of the window, in points.
    pub size: Option<[f32; 2]>,
}

/// Opens the window and returns when it is closed. The error says what to do.
#[cfg(not(target_arch = "wasm32"))]
pub fn open(options: Options) -> Result<(), String> {
    let size = options.size.unwrap_or([1280.0, 800.0]);
    let native = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Pliant")
            .with_app_id("pliant")
            .with_inner_size(size)
            .with_min_inner_size([480.0, 360.0])
            .with_icon(egui::IconData::default()),
        renderer: eframe::Renderer::Wgpu,
        // It costs as much as all the rest where the processor draws, and nobody sees it.
        dithering: false,
        ..Default::default()
    };
    let create: eframe::AppCreator =
        Box::new(move |context| Ok(Box::new(App::new(context, options))));
    eframe::run_native("Pliant", native, create).map_err(|error| advice(&error))
}

/// What is wrong, and what to do about it.
#[cfg(not(target_arch = "wasm32"))]
fn advice(error: &eframe::Error) -> String {
    let hint = match error {
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) => {
            "there is no display to open a window on: DISPLAY (X11) or WAYLAND_DISPLAY must name one. \
             Without a display, `pliant run SCENE` makes films and pictures, and `xvfb-run -a \
             pliant-viewer SCENE` shows the window to nobody"
        }
        eframe::Error::Wgpu(_) => {
            "no graphics adapter can draw in the window: install a driver for Vulkan or OpenGL. A driver \
             that needs no card is Mesa's: `apt install mesa-vulkan-drivers libgl1-mesa-dri`"
        }
        _ => "the window could not be opened",
    };
    format!("error: {error}\n  hint: {hint}")
}

//! The page for the browser: the window in a canvas, the simulation in a worker of one thread.
//!
//! Page and worker run the same program. Requests, notices and frames go between them as bytes
//! ([`crate::wire`]) in buffers that are handed over, not copied. No special headers are needed, so that
//! any host serves the page, and it opens from a file too. The few lines of JavaScript that start both
//! are in `page/`.

mod download;
mod pictures;
mod served;
mod status;
mod worker;
mod workers;

pub use download::download;
pub use pictures::Pictures;
pub(crate) use served::{take_comparison, take_served, without_served_files};
pub(crate) use status::set_status;
pub(crate) use workers::{Told, WorkerHandle};

use crate::request::Request;
use crate::window::{App, Options};
use eframe::egui_wgpu::{WgpuSetup, wgpu};
use wasm_bindgen::JsCast;

/// Opens the window in the canvas of the page. In a worker, where there is no page, it does nothing.
pub fn open() {
    worker::report_panics();
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    let canvas = document.get_element_by_id("pliant");
    let Some(canvas) = canvas.and_then(|found| found.dyn_into().ok()) else {
        say("the page has no canvas named `pliant`");
        return;
    };
    let options = Options {
        first: asked(),
        runs: true,
        ..Options::default()
    };
    wasm_bindgen_futures::spawn_local(async move {
        let create: eframe::AppCreator = Box::new(move |context| {
            served::set_window(context.egui_ctx.clone());
            Ok(Box::new(App::new(context, options)))
        });
        let started = eframe::WebRunner::new()
            .start(canvas, web_options(), create)
            .await;
        match started {
            Ok(()) => say(""),
            Err(error) => say(&format!(
                "This browser cannot draw the scene: WebGL 2 is needed. ({})",
                error.as_string().unwrap_or_else(|| format!("{error:?}"))
            )),
        }
    });
}

/// WebGL 2 everywhere: one way to draw, which is tested.
fn web_options() -> eframe::WebOptions {
    let mut options = eframe::WebOptions {
        dithering: false,
        ..Default::default()
    };
    if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup {
        setup.instance_descriptor.backends = wgpu::Backends::GL;
    }
    options
}

/// The scene that the address names: `pliant.html#flag`.
fn asked() -> Option<Request> {
    let hash = web_sys::window()?.location().hash().ok()?;
    let name = hash.trim_start_matches('#');
    // What the server has is fetched by the page and comes later.
    let is_built_in = !["", "served", "streamed"].contains(&name);
    is_built_in.then(|| Request::Open(name.to_owned(), Vec::new()))
}

/// Shows a text instead of the window; an empty one shows the window.
fn say(text: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let place = document.and_then(|document| document.get_element_by_id("message"));
    if let Some(place) = place {
        place.set_text_content(Some(text));
    }
}

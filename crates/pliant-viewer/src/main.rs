//! The viewer as a program: on the desktop by its command line, in the browser as a page.

#[cfg(not(target_arch = "wasm32"))]
mod command_line;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    command_line::run()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    pliant_viewer::web::open();
}

//! Where files go that the user asked for: into the current folder, or to the browser.

/// Keeps a file under a name. The error says what went wrong.
#[cfg(not(target_arch = "wasm32"))]
pub fn keep(name: &str, content: &[u8]) -> Result<(), String> {
    // It appears under its name only when it is complete.
    let part = format!("{name}.part");
    let written = std::fs::write(&part, content).and_then(|()| std::fs::rename(&part, name));
    written.map_err(|error| format!("cannot write {name}: {error}"))
}

/// Keeps a file under a name. The error says what went wrong.
#[cfg(target_arch = "wasm32")]
pub fn keep(name: &str, content: &[u8]) -> Result<(), String> {
    crate::web::download(name, content)
}

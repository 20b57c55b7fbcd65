//! Files for the user of a page.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Hands a file to the browser, which puts it where the user keeps files.
pub fn download(name: &str, content: &[u8]) -> Result<(), String> {
    try_download(name, content).map_err(|error| format!("cannot save {name}: {error:?}"))
}

fn try_download(name: &str, content: &[u8]) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or("there is no page")?;
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(content)))?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&address)
}

//! Pictures of the built-in scenes, drawn one after the other while somebody looks at the gallery.

use crate::player::{Outcome, Player};
use pliant_render::{PictureOptions, draw};
use pliant_session::clock;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(target_arch = "wasm32"))]
mod on_a_thread;
#[cfg(not(target_arch = "wasm32"))]
pub use on_a_thread::Pictures;

#[cfg(target_arch = "wasm32")]
pub use crate::web::Pictures;

/// Columns of a picture.
pub(crate) const WIDTH: usize = 256;

/// Rows of a picture.
pub(crate) const HEIGHT: usize = 160;

/// How long a scene may move before its picture is taken, in seconds of the wall.
const PATIENCE: f64 = 0.4;

/// How long a scene moves before its picture is taken, in simulated seconds.
const MOVES: f64 = 1.0;

/// A picture of a scene after it has moved a little: red, green, blue and alpha of each pixel.
pub(crate) fn picture(name: &str, stop: &AtomicBool) -> Option<Vec<u8>> {
    let mut player = Player::open(name, &[], 0).ok()?;
    let start = clock::seconds();
    while clock::seconds() - start < PATIENCE && player.world().time < MOVES {
        if stop.load(Ordering::Relaxed) || player.step() != Outcome::Taken {
            break;
        }
    }
    let frame = player.frame();
    let mut stage = player.stage(None).ok()?;
    let list = stage.list(&frame).ok()?;
    let options = PictureOptions {
        width: WIDTH,
        height: HEIGHT,
        background: stage.background,
        ..PictureOptions::default()
    };
    let picture = draw(&list, &stage.camera, &stage.lights, &options);
    Some(picture.bytes().to_vec())
}

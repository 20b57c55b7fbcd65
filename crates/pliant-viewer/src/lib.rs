//! The interactive viewer of Pliant.
//!
//! This library is the viewer without its window: a [`Player`] that can be stepped, gone back in,
//! pulled at and changed; a [`Simulator`] that runs it on a thread of its own; picking, keys, camera, and
//! draw lists as vertex buffers. It needs no display and is tested without one. The window itself is
//! the program of the feature `window`: on the desktop, and compiled to WebAssembly as a page for the
//! browser, where the simulation runs in a worker behind the same interface.

#![warn(missing_docs)]

mod changes;
pub mod desk;
mod files;
pub mod flatland;
mod hand;
mod history;
pub mod keys;
mod mirror;
mod moulding;
mod orbit;
mod pace;
mod pick;
#[cfg(any(not(target_arch = "wasm32"), feature = "window"))]
mod pictures;
mod player;
mod present;
mod push;
mod reload;
mod renewal;
mod request;
mod rounds;
mod sample;
mod scene_info;
mod scene_text;
#[cfg(any(not(target_arch = "wasm32"), feature = "window"))]
#[cfg_attr(target_arch = "wasm32", path = "web/simulator.rs")]
mod simulator;
mod span;
#[cfg(not(target_arch = "wasm32"))]
pub mod stream;
mod vertices;
#[cfg(all(target_arch = "wasm32", feature = "window"))]
pub mod web;
#[cfg(feature = "window")]
pub mod window;
pub mod wire;

pub use files::FilesAtHand;
pub use history::{History, HistorySpan, Moment};
pub use mirror::{Mirror, News, Teller};
pub use orbit::Orbit;
pub use pace::{Pace, SPEEDS, next_speed, speed_words};
pub use pick::{Carrier, Hit, Ray, pick};
#[cfg(any(not(target_arch = "wasm32"), feature = "window"))]
pub use pictures::Pictures;
pub use player::{HISTORY_BYTES, Outcome, Player, Pull};
pub use pliant_session::{
    ChangeError, Deed, Event, Recording, body_path, with_element, with_value,
};
pub use push::{direction as push_direction, strength as push_strength};
pub use reload::Watch;
pub use request::{BodyInfo, Notice, Request, SceneInfo, Shown, Staged};
pub use rounds::{Outlet, Rounds};
pub use sample::{Sample, Samples};
pub use scene_text::{SceneValue, numbers, scene_values, with_numbers};
#[cfg(any(not(target_arch = "wasm32"), feature = "window"))]
pub use simulator::Simulator;
pub use span::{Sliders, Span};
pub use vertices::{Batch, LINE_FLOATS, MESH_FLOATS, SPHERE_FLOATS, Vertices};

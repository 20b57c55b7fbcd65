//! What things are made of: what the scene says, else what their kind suggests.

use crate::draw_list::{Finish, Shading};
use pliant::frame;

/// Share of the size of a thing that light gets into it, where it gets in at all.
const LIGHT_DEPTH: f64 = 0.09;

/// Cloth: surfaces with two sides.
pub const SHEET: frame::Finish = frame::Finish {
    roughness: 0.78,
    sheen: 0.35,
    ..frame::Finish::PLAIN
};

/// Rubber: solids.
pub const SOLID: frame::Finish = frame::Finish {
    roughness: 0.42,
    subsurface: 0.1,
    ..frame::Finish::PLAIN
};

/// Cord: curves.
pub const CURVE: frame::Finish = frame::Finish {
    roughness: 0.45,
    ..frame::Finish::PLAIN
};

/// Syrup: what flows.
pub const FLUID: frame::Finish = frame::Finish {
    roughness: 0.16,
    subsurface: 0.55,
    ..frame::Finish::PLAIN
};

/// Painted plaster: obstacles.
pub const OBSTACLE: frame::Finish = frame::Finish {
    roughness: 0.55,
    ..frame::Finish::PLAIN
};

/// The shading of a thing of that size, in metres: by the finish that the scene gives it, else by
/// that of its kind.
pub fn shading(given: Option<frame::Finish>, kind: frame::Finish, size: f64) -> Shading {
    let finish = given.unwrap_or(kind);
    Shading {
        opacity: finish.opacity as f32,
        finish: Finish {
            roughness: finish.roughness as f32,
            metallic: finish.metallic as f32,
            sheen: finish.sheen as f32,
            subsurface: finish.subsurface as f32,
            depth: (finish.subsurface * LIGHT_DEPTH * size) as f32,
            glow: finish.glow as f32,
        },
        ..Shading::default()
    }
}

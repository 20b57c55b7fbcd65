//! Pictures of frames: what is asked for (`settings.rs`), from where they are seen (`camera.rs`),
//! what one run looks like (`stage.rs`), moments between frames (`between.rs`) and the drawing itself
//! (`studio.rs`).

mod acts;
mod between;
mod camera;
mod settings;
mod stage;
mod studio;

pub use camera::{Asked as AskedCamera, View, asked as asked_camera, view};
pub use settings::PictureSettings;
pub use stage::Stage;
pub use studio::{Plan, Studio};

/// The size of a picture unless something else is said, in pixels.
pub const DEFAULT_SIZE: (usize, usize) = (1280, 720);

//! What lies behind everything: the background and the ground.

use super::light::Lighting;
use super::view::View;
use super::{Background, PictureOptions};
use glam::{DVec3, Vec3, Vec4};

/// Colour of the ground in full light, linear; close to the lower part of the usual background.
const FLOOR: Vec3 = Vec3::new(0.70, 0.675, 0.64);

/// Distance from the middle of the scene at which the ground has become background, in radii of
/// the scene.
const FADE: f32 = 9.0;

/// The background and the ground of a picture.
pub(crate) struct Backdrop {
    background: Background,
    height: f32,
    ground: Option<Ground>,
}

struct Ground {
    plane: [f64; 3],
    middle: Vec3,
    radius: f32,
}

impl Backdrop {
    /// `bounds` are those of the scene, relative to the origin of the draw list.
    pub fn new(
        options: &PictureOptions,
        view: &View,
        ground: Option<f32>,
        bounds: Option<[DVec3; 2]>,
    ) -> Self {
        let ground = ground
            .filter(|height| height.is_finite() && view.eye.z > f64::from(*height))
            .and_then(|height| {
                let below = DVec3::new(view.eye.x, view.eye.y, f64::from(height));
                let normal = DVec3::new(view.axes[0].z, view.axes[1].z, view.axes[2].z);
                let plane = view.depth_plane(view.place(below.as_vec3().to_array()), normal)?;
                let [low, high] = bounds.unwrap_or([below - 1.0, below + 1.0]);
                Some(Ground {
                    plane,
                    middle: ((low + high) * 0.5).as_vec3().with_z(height),
                    radius: (((high - low).length() * 0.5) as f32).max(1e-6),
                })
            });
        Self {
            background: options.background,
            height: options.height as f32,
            ground,
        }
    }

    /// Depth of the ground as a linear function of column and row.
    pub fn ground_plane(&self) -> Option<[f64; 3]> {
        self.ground.as_ref().map(|ground| ground.plane)
    }

    /// Colour and opacity of the background at a row.
    pub fn background(&self, row: f32) -> Vec4 {
        match self.background {
            Background::Transparent => Vec4::ZERO,
            Background::Plain(color) => Vec3::from(color).extend(1.0),
            Background::Gradient { top, bottom } => {
                let share = (row / self.height).clamp(0.0, 1.0);
                // Most of the change in the upper part, as near a horizon.
                let share = share * (2.0 - share);
                Vec3::from(top).lerp(Vec3::from(bottom), share).extend(1.0)
            }
        }
    }

    /// Colour and opacity of the ground.
    pub fn ground(&self, view: &View, lighting: &Lighting, column: f32, row: f32) -> Vec4 {
        let behind = self.background(row);
        let Some(ground) = &self.ground else {
            return behind;
        };
        let (column, row) = (f64::from(column), f64::from(row));
        let depth = ground.plane[0] * column + ground.plane[1] * row + ground.plane[2];
        if depth <= 0.0 {
            return behind;
        }
        let point = view.unproject(column, row, depth);
        let away = (point - ground.middle).length_squared() / (ground.radius * FADE).powi(2);
        if away.is_nan() || away >= 1.0 {
            return behind;
        }
        let here = (1.0 - away).powi(3);
        let color = behind.lerp(FLOOR.extend(1.0), here);
        // Shadows end where the ground does.
        let share = Vec3::ONE.lerp(lighting.floor_share(point), (3.0 * (1.0 - away)).min(1.0));
        (color.truncate() * share).extend(color.w)
    }
}

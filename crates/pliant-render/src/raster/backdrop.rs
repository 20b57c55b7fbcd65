//! What lies behind everything: the background and the ground.

use super::light::Lighting;
use super::tile::{EMPTY, GROUND, TILE};
use super::view::View;
use super::{Background, PictureOptions};
use crate::Camera;
use glam::{DVec3, Vec3, Vec4};

/// Colour of the ground in full light, linear; close to the lower part of the usual background.
const FLOOR: Vec3 = Vec3::new(0.70, 0.675, 0.64);

/// Distance from what the camera looks at at which the ground has become background, in halves of the height that
/// is seen there. It goes by the camera and not by the things in the picture: a floor whose end moved with them
/// would breathe in a film.
const FADE: f64 = 24.0;

/// The background and the ground of a picture.
pub(crate) struct Backdrop {
    background: Background,
    height: f32,
    ground: Option<Ground>,
    /// What the camera looks at.
    middle: Vec3,
    /// One over the squared distance at which the ground has become background.
    fade: f32,
}

struct Ground {
    plane: [f64; 3],
    /// Ray through the upper left corner of the picture, and its changes with column and row.
    rays: [Vec3; 3],
    eye: Vec3,
}

impl Backdrop {
    /// The height of the ground is relative to the origin of the draw list.
    pub fn new(
        options: &PictureOptions,
        view: &View,
        camera: &Camera,
        origin: DVec3,
        ground: Option<f32>,
    ) -> Self {
        let ground = ground
            .filter(|height| height.is_finite() && view.eye.z > f64::from(*height))
            .and_then(|height| {
                let below = DVec3::new(view.eye.x, view.eye.y, f64::from(height));
                let normal = DVec3::new(view.axes[0].z, view.axes[1].z, view.axes[2].z);
                let plane = view.depth_plane(view.place(below.as_vec3().to_array()), normal)?;
                let world = |vector: DVec3| {
                    let [right, down, forward] = view.axes;
                    (right * vector.x + down * vector.y + forward * vector.z).as_vec3()
                };
                let corner = view.ray(0.0, 0.0);
                Some(Ground {
                    plane,
                    rays: [
                        world(corner),
                        world(view.ray(1.0, 0.0) - corner),
                        world(view.ray(0.0, 1.0) - corner),
                    ],
                    eye: view.eye.as_vec3(),
                })
            });
        let distance = camera.eye.distance(camera.target);
        let half_height = distance * (0.5 * camera.field_of_view).tan();
        let radius = (FADE * half_height).max(1e-6);
        Self {
            background: options.background,
            height: options.height as f32,
            ground,
            middle: (camera.target - origin).as_vec3(),
            fade: (1.0 / (radius * radius)) as f32,
        }
    }

    /// Depth of the ground as a linear function of column and row.
    pub fn ground_plane(&self) -> Option<[f64; 3]> {
        self.ground.as_ref().map(|ground| ground.plane)
    }

    /// What a tile shows that nothing else touches: ground or background, if not both.
    pub fn shown_alone(&self, origin: [usize; 2]) -> Option<u32> {
        let Some(plane) = self.ground_plane() else {
            return Some(EMPTY);
        };
        let corners = [[0, 0], [TILE, 0], [0, TILE], [TILE, TILE]];
        let is_ground = corners.map(|[right, down]| {
            let [column, row] = [origin[0] + right, origin[1] + down].map(|place| place as f64);
            plane[0] * column + plane[1] * row + plane[2] > 0.0
        });
        match is_ground {
            [true, true, true, true] => Some(GROUND),
            [false, false, false, false] => Some(EMPTY),
            _ => None,
        }
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
    pub fn ground(&self, lighting: &Lighting, column: f32, row: f32) -> Vec4 {
        let behind = self.background(row);
        let Some(point) = self.ground_point(column, row) else {
            return behind;
        };
        let here = self.presence(point);
        if here <= 0.0 {
            return behind;
        }
        let color = behind.lerp(FLOOR.extend(1.0), here);
        // Shadows end where the ground does.
        let share = Vec3::ONE.lerp(lighting.floor_share(point), (4.0 * here).min(1.0));
        (color.truncate() * share).extend(color.w)
    }

    /// The point of the ground that is seen at a place in the picture.
    pub fn ground_point(&self, column: f32, row: f32) -> Option<Vec3> {
        let ground = self.ground.as_ref()?;
        let place = [f64::from(column), f64::from(row)];
        let depth =
            (ground.plane[0] * place[0] + ground.plane[1] * place[1] + ground.plane[2]) as f32;
        let ray = ground.rays[0] + ground.rays[1] * column + ground.rays[2] * row;
        (depth > 0.0).then(|| ground.eye + ray / depth)
    }

    /// How much of a floor without end is seen at a point: 1 near the scene, 0 where it has become
    /// background.
    pub fn presence(&self, point: Vec3) -> f32 {
        let away = (point - self.middle).truncate().length_squared() * self.fade;
        if away.is_nan() || away >= 1.0 {
            return 0.0;
        }
        let here = 1.0 - away;
        here * here * here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::tile::Tile;

    /// What is told of a tile without looking at its samples is what its samples show.
    #[test]
    fn tiles_that_show_one_thing_are_known_at_once() {
        let options = PictureOptions::default();
        let camera = Camera {
            eye: DVec3::new(2.0, -6.0, 1.5),
            target: DVec3::new(0.0, 0.0, 1.2),
            up: DVec3::new(0.1, 0.0, 1.0),
            field_of_view: 0.8,
        };
        let size = [options.width, options.height];
        let view = View::of_camera(&camera, DVec3::ZERO, size, None);
        let mut found = [0; 3];
        for ground in [Some(0.0), None] {
            let backdrop = Backdrop::new(&options, &view, &camera, DVec3::ZERO, ground);
            for row in (0..size[1]).step_by(TILE) {
                for column in (0..size[0]).step_by(TILE) {
                    let mut tile = Tile::<4>::new();
                    tile.clear([column, row]);
                    if let Some(plane) = backdrop.ground_plane() {
                        tile.draw_plane(plane, 0.0, GROUND);
                    }
                    let mut ids = tile.id.iter().flatten();
                    match backdrop.shown_alone([column, row]) {
                        Some(id) => {
                            assert!(ids.all(|other| *other == id), "{column} {row}");
                            found[usize::from(id == GROUND)] += 1;
                        }
                        None => found[2] += 1,
                    }
                }
            }
        }
        // The horizon is slanted and runs through some tiles of most columns.
        assert!(found[0] > 500 && found[1] > 300, "{found:?}");
        assert!(found[2] > 30 && found[2] < 100, "{found:?}");
    }
}

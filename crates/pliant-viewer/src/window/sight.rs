//! What the shader needs to know of camera, lights and background, as numbers.

use glam::{DMat4, DVec3, DVec4};
use pliant_render::{Background, Camera, Light, LightSource, default_lights};

/// Numbers of the uniform block `View` of `shader.wgsl`.
pub const VIEW_FLOATS: usize = 16 + 16 + 8 * 4 + 8 * 4 + 4;

/// The most lamps that are drawn.
const MOST_LAMPS: usize = 4;

/// Distance from the middle of the scene at which floors have become background, in radii of the scene.
const FADE: f64 = 20.0;

/// The nearest that is drawn, by the distance of what is looked at.
const NEAREST: f64 = 0.03;

/// All that is not part of the draw list.
#[derive(Clone, Debug)]
pub struct Sight<'a> {
    /// From where it is seen.
    pub camera: Camera,
    /// The lights of the scene.
    pub lights: &'a [Light],
    /// What lies behind everything.
    pub background: Background,
    /// The origin of the draw list, in metres.
    pub origin: DVec3,
    /// Lowest and highest corner of what is drawn, relative to the origin.
    pub bounds: [DVec3; 2],
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Columns of the shadow map.
    pub shadow_size: u32,
    /// Whether the edges of shadows are soft.
    pub soft_shadows: bool,
}

impl Sight<'_> {
    /// The numbers of the uniform block, and whether a lamp throws a shadow.
    pub fn numbers(&self) -> ([f32; VIEW_FLOATS], bool) {
        let camera = Camera {
            eye: self.camera.eye - self.origin,
            target: self.camera.target - self.origin,
            ..self.camera
        };
        let [right, down, forward] = camera.axes();
        let [width, height] = self.size.map(f64::from);
        let default = default_lights(&camera);
        let lights = match self.lights.is_empty() {
            true => &default[..],
            false => self.lights,
        };
        let key = lights
            .iter()
            .position(|light| light.shadows && light.intensity > 0.0);
        let [low, high] = self.bounds;
        let middle = 0.5 * (low + high);
        let radius = (0.5 * (high - low).length()).max(1e-6);
        let towards = key.map(|key| self.towards(&lights[key], middle));
        let shadow = self.shadow_from_world(towards.unwrap_or(DVec3::Z), middle, radius);
        let (top, bottom) = match self.background {
            Background::Gradient { top, bottom } => (top, bottom),
            Background::Plain(color) => (color, color),
            Background::Transparent => ([1.0; 3], [1.0; 3]),
        };
        let fill = (right * 0.9 - level(forward) * 0.35 + DVec3::Z * 0.25).normalize_or(DVec3::Z);
        let mut numbers = Vec::with_capacity(VIEW_FLOATS);
        let mut vector = |v: DVec3, w: f64| {
            numbers.extend(v.extend(w).as_vec4().to_array());
        };
        vector(camera.eye, height);
        vector(right, width);
        vector(-down, 0.0);
        vector(forward, 0.0);
        vector(DVec3::from(top.map(f64::from)), 0.0);
        vector(DVec3::from(bottom.map(f64::from)), 0.0);
        vector(fill, 2.0 * radius / f64::from(self.shadow_size));
        vector(middle, 1.0 / (FADE * radius).powi(2));
        for index in 0..MOST_LAMPS {
            let Some(light) = lights.get(index) else {
                vector(DVec3::Z, 0.0);
                vector(DVec3::ZERO, 0.0);
                continue;
            };
            match light.source {
                LightSource::Position(place) => vector(place - self.origin, 1.0),
                LightSource::Direction(along) => vector(-along.normalize_or(DVec3::NEG_Z), 0.0),
            }
            let has_map = if key == Some(index) { 1.0 } else { 0.0 };
            vector(
                DVec3::new(light.intensity.clamp(0.0, 100.0), has_map, 0.0),
                0.0,
            );
        }
        vector(
            DVec3::new(
                lights.len().min(MOST_LAMPS) as f64,
                f64::from(u8::from(self.soft_shadows)),
                0.0,
            ),
            0.0,
        );
        let clip = self.clip_from_world(&camera, width / height.max(1.0));
        let mut all = [0.0; VIEW_FLOATS];
        all[..16].copy_from_slice(&clip.as_mat4().to_cols_array());
        all[16..32].copy_from_slice(&shadow.as_mat4().to_cols_array());
        all[32..].copy_from_slice(&numbers);
        (all, key.is_some_and(|key| key < MOST_LAMPS))
    }

    /// The direction towards a lamp.
    fn towards(&self, light: &Light, middle: DVec3) -> DVec3 {
        match light.source {
            LightSource::Position(place) => (place - self.origin - middle).normalize_or(DVec3::Z),
            LightSource::Direction(along) => -along.normalize_or(DVec3::NEG_Z),
        }
    }

    fn clip_from_world(&self, camera: &Camera, aspect: f64) -> DMat4 {
        let [low, high] = self.bounds;
        // Floors go on far beyond what lies on them.
        let far_out = DVec3::splat(FADE * 0.5 * (high - low).length()).with_z(0.0);
        let [near, far] = camera.depth_range(low - far_out, high + far_out);
        // A floor that passes below the eye is cut there. The closer the cut, the farther away its corners are
        // in the picture, and the coarser is the depth that the card finds between them.
        let focus = (camera.target - camera.eye).length();
        let near = near.max((NEAREST * focus).min(0.5 * far));
        let [right, down, forward] = camera.axes();
        let scale = 1.0 / (0.5 * camera.field_of_view.clamp(1e-4, 3.1)).tan();
        let row = |axis: DVec3| axis.extend(-axis.dot(camera.eye));
        let depth = far / (far - near);
        let rows = [
            row(right) * (scale / aspect),
            row(-down) * scale,
            row(forward) * depth - DVec4::W * (depth * near),
            row(forward),
        ];
        DMat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose()
    }

    /// A view along the light that holds a ball round the scene.
    fn shadow_from_world(&self, towards: DVec3, middle: DVec3, radius: f64) -> DMat4 {
        let across = towards.any_orthonormal_vector();
        let along = towards.cross(across);
        let scale = 1.0 / (1.02 * radius);
        let row = |axis: DVec3| axis.extend(-axis.dot(middle)) * scale;
        let depth = row(-towards) * 0.5 + DVec4::W * 0.5;
        DMat4::from_cols(row(across), row(along), depth, DVec4::W).transpose()
    }
}

fn level(forward: DVec3) -> DVec3 {
    forward.with_z(0.0).normalize_or(DVec3::Y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight() -> Sight<'static> {
        Sight {
            camera: Camera {
                eye: DVec3::new(3.0, -7.0, 4.0),
                target: DVec3::new(1.0, 0.0, 2.0),
                up: DVec3::Z,
                field_of_view: 0.6,
            },
            lights: &[],
            background: Background::default(),
            origin: DVec3::new(1.0, 0.5, 2.0),
            bounds: [-DVec3::ONE, DVec3::ONE],
            size: [800, 600],
            shadow_size: 1024,
            soft_shadows: true,
        }
    }

    fn matrix(numbers: &[f32]) -> glam::Mat4 {
        glam::Mat4::from_cols_slice(numbers)
    }

    #[test]
    fn the_card_sees_points_where_the_camera_does() {
        let sight = sight();
        let (numbers, throws_shadow) = sight.numbers();
        assert!(throws_shadow);
        let clip = matrix(&numbers[..16]);
        for point in [DVec3::ZERO, DVec3::ONE, DVec3::new(-0.5, 0.3, 0.9)] {
            let seen = clip * point.as_vec3().extend(1.0);
            let [x, y, distance] = sight
                .camera
                .project(point + sight.origin, 800, 600)
                .unwrap();
            let place = [
                400.0 + 400.0 * f64::from(seen.x / seen.w),
                300.0 - 300.0 * f64::from(seen.y / seen.w),
            ];
            assert!((place[0] - x).abs() < 0.01 && (place[1] - y).abs() < 0.01);
            assert!((f64::from(seen.w) - distance).abs() < 1e-4);
            assert!(seen.z > 0.0 && seen.z < seen.w);
        }
    }

    #[test]
    fn the_shadow_map_holds_the_scene() {
        let (numbers, _) = sight().numbers();
        let shadow = matrix(&numbers[16..32]);
        for corner in 0..8 {
            let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let point = glam::Vec4::new(sign(0), sign(1), sign(2), 1.0);
            let place = shadow * point;
            assert!(place.x.abs() <= 1.0 && place.y.abs() <= 1.0);
            assert!((0.0..=1.0).contains(&place.z), "{place}");
        }
    }
}

//! How much light a point of a surface sends to the eye.
//!
//! ```text
//! L = albedo (ambient(n) + sum I max(0, n . l) visible) + gloss sum I (n . h)^32 visible
//! ```
//!
//! The ambient light comes from a bright sky and, weaker and warmer, from the ground; what stands
//! in the way of it is told by `occlusion.rs`.

use super::occlusion::Occlusion;
use super::shadow::ShadowMap;
use crate::{Camera, DrawList, Light, LightSource};
use glam::{DVec3, Vec3};

/// Ambient light from straight above.
const SKY: Vec3 = Vec3::new(0.385, 0.40, 0.425);

/// Ambient light from straight below.
const BOUNCE: Vec3 = Vec3::new(0.215, 0.20, 0.18);

/// Share of the intensity of a lamp that a surface sees; the ambient light gives the rest.
const LAMP_SHARE: f32 = 0.80;

/// Colour of lamps.
const LAMP_COLOR: Vec3 = Vec3::new(1.0, 0.98, 0.94);

/// Share of the ambient light that things above and around can take away.
const OCCLUSION: f32 = 0.66;

/// A lamp relative to the origin of the draw list.
enum Lamp {
    /// Shines from here.
    At(Vec3),
    /// Shines from this direction.
    Towards(Vec3),
}

impl Lamp {
    fn direction(&self, point: Vec3) -> Vec3 {
        match self {
            Self::At(place) => (*place - point).normalize_or(Vec3::Z),
            Self::Towards(direction) => *direction,
        }
    }
}

/// All light in a scene.
pub(crate) struct Lighting {
    lamps: Vec<(Lamp, f32)>,
    shadow: Option<ShadowMap>,
    occlusion: Option<Occlusion>,
    eye: Vec3,
}

/// A point of a surface.
pub(crate) struct Surface {
    /// Place relative to the origin of the draw list.
    pub point: Vec3,
    /// Place from which the light is looked for: on the smooth surface that the triangles stand
    /// for.
    pub smooth_point: Vec3,
    /// Unit normal on the side of the eye.
    pub normal: Vec3,
    /// Unit normal of the triangle.
    pub flat_normal: Vec3,
    /// Colour in white light.
    pub albedo: Vec3,
    /// Strength of the highlight.
    pub gloss: f32,
    /// See [`ShadowMap::visibility`].
    pub lift: f32,
}

impl Lighting {
    /// Lamps and the shadows of the first.
    pub fn new(list: &DrawList, camera: &Camera, lights: &[Light], shadows: bool) -> Self {
        let default = default_lights(camera);
        let lights = if lights.is_empty() {
            &default[..]
        } else {
            lights
        };
        let lamps = lights
            .iter()
            .filter_map(|light| {
                let lamp = match light.source {
                    LightSource::Position(place) => Lamp::At((place - list.origin).as_vec3()),
                    LightSource::Direction(direction) => {
                        Lamp::Towards(-direction.try_normalize()?.as_vec3())
                    }
                };
                let intensity = light.intensity.clamp(0.0, 100.0) as f32;
                Some((lamp, intensity * LAMP_SHARE))
            })
            .collect();
        let first = lights.first().filter(|_| shadows);
        let (shadow, occlusion) = rayon::join(
            || first.and_then(|light| ShadowMap::new(list, light.source)),
            || first.and_then(|_| Occlusion::new(list)),
        );
        Self {
            lamps,
            shadow,
            occlusion,
            eye: (camera.eye - list.origin).as_vec3(),
        }
    }

    /// Light that the surface sends to the eye.
    pub fn shade(&self, surface: &Surface) -> Vec3 {
        let normal = surface.normal;
        let to_eye = (self.eye - surface.point).normalize_or(normal);
        let mut diffuse = BOUNCE.lerp(SKY, 0.5 + 0.5 * normal.z) * self.openness(surface.point);
        let mut highlight = 0.0;
        for (index, (lamp, intensity)) in self.lamps.iter().enumerate() {
            let direction = lamp.direction(surface.point);
            let cosine = normal.dot(direction);
            if cosine <= 0.0 {
                continue;
            }
            let visible = self.visibility(index, surface, direction);
            if visible <= 0.0 {
                continue;
            }
            diffuse += LAMP_COLOR * (intensity * cosine * visible);
            let half = (direction + to_eye).normalize_or(normal);
            let mut power = normal.dot(half).max(0.0);
            for _ in 0..5 {
                power *= power;
            }
            highlight += power * intensity * visible;
        }
        surface.albedo * diffuse + Vec3::splat(highlight * surface.gloss)
    }

    /// Light on a level floor, as a share of what it gets without anything on it.
    pub fn floor_share(&self, point: Vec3) -> Vec3 {
        let mut lit = SKY * self.openness(point);
        let mut full = SKY;
        let surface = Surface {
            point,
            smooth_point: point,
            normal: Vec3::Z,
            flat_normal: Vec3::Z,
            albedo: Vec3::ONE,
            gloss: 0.0,
            lift: 0.0,
        };
        for (index, (lamp, intensity)) in self.lamps.iter().enumerate() {
            let direction = lamp.direction(point);
            let light = intensity * direction.z.max(0.0);
            if light > 0.0 {
                full += LAMP_COLOR * light;
                lit += LAMP_COLOR * (light * self.visibility(index, &surface, direction));
            }
        }
        lit / full
    }

    /// Share of the ambient light that reaches a point.
    fn openness(&self, point: Vec3) -> f32 {
        match &self.occlusion {
            Some(occlusion) => 1.0 - OCCLUSION * occlusion.at(point),
            None => 1.0,
        }
    }

    fn visibility(&self, lamp: usize, surface: &Surface, direction: Vec3) -> f32 {
        match &self.shadow {
            Some(map) if lamp == 0 => {
                let normal = if surface.flat_normal.dot(direction) > 0.05 {
                    surface.flat_normal
                } else {
                    surface.normal
                };
                map.visibility(surface.smooth_point, normal, surface.lift)
            }
            _ => 1.0,
        }
    }
}

/// A key light from above left behind the eye, and a weak one from the right.
fn default_lights(camera: &Camera) -> [Light; 2] {
    let [right, _, forward] = camera.axes();
    let level = |direction: DVec3, fallback: DVec3| {
        DVec3::new(direction.x, direction.y, 0.0)
            .try_normalize()
            .unwrap_or(fallback)
    };
    let right = level(right, DVec3::X);
    let forward = level(forward, DVec3::Z.cross(right));
    let from = |right_share: f64, back_share: f64, up_share: f64| {
        LightSource::Direction(
            -(right * right_share - forward * back_share + DVec3::Z * up_share).normalize(),
        )
    };
    [
        Light {
            source: from(-0.95, 0.45, 1.2),
            intensity: 1.0,
        },
        Light {
            source: from(0.9, 0.5, 0.35),
            intensity: 0.14,
        },
    ]
}

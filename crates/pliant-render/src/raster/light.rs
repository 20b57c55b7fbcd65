//! How much light a point of a surface sends to the eye.
//!
//! ```text
//! L = albedo (ambient(n) + Σ I wrap(n·l) visible + Σ I through) + Σ I lobe visible + mirror studio
//! ```
//!
//! The ambient light comes from a bright sky, weaker and warmer from the ground, and from a fill
//! at the right of the camera; what stands in the way of it is told by `occlusion.rs`. The lobe and
//! the mirror are those of `finish.rs`. Light that gets inside a soft material (`subsurface`) wraps
//! round the terminator and comes out on the other side, the less the thicker the body is there;
//! the shadow map tells how thick (Dachsbacher and Stamminger, *Translucent shadow maps*, 2003).

use super::finish::{Coat, unit};
use super::occlusion::Occlusion;
use super::shadow::ShadowMap;
use super::stages::{Clock, Stage};
use super::studio::Studio;
use crate::draw_list::Finish;
use crate::{Camera, DrawList, Light, LightSource};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Ambient light from straight above.
const SKY: Vec3 = Vec3::new(0.345, 0.36, 0.385);

/// Ambient light from straight below.
const BOUNCE: Vec3 = Vec3::new(0.20, 0.183, 0.16);

/// Ambient light from the right of the camera.
const FILL: Vec3 = Vec3::new(0.075, 0.08, 0.09);

/// Share of the intensity of a lamp that a surface sees; the ambient light gives the rest.
const LAMP_SHARE: f32 = 0.86;

/// Colour of lamps.
const LAMP_COLOR: Vec3 = Vec3::new(1.0, 0.975, 0.93);

/// Share of the ambient light that things above and around can take away.
const OCCLUSION: f32 = 0.82;

/// The smallest cosine between normal and eye at which mirroring is worked out. Beyond it, in the last pixel before an
/// outline, interpolated normals turn away from the eye, and everything would mirror as a whole.
const MOST_GRAZING: f32 = 0.12;

/// Share of the light that fibres scatter without taking on their colour.
const WHITE_SHEEN: f32 = 0.15;

/// A lamp relative to the origin of the draw list.
struct Lamp {
    place: Place,
    intensity: f32,
    shadow: Option<ShadowMap>,
}

enum Place {
    /// Shines from here.
    At(Vec3),
    /// Shines from this direction.
    Towards(Vec3),
}

impl Lamp {
    fn direction(&self, point: Vec3) -> Vec3 {
        match self.place {
            Place::At(place) => (place - point).normalize_or(Vec3::Z),
            Place::Towards(direction) => direction,
        }
    }

    /// Share of its light that reaches a surface.
    fn visibility(&self, surface: &Surface, direction: Vec3) -> f32 {
        let Some(map) = &self.shadow else {
            return 1.0;
        };
        let normal = if surface.flat_normal.dot(direction) > 0.05 {
            surface.flat_normal
        } else {
            surface.normal
        };
        map.visibility(surface.smooth_point, normal, surface.lift)
    }
}

/// All light in a scene.
pub(crate) struct Lighting {
    lamps: Vec<Lamp>,
    occlusion: Option<Occlusion>,
    studio: Studio,
    /// Direction from which the fill comes.
    fill: Vec3,
    eye: Vec3,
}

/// A point of a surface.
pub(crate) struct Surface<'a> {
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
    /// What it is made of.
    pub finish: &'a Finish,
    /// See [`ShadowMap::visibility`].
    pub lift: f32,
}

/// Light that a surface sends to the eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Light that was inside it and has its colour.
    pub inner: Vec3,
    /// Light that, times the colour of the surface, is what was inside but for `rim` and what came through.
    pub by_color: Vec3,
    /// Light that fibres scatter whatever the colour of the surface.
    pub rim: Vec3,
    /// Light that it reflects.
    pub reflected: Vec3,
    /// Cosine between normal and eye.
    pub facing: f32,
}

impl Lighting {
    /// Lamps and the shadows of those that throw any.
    pub fn new(
        list: &DrawList,
        camera: &Camera,
        lights: &[Light],
        shadows: bool,
        clock: Clock,
    ) -> Self {
        let [right, forward] = level_axes(camera);
        let default = default_lights(camera);
        let lights = if lights.is_empty() {
            &default[..]
        } else {
            lights
        };
        let lamps = || {
            lights
                .par_iter()
                .filter_map(|light| {
                    let place = match light.source {
                        LightSource::Position(place) => Place::At((place - list.origin).as_vec3()),
                        LightSource::Direction(direction) => {
                            Place::Towards(-direction.try_normalize()?.as_vec3())
                        }
                    };
                    let map = || clock.time(Stage::Shadows, || ShadowMap::new(list, light.source));
                    let throws = shadows && light.shadows && light.intensity > 0.0;
                    Some(Lamp {
                        place,
                        intensity: light.intensity.clamp(0.0, 100.0) as f32 * LAMP_SHARE,
                        shadow: throws.then(map).flatten(),
                    })
                })
                .collect()
        };
        let occlusion = || clock.time(Stage::Occlusion, || Occlusion::new(list));
        let (lamps, occlusion) = rayon::join(lamps, || shadows.then(occlusion).flatten());
        let (right, forward) = (right.as_vec3(), forward.as_vec3());
        Self {
            lamps,
            occlusion,
            studio: Studio::new(right, forward),
            fill: (right * 0.9 - forward * 0.35 + Vec3::Z * 0.25).normalize_or(Vec3::Z),
            eye: (camera.eye - list.origin).as_vec3(),
        }
    }

    /// Light that the surface sends to the eye.
    pub fn shade(&self, surface: &Surface) -> Sent {
        let (normal, finish) = (surface.normal, surface.finish);
        let to_eye = (self.eye - surface.point).normalize_or(normal);
        let facing = normal.dot(to_eye).clamp(0.0, 1.0);
        let coat = Coat::new(finish, surface.albedo, facing.max(MOST_GRAZING));
        let open = self.openness(surface.point);
        let inside = unit(finish.subsurface);
        let mut diffuse = self.ambient(normal) * open;
        let mut through = Vec3::ZERO;
        let mut reflected = Vec3::ZERO;
        for lamp in &self.lamps {
            let direction = lamp.direction(surface.point);
            let cosine = normal.dot(direction);
            if inside > 0.0 && finish.depth > 0.0 {
                // Light that enters on this side has not come through anything.
                let behind = 0.5 - 0.5 * cosine;
                let passed = self.passed(lamp, surface, finish.depth);
                through += LAMP_COLOR * (lamp.intensity * inside * behind * passed);
            }
            let wrap = 0.35 * inside;
            let lit = (cosine + wrap) / ((1.0 + wrap) * (1.0 + wrap));
            if lit <= 0.0 {
                continue;
            }
            let visible = lamp.visibility(surface, direction);
            if visible <= 0.0 {
                continue;
            }
            diffuse += LAMP_COLOR * (lamp.intensity * lit * visible);
            if let Some(coat) = coat.as_ref().filter(|_| cosine > 0.0) {
                let half = (direction + to_eye).normalize_or(normal);
                let lobe = coat.lobe(cosine, normal.dot(half).max(0.0), half.dot(to_eye));
                reflected += LAMP_COLOR * lobe * (lamp.intensity * visible);
            }
        }
        if let Some(coat) = coat {
            let mirrored = (2.0 * normal.dot(to_eye) * normal - to_eye).normalize_or(normal);
            reflected += coat.mirror() * self.studio.light(mirrored, coat.roughness) * open;
        }
        let grey = 1.0 - unit(finish.metallic);
        // What glows is brightest where the eye looks straight into it.
        let glow = unit(finish.glow) * (0.7 + 0.8 * facing);
        let edge = (1.0 - facing) * (1.0 - facing) * (1.0 - facing);
        let sheen = diffuse * (unit(finish.sheen) * 0.5 * edge);
        let by_color = (diffuse + sheen * (1.0 - WHITE_SHEEN)) * grey + Vec3::splat(glow);
        let rim = sheen * WHITE_SHEEN;
        let mut inner = surface.albedo * by_color + rim;
        if through.x > 0.0 {
            // Light on its way through takes on the colour of the material.
            let albedo = surface.albedo * grey;
            let most = albedo.max_element().max(1e-3);
            inner += albedo * (albedo / most) * through;
        }
        Sent {
            inner,
            by_color,
            rim,
            reflected,
            facing,
        }
    }

    /// Light on a level floor, as a share of what it gets without anything on it.
    pub fn floor_share(&self, point: Vec3) -> Vec3 {
        let ambient = self.ambient(Vec3::Z);
        let mut lit = ambient * self.floor_openness(point);
        let mut full = ambient;
        let surface = Surface {
            point,
            smooth_point: point,
            normal: Vec3::Z,
            flat_normal: Vec3::Z,
            albedo: Vec3::ONE,
            finish: &Finish::CHALK,
            lift: 0.0,
        };
        for lamp in &self.lamps {
            let direction = lamp.direction(point);
            let light = lamp.intensity * direction.z.max(0.0);
            if light > 0.0 {
                full += LAMP_COLOR * light;
                lit += LAMP_COLOR * (light * lamp.visibility(&surface, direction));
            }
        }
        lit / full
    }

    /// Whether there is certainly no shadow between four points with their normals, the corners of a small square
    /// of a plane.
    pub fn is_clear(&self, corners: [(Vec3, Vec3); 4]) -> bool {
        self.lamps
            .iter()
            .filter_map(|lamp| lamp.shadow.as_ref())
            .all(|map| map.is_clear(corners))
    }

    /// Whether each lamp that throws shadows lights all of some places (with their normals) wholly,
    /// or none of them at all.
    pub fn is_even(&self, places: impl Iterator<Item = Option<(Vec3, Vec3)>> + Clone) -> bool {
        self.lamps
            .iter()
            .filter_map(|lamp| lamp.shadow.as_ref())
            .all(|map| {
                let mut first = None;
                places.clone().all(|place| {
                    let Some((point, normal)) = place else {
                        return false;
                    };
                    let visible = map.visibility(point, normal, 0.0);
                    let first = *first.get_or_insert(visible);
                    visible == first && (visible == 0.0 || visible == 1.0)
                })
            })
    }

    /// Light on a level floor without anything on it.
    pub fn floor_light(&self, point: Vec3) -> Vec3 {
        let lamps = self.lamps.iter().map(|lamp| {
            let direction = lamp.direction(point);
            LAMP_COLOR * (lamp.intensity * direction.z.max(0.0))
        });
        self.ambient(Vec3::Z) + lamps.sum::<Vec3>()
    }

    fn ambient(&self, normal: Vec3) -> Vec3 {
        let fill = 0.5 + 0.5 * normal.dot(self.fill);
        BOUNCE.lerp(SKY, 0.5 + 0.5 * normal.z) + FILL * (fill * fill)
    }

    /// Share of the ambient light that reaches a point.
    fn openness(&self, point: Vec3) -> f32 {
        match &self.occlusion {
            Some(occlusion) => 1.0 - OCCLUSION * occlusion.at(point),
            None => 1.0,
        }
    }

    /// The same on the floor, where things that stand on it darken it more.
    fn floor_openness(&self, point: Vec3) -> f32 {
        match &self.occlusion {
            Some(occlusion) => {
                (1.0 - OCCLUSION * occlusion.at(point))
                    * (1.0 - OCCLUSION * occlusion.contact(point))
            }
            None => 1.0,
        }
    }

    /// Share of the light of a lamp that comes out of a body after its way through it.
    fn passed(&self, lamp: &Lamp, surface: &Surface, depth: f32) -> f32 {
        match &lamp.shadow {
            Some(map) => (-map.thickness(surface.point) / depth).exp() * 0.7,
            None => 0.0,
        }
    }
}

/// The directions to the right and forward of a camera, made level.
fn level_axes(camera: &Camera) -> [DVec3; 2] {
    let [right, _, forward] = camera.axes();
    let level = |direction: DVec3, fallback: DVec3| {
        DVec3::new(direction.x, direction.y, 0.0)
            .try_normalize()
            .unwrap_or(fallback)
    };
    let right = level(right, DVec3::X);
    [right, level(forward, DVec3::Z.cross(right))]
}

/// The lights of a scene that has none: a key light from above left behind the eye, and a weak one from
/// the right.
pub fn default_lights(camera: &Camera) -> [Light; 2] {
    let [right, forward] = level_axes(camera);
    let from = |right_share: f64, back_share: f64, up_share: f64| {
        LightSource::Direction(
            -(right * right_share - forward * back_share + DVec3::Z * up_share).normalize(),
        )
    };
    [
        Light {
            source: from(-0.95, 0.45, 1.2),
            intensity: 1.0,
            shadows: true,
        },
        Light {
            source: from(0.9, 0.5, 0.35),
            intensity: 0.12,
            shadows: false,
        },
    ]
}

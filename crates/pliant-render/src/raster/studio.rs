//! What surfaces mirror: a photographer's studio made of a few numbers.
//!
//! A floor, walls that grow brighter upwards, a large soft box overhead and two upright ones beside
//! the camera, the left one wide and warm, the right one narrow and cool. A rough surface sees the
//! same studio out of focus: every edge is as soft as the surface is rough.

use glam::Vec3;

const FLOOR: Vec3 = Vec3::new(0.52, 0.50, 0.47);
const HORIZON: Vec3 = Vec3::new(0.46, 0.48, 0.51);
const ZENITH: Vec3 = Vec3::new(0.78, 0.82, 0.88);

/// A soft box: light within an angle about a direction.
struct SoftBox {
    towards: Vec3,
    /// Cosine of half its width.
    edge: f32,
    light: Vec3,
}

/// The surroundings of a scene.
pub(crate) struct Studio {
    boxes: [SoftBox; 3],
}

impl Studio {
    /// A studio about a camera that looks `forward` with `right` to its right, both level.
    pub fn new(right: Vec3, forward: Vec3) -> Self {
        let towards = |across: f32, back: f32, up: f32| {
            (right * across - forward * back + Vec3::Z * up).normalize_or(Vec3::Z)
        };
        Self {
            boxes: [
                SoftBox {
                    towards: towards(-0.25, -0.35, 1.0),
                    edge: 0.88,
                    light: Vec3::new(1.05, 1.05, 1.05),
                },
                SoftBox {
                    towards: towards(-0.9, 0.55, 0.55),
                    edge: 0.93,
                    light: Vec3::new(1.3, 1.22, 1.1),
                },
                SoftBox {
                    towards: towards(1.0, -0.1, 0.3),
                    edge: 0.95,
                    light: Vec3::new(0.8, 0.9, 1.05),
                },
            ],
        }
    }

    /// Light that comes from a direction, as a surface of that roughness sees it.
    pub fn light(&self, direction: Vec3, roughness: f32) -> Vec3 {
        let blur = 0.04 + 0.9 * roughness * roughness;
        let up = direction.z;
        let sky = HORIZON.lerp(ZENITH, up.max(0.0));
        let mut light = FLOOR.lerp(sky, step(up, blur));
        for soft_box in &self.boxes {
            let inside = step(direction.dot(soft_box.towards) - soft_box.edge, 0.5 * blur);
            // The same light spread over more directions.
            let width = 1.0 - soft_box.edge;
            light += soft_box.light * (inside * (width + 0.02) / (width + 0.5 * blur));
        }
        light
    }
}

/// 0 well below zero, 1 well above, smooth over `width` to either side.
fn step(x: f32, width: f32) -> f32 {
    let share = (0.5 + 0.5 * x / width).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_brighter_above_and_smooth_everywhere() {
        let studio = Studio::new(Vec3::X, Vec3::Y);
        let above = studio.light(Vec3::Z, 0.3);
        let below = studio.light(Vec3::NEG_Z, 0.3);
        assert!(above.y > 1.4 * below.y, "{above} {below}");
        for roughness in [0.1, 0.5, 0.9] {
            let mut last = studio.light(Vec3::X, roughness);
            for index in 1..=2000 {
                let angle = index as f32 * 0.005;
                let direction = Vec3::new(angle.cos() * 0.8, angle.sin() * 0.8, 0.6);
                let next = studio.light(direction, roughness);
                if index > 1 {
                    assert!((next - last).abs().max_element() < 0.12);
                }
                last = next;
            }
        }
    }
}

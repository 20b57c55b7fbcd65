//! How a surface sends light on: the microfacet lobe of lamps, and what it mirrors of the studio.
//!
//! ```text
//! lobe   π D V F n·l    D = α² / (π ((n·h)² (α² - 1) + 1)²)     V = ½ / mix(2 n·l n·v, n·l + n·v, α)
//!                       F = F₀ + (1 - F₀) (1 - h·v)⁵            α = roughness²
//! ```
//!
//! D is the distribution of Trowbridge and Reitz (GGX), V the visibility of Smith in the form of
//! Hammon (2017), F Schlick's approximation. A lamp has a size, which widens α. What a surface
//! mirrors of its surroundings is weighted by the fit of Karis (*Physically Based Shading on
//! Mobile*, 2014). Rough surfaces lose their lobe smoothly, so that chalk has none.

use crate::draw_list::Finish;
use glam::Vec3;

/// Angle under which a lamp is seen, as it widens a highlight.
const LAMP_WIDTH: f32 = 0.05;

/// Reflection of what is no metal, straight on.
const DIELECTRIC: f32 = 0.04;

/// A finish with its numbers made sound, seen by an eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coat {
    /// Colour of reflections straight on.
    straight: Vec3,
    /// Squared width of the lobe.
    alpha: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// How much of the lobe there is: none for chalk.
    strength: f32,
    /// Cosine between normal and eye.
    facing: f32,
}

impl Coat {
    /// The coat of a surface of that colour; `None` if it reflects nothing.
    pub fn new(finish: &Finish, albedo: Vec3, facing: f32) -> Option<Self> {
        let roughness = finish.roughness.clamp(0.03, 1.0);
        if roughness.is_nan() || roughness >= 1.0 {
            return None;
        }
        // Full up to a roughness of 0.5, then none at 1: what is rough shades its own reflections.
        // Of a metal there is nothing else to see.
        let strength = ((1.0 - roughness) * 2.0).min(1.0);
        let alpha = (roughness.powi(4) + LAMP_WIDTH * LAMP_WIDTH).sqrt();
        let metallic = unit(finish.metallic);
        Some(Self {
            straight: Vec3::splat(DIELECTRIC).lerp(albedo, metallic),
            alpha: alpha.min(1.0),
            roughness,
            strength: strength + (1.0 - strength) * metallic,
            facing: facing.clamp(1e-3, 1.0),
        })
    }

    /// Share of the light of a lamp that is reflected to the eye: `half` is the cosine between the
    /// normal and the vector halfway to the eye, `slant` that between this vector and the eye.
    pub fn lobe(&self, lit: f32, half: f32, slant: f32) -> Vec3 {
        let square = self.alpha * self.alpha;
        let spread = half * half * (square - 1.0) + 1.0;
        let product = 2.0 * lit * self.facing;
        let sum = lit + self.facing;
        let visible = 0.5 / (product + (sum - product) * self.alpha).max(1e-4);
        let rim = power_of_five(1.0 - slant.clamp(0.0, 1.0));
        let fresnel = self.straight + (Vec3::ONE - self.straight) * rim;
        fresnel * (self.strength * lit * square / (spread * spread).max(1e-9) * visible)
    }

    /// Share of the surroundings that is mirrored to the eye.
    pub fn mirror(&self) -> Vec3 {
        let x = 1.0 - self.roughness;
        let grazing =
            (x * x).min((-9.28 * self.facing).exp2()) * x + 0.0425 - 0.0275 * self.roughness;
        let scale = -1.04 * grazing + 1.04 - 0.572 * self.roughness;
        let offset = 1.04 * grazing - 0.04 + 0.022 * self.roughness;
        (self.straight * scale + Vec3::splat(offset)).max(Vec3::ZERO) * self.strength
    }
}

/// A number between 0 and 1; what is no number is 0.
pub(crate) fn unit(value: f32) -> f32 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

fn power_of_five(x: f32) -> f32 {
    let square = x * x;
    square * square * x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coat(roughness: f32, metallic: f32, facing: f32) -> Option<Coat> {
        let finish = Finish {
            roughness,
            metallic,
            ..Finish::default()
        };
        Coat::new(&finish, Vec3::new(0.8, 0.4, 0.1), facing)
    }

    /// Light from all directions that a surface sends to an eye straight above, by a sum over the
    /// hemisphere.
    fn total(coat: &Coat) -> f32 {
        let (rings, spokes) = (400, 8);
        let mut sum = 0.0;
        for ring in 0..rings {
            let angle = (ring as f32 + 0.5) / rings as f32 * std::f32::consts::FRAC_PI_2;
            let (sine, cosine) = angle.sin_cos();
            let half = (angle * 0.5).cos();
            let area = sine * std::f32::consts::FRAC_PI_2 / rings as f32 * std::f32::consts::TAU;
            sum += coat.lobe(cosine, half, half).x / std::f32::consts::PI * area;
        }
        assert!(spokes > 0);
        sum
    }

    #[test]
    fn a_metal_sends_back_no_more_than_it_gets() {
        for roughness in [0.3, 0.5, 0.75] {
            let coat = coat(roughness, 1.0, 1.0).unwrap();
            let sent = total(&coat);
            assert!(sent < 0.82 && sent > 0.35, "{roughness}: {sent}");
            let mirrored = coat.mirror();
            assert!(mirrored.x < 0.82 && mirrored.x > 0.25, "{mirrored}");
            assert!(mirrored.x > mirrored.y && mirrored.y > mirrored.z);
        }
    }

    #[test]
    fn chalk_reflects_nothing_and_edges_reflect_more() {
        assert!(coat(1.0, 0.0, 0.5).is_none());
        assert!(coat(f32::NAN, 0.0, 0.5).is_none());
        let straight = coat(0.3, 0.0, 1.0).unwrap().mirror().x;
        let edge = coat(0.3, 0.0, 0.05).unwrap().mirror().x;
        assert!(straight < 0.08 && edge > 0.2, "{straight} {edge}");
    }
}

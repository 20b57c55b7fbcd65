//! Shapes given by a function of space, and trees of them: what a mesher fills.
//!
//! The function is negative inside, 0 on the surface, positive outside, and near the surface it is
//! a distance in metres to first order: its gradient there has length 1.

use super::solid_distance as distance;
use glam::{DQuat, DVec3};

/// A shape that says of each point how far inside or outside it lies.
pub trait ImplicitShape: Sync {
    /// About the distance from `point` to the surface in metres, negative inside.
    fn value(&self, point: DVec3) -> f64;

    /// The lowest and highest corner of a box that holds the shape, in metres.
    fn bounds(&self) -> (DVec3, DVec3);
}

/// A solid as plain data: a simple shape, or simple shapes put together.
///
/// An animal is a smooth union of ellipsoids and capsules:
///
/// ```
/// use glam::DVec3;
/// use pliant::mesh::{ImplicitShape, Solid};
/// let body = Solid::Ellipsoid { centre: DVec3::ZERO, semi_axes: DVec3::new(2.0, 1.0, 1.0) };
/// let ear = Solid::Capsule { from: DVec3::X, to: DVec3::new(1.5, 0.0, 2.0), radii: [0.3, 0.2] };
/// let animal = Solid::SmoothUnion { parts: vec![body, ear], blend: 0.2 };
/// assert_eq!(animal.check(), Ok(()));
/// assert!(animal.value(DVec3::new(1.4, 0.0, 1.8)) < 0.0);
/// assert!(animal.value(DVec3::new(-1.0, 0.0, 1.8)) > 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A ball.
    Sphere {
        /// Its centre, in metres.
        centre: DVec3,
        /// Its radius, in metres.
        radius: f64,
    },
    /// An ellipsoid with its axes along x, y and z.
    Ellipsoid {
        /// Its centre, in metres.
        centre: DVec3,
        /// Half its lengths along x, y and z, in metres.
        semi_axes: DVec3,
    },
    /// A box with its edges along x, y and z.
    Cuboid {
        /// Its centre, in metres.
        centre: DVec3,
        /// Its edges, in metres.
        size: DVec3,
        /// Radius of its rounded edges, in metres; 0 leaves them sharp.
        rounding: f64,
    },
    /// A straight bar of rectangular cross-section between two points.
    Bar {
        /// The middle of one end, in metres.
        from: DVec3,
        /// The middle of the other end, in metres.
        to: DVec3,
        /// Width of the cross-section, in metres: level, unless the bar stands upright.
        width: f64,
        /// Height of the cross-section, in metres.
        height: f64,
    },
    /// A straight limb with round ends, which may be thicker at one of them.
    Capsule {
        /// The centre of one end, in metres.
        from: DVec3,
        /// The centre of the other end, in metres.
        to: DVec3,
        /// Radius about `from` and about `to`, in metres.
        radii: [f64; 2],
    },
    /// A straight cylinder with a round hole along it.
    Tube {
        /// The middle of one end, in metres.
        from: DVec3,
        /// The middle of the other end, in metres.
        to: DVec3,
        /// Radius of the cylinder, in metres.
        outer_radius: f64,
        /// Radius of the hole, in metres; 0 for none.
        inner_radius: f64,
    },
    /// A ring.
    Torus {
        /// Its centre, in metres.
        centre: DVec3,
        /// The direction that the ring turns about, of any length.
        axis: DVec3,
        /// From the centre to the middle of the ring's cross-section, in metres.
        major_radius: f64,
        /// Radius of the ring's cross-section, in metres.
        minor_radius: f64,
    },
    /// A superellipsoid with its axes along x, y and z.
    Superquadric {
        /// Its centre, in metres.
        centre: DVec3,
        /// Half its lengths along x, y and z, in metres.
        semi_axes: DVec3,
        /// Squareness from pole to pole and along the equator: near 0 square, 1 round, 2 flat
        /// faces between the axes.
        exponents: [f64; 2],
    },
    /// All that lies in one part or another.
    Union(
        /// The parts.
        Vec<Solid>,
    ),
    /// All that lies in one part or another, with the creases between parts filled.
    SmoothUnion {
        /// The parts; where three meet, their order matters slightly.
        parts: Vec<Solid>,
        /// How far from a crease the filling reaches, in metres; it is a quarter of that deep
        /// where the parts meet.
        blend: f64,
    },
    /// What lies in every part.
    Intersection(
        /// The parts.
        Vec<Solid>,
    ),
    /// What lies in one solid and in none of the others.
    Difference {
        /// What is cut from.
        solid: Box<Solid>,
        /// What is cut away.
        without: Vec<Solid>,
    },
    /// A solid that is scaled, then turned, then moved.
    Transform {
        /// The solid.
        solid: Box<Solid>,
        /// Factors along the solid's own x, y and z; a negative one makes the mirror image.
        scale: DVec3,
        /// The turn.
        rotation: DQuat,
        /// The move, in metres.
        translation: DVec3,
    },
}

impl ImplicitShape for Solid {
    fn value(&self, p: DVec3) -> f64 {
        match self {
            Self::Sphere { centre, radius } => p.distance(*centre) - radius,
            Self::Ellipsoid { centre, semi_axes } => distance::ellipsoid(p - *centre, *semi_axes),
            Self::Cuboid {
                centre,
                size,
                rounding,
            } => distance::cuboid(p - *centre, 0.5 * *size - *rounding) - rounding,
            Self::Bar {
                from,
                to,
                width,
                height,
            } => distance::bar(p, *from, *to, *width, *height),
            Self::Capsule { from, to, radii } => distance::capsule(p, *from, *to, *radii),
            Self::Tube {
                from,
                to,
                outer_radius,
                inner_radius,
            } => distance::tube(p, *from, *to, *outer_radius, *inner_radius),
            Self::Torus {
                centre,
                axis,
                major_radius,
                minor_radius,
            } => distance::torus(p - *centre, *axis, *major_radius) - minor_radius,
            Self::Superquadric {
                centre,
                semi_axes,
                exponents,
            } => distance::superquadric(p - *centre, *semi_axes, *exponents),
            Self::Union(parts) => least(parts, p),
            Self::SmoothUnion { parts, blend } => {
                let values = parts.iter().map(|part| part.value(p));
                values.fold(f64::INFINITY, |a, b| distance::smooth_least(a, b, *blend))
            }
            Self::Intersection(parts) => {
                let values = parts.iter().map(|part| part.value(p));
                values.fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Difference { solid, without } => solid.value(p).max(-least(without, p)),
            Self::Transform {
                solid,
                scale,
                rotation,
                translation,
            } => {
                let unscaled = rotation.normalize().inverse() * (p - *translation) / *scale;
                distance::scaled(|q| solid.value(q), unscaled, *scale)
            }
        }
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        match self {
            Self::Sphere { centre, radius } => about(*centre, DVec3::splat(*radius)),
            Self::Ellipsoid { centre, semi_axes }
            | Self::Superquadric {
                centre, semi_axes, ..
            } => about(*centre, *semi_axes),
            Self::Cuboid { centre, size, .. } => about(*centre, 0.5 * *size),
            Self::Bar {
                from,
                to,
                width,
                height,
            } => {
                let reach = DVec3::splat(0.5 * width.hypot(*height));
                (from.min(*to) - reach, from.max(*to) + reach)
            }
            Self::Capsule { from, to, radii } => {
                let [a, b] = radii.map(DVec3::splat);
                ((*from - a).min(*to - b), (*from + a).max(*to + b))
            }
            Self::Tube {
                from,
                to,
                outer_radius,
                ..
            } => {
                let reach = across((*to - *from).normalize_or_zero()) * *outer_radius;
                (from.min(*to) - reach, from.max(*to) + reach)
            }
            Self::Torus {
                centre,
                axis,
                major_radius,
                minor_radius,
            } => {
                let ring = across(axis.normalize_or_zero()) * *major_radius;
                about(*centre, ring + *minor_radius)
            }
            Self::Union(parts) => around(parts),
            // The filling is a quarter of the blend deep; distances that hold to first order
            // only may let it bulge further.
            Self::SmoothUnion { parts, blend } => {
                let (lowest, highest) = around(parts);
                (lowest - *blend, highest + *blend)
            }
            Self::Intersection(parts) => {
                let whole = (DVec3::NEG_INFINITY, DVec3::INFINITY);
                let (lowest, highest) = parts.iter().map(Self::bounds).fold(whole, |a, b| {
                    let lowest = a.0.max(b.0);
                    (lowest, a.1.min(b.1))
                });
                (lowest, highest.max(lowest))
            }
            Self::Difference { solid, .. } => solid.bounds(),
            Self::Transform {
                solid,
                scale,
                rotation,
                translation,
            } => {
                let (lowest, highest) = solid.bounds();
                let corners = (0..8).map(|corner| {
                    let pick = |axis: usize| {
                        [lowest[axis], highest[axis]][usize::from(corner & (1 << axis) != 0)]
                    };
                    let unscaled = DVec3::new(pick(0), pick(1), pick(2));
                    rotation.normalize() * (unscaled * *scale) + *translation
                });
                corners.fold(NO_BOUNDS, |a, x| (a.0.min(x), a.1.max(x)))
            }
        }
    }
}

const NO_BOUNDS: (DVec3, DVec3) = (DVec3::INFINITY, DVec3::NEG_INFINITY);

fn least(parts: &[Solid], p: DVec3) -> f64 {
    let values = parts.iter().map(|part| part.value(p));
    values.fold(f64::INFINITY, f64::min)
}

fn around(parts: &[Solid]) -> (DVec3, DVec3) {
    let bounds = parts.iter().map(Solid::bounds);
    bounds.fold(NO_BOUNDS, |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

fn about(centre: DVec3, reach: DVec3) -> (DVec3, DVec3) {
    (centre - reach, centre + reach)
}

/// How far a unit disc across the unit vector `axis` reaches along x, y and z.
fn across(axis: DVec3) -> DVec3 {
    let reach = |component: f64| (1.0 - component * component).max(0.0).sqrt();
    DVec3::new(reach(axis.x), reach(axis.y), reach(axis.z))
}

#[cfg(test)]
#[path = "implicit_tests.rs"]
mod tests;

//! Signed distances of the simple solids: exact where that is cheap, else to first order,
//! F / |∇F| of a function F that is 0 on the surface and grows linearly along rays.

use glam::DVec3;

/// Of an ellipsoid about the origin, to first order; exact on its axes and never more than the
/// true distance outside, since |x / a| is convex.
pub(super) fn ellipsoid(p: DVec3, semi_axes: DVec3) -> f64 {
    let scaled = p / semi_axes;
    let beta = scaled.length();
    let slope = (scaled / semi_axes).length();
    if slope == 0.0 {
        return -semi_axes.min_element();
    }
    (beta - 1.0) * beta / slope
}

/// Of a superellipsoid about the origin. With p = 2/e2 and q = 2/e1,
/// u = (|x/a|^p + |y/b|^p)^(1/p) and β = (u^q + |z/c|^q)^(1/q) is 1 on the surface.
pub(super) fn superquadric(point: DVec3, semi_axes: DVec3, exponents: [f64; 2]) -> f64 {
    let [q, p] = exponents.map(|e| 2.0 / e);
    let x = (point / semi_axes).abs();
    let u = power_mean(x.x, x.y, p);
    let beta = power_mean(u, x.z, q);
    if beta == 0.0 {
        return -semi_axes.min_element();
    }
    let along_u = (u / beta).powf(q - 1.0);
    let (along_x, along_y) = if u == 0.0 {
        (0.0, 0.0)
    } else {
        ((x.x / u).powf(p - 1.0), (x.y / u).powf(p - 1.0))
    };
    let along_z = (x.z / beta).powf(q - 1.0);
    let slope = (DVec3::new(along_u * along_x, along_u * along_y, along_z) / semi_axes).length();
    (beta - 1.0) / slope
}

/// (a^p + b^p)^(1/p) of numbers that are not negative, without overflow.
fn power_mean(a: f64, b: f64, p: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large == 0.0 {
        return 0.0;
    }
    large * (1.0 + (small / large).powf(p)).powf(1.0 / p)
}

/// Of a box about the origin, exact.
pub(super) fn cuboid(p: DVec3, half_size: DVec3) -> f64 {
    let beyond = p.abs() - half_size;
    beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
}

/// Of a bar of rectangular cross-section, exact. Its height is measured as nearly along z as the
/// bar allows, along y when it stands upright.
pub(super) fn bar(p: DVec3, from: DVec3, to: DVec3, width: f64, height: f64) -> f64 {
    let along = (to - from).normalize_or_zero();
    let up = if along.z.abs() < 0.999 {
        DVec3::Z
    } else {
        DVec3::Y
    };
    let side = along.cross(up).normalize_or_zero();
    let d = p - 0.5 * (from + to);
    let local = DVec3::new(d.dot(along), d.dot(side), d.dot(side.cross(along)));
    cuboid(local, 0.5 * DVec3::new(from.distance(to), width, height))
}

/// Of the convex hull of two balls, exact.
pub(super) fn capsule(p: DVec3, from: DVec3, to: DVec3, radii: [f64; 2]) -> f64 {
    let axis = to - from;
    let length = axis.length();
    let taper = radii[0] - radii[1];
    if length <= taper.abs() {
        // One ball holds the other.
        let (centre, radius) = if taper >= 0.0 {
            (from, radii[0])
        } else {
            (to, radii[1])
        };
        return p.distance(centre) - radius;
    }
    let d = p - from;
    let along = d.dot(axis) / length;
    let out = (d.length_squared() - along * along).max(0.0).sqrt();
    // In the plane of the axis, the straight side leans by this sine and cosine.
    let sine = taper / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let foot = along * cosine - out * sine;
    if foot < 0.0 {
        d.length() - radii[0]
    } else if foot > length * cosine {
        p.distance(to) - radii[1]
    } else {
        along * sine + out * cosine - radii[0]
    }
}

/// Of a cylinder with a hole, exact.
pub(super) fn tube(p: DVec3, from: DVec3, to: DVec3, outer: f64, inner: f64) -> f64 {
    let axis = (to - from).normalize_or_zero();
    let d = p - 0.5 * (from + to);
    let along = d.dot(axis);
    let out = (d - along * axis).length();
    let beyond_end = along.abs() - 0.5 * from.distance(to);
    let beyond_wall = if inner > 0.0 {
        (out - 0.5 * (outer + inner)).abs() - 0.5 * (outer - inner)
    } else {
        out - outer
    };
    let outside = beyond_end.max(0.0).hypot(beyond_wall.max(0.0));
    outside + beyond_end.max(beyond_wall).min(0.0)
}

/// Distance from a circle about the origin.
pub(super) fn torus(p: DVec3, axis: DVec3, major: f64) -> f64 {
    let axis = axis.normalize_or_zero();
    let along = p.dot(axis);
    ((p - along * axis).length() - major).hypot(along)
}

/// The lesser of two numbers, rounded off where they differ by less than `blend`.
pub(super) fn smooth_least(a: f64, b: f64, blend: f64) -> f64 {
    let overlap = (blend - (a - b).abs()).max(0.0);
    a.min(b) - overlap * overlap / (4.0 * blend)
}

/// The value at `unscaled`, a point before scaling, of a scaled solid: to first order
/// f / |S⁻¹ n| with n the unit gradient of f before scaling.
pub(super) fn scaled(value: impl Fn(DVec3) -> f64, unscaled: DVec3, scale: DVec3) -> f64 {
    let f = value(unscaled);
    let size = scale.abs();
    let (least, most) = (size.min_element(), size.max_element());
    if most - least <= 1e-12 * most {
        return f * least;
    }
    let h = 1e-6 * (1.0 + unscaled.abs().max_element());
    let slope = |axis: DVec3| value(unscaled + h * axis) - value(unscaled - h * axis);
    let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
    let stretch = (gradient.normalize_or_zero() / size).length();
    if stretch > 0.0 {
        f / stretch
    } else {
        f * least
    }
}

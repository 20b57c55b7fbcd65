//! What every implicit surface must keep, checked the same way for each.

use super::ImplicitSurface;
use crate::frame::TriangleMesh;
use glam::DVec3;
use std::collections::HashMap;

const SAMPLE_COUNT: usize = 2000;

/// A surface and what is known of it.
pub(super) struct Contract {
    surface: Box<dyn ImplicitSurface>,
    centre: DVec3,
    reach: f64,
    closed: bool,
    overlaps: bool,
    jumps: bool,
    inside: Vec<DVec3>,
    outside: Vec<DVec3>,
}

impl Contract {
    /// A surface with an exact distance, sampled within `reach` of `centre`.
    pub fn exact(surface: impl ImplicitSurface + 'static, centre: DVec3, reach: f64) -> Self {
        Self {
            surface: Box::new(surface),
            centre,
            reach,
            closed: false,
            overlaps: false,
            jumps: false,
            inside: Vec::new(),
            outside: Vec::new(),
        }
    }

    /// The mesh must have no border.
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Parts overlap: inside, distances are bounds, and some of the mesh is hidden.
    pub fn with_overlaps(mut self) -> Self {
        self.overlaps = true;
        self
    }

    /// The distance jumps somewhere.
    pub fn with_jumps(mut self) -> Self {
        self.jumps = true;
        self
    }

    /// Points that are inside.
    pub fn inside(mut self, points: &[DVec3]) -> Self {
        self.inside.extend_from_slice(points);
        self
    }

    /// Points that are outside.
    pub fn outside(mut self, points: &[DVec3]) -> Self {
        self.outside.extend_from_slice(points);
        self
    }

    /// Checks everything.
    pub fn check(&self) {
        self.signs_are_right();
        self.normals_are_gradients();
        self.projection_lands_on_the_surface();
        if !self.jumps {
            self.distance_grows_no_faster_than_the_way();
        }
        self.values_are_finite_everywhere();
        for resolution in [3, 10, 33] {
            self.mesh_lies_on_the_surface_and_faces_outwards(resolution);
        }
        self.scale_enlarges_about_the_centre();
    }

    fn samples(&self) -> impl Iterator<Item = DVec3> {
        let mut random = Random(7);
        (0..SAMPLE_COUNT).map(move |_| self.centre + self.reach * random.vector())
    }

    fn signs_are_right(&self) {
        for &p in &self.inside {
            assert!(self.surface.distance(p) < 0.0, "{p} should be inside");
        }
        for &p in &self.outside {
            assert!(self.surface.distance(p) > 0.0, "{p} should be outside");
        }
    }

    fn normals_are_gradients(&self) {
        let step = 1e-6 * self.reach;
        let mut compared = 0;
        for p in self.samples() {
            let (distance, normal) = self.surface.distance_and_normal(p);
            assert_eq!(distance, self.surface.distance(p));
            assert_eq!(normal, self.surface.normal(p));
            assert!((normal.length() - 1.0).abs() < 1e-12, "{p}: {normal}");
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            // A kink within the stencil shows as normals that turn.
            let smooth = axes.iter().all(|&axis| {
                [step, -step]
                    .iter()
                    .all(|&offset| self.surface.normal(p + offset * axis).distance(normal) < 1e-3)
            });
            if !smooth {
                continue;
            }
            compared += 1;
            let gradient = DVec3::from_array(axes.map(|axis| {
                let ahead = self.surface.distance(p + step * axis);
                let behind = self.surface.distance(p - step * axis);
                (ahead - behind) / (2.0 * step)
            }));
            assert!(gradient.distance(normal) < 1e-5, "{p}: {gradient} {normal}");
        }
        assert!(compared > SAMPLE_COUNT * 9 / 10, "only {compared} compared");
    }

    fn projection_lands_on_the_surface(&self) {
        for p in self.samples() {
            let (distance, normal) = self.surface.distance_and_normal(p);
            let left = self.surface.distance(p - distance * normal);
            if self.overlaps && distance < 0.0 {
                assert!(left < 1e-9, "{p} moved too far: {left}");
            } else {
                assert!(left.abs() < 1e-9, "{p} missed by {left}");
            }
        }
    }

    fn distance_grows_no_faster_than_the_way(&self) {
        let points: Vec<DVec3> = self.samples().collect();
        for pair in points.windows(2) {
            let change = self.surface.distance(pair[0]) - self.surface.distance(pair[1]);
            assert!(change.abs() <= pair[0].distance(pair[1]) + 1e-12);
        }
    }

    fn values_are_finite_everywhere(&self) {
        let mut points = vec![self.centre];
        for x in -1..=1 {
            for y in -1..=1 {
                for z in -1..=1 {
                    let towards = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    for length in [1e-300, 1e-170, 1e-20, 1e-9, 0.1, 1.0, 10.0, 1e9] {
                        points.push(length * towards);
                        points.push(self.centre + length * towards);
                    }
                }
            }
        }
        points.extend(self.surface.mesh(1.0, 8).positions);
        points.extend_from_slice(&self.inside);
        for p in points {
            let (distance, normal) = self.surface.distance_and_normal(p);
            assert!(distance.is_finite(), "{p:?}: {distance}");
            assert!((normal.length() - 1.0).abs() < 1e-9, "{p:?}: {normal}");
        }
    }

    fn mesh_lies_on_the_surface_and_faces_outwards(&self, resolution: usize) {
        let mesh = self.surface.mesh(1.0, resolution);
        assert!(!mesh.triangles.is_empty());
        for &vertex in &mesh.positions {
            let distance = self.surface.distance(vertex);
            let hidden = self.overlaps && distance < 0.0;
            assert!(hidden || distance.abs() < 1e-9, "{vertex}: {distance}");
        }
        assert!(
            mesh.triangles
                .as_flattened()
                .iter()
                .all(|&vertex| { (vertex as usize) < mesh.positions.len() })
        );
        // With fewer segments a triangle's centre is too far from the surface to tell.
        if !self.overlaps && resolution > 8 {
            for &triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
                let facing = (b - a).cross(c - a);
                assert!(facing.length() > 0.0, "a triangle without area");
                let outward = self.surface.normal((a + b + c) / 3.0);
                assert!(facing.dot(outward) > 0.0, "{a} {b} {c} faces inwards");
            }
        }
        let border = border_edge_count(&mesh);
        assert_eq!(border == 0, self.closed, "{border} border edges");
        if self.closed {
            let volume: f64 = mesh
                .triangles
                .iter()
                .map(|triangle| {
                    let [a, b, c] = triangle.map(|v| mesh.positions[v as usize] - self.centre);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!(volume > 0.0);
        }
    }

    fn scale_enlarges_about_the_centre(&self) {
        let plain = self.surface.mesh(1.0, 12);
        let enlarged = self.surface.mesh(1.5, 12);
        for (&from, &to) in plain.positions.iter().zip(&enlarged.positions) {
            let expected = self.centre + 1.5 * (from - self.centre);
            assert!(to.distance(expected) < 1e-12, "{to} {expected}");
        }
    }
}

/// Edges that do not have exactly one partner running the other way.
fn border_edge_count(mesh: &TriangleMesh) -> usize {
    let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
    for &[a, b, c] in &mesh.triangles {
        for edge in [(a, b), (b, c), (c, a)] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    edges
        .iter()
        .filter(|&(&(a, b), &count)| count != 1 || edges.get(&(b, a)) != Some(&1))
        .count()
}

/// A small generator of reproducible numbers (splitmix64).
struct Random(u64);

impl Random {
    /// A number between -1 and 1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

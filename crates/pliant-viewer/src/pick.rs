//! What is under the pointer: the point of a body that a ray hits, as weights of its nodes.
//!
//! Surfaces are hit at the very point of a triangle. Curves and loose particles are thin, so a ray
//! that passes close enough takes hold of them. An obstacle hides what lies behind it.

use glam::DVec3;
use pliant::Frame;
use pliant::force::Stencil;
use pliant::frame::FrameBody;

/// A half-line from the eye.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it begins, in metres.
    pub origin: DVec3,
    /// Where it goes; a unit vector.
    pub direction: DVec3,
    /// How far a thin thing may be from it, in metres per metre of distance.
    pub spread: f64,
}

impl Ray {
    /// The point at a distance.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }
}

/// The nodes of a body whose surface is carried by them and is not made of them.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// Node positions, in metres.
    pub positions: Vec<DVec3>,
    /// Triangles between the nodes.
    pub triangles: Vec<[u32; 3]>,
}

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body.
    pub body: usize,
    /// The point of the body.
    pub stencil: Stencil,
    /// Where it is, in metres.
    pub point: DVec3,
    /// Its distance from the eye, in metres.
    pub distance: f64,
}

impl Hit {
    /// The node that has most of the point.
    pub fn nearest_node(&self) -> usize {
        let [a, b, c] = self.stencil.weights;
        let place = match (a >= b, a >= c, b >= c) {
            (true, true, _) => 0,
            (false, _, true) => 1,
            _ => 2,
        };
        self.stencil.nodes[place]
    }
}

/// The first point of a body that a ray hits. `carriers` has an entry for each body whose shown surface
/// is not made of its nodes.
pub fn pick(ray: &Ray, frame: &Frame, carriers: &[Option<Carrier>]) -> Option<Hit> {
    let mut nearest: Option<Hit> = None;
    for (index, body) in frame.bodies.iter().enumerate() {
        let hit = match carriers.get(index) {
            Some(Some(carrier)) => hit_triangles(ray, &carrier.positions, &carrier.triangles),
            _ => hit_body(ray, body),
        };
        if let Some((distance, stencil, point)) = hit
            && nearest.is_none_or(|best| distance < best.distance)
        {
            nearest = Some(Hit {
                body: index,
                stencil,
                point,
                distance,
            });
        }
    }
    let hit = nearest?;
    let hides = |obstacle: &pliant::frame::FrameObstacle| {
        let mesh = &obstacle.mesh;
        hit_triangles(ray, &mesh.positions, &mesh.triangles)
            // What lies on an obstacle is as far away as the obstacle.
            .is_some_and(|(distance, ..)| distance < hit.distance * (1.0 - 1e-3))
    };
    (!frame.obstacles.iter().any(hides)).then_some(hit)
}

type Found = (f64, Stencil, DVec3);

fn hit_body(ray: &Ray, body: &FrameBody) -> Option<Found> {
    let topology = &body.topology;
    let positions = &body.positions;
    hit_triangles(ray, positions, &topology.triangles)
        .or_else(|| hit_lines(ray, positions, &topology.lines))
        .or_else(|| hit_points(ray, positions, &topology.points, body.particle_radius))
}

fn hit_triangles(ray: &Ray, positions: &[DVec3], triangles: &[[u32; 3]]) -> Option<Found> {
    let mut best: Option<(f64, [u32; 3], [f64; 2])> = None;
    for &nodes in triangles {
        let corners = nodes.map(|node| positions.get(node as usize).copied());
        let [Some(a), Some(b), Some(c)] = corners else {
            continue;
        };
        if let Some((distance, weights)) = hit_triangle(ray, a, b, c)
            && best.is_none_or(|found| distance < found.0)
        {
            best = Some((distance, nodes, weights));
        }
    }
    let (distance, nodes, [v, w]) = best?;
    let stencil = Stencil {
        nodes: nodes.map(|node| node as usize),
        weights: [(1.0 - v - w).max(0.0), v, w],
    };
    Some((distance, stencil, stencil.point(positions)))
}

/// Distance along the ray and the weights of the second and third corner (Möller and Trumbore, *Fast,
/// minimum storage ray/triangle intersection*, 1997), from both sides.
fn hit_triangle(ray: &Ray, a: DVec3, b: DVec3, c: DVec3) -> Option<(f64, [f64; 2])> {
    let (along, across) = (b - a, c - a);
    let normal = ray.direction.cross(across);
    let determinant = along.dot(normal);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let offset = ray.origin - a;
    let v = offset.dot(normal) / determinant;
    let other = offset.cross(along);
    let w = ray.direction.dot(other) / determinant;
    let distance = across.dot(other) / determinant;
    let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    (inside && distance > 0.0).then_some((distance, [v, w]))
}

fn hit_lines(ray: &Ray, positions: &[DVec3], lines: &[[u32; 2]]) -> Option<Found> {
    let mut best: Option<(f64, Found)> = None;
    for &[start, end] in lines {
        let (start, end) = (start as usize, end as usize);
        let (Some(&a), Some(&b)) = (positions.get(start), positions.get(end)) else {
            continue;
        };
        let share = share_nearest_to_ray(ray, a, b);
        let stencil = Stencil {
            nodes: [start, end, end],
            weights: [1.0 - share, share, 0.0],
        };
        consider(ray, a.lerp(b, share), stencil, 0.0, &mut best);
    }
    best.map(|(_, found)| found)
}

/// Where between two points a segment comes nearest to a ray, from 0 to 1.
fn share_nearest_to_ray(ray: &Ray, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let (offset, turn) = (a - ray.origin, along.dot(ray.direction));
    // The parts across the ray.
    let across = along - turn * ray.direction;
    let offset = offset - offset.dot(ray.direction) * ray.direction;
    let square = across.length_squared();
    if square <= 0.0 {
        return 0.0;
    }
    (-offset.dot(across) / square).clamp(0.0, 1.0)
}

fn hit_points(ray: &Ray, positions: &[DVec3], points: &[u32], radius: f64) -> Option<Found> {
    let mut best: Option<(f64, Found)> = None;
    for &node in points {
        let Some(&point) = positions.get(node as usize) else {
            continue;
        };
        let stencil = Stencil::node(node as usize);
        consider(ray, point, stencil, radius, &mut best);
    }
    best.map(|(_, found)| found)
}

/// Keeps a thin thing if it is nearer to the ray than what was found before.
fn consider(
    ray: &Ray,
    point: DVec3,
    stencil: Stencil,
    radius: f64,
    best: &mut Option<(f64, Found)>,
) {
    let distance = (point - ray.origin).dot(ray.direction);
    if distance.is_nan() || distance <= 0.0 {
        return;
    }
    let beside = (point - ray.at(distance)).length();
    let is_close = beside <= radius + ray.spread * distance;
    if is_close && best.is_none_or(|(least, _)| beside < least) {
        *best = Some((beside, (distance, stencil, point)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::frame::{FrameObstacle, Topology, TriangleMesh};
    use std::sync::Arc;

    fn body(positions: Vec<DVec3>, topology: Topology) -> FrameBody {
        let still = vec![DVec3::ZERO; positions.len()];
        FrameBody {
            name: Arc::from("body"),
            topology: Arc::new(topology),
            appearance: Arc::default(),
            velocities: still.clone(),
            elastic_forces: still.clone(),
            external_forces: still,
            fixed: Arc::new(vec![false; positions.len()]),
            fields: Vec::new(),
            particle_radius: 0.01,
            positions,
        }
    }

    /// A unit square in the plane z = height.
    fn square(height: f64) -> FrameBody {
        let corner = |x: f64, y: f64| DVec3::new(x, y, height);
        let corners = vec![
            corner(0.0, 0.0),
            corner(1.0, 0.0),
            corner(1.0, 1.0),
            corner(0.0, 1.0),
        ];
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        body(
            corners,
            Topology {
                triangles,
                ..Topology::default()
            },
        )
    }

    fn down(x: f64, y: f64) -> Ray {
        Ray {
            origin: DVec3::new(x, y, 5.0),
            direction: DVec3::NEG_Z,
            spread: 0.01,
        }
    }

    #[test]
    fn a_triangle_is_hit_at_the_very_point() {
        let frame = Frame {
            bodies: vec![square(0.0), square(1.0)],
            ..Frame::default()
        };
        let hit = pick(&down(0.7, 0.2), &frame, &[]).unwrap();
        assert_eq!((hit.body, hit.stencil.nodes), (1, [0, 1, 2]));
        assert!((hit.distance - 4.0).abs() < 1e-12);
        assert!((hit.point - DVec3::new(0.7, 0.2, 1.0)).length() < 1e-12);
        let expected = [0.3, 0.5, 0.2];
        for (weight, expected) in hit.stencil.weights.into_iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-12);
        }
        assert_eq!(hit.stencil.problem(), None);
        assert_eq!(hit.nearest_node(), 1);
        assert_eq!(pick(&down(1.2, 0.2), &frame, &[]), None);
    }

    #[test]
    fn surfaces_are_hit_from_both_sides_and_not_from_behind_the_eye() {
        let frame = Frame {
            bodies: vec![square(0.0)],
            ..Frame::default()
        };
        let mut ray = down(0.5, 0.25);
        ray.origin.z = -5.0;
        assert_eq!(pick(&ray, &frame, &[]), None);
        ray.direction = DVec3::Z;
        assert!(pick(&ray, &frame, &[]).is_some());
    }

    #[test]
    fn an_obstacle_hides_what_lies_behind_it_and_not_what_lies_on_it() {
        let floor = |height: f64| {
            let square = square(height);
            FrameObstacle {
                name: Arc::from("floor"),
                mesh: Arc::new(TriangleMesh {
                    positions: square.positions,
                    triangles: square.topology.triangles.clone(),
                }),
                appearance: Arc::default(),
            }
        };
        let frame = |height| Frame {
            bodies: vec![square(0.0)],
            obstacles: vec![floor(height)],
            ..Frame::default()
        };
        assert!(pick(&down(0.5, 0.2), &frame(-0.001), &[]).is_some());
        assert!(pick(&down(0.5, 0.2), &frame(0.001), &[]).is_some());
        assert_eq!(pick(&down(0.5, 0.2), &frame(1.0), &[]), None);
    }

    #[test]
    fn thin_things_are_taken_hold_of_nearby() {
        let rope = body(
            vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X],
            Topology {
                lines: vec![[0, 1], [1, 2]],
                points: vec![2],
                ..Topology::default()
            },
        );
        let frame = Frame {
            bodies: vec![rope],
            ..Frame::default()
        };
        let hit = pick(&down(1.25, 0.03), &frame, &[]).unwrap();
        assert_eq!(hit.stencil.nodes, [1, 2, 2]);
        assert!((hit.stencil.weights[1] - 0.25).abs() < 1e-12);
        assert!((hit.point - DVec3::new(1.25, 0.0, 0.0)).length() < 1e-12);
        assert_eq!(pick(&down(1.25, 0.2), &frame, &[]), None);
    }

    #[test]
    fn a_carried_surface_is_held_by_the_nodes_that_carry_it() {
        let mut frame = Frame {
            bodies: vec![square(0.0)],
            ..Frame::default()
        };
        let cage = square(0.5);
        let carrier = Carrier {
            positions: cage.positions,
            triangles: vec![[0, 2, 3]],
        };
        // The shown surface has other vertices than there are nodes.
        frame.bodies[0].positions.truncate(2);
        let hit = pick(&down(0.2, 0.7), &frame, &[Some(carrier)]).unwrap();
        assert_eq!(hit.stencil.nodes, [0, 2, 3]);
        assert!((hit.point.z - 0.5).abs() < 1e-12);
    }
}

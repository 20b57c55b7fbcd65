//! The pressure of what fills a closed surface: a balloon, a cushion, a cell.
//!
//! ```text
//! E = -p V(x),      V = 1/6 Σ a · (b × c)      over the triangles (a, b, c) of the surface
//! f_a = p ∂V/∂a = p/6 Σ (b - a) × (c - a)      over the triangles round the node a
//! ```
//!
//! p is the pressure inside beyond that outside, in pascals; it does not depend on the volume, as if
//! there were a large reservoir. Each triangle gets p times its area along its normal, a third per
//! corner. The force of a triangle does not change with the node it acts on, so that it adds nothing
//! to the stiffness of the node itself.
//!
//! The force is our addition: \[Terzopoulos1988\] has no volume inside its surfaces.

use super::{Loads, NodalForce, NodalView, OverSurface, Stiffness};
use glam::DVec3;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Holes of a surface that are larger than this share of its area have no lid.
const LARGEST_LID: f64 = 0.05;

/// A pressure. It acts on a body once it knows the surface of the body
/// ([`NodalForce::over_surface`]).
#[derive(Clone, Debug)]
pub struct Pressure {
    pressure: f64,
    fans: Arc<Fans>,
}

/// For each node, the other two corners of the triangles round it.
#[derive(Debug, Default)]
struct Fans {
    /// Where the corners of each node begin.
    starts: Vec<u32>,
    corners: Vec<[u32; 2]>,
}

impl Fans {
    fn new(node_count: usize, triangles: &[[u32; 3]]) -> Self {
        let mut starts = vec![0; node_count + 1];
        for &node in triangles.iter().flatten() {
            starts[node as usize + 1] += 1;
        }
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut corners = vec![[0; 2]; 3 * triangles.len()];
        for &[a, b, c] in triangles {
            for [corner, second, third] in [[a, b, c], [b, c, a], [c, a, b]] {
                let place = &mut next[corner as usize];
                corners[*place as usize] = [second, third];
                *place += 1;
            }
        }
        Self { starts, corners }
    }

    /// ∂V/∂x of a node, in square metres.
    fn gradient(&self, positions: &[DVec3], node: usize) -> DVec3 {
        let here = positions[node];
        let [from, to] = [self.starts[node], self.starts[node + 1]].map(|place| place as usize);
        let areas = self.corners[from..to].iter().map(|&[b, c]| {
            let [b, c] = [b, c].map(|corner| positions[corner as usize] - here);
            b.cross(c)
        });
        areas.sum::<DVec3>() / 6.0
    }
}

impl Pressure {
    /// A pressure in pascals, not yet of any body.
    pub fn new(pressure: f64) -> Self {
        Self {
            pressure,
            fans: Arc::default(),
        }
    }
}

impl NodalForce for Pressure {
    /// # Panics
    /// If the force was not made [`over_surface`](NodalForce::over_surface) of the body.
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            let force = self.pressure * self.fans.gradient(view.positions, node);
            loads.add(node, force, Stiffness::None);
        }
    }

    /// V is of third degree in the places, so that it is a third of Σ x · ∂V/∂x, about any point.
    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        let arm = view.positions[node] - view.positions[0];
        -self.pressure / 3.0 * arm.dot(self.fans.gradient(view.positions, node))
    }

    fn needs_surface(&self) -> bool {
        true
    }

    fn over_surface(&self, surface: &[[u32; 3]], rest: &[DVec3]) -> Option<OverSurface> {
        let closed = closed(surface, rest);
        Some(closed.map(|triangles| {
            Arc::new(Self {
                fans: Arc::new(Fans::new(rest.len(), &triangles)),
                ..self.clone()
            }) as Arc<dyn NodalForce>
        }))
    }
}

/// The triangles of a surface, turned outwards, with a lid over each small hole, such as the poles of a
/// grid; or why there is no inside.
fn closed(surface: &[[u32; 3]], rest: &[DVec3]) -> Result<Vec<[u32; 3]>, &'static str> {
    let mut triangles = surface.to_vec();
    for rim in rims(surface)? {
        let lid = (1..rim.len() - 1).map(|n| [rim[0], rim[n + 1], rim[n]]);
        triangles.extend(lid);
    }
    let corners = |triangle: &[u32; 3]| triangle.map(|node| rest[node as usize] - rest[0]);
    let area = |triangles: &[[u32; 3]]| -> f64 {
        let doubled = triangles.iter().map(|triangle| {
            let [a, b, c] = corners(triangle);
            (b - a).cross(c - a).length()
        });
        0.5 * doubled.sum::<f64>()
    };
    let whole = area(&triangles);
    if area(&triangles[surface.len()..]) > LARGEST_LID * whole {
        return Err("its surface is open");
    }
    let parts = triangles.iter().map(|triangle| {
        let [a, b, c] = corners(triangle);
        a.dot(b.cross(c)) / 6.0
    });
    let volume: f64 = parts.sum();
    // A ball has 0.094.
    if volume.abs() <= 1e-6 * whole.powf(1.5) {
        return Err("its surface has nothing inside");
    }
    if volume < 0.0 {
        triangles
            .iter_mut()
            .for_each(|triangle| triangle.swap(1, 2));
    }
    Ok(triangles)
}

/// The edges of holes, hole by hole, in the direction of the triangles beside them.
fn rims(surface: &[[u32; 3]]) -> Result<Vec<Vec<u32>>, &'static str> {
    let mut sides = HashSet::new();
    for &[a, b, c] in surface {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if !sides.insert((from, to)) {
                return Err("its triangles are not all turned the same way");
            }
        }
    }
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for &(from, to) in sides
        .iter()
        .filter(|(from, to)| !sides.contains(&(*to, *from)))
    {
        if next.insert(from, to).is_some() {
            return Err("holes of its surface touch each other");
        }
    }
    let mut rims = Vec::new();
    while let Some((&start, _)) = next.first_key_value() {
        let mut rim = Vec::new();
        let mut node = start;
        while let Some(end) = next.remove(&node) {
            rim.push(node);
            node = end;
        }
        rims.push(rim);
    }
    Ok(rims)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners and faces of an octahedron of radius 1, volume 4/3.
    fn octahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let places = vec![
            DVec3::X,
            DVec3::Y,
            DVec3::NEG_X,
            DVec3::NEG_Y,
            DVec3::Z,
            DVec3::NEG_Z,
        ];
        let sides = (0..4).flat_map(|n| {
            let next = (n + 1) % 4;
            [[n, next, 4], [next, n, 5]]
        });
        (places, sides.collect())
    }

    fn view(positions: &[DVec3]) -> NodalView<'_> {
        NodalView {
            positions,
            velocities: &[],
            masses: &[],
            directions: &[],
            curve: false,
            time: 0.0,
            step: 0.0,
            window: [0.0; 2],
        }
    }

    fn energy(force: &dyn NodalForce, positions: &[DVec3]) -> f64 {
        let nodes = 0..positions.len();
        nodes
            .map(|node| force.potential(&view(positions), node))
            .sum()
    }

    #[test]
    fn the_energy_is_that_of_the_volume_and_the_force_its_gradient() {
        let (mut places, triangles) = octahedron();
        for place in &mut places {
            *place += DVec3::new(1000.0, -50.0, 3.0);
        }
        // Turned inside out it is the same.
        let inverted: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        for triangles in [triangles, inverted] {
            let force = Pressure::new(3.0);
            let force = force.over_surface(&triangles, &places).unwrap().unwrap();
            assert!((energy(&*force, &places) + 4.0).abs() < 1e-9);
            places[1] += DVec3::new(0.1, 0.3, -0.2);
            let mut loads = Loads::new(6, false);
            force.add_loads(&view(&places), 0..6, &mut loads);
            for node in 0..6 {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let moved = |by: f64| {
                        let mut moved = places.clone();
                        moved[node] += by * axis;
                        energy(&*force, &moved)
                    };
                    let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
                    let found = loads.forces[node].dot(axis);
                    assert!((slope + found).abs() < 1e-6, "{slope} {found}");
                }
            }
            // It pushes nothing as a whole.
            assert!(loads.forces.iter().sum::<DVec3>().length() < 1e-12);
            places[1] -= DVec3::new(0.1, 0.3, -0.2);
        }
    }

    #[test]
    fn small_holes_get_a_lid_and_open_surfaces_are_refused() {
        let (mut places, mut triangles) = octahedron();
        let force = Pressure::new(1.0);
        // Without one side more than a twentieth is missing.
        triangles.pop();
        assert!(force.over_surface(&triangles, &places).unwrap().is_err());
        // A corner cut off: its four triangles go, a small square hole is left.
        triangles = octahedron().1;
        triangles.retain(|triangle| !triangle.contains(&4));
        for n in 0..4_u32 {
            let corner = places[n as usize].lerp(DVec3::Z, 0.9);
            places.push(corner);
            let next = (n + 1) % 4;
            triangles.push([n, next, 6 + next]);
            triangles.push([n, 6 + next, 6 + n]);
        }
        let closed = force.over_surface(&triangles, &places).unwrap().unwrap();
        // The tip that is missing has a thousandth of half of the volume.
        let volume = 4.0 / 3.0 - 2.0 / 3.0 * 1e-3;
        assert!((energy(&*closed, &places) + volume).abs() < 1e-9);
        // A sheet that lies on its back.
        let flat = [[0, 1, 2], [2, 1, 0]];
        assert!(force.over_surface(&flat, &places).unwrap().is_err());
    }
}

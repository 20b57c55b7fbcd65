//! The volume inside closed bodies.
//!
//! ```text
//! V = 1/6 Σ a · (b × c)        over the triangles (a, b, c) of a closed surface
//! ```

use glam::DVec3;
use pliant::{Body, World};
use std::collections::HashSet;

/// The triangles of the bodies that enclose a volume.
#[derive(Debug)]
pub struct ClosedBodies {
    /// Index of each body and its triangles.
    surfaces: Vec<(usize, Vec<[u32; 3]>)>,
}

impl ClosedBodies {
    /// Of a world: solids, and surfaces without an edge.
    pub fn new(world: &World) -> Self {
        let surfaces = world.bodies.iter().enumerate().filter_map(|(index, body)| {
            let triangles = body.formulation().surface_triangles(body.description());
            is_closed(&triangles).then_some((index, triangles))
        });
        Self {
            surfaces: surfaces.collect(),
        }
    }

    /// Volume of all of them, in cubic metres; not a number if there is none.
    pub fn volume(&self, world: &World) -> f64 {
        if self.surfaces.is_empty() {
            return f64::NAN;
        }
        let surfaces = self.surfaces.iter();
        surfaces
            .map(|(index, triangles)| {
                enclosed(&world.bodies[*index].state.positions, triangles).abs()
            })
            .sum()
    }

    /// Whether no body encloses anything.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Index of a body that has a point inside it: its surface turns round the point (the sum of
    /// the solid angles of its triangles is not zero).
    pub fn containing(&self, world: &World, point: DVec3) -> Option<usize> {
        let mut surfaces = self.surfaces.iter();
        let found = surfaces.find(|(index, triangles)| {
            turns(&world.bodies[*index].state.positions, triangles, point).abs() > 0.5
        });
        found.map(|(index, _)| *index)
    }
}

/// The volume inside a body as it is and at rest, in cubic metres; not a number if it is not closed.
pub fn volume_now_and_at_rest(body: &Body) -> [f64; 2] {
    let triangles = body.formulation().surface_triangles(body.description());
    if !is_closed(&triangles) {
        return [f64::NAN; 2];
    }
    let rest = &body.description().rest_positions;
    [&body.state.positions, rest].map(|positions| enclosed(positions, &triangles).abs())
}

/// How often a surface turns round a point.
fn turns(positions: &[DVec3], triangles: &[[u32; 3]], point: DVec3) -> f64 {
    let corner = |node: u32| positions[node as usize] - point;
    let angles = triangles.iter().map(|&[a, b, c]| {
        let [a, b, c] = [corner(a), corner(b), corner(c)];
        let [la, lb, lc] = [a.length(), b.length(), c.length()];
        let volume = a.dot(b.cross(c));
        let cosines = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * volume.atan2(cosines)
    });
    angles.sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Whether every edge is run through once in each direction.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let edges = || {
        let triangles = triangles.iter();
        triangles.flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
    };
    let all: HashSet<(u32, u32)> = edges().collect();
    !triangles.is_empty()
        && all.len() == 3 * triangles.len()
        && edges().all(|(from, to)| all.contains(&(to, from)))
}

fn enclosed(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    // About a point of the surface, so that bodies far from the origin lose nothing.
    let origin = positions.first().copied().unwrap_or_default();
    let corner = |node: u32| positions[node as usize] - origin;
    let parts = triangles
        .iter()
        .map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))));
    parts.sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::elastic::Weights;
    use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
    use pliant::mesh::{Division, block};
    use pliant::{BodyDescription, Grid};
    use std::sync::Arc;

    fn world(counts: &[usize]) -> World {
        let grid = Grid::new(counts, &[false, false, false][..counts.len()]);
        let place = |node| DVec3::from(grid.material_coordinates(node)) * DVec3::new(2.0, 3.0, 0.5);
        let rest: Vec<DVec3> = grid
            .nodes()
            .map(|node| place(node) + 1e6 * DVec3::X)
            .collect();
        let weights = Weights::uniform(grid.node_count(), 1.0, 0.0, 0.0);
        let body = Body::new(BodyDescription::new("block", grid, rest, weights)).unwrap();
        World {
            bodies: vec![body],
            ..World::default()
        }
    }

    #[test]
    fn a_block_has_the_volume_of_a_block_and_a_sheet_has_none() {
        let block = world(&[3, 4, 3]);
        let volume = ClosedBodies::new(&block).volume(&block);
        assert!((volume - 3.0).abs() < 1e-9, "{volume}");
        let inside = DVec3::new(1e6 + 0.1, 0.1, 0.1);
        let bodies = ClosedBodies::new(&block);
        assert_eq!(bodies.containing(&block, inside), Some(0));
        assert_eq!(bodies.containing(&block, inside - DVec3::X), None);
        let sheet = world(&[3, 4]);
        assert!(ClosedBodies::new(&sheet).volume(&sheet).is_nan());
    }

    #[test]
    fn a_mesh_is_measured_by_its_boundary() {
        let size = DVec3::new(2.0, 3.0, 0.5);
        let mesh = Arc::new(block([2, 3, 1], size, Division::FiveTetrahedra).unwrap());
        let material = ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap();
        let model = SolidModel::new(SolidStrain::Linear, material);
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(mesh, Arc::new(model));
        let mut body = Body::new(BodyDescription::of_mesh("block", settings, masses)).unwrap();
        for position in &mut body.state.positions {
            position.x *= 1.5;
        }
        let [now, rest] = volume_now_and_at_rest(&body);
        assert!((now - 4.5).abs() < 1e-12 && (rest - 3.0).abs() < 1e-12);
    }
}

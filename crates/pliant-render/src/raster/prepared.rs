//! The things of a draw list made ready for one view and sorted into tiles.

use super::bins::Bins;
use super::sphere::Sphere;
use super::tile::Tile;
use super::triangle::Triangle;
use super::triangles::Triangles;
use super::view::View;
use crate::{DrawList, Mesh, Shading, SphereSet};
use glam::DVec3;

/// Triangles and spheres in one view. Numbers of things are those of triangles, then of spheres.
pub(crate) struct Prepared {
    pub view: View,
    pub triangles: Triangles,
    pub spheres: Vec<Sphere>,
    bins: Bins,
}

impl Prepared {
    /// Makes ready those meshes and sphere sets that are wanted. Triangles that face away are left out
    /// where `cull` says so.
    pub fn new(
        list: &DrawList,
        view: View,
        cull: impl Fn(&Shading) -> bool + Sync,
        wants_mesh: impl Fn(&Mesh) -> bool,
        wants_spheres: impl Fn(&SphereSet) -> bool,
    ) -> Self {
        let triangles = Triangles::new(list, &view, cull, wants_mesh);
        let mut spheres = Vec::new();
        for (set_index, set) in list.spheres.iter().enumerate() {
            if !wants_spheres(set) {
                continue;
            }
            for (index, center) in set.centers.iter().enumerate() {
                let Some(radius) = one_or_each(&set.radii, index) else {
                    continue;
                };
                spheres.extend(Sphere::new(
                    &view,
                    view.place(*center),
                    f64::from(radius),
                    [set_index as u32, index as u32],
                ));
            }
        }
        let end = triangles.end();
        let bounds = triangles
            .numbered()
            .map(|(number, triangle)| (number as u32, triangle.bounds));
        let round = spheres.iter().enumerate();
        let round = round.map(|(index, sphere)| ((end + index) as u32, sphere.bounds));
        let bounds = bounds.chain(round);
        let bins = Bins::new(view.size, bounds);
        Self {
            view,
            triangles,
            spheres,
            bins,
        }
    }

    /// Whether nothing touches the tile that begins there.
    pub fn is_empty_tile(&self, origin: [usize; 2]) -> bool {
        let [column, row] = origin.map(|place| place / super::tile::TILE);
        self.bins.of_tile(column, row).is_empty()
    }

    /// Draws everything that may touch the tile.
    pub fn draw<const N: usize>(&self, list: &DrawList, tile: &mut Tile<N>) {
        let [column, row] = tile.origin.map(|place| place / super::tile::TILE);
        for item in self.bins.of_tile(column, row) {
            let index = *item as usize;
            match self.triangles.get(index) {
                Some(triangle) => {
                    let lift = if self.view.perspective {
                        sound_lift(list.meshes[triangle.mesh as usize].shading.lift)
                    } else {
                        0.0
                    };
                    tile.draw_triangle(&self.view, triangle, *item, lift);
                }
                None => {
                    let sphere = &self.spheres[index - self.triangles.end()];
                    tile.draw_sphere(&self.view, sphere, *item);
                }
            }
        }
    }
}

impl Prepared {
    /// Whether a triangle has to be drawn if its front (or its back) is all that matters.
    fn matters(list: &DrawList, triangle: &Triangle, front: bool) -> bool {
        triangle.front == front || !list.meshes[triangle.mesh as usize].shading.closed
    }

    /// Draws what may touch the tile without perspective; of closed things only the front.
    pub fn draw_fronts<const N: usize>(&self, list: &DrawList, tile: &mut Tile<N>) {
        let [column, row] = tile.origin.map(|place| place / super::tile::TILE);
        for item in self.bins.of_tile(column, row) {
            let index = *item as usize;
            match self.triangles.get(index) {
                Some(triangle) if Self::matters(list, triangle, true) => {
                    tile.draw_triangle(&self.view, triangle, *item, 0.0);
                }
                Some(_) => {}
                None => {
                    let sphere = &self.spheres[index - self.triangles.end()];
                    tile.draw_sphere(&self.view, sphere, *item);
                }
            }
        }
    }

    /// Draws what may touch the tile as it is seen from behind, without perspective; of closed things
    /// only the back. Depth is larger for what is farther.
    pub fn draw_backwards<const N: usize>(&self, list: &DrawList, tile: &mut Tile<N>) {
        let [column, row] = tile.origin.map(|place| place / super::tile::TILE);
        for item in self.bins.of_tile(column, row) {
            let index = *item as usize;
            match self.triangles.get(index) {
                Some(triangle) if !Self::matters(list, triangle, false) => {}
                Some(triangle) => {
                    let [near, far] = triangle.depth_range;
                    let turned = Triangle {
                        depth: triangle.depth.map(|part| -part),
                        depth_range: [-far, -near],
                        ..*triangle
                    };
                    tile.draw_triangle(&self.view, &turned, *item, 0.0);
                }
                None => {
                    let sphere = &self.spheres[index - self.triangles.end()];
                    let mut turned = *sphere;
                    turned.center.z = -turned.center.z;
                    tile.draw_sphere(&self.view, &turned, *item);
                }
            }
        }
    }
}

/// A lift that cannot turn depth round.
pub(crate) fn sound_lift(lift: f32) -> f32 {
    if lift.is_finite() {
        lift.clamp(-0.5, 0.5)
    } else {
        0.0
    }
}

/// The value of one of many things for which a list holds one value each or a single one for all.
pub(crate) fn one_or_each<T: Copy>(values: &[T], index: usize) -> Option<T> {
    if values.len() == 1 {
        values.first().copied()
    } else {
        values.get(index).copied()
    }
}

/// The box around all finite positions of those things that are wanted; `None` if there are none.
pub(crate) fn bounds(
    list: &DrawList,
    wants_mesh: impl Fn(&Mesh) -> bool,
    wants_spheres: impl Fn(&SphereSet) -> bool,
    wants_lines: bool,
) -> Option<[DVec3; 2]> {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    let mut include = |point: [f32; 3], radius: f32| {
        let point = DVec3::from(point.map(f64::from));
        let radius = f64::from(radius.max(0.0));
        if point.is_finite() && radius.is_finite() {
            low = low.min(point - radius);
            high = high.max(point + radius);
        }
    };
    for mesh in list.meshes.iter().filter(|mesh| wants_mesh(mesh)) {
        for point in &mesh.positions {
            include(*point, 0.0);
        }
    }
    for set in list.spheres.iter().filter(|set| wants_spheres(set)) {
        for (index, center) in set.centers.iter().enumerate() {
            include(*center, one_or_each(&set.radii, index).unwrap_or(0.0));
        }
    }
    if wants_lines {
        for set in &list.lines {
            for [from, to] in &set.segments {
                include(*from, 0.0);
                include(*to, 0.0);
            }
        }
    }
    (low.x <= high.x).then_some([low, high])
}

//! The triangles of a draw list that can be seen in one view.

use super::triangle::Triangle;
use super::view::View;
use crate::{DrawList, Mesh, Shading};
use glam::DVec3;
use rayon::prelude::*;

/// Triangles handled together by one thread. Their memory is small enough to be used again from picture to
/// picture.
const CHUNK: usize = 1024;

/// Triangles with their numbers. Those that cannot be seen are left out, so not every number is taken.
pub(crate) struct Triangles {
    chunks: Vec<Vec<Triangle>>,
}

impl Triangles {
    /// The triangles of the wanted meshes, in the order of the list. Those that face away are left out where
    /// `cull` says so.
    pub fn new(
        list: &DrawList,
        view: &View,
        cull: impl Fn(&Shading) -> bool + Sync,
        wants_mesh: impl Fn(&Mesh) -> bool,
    ) -> Self {
        let mut starts = Vec::with_capacity(list.meshes.len());
        let mut count = 0;
        for mesh in &list.meshes {
            starts.push(count);
            if wants_mesh(mesh) {
                count += mesh.triangles.len();
            }
        }
        let placed: Vec<Vec<DVec3>> = (list.meshes.iter())
            .map(|mesh| match wants_mesh(mesh) {
                true => placed(mesh, view),
                false => Vec::new(),
            })
            .collect();
        let seen = |index: usize| {
            // The last mesh that starts at or before the triangle; unwanted ones are empty.
            let mesh_index = starts.partition_point(|start| *start <= index) - 1;
            let mesh = &list.meshes[mesh_index];
            let corners = mesh.triangles[index - starts[mesh_index]];
            let mut points = [DVec3::ZERO; 3];
            for (point, corner) in points.iter_mut().zip(corners) {
                *point = *placed[mesh_index].get(corner as usize)?;
            }
            let cull = cull(&mesh.shading);
            Triangle::new(view, points, corners, mesh_index as u32, cull)
        };
        let chunks = (0..count.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(count);
                let mut some = Vec::with_capacity(range.len());
                some.extend(range.filter_map(seen));
                some
            })
            .collect();
        Self { chunks }
    }

    /// The triangle of a number.
    pub fn get(&self, number: usize) -> Option<&Triangle> {
        self.chunks.get(number / CHUNK)?.get(number % CHUNK)
    }

    /// The number after the last that a triangle may have.
    pub fn end(&self) -> usize {
        self.chunks.len() * CHUNK
    }

    /// All of them with their numbers, which ascend.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Triangle)> + Clone {
        self.chunks.iter().enumerate().flat_map(|(chunk, some)| {
            let numbered = some.iter().enumerate();
            numbered.map(move |(index, triangle)| (chunk * CHUNK + index, triangle))
        })
    }
}

/// The vertices of a mesh in view space: most belong to several triangles.
fn placed(mesh: &Mesh, view: &View) -> Vec<DVec3> {
    let positions = mesh.positions.par_iter().with_min_len(CHUNK);
    positions.map(|position| view.place(*position)).collect()
}

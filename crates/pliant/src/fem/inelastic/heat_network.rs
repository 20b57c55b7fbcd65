//! Where heat goes in a body over tetrahedra.
//!
//! ```text
//! g_ab = -Σ over elements of V ∇N_a·k ∇N_b
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | k | conductivity, a tensor: diagonal in the axes of the process, the mean of the element's nodes | W/(m K) |
//! | V, ∇N_a | volume and gradients of the shape functions at rest | m³, 1/m |
//!
//! Air touches the boundary at rest, and the faces of cracks; an obstacle touches the triangles all
//! of whose corners are within its reach; a third of a triangle belongs to each corner. Tied copies
//! of a vertex have one temperature; a crack does not conduct. Second order in the size of elements,
//! first in the step.
//!
//! Departure: on elements with obtuse angles some g_ab are negative, so that temperatures can leave
//! their range a little where they jump.
//!
//! Implements: \[Terzopoulos1988\] note added in proof (the heat equation for nonhomogeneous,
//! nonisotropic media).

use crate::body::BodyDescription;
use crate::fem::MeshSettings;
use crate::fem::tetrahedra::shape_gradients;
use crate::inelastic::{Corners, HeatNetwork, Inelasticity, Patch};
use crate::mesh::tetrahedra;
use crate::process::Heat;
use glam::DVec3;

/// The pairs of corners of a tetrahedron.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The network of a body as it is torn.
pub(super) fn heat_network(
    settings: &MeshSettings,
    description: &BodyDescription,
    heat: &Heat,
    memory: &Inelasticity,
) -> HeatNetwork {
    let rest = &description.rest_positions;
    let to_axes = heat.axes.inverse();
    let links = tetrahedra(&settings.mesh).flat_map(|nodes| {
        let (gradients, volume) = shape_gradients(nodes.map(|node| rest[node as usize]));
        let at = |node: u32| DVec3::from([0, 1, 2].map(|d| heat.conductivity(node as usize, d)));
        let k = 0.25 * nodes.map(at).iter().sum::<DVec3>();
        let gradients = gradients.map(|g| to_axes * g);
        PAIRS.map(|[a, b]| {
            let conductance = -volume.abs() * gradients[a].dot(k * gradients[b]);
            ([nodes[a], nodes[b]], conductance)
        })
    });
    let patch = |triangle: [u32; 3]| {
        let [a, b, c] = triangle.map(|node| rest[node as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        Patch {
            corners: Corners::Triangle(triangle),
            open: area / 3.0,
            touching: area / 3.0,
        }
    };
    let patches = match (settings.inner_faces(), &memory.ties) {
        (Some(inner_faces), Some(ties)) => {
            let torn = inner_faces.topology(&memory.broken_faces, ties);
            torn.triangles.into_iter().map(patch).collect()
        }
        _ => settings.boundary().iter().copied().map(patch).collect(),
    };
    HeatNetwork {
        unknowns: unknowns(rest.len(), memory),
        links: links.collect(),
        patches,
    }
}

/// One number for each set of tied nodes.
fn unknowns(node_count: usize, memory: &Inelasticity) -> Vec<u32> {
    let mut unknowns: Vec<u32> = Vec::with_capacity(node_count);
    let mut count = 0;
    for node in 0..node_count {
        let ties = memory.ties.as_ref();
        let root = ties.map_or(node, |ties| ties.roots[node] as usize);
        if root == node {
            unknowns.push(count);
            count += 1;
        } else {
            unknowns.push(unknowns[root]);
        }
    }
    unknowns
}

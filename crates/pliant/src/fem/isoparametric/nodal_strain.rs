//! Strain at the nodes of elements with nodes between their corners, for the eye.
//!
//! ```text
//! F = Σ_a x_a ⊗ ∇N_a        E = ½ (Fᵀ F - 1)        strain = √(1 + 2 λ) - 1
//! ```
//!
//! E is Green's strain at a node, the mean of that in the elements round it, weighted by their size;
//! λ is the eigenvalue that stretches or squeezes most. Edges alone would not do: those at a node in
//! the middle of an edge all lie in one direction, those at a corner in three, so the largest strain of an
//! edge jumps from node to node even where the body is strained evenly.

use super::geometry::rest_point;
use super::quadrature::QuadraturePoint;
use super::shape::master_nodes;
use crate::math::symmetric_eigen;
use crate::mesh::{ElementKind, ElementMesh};
use glam::{DMat3, DVec3};

/// Strain at the nodes of a mesh whose elements have nodes between their corners; `None` of any other mesh.
pub fn nodal_strains(mesh: &ElementMesh, rest: &[DVec3], positions: &[DVec3]) -> Option<Vec<f64>> {
    if !mesh.blocks.iter().any(|block| has_middles(block.kind)) {
        return None;
    }
    let mut sums = vec![(0.0, DMat3::ZERO); positions.len()];
    for block in &mesh.blocks {
        for nodes in block.elements() {
            for (&node, &xi) in nodes.iter().zip(master_nodes(block.kind)) {
                let (size, strain) = green_strain(block.kind, [rest, positions], nodes, xi);
                if size > 0.0 && strain.is_finite() {
                    let (total, sum) = &mut sums[node as usize];
                    *total += size;
                    *sum += size * strain;
                }
            }
        }
    }
    let largest = |(total, sum): (f64, DMat3)| {
        if total == 0.0 {
            return 0.0;
        }
        let (values, _) = symmetric_eigen(sum * (1.0 / total));
        let strains = values
            .to_array()
            .map(|value| (1.0 + 2.0 * value).max(0.0).sqrt() - 1.0);
        strains.into_iter().fold(0.0, |most: f64, strain| {
            if strain.abs() > most.abs() {
                strain
            } else {
                most
            }
        })
    };
    Some(sums.into_iter().map(largest).collect())
}

/// Whether elements of a kind have nodes between their corners.
fn has_middles(kind: ElementKind) -> bool {
    // Those without have at most four.
    kind.node_count() > 4
}

/// Size of an element about a point of it, and Green's strain there, in the axes of space at rest.
fn green_strain(
    kind: ElementKind,
    [rest, positions]: [&[DVec3]; 2],
    nodes: &[u32],
    xi: [f64; 3],
) -> (f64, DMat3) {
    let point = rest_point(kind, rest, nodes, &QuadraturePoint { xi, weight: 1.0 });
    let mut columns = [DVec3::ZERO; 3];
    for (&node, gradient) in nodes.iter().zip(&point.gradients) {
        for (column, part) in columns.iter_mut().zip(gradient) {
            *column += positions[node as usize] * *part;
        }
    }
    let mut strain = DMat3::ZERO;
    for i in 0..kind.dimension() {
        for j in 0..kind.dimension() {
            let whole = if i == j { 1.0 } else { 0.0 };
            let part = 0.5 * (columns[i].dot(columns[j]) - whole);
            let [a, b] = [point.frame[i], point.frame[j]];
            strain += DMat3::from_cols(a * b.x, a * b.y, a * b.z) * part;
        }
    }
    (point.size, strain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::test_meshes::box_mesh;
    use std::f64::consts::FRAC_PI_2;

    /// A quarter of a thick pipe between the radii 1 and 2.
    fn pipe() -> ElementMesh {
        let size = DVec3::new(1.0, FRAC_PI_2, 0.2);
        let mut mesh = box_mesh(ElementKind::Brick20, [4, 10, 1], size);
        for node in &mut mesh.positions {
            let (sine, cosine) = node.y.sin_cos();
            *node = DVec3::new((1.0 + node.x) * cosine, (1.0 + node.x) * sine, node.z);
        }
        mesh
    }

    #[test]
    fn an_even_strain_is_the_same_at_every_node() {
        let mesh = pipe();
        let stretched: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|node| DVec3::new(1.03 * node.x, 0.99 * node.y, node.z) + DVec3::splat(3.0))
            .collect();
        for strain in nodal_strains(&mesh, &mesh.positions, &stretched).unwrap() {
            assert!((strain - 0.03).abs() < 1e-9, "{strain}");
        }
    }

    /// Lamé: u = c ((1 - 2ν) r + b² / r), so the hoop strain u / r is the largest; c is small here.
    #[test]
    fn a_pipe_under_pressure_has_the_strain_of_lame() {
        let mesh = pipe();
        let radius = |node: &DVec3| node.truncate().length();
        let hoop = |r: f64| 1e-3 * (0.4 + 4.0 / (r * r));
        let moved: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|node| {
                let out = node.truncate() * (1.0 + hoop(radius(node)));
                out.extend(node.z)
            })
            .collect();
        let strains = nodal_strains(&mesh, &mesh.positions, &moved).unwrap();
        for (node, strain) in mesh.positions.iter().zip(strains) {
            let exact = hoop(radius(node));
            assert!(
                (strain / exact - 1.0).abs() < 0.05,
                "{node}: {strain} {exact}"
            );
        }
    }
}

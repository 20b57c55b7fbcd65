//! How stiff springs must be to stand for a material.
//!
//! Springs join every pair of nodes of an element: the edges of a triangle or a tetrahedron, edges
//! and diagonals of the others, which would shear freely without them. Under an affine deformation
//! springs with directions n_c store ½ Σ k_c L_c² (n_c·ε n_c)², a material
//! stores ½ V ε:C:ε. With y_c = k_c L_c² / (E V) the two tensors are closest when
//! Σ_d (n_c·n_d)⁴ y_d = C(n_c, n_c, n_c, n_c) / E for each spring c. A network of springs can only
//! have the Poisson's ratio 1/4 (1/3 in a plane), for which the right-hand side is 6/5 (9/8). The
//! rule of \[VanGelder1998\], y = 1, is where the iteration starts, and its steps
//! y_c <- y_c (6/5) / Σ_d (n_c·n_d)⁴ y_d keep every stiffness positive. Where it ends is
//! \[Lloyd2007\] for the elements for which that gives a formula: k = (√3/4) E h for equilateral
//! triangles, k = (2√2/25) E L for regular tetrahedra. Elements that share a pair of nodes add.

use super::FemError;
use super::isoparametric::rest_measure;
use super::material::positive;
use crate::mesh::ElementBlock;
use glam::DVec3;
use std::collections::BTreeMap;

/// Steps from the stiffness of Van Gelder to the one that fits. More change well-shaped elements by
/// less than 0.1 %, and would take springs of slivers to zero, which a network cannot do without.
const FITTING_STEPS: usize = 30;

/// Adds the stiffness of the elements of a block to those of pairs of nodes. `young` is Young's modulus of
/// each region, in pascals.
pub(super) fn add_stiffness(
    block: &ElementBlock,
    positions: &[DVec3],
    young: &impl Fn(i32) -> f64,
    section: f64,
    stiffness: &mut BTreeMap<[u32; 2], f64>,
) -> Result<(), FemError> {
    let dimension = block.kind.dimension();
    if dimension < 3 {
        positive("thickness or cross section", section)?;
    }
    let missing = if dimension < 3 { section } else { 1.0 };
    // C(n, n, n, n) / E with the Poisson's ratio that springs have.
    let target = [1.0, 9.0 / 8.0, 6.0 / 5.0][dimension - 1];
    for (element, nodes) in block.elements().enumerate() {
        let young = young(block.regions[element]);
        positive("Young's modulus", young)?;
        let volume = missing * rest_measure(block.kind, positions, nodes, element)?;
        let mut pairs = Vec::new();
        let mut edges = Vec::new();
        for (place, &a) in nodes.iter().enumerate() {
            for &b in &nodes[..place] {
                pairs.push([a.min(b), a.max(b)]);
                edges.push(positions[a as usize] - positions[b as usize]);
            }
        }
        if let Some(edge) = edges.iter().find(|edge| edge.length_squared() == 0.0) {
            return Err(FemError::Degenerate {
                element,
                measure: "distance of two nodes",
                value: edge.length(),
            });
        }
        let shares = fitted_shares(&edges, target);
        for ((pair, edge), share) in pairs.iter().zip(&edges).zip(shares) {
            *stiffness.entry(*pair).or_default() += young * volume * share / edge.length_squared();
        }
    }
    Ok(())
}

/// The y of the module's comment.
fn fitted_shares(edges: &[DVec3], target: f64) -> Vec<f64> {
    let directions: Vec<DVec3> = edges.iter().map(|edge| edge.normalize()).collect();
    let mut shares = vec![1.0; edges.len()];
    let mut next = shares.clone();
    for _ in 0..FITTING_STEPS {
        for (next, (n, share)) in next.iter_mut().zip(directions.iter().zip(&shares)) {
            let others = directions.iter().zip(&shares);
            let sum: f64 = others.map(|(m, y)| n.dot(*m).powi(4) * y).sum();
            *next = share * target / sum;
        }
        std::mem::swap(&mut shares, &mut next);
    }
    shares
}

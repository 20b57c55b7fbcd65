//! Active surfaces: what snakes are among curves. They shrink and smooth themselves, and have no rest shape.
//!
//! ```text
//! E(x) = ½ τ ∫ |∇x|² dA + ½ β ∫ |Δx|² dA  ≈  ½ xᵀ (τ L + β L A⁻¹ L) x
//! ```
//!
//! Implements: \[Gibson1997\] eq. 11 on surfaces, with the differences of \[Pinkall1993\]: L has the
//! cotangents of the triangles at rest, A the area of each node.
//!
//! τ tension (N/m), β rigidity (N m). The rest shape says only how long and wide the triangles are, as s
//! does for snakes. Gradient and Laplacian are those of the surface at rest, so the energy is quadratic and
//! its Hessian constant. At the rim of an open surface Δ is left out, so that rims are free.

use super::material::{positive, positive_or_zero};
use super::{Energy, FemError, MeshModel, ModelInput};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::mesh::{ElementKind, ElementMesh};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Triangles of an active surface.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveSurface {
    /// Its tension τ, in newtons per metre.
    pub tension: f64,
    /// Its rigidity β, in newton metres.
    pub rigidity: f64,
    /// Its mass per area, in kilograms per square metre.
    pub area_density: f64,
}

impl ActiveSurface {
    fn check(&self) -> Result<(), FemError> {
        positive_or_zero("the tension of an active surface", self.tension)?;
        positive_or_zero("the rigidity of an active surface", self.rigidity)?;
        positive("the mass per area of an active surface", self.area_density)
    }
}

/// The triangles of a mesh that has nothing else.
fn triangles(mesh: &ElementMesh) -> Result<Vec<[u32; 3]>, FemError> {
    let other = mesh
        .blocks
        .iter()
        .find(|b| b.kind != ElementKind::Triangle3);
    if let Some(block) = other {
        return Err(FemError::WrongKind {
            energy: "an active surface",
            expected: "triangles of three nodes",
            given: block.kind,
        });
    }
    let blocks = mesh.blocks.iter();
    Ok(blocks
        .flat_map(|block| block.nodes.as_chunks::<3>().0)
        .copied()
        .collect())
}

impl MeshModel for ActiveSurface {
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        self.check()?;
        let triangles = triangles(input.mesh)?;
        let rest = input.rest_positions;
        let energy = QuadraticPairs::of_surface(rest, &triangles, self.tension, self.rigidity)?;
        Ok(vec![Box::new(energy)])
    }

    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for nodes in triangles(mesh)? {
            let [a, b, c] = nodes.map(|node| mesh.positions[node as usize]);
            let area = 0.5 * (b - a).cross(c - a).length();
            for node in nodes {
                masses[node as usize] += self.area_density * area / 3.0;
            }
        }
        Ok(masses)
    }
}

/// A quadratic energy ½ Σ c_ij |x_i - x_j|² over pairs of nodes, in which some c may be negative.
#[derive(Clone, Debug)]
struct QuadraticPairs {
    pairs: Vec<([u32; 2], f64)>,
    /// Slots in the matrix: i-i, i-j, j-i, j-j.
    slots: Vec<[u32; 4]>,
}

impl QuadraticPairs {
    fn of_surface(
        rest: &[DVec3],
        triangles: &[[u32; 3]],
        tension: f64,
        rigidity: f64,
    ) -> Result<Self, FemError> {
        let mut laplacian: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        let mut sides: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let mut areas = vec![0.0; rest.len()];
        for (element, nodes) in triangles.iter().enumerate() {
            let corners = nodes.map(|node| rest[node as usize]);
            let area = 0.5
                * (corners[1] - corners[0])
                    .cross(corners[2] - corners[0])
                    .length();
            if area.is_nan() || area <= 0.0 {
                return Err(FemError::Degenerate {
                    element,
                    measure: "area",
                    value: area,
                });
            }
            for n in 0..3 {
                areas[nodes[n] as usize] += area / 3.0;
                let (i, j) = ((n + 1) % 3, (n + 2) % 3);
                let (to_i, to_j) = (corners[i] - corners[n], corners[j] - corners[n]);
                let side = sorted(nodes[i], nodes[j]);
                // Half the cotangent of the angle at n.
                *laplacian.entry(side).or_default() += 0.25 * to_i.dot(to_j) / area;
                *sides.entry(side).or_default() += 1;
            }
        }
        let mut rims = vec![false; rest.len()];
        for (side, _) in sides.iter().filter(|(_, count)| **count == 1) {
            side.iter().for_each(|&node| rims[node as usize] = true);
        }
        let mut sums: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for (&pair, weight) in &laplacian {
            *sums.entry(pair).or_default() += tension * weight;
        }
        if rigidity > 0.0 {
            add_bending(&laplacian, &areas, &rims, rigidity, &mut sums);
        }
        Ok(Self {
            pairs: sums.into_iter().collect(),
            slots: Vec::new(),
        })
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Adds β Lᵀ A⁻¹ L. The row of a node n is Σ_j w_j (x_n - x_j), whose square is
/// Σ_j W w_j |x_n - x_j|² - Σ_{i<j} w_i w_j |x_i - x_j|² with W = Σ_j w_j.
fn add_bending(
    laplacian: &BTreeMap<[u32; 2], f64>,
    areas: &[f64],
    rims: &[bool],
    rigidity: f64,
    sums: &mut BTreeMap<[u32; 2], f64>,
) {
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); areas.len()];
    for (&[a, b], &weight) in laplacian {
        rows[a as usize].push((b, weight));
        rows[b as usize].push((a, weight));
    }
    for (node, row) in (0_u32..).zip(&rows) {
        if rims[node as usize] || row.is_empty() {
            continue;
        }
        let factor = rigidity / areas[node as usize];
        let whole: f64 = row.iter().map(|(_, weight)| weight).sum();
        for (place, &(i, weight)) in row.iter().enumerate() {
            *sums.entry(sorted(node, i)).or_default() += factor * whole * weight;
            for &(j, other) in &row[..place] {
                *sums.entry(sorted(i, j)).or_default() -= factor * weight * other;
            }
        }
    }
}

impl Energy for QuadraticPairs {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for ([a, b], _) in &self.pairs {
            visit(*a as usize, *b as usize);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let slots = |&([a, b], _): &([u32; 2], f64)| {
            let slots = super::slots::element_slots(matrix, &[a, b]);
            [slots[0][0], slots[0][1], slots[1][0], slots[1][1]]
        };
        self.slots = self.pairs.iter().map(slots).collect();
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        let energy = |&([a, b], weight): &([u32; 2], f64)| {
            0.5 * weight * positions[a as usize].distance_squared(positions[b as usize])
        };
        self.pairs.iter().map(energy).sum()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for &([a, b], weight) in &self.pairs {
            let pull = weight * (positions[a as usize] - positions[b as usize]);
            gradient[a as usize] += pull;
            gradient[b as usize] -= pull;
        }
    }

    fn add_hessian(&mut self, _: &[DVec3], _: Curvature, matrix: &mut BlockMatrix) {
        for ((_, weight), slots) in self.pairs.iter().zip(&self.slots) {
            let block = DMat3::IDENTITY * *weight;
            for (slot, sign) in slots.iter().zip([1.0, -1.0, -1.0, 1.0]) {
                matrix.add_at(*slot as usize, block * sign);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::contract::{gradient, hessian};
    use crate::fem::test_meshes::{box_mesh, distort};

    fn sheet() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let size = DVec3::new(1.0, 1.2, 0.0);
        let mut mesh = box_mesh(ElementKind::Triangle3, [4, 4, 1], size);
        distort(&mut mesh, size, 0.03);
        let triangles = triangles(&mesh).unwrap();
        (mesh.positions, triangles)
    }

    /// A flat sheet mapped by x + c z has |∇x|² = 2 + c² in its plane: the energy is exact.
    #[test]
    fn tension_is_that_of_linear_maps() {
        let (rest, triangles) = sheet();
        let mut energy = QuadraticPairs::of_surface(&rest, &triangles, 3.0, 0.0).unwrap();
        let mapped: Vec<DVec3> = rest.iter().map(|x| *x + DVec3::Z * 0.7 * x.y).collect();
        let expected = 0.5 * 3.0 * (2.0 + 0.49) * 1.2;
        assert!((energy.energy(&mapped) / expected - 1.0).abs() < 1e-12);
        // Rigidity does not care for it: within the rim Δ of a linear map is zero.
        let mut bending = QuadraticPairs::of_surface(&rest, &triangles, 0.0, 2.0).unwrap();
        assert!(bending.energy(&mapped).abs() < 1e-12);
    }

    #[test]
    fn gradient_and_hessian_are_derivatives() {
        let (rest, triangles) = sheet();
        let mut energy = QuadraticPairs::of_surface(&rest, &triangles, 1.3, 0.2).unwrap();
        let bent: Vec<DVec3> = rest.iter().map(|x| *x + DVec3::Z * x.x * x.x).collect();
        let slope = gradient(&mut energy, &bent);
        let matrix = hessian(&mut energy, &bent, Curvature::Full);
        // E is quadratic and does not change under translation: ∇E = H x and E = ½ x ∇E.
        let mut product = vec![DVec3::ZERO; bent.len()];
        matrix.multiply(&bent, &mut product);
        for (a, b) in slope.iter().zip(&product) {
            assert!(a.distance(*b) < 1e-10, "{a} {b}");
        }
        let half: f64 = bent.iter().zip(&slope).map(|(x, g)| 0.5 * x.dot(*g)).sum();
        assert!((half / energy.energy(&bent) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nonsense_is_refused() {
        let (rest, triangles) = sheet();
        let surface = |tension, rigidity| ActiveSurface {
            tension,
            rigidity,
            area_density: 1.0,
        };
        assert!(surface(-1.0, 0.0).check().is_err() && surface(1.0, f64::NAN).check().is_err());
        let flat = vec![DVec3::ZERO; rest.len()];
        assert!(QuadraticPairs::of_surface(&flat, &triangles, 1.0, 1.0).is_err());
        let quads = box_mesh(ElementKind::Quad4, [1, 1, 1], DVec3::ONE);
        assert!(surface(1.0, 1.0).masses(&quads).is_err());
    }
}

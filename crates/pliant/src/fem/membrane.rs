//! The in-plane elasticity of cloth: triangles of constant strain.
//!
//! ```text
//! F = Σ_a x_a ∇N_aᵀ (3x2) = R S,    S = √(FᵀF)
//! E(x) = Σ over triangles of A (μ |S - I|² + ½ λ (tr S - 2)²)
//! ```
//!
//! Implements: \[Gibson1997\] Table 1, the linear triangle, with the strain S - I of Biot
//! (corotated), or with Green's strain ½ (FᵀF - I) in its place (`green_membrane.rs`). For small
//! strains both are Hooke's law of plane stress. Force by Biot's strain is linear in the stretch;
//! that by Green's grows with its third power, fades when a triangle is compressed, and is zero for
//! one without area: cloth then collapses.
//!
//! λ = Y ν / (1 - ν²), μ = Y / (2 (1 + ν)) with Y Young's modulus times thickness (N/m) and ν
//! Poisson's ratio; A area at rest (m²); N_a the linear function that is 1 at corner a.
//!
//! **Derivatives.** With s = tr S and J the ratio of areas, s² = |F|² + 2J, S = (FᵀF + J I) / s and
//! S⁻¹ = (s I - S) / J, so no eigenvalues are needed. With the columns r₁, r₂ of R, the normal n, and
//! c = λ (s - 2) - 2 μ, the derivative by the columns i and j of F is
//!
//! ```text
//! 2 μ δ_ij I + λ r_i r_jᵀ + (c / s) q_i q_jᵀ + c (S⁻¹)_ij n nᵀ,    q = (-r₂, r₁)
//! ```
//!
//! The third term is that of turning in the plane, the fourth that of motions across it. Each is
//! an eigenspace of its own, so that the exact positive part takes max(c / s, -μ) and the positive
//! part of 2 μ I + c S⁻¹.

use super::assembly::Assembly;
use super::block_check::check_block;
use super::green_membrane::GreenMembrane;
use super::isoparametric::rest_measure;
use super::material::{poisson_below, positive};
use super::membrane_lanes::MembraneLanes;
use super::slots::visit_pairs;
use super::{Energy, FemError};
use crate::energy::Curvature;
use crate::linear::{BlockMatrix, HalfBlocks};
use crate::math::outer;
use crate::math::parallel::ordered_sum;
use crate::mesh::{ElementBlock, ElementKind};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// A triangle whose area or stretch is smaller than this is taken to have it, so that nothing
/// becomes infinite. Both are ratios to those at rest.
pub(super) const SMALLEST: f64 = 1e-12;

/// A triangle with less than this of its area may turn over within a step.
const COLLAPSED: f64 = 0.2;

/// How the strain of a membrane is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MembraneStrain {
    /// Biot's strain S - I: small strain in a frame that turns with the triangle.
    #[default]
    Corotated,
    /// Green's strain ½ (FᵀF - I): the material of Saint Venant and Kirchhoff.
    Green,
}

/// What cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneMaterial {
    /// Young's modulus times thickness, in newtons per metre.
    pub young: f64,
    /// Poisson's ratio in the plane, between -1 and 1.
    pub poisson: f64,
    /// How strain is measured.
    pub strain: MembraneStrain,
}

/// A membrane of triangles; see the module.
#[derive(Clone, Debug)]
pub struct Membrane {
    triangles: Vec<[u32; 3]>,
    rests: Vec<Rest>,
    lambda: f64,
    mu: f64,
    strain: MembraneStrain,
    /// The triangles once more, eight at a time, for Biot's strain.
    lanes: Option<MembraneLanes>,
    assembly: Assembly<3>,
}

/// A triangle at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub(super) area: f64,
    /// ∇N of the corners 1 and 2 in the plane of the triangle; that of corner 0 balances them.
    pub(super) gradients: [DVec2; 2],
}

/// A deformed triangle.
struct Stretch {
    /// The columns of F.
    f: [DVec3; 2],
    /// S.
    s: DMat2,
    /// tr S.
    trace: f64,
    /// S⁻¹.
    inverse: DMat2,
    /// The normal.
    normal: DVec3,
}

impl Membrane {
    /// Triangles that are at rest at `positions`.
    pub fn new(
        block: &ElementBlock,
        positions: &[DVec3],
        material: MembraneMaterial,
    ) -> Result<Self, FemError> {
        positive("Young's modulus times thickness", material.young)?;
        poisson_below(material.poisson, 1.0, "above -1 and below 1")?;
        let kind = ElementKind::Triangle3;
        check_block(
            block,
            positions,
            kind,
            "a membrane",
            "triangles of three nodes",
        )?;
        let triangles = block.nodes.as_chunks::<3>().0.to_vec();
        let mut rests = Vec::with_capacity(triangles.len());
        for (element, nodes) in triangles.iter().enumerate() {
            let area = rest_measure(kind, positions, nodes, element)?;
            let [o, a, b] = nodes.map(|node| positions[node as usize]);
            let (a, b) = (a - o, b - o);
            let x = a.length();
            let (y, height) = (a.dot(b) / x, 2.0 * area / x);
            rests.push(Rest {
                area,
                gradients: [
                    DVec2::new(1.0 / x, -y / (x * height)),
                    DVec2::new(0.0, 1.0 / height),
                ],
            });
        }
        let poisson = material.poisson;
        let lambda = material.young * poisson / (1.0 - poisson * poisson);
        let mu = 0.5 * material.young / (1.0 + poisson);
        let in_lanes = material.strain == MembraneStrain::Corotated;
        Ok(Self {
            lanes: in_lanes.then(|| MembraneLanes::new(&triangles, &rests, lambda, mu)),
            triangles,
            rests,
            lambda,
            mu,
            strain: material.strain,
            assembly: Assembly::default(),
        })
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    fn green(&self) -> GreenMembrane {
        GreenMembrane {
            lambda: self.lambda,
            mu: self.mu,
        }
    }

    /// Energy of a triangle by its area at rest.
    #[inline]
    fn density(&self, rest: &Rest, positions: &[DVec3], nodes: &[u32; 3]) -> f64 {
        if self.strain == MembraneStrain::Green {
            return self.green().density(rest.columns(positions, nodes));
        }
        let stretch = rest.stretch(positions, nodes);
        let (s, growth) = (stretch.s, stretch.trace - 2.0);
        let (x, y) = (s.x_axis.x - 1.0, s.y_axis.y - 1.0);
        let squared = x * x + y * y + 2.0 * s.x_axis.y * s.x_axis.y;
        self.mu * squared + 0.5 * self.lambda * growth * growth
    }

    /// The derivative of the density by the columns of F.
    #[inline]
    fn stress(&self, rest: &Rest, positions: &[DVec3], nodes: &[u32; 3]) -> [DVec3; 2] {
        if self.strain == MembraneStrain::Green {
            return self.green().stress(rest.columns(positions, nodes));
        }
        let stretch = rest.stretch(positions, nodes);
        let r = stretch.rotation();
        let c = self.lambda * (stretch.trace - 2.0);
        [0, 1].map(|i| 2.0 * self.mu * (stretch.f[i] - r[i]) + c * r[i])
    }

    /// The second derivative by the columns of F: blocks 11, 12 and 22.
    #[inline]
    fn second_derivative(
        &self,
        rest: &Rest,
        positions: &[DVec3],
        nodes: &[u32; 3],
        curvature: Curvature,
    ) -> [DMat3; 3] {
        match self.strain {
            // Viscosity resists the rate of Green's strain: it brakes no turning of what is stretched.
            MembraneStrain::Corotated if curvature != Curvature::Material => {
                self.column_hessian(&rest.stretch(positions, nodes), curvature)
            }
            _ => {
                let columns = rest.columns(positions, nodes);
                self.green().column_hessian(columns, curvature)
            }
        }
    }

    /// That of Biot's strain.
    #[inline]
    fn column_hessian(&self, stretch: &Stretch, curvature: Curvature) -> [DMat3; 3] {
        let (lambda, mu) = (self.lambda, self.mu);
        let n = stretch.normal;
        let r = stretch.rotation();
        let c = lambda * (stretch.trace - 2.0) - 2.0 * mu;
        let mut turning = c / stretch.trace;
        let mut across = DMat2::from_diagonal(DVec2::splat(2.0 * mu)) + c * stretch.inverse;
        match curvature {
            Curvature::Full => {}
            Curvature::Positive | Curvature::Material => {
                turning = turning.max(-mu);
                across = positive_part(across);
            }
        }
        let nn = outer(n, n);
        let mut plane = -2.0 * mu * nn;
        plane.x_axis.x += 2.0 * mu;
        plane.y_axis.y += 2.0 * mu;
        plane.z_axis.z += 2.0 * mu;
        let (r11, r22) = (outer(r[0], r[0]), outer(r[1], r[1]));
        let (r12, r21) = (outer(r[0], r[1]), outer(r[1], r[0]));
        [
            plane + lambda * r11 + turning * r22 + across.x_axis.x * nn,
            lambda * r12 - turning * r21 + across.y_axis.x * nn,
            plane + lambda * r22 + turning * r11 + across.y_axis.y * nn,
        ]
    }
}

impl Rest {
    /// The columns of F.
    #[inline]
    fn columns(&self, positions: &[DVec3], nodes: &[u32; 3]) -> [DVec3; 2] {
        let [o, a, b] = nodes.map(|node| positions[node as usize]);
        let (a, b) = (a - o, b - o);
        let [ga, gb] = self.gradients;
        [a * ga.x + b * gb.x, a * ga.y + b * gb.y]
    }

    #[inline]
    fn stretch(&self, positions: &[DVec3], nodes: &[u32; 3]) -> Stretch {
        let f = self.columns(positions, nodes);
        let normal = f[0].cross(f[1]);
        let area = normal.length();
        let (c11, c12, c22) = (f[0].dot(f[0]), f[0].dot(f[1]), f[1].dot(f[1]));
        let trace = (c11 + c22 + 2.0 * area).sqrt().max(SMALLEST);
        let s = DMat2::from_cols(DVec2::new(c11 + area, c12), DVec2::new(c12, c22 + area));
        let s = s * (1.0 / trace);
        let area = area.max(SMALLEST);
        let adjugate = DMat2::from_cols(
            DVec2::new(trace - s.x_axis.x, -s.x_axis.y),
            DVec2::new(-s.y_axis.x, trace - s.y_axis.y),
        );
        Stretch {
            f,
            s,
            trace,
            inverse: adjugate * (1.0 / area),
            normal: normal / area,
        }
    }
}

impl Stretch {
    /// The columns of R = F S⁻¹.
    #[inline]
    fn rotation(&self) -> [DVec3; 2] {
        let (x, y) = (self.inverse.x_axis, self.inverse.y_axis);
        [
            self.f[0] * x.x + self.f[1] * x.y,
            self.f[0] * y.x + self.f[1] * y.y,
        ]
    }
}

/// The projection of a symmetric matrix on its positive eigenvalues.
#[inline]
pub(super) fn positive_part(a: DMat2) -> DMat2 {
    let mean = 0.5 * (a.x_axis.x + a.y_axis.y);
    let half = 0.5 * (a.x_axis.x - a.y_axis.y);
    let radius = (half * half + a.x_axis.y * a.x_axis.y).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    if low >= 0.0 {
        a
    } else if high <= 0.0 {
        DMat2::ZERO
    } else {
        (a - DMat2::from_diagonal(DVec2::splat(low))) * (high / (high - low))
    }
}

impl Energy for Membrane {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for nodes in &self.triangles {
            visit_pairs(nodes, visit);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.assembly.attach(matrix, self.triangles.iter().copied());
        if let Some(lanes) = &mut self.lanes {
            lanes.attach(matrix);
        }
    }

    fn attach_half(&mut self, half: &HalfBlocks) -> bool {
        if let Some(lanes) = &mut self.lanes {
            lanes.attach_half(half);
        }
        self.lanes.is_some()
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        if let Some(lanes) = &self.lanes {
            return lanes.energy(positions);
        }
        ordered_sum(self.triangles.len(), |first, end| {
            let mut sum = 0.0;
            for (nodes, rest) in self.triangles[first..end]
                .iter()
                .zip(&self.rests[first..end])
            {
                sum += rest.area * self.density(rest, positions, nodes);
            }
            sum
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        if let Some(lanes) = &self.lanes {
            lanes.add_gradient(positions, gradient);
            return;
        }
        let count = self.triangles.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let (nodes, rest) = (&self.triangles[element], &self.rests[element]);
                let [p1, p2] = self.stress(rest, positions, nodes);
                let (p1, p2) = (rest.area * p1, rest.area * p2);
                let [ga, gb] = rest.gradients;
                let (a, b) = (p1 * ga.x + p2 * ga.y, p1 * gb.x + p2 * gb.y);
                window.add(nodes[0], -(a + b));
                window.add(nodes[1], a);
                window.add(nodes[2], b);
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let (nodes, rest) = (&self.triangles[element], &self.rests[element]);
            let [h11, h12, h22] = self.second_derivative(rest, positions, nodes, curvature);
            let h21 = h12.transpose();
            let [ga, gb] = rest.gradients;
            let block = |g: DVec2, k: DVec2| {
                let mixed = h12 * (g.x * k.y) + h21 * (g.y * k.x);
                (h11 * (g.x * k.x) + mixed + h22 * (g.y * k.y)) * rest.area
            };
            let (aa, ab, bb) = (block(ga, ga), block(ga, gb), block(gb, gb));
            let (oa, ob) = (-aa - ab.transpose(), -ab - bb);
            window.add(slots[0][0], -oa - ob);
            window.add(slots[1][1], aa);
            window.add(slots[2][2], bb);
            window.add_mirrored(slots, 0, 1, oa);
            window.add_mirrored(slots, 0, 2, ob);
            window.add_mirrored(slots, 1, 2, ab);
        });
    }

    /// Biot's strain knows no side of a triangle: the energy has a peak where the area vanishes.
    fn has_kinks_near(&mut self, positions: &[DVec3]) -> bool {
        let mut triangles = self.triangles.iter().zip(&self.rests);
        self.strain == MembraneStrain::Corotated
            && triangles.any(|(nodes, rest)| {
                let [a, b] = rest.columns(positions, nodes);
                a.cross(b).length_squared() < COLLAPSED * COLLAPSED
            })
    }

    fn add_half_hessian(&mut self, positions: &[DVec3], half: &mut HalfBlocks) {
        if let Some(lanes) = &self.lanes {
            lanes.add_half_hessian(positions, half);
        }
    }
}

#[cfg(test)]
#[path = "membrane_tests.rs"]
mod tests;

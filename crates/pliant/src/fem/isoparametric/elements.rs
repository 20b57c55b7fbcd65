//! Elements whose shape and whose displacement are interpolated by the same functions.
//!
//! ```text
//! u(X) = Σ_a N_a(X) u_a            F = ∂x/∂X = Σ_a x_a ∇N_aᵀ
//! Linear:  ε = ½ (∇u + ∇uᵀ)        Green:  ε = ½ (FᵀF - I)
//! E = Σ_elements ∫ ½ ε:σ dV,       σ = λ tr(ε) I + 2 μ ε
//! all others:  E = Σ_elements ∫ Ψ(F) dV with Ψ of `fem/strain/`, solids only
//! ```
//!
//! Implements: \[Gibson1997\] section 4.2 and Table 1: 3- and 6-node triangles, 4- and 9-node
//! quadrilaterals, 4- and 10-node tetrahedra, 20-node bricks.
//!
//! λ, μ the constants of Lamé (Pa), for faces those of plane stress; dV of a face is thickness times
//! area. Faces are membranes in space: strains are those in the tangent plane at rest (F is 3x2),
//! so a face that is flat at rest does not resist displacements across it in small strain, and
//! only by its stretching in Green's strain. The Green strain with a linear stress is the material
//! of Saint Venant and Kirchhoff.
//!
//! With f_i the columns of F (of the rest frame for small strain) and g_a = ∇N_a, per volume
//!
//! ```text
//! gradient_a  = Σ_ij σ_ij g_a[i] f_j
//! Hessian_ab  = (g_a·σ g_b) I + λ (F g_a)(F g_b)ᵀ + μ (F g_b)(F g_a)ᵀ + μ (g_a·g_b) F Fᵀ
//! ```
//!
//! where the first term is missing for small strain, and takes the positive part of σ where only
//! positive curvature is wanted.

use super::geometry::rest_points;
use super::positive_stress::positive_stress;
use super::quadrature::Integrand;
use super::shape::MOST_NODES;
use crate::energy::Curvature;
use crate::fem::block_check::check_nodes;
use crate::fem::material::positive;
use crate::fem::slots::{slot, visit_pairs};
use crate::fem::strain::{Corotated, Lame, NeoHookean, SplitNeoHookean, Strain as Law};
use crate::fem::{ElasticMaterial, Energy, FemError};
use crate::linear::BlockMatrix;
use crate::math::outer;
use crate::math::parallel::ordered_sum;
use crate::mesh::{ElementBlock, ElementKind};
use glam::{DMat3, DVec3};

/// How strain is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strain {
    /// The small strain: a linear problem. Rotations count as strain.
    Linear,
    /// Green's strain, which rotations do not change.
    Green,
    /// Small strain, turned at each point. Solids only.
    Corotated,
    /// A Neo-Hookean solid. Solids only.
    NeoHookean,
    /// The Neo-Hookean solid that splits shape and volume. Solids only.
    SplitNeoHookean,
}

impl Strain {
    /// The law of a point for the strains that are laws of the deformation gradient.
    fn law(self) -> Option<&'static dyn Law> {
        match self {
            Self::Linear | Self::Green => None,
            Self::Corotated => Some(&Corotated),
            Self::NeoHookean => Some(&NeoHookean),
            Self::SplitNeoHookean => Some(&SplitNeoHookean),
        }
    }
}

/// Isoparametric elements of one kind; see the module.
#[derive(Clone, Debug)]
pub struct IsoparametricElements {
    pub(super) kind: ElementKind,
    pub(super) nodes: Vec<u32>,
    pub(super) rest_positions: Vec<DVec3>,
    pub(super) material: ElasticMaterial,
    pub(super) thickness: f64,
    strain: Strain,
    point_count: usize,
    /// Per point: the size of its part of the element, without the thickness.
    sizes: Vec<f64>,
    /// Per point: the rest frame.
    frames: Vec<[DVec3; 3]>,
    /// Per point and node: ∇N_a in the frame.
    gradients: Vec<[f64; 3]>,
    slots: Vec<u32>,
    blocks: Vec<DMat3>,
}

impl IsoparametricElements {
    /// Elements that are at rest at `positions`. Faces are 1 m thick: see
    /// [`with_thickness`](Self::with_thickness).
    pub fn new(
        block: &ElementBlock,
        positions: &[DVec3],
        material: ElasticMaterial,
        strain: Strain,
    ) -> Result<Self, FemError> {
        material.check()?;
        check_nodes(block, positions)?;
        let kind = block.kind;
        if kind.dimension() == 1 {
            return Err(FemError::WrongKind {
                energy: "an isoparametric element",
                expected: "faces or solids",
                given: kind,
            });
        }
        if kind.dimension() == 2 && strain.law().is_some() {
            return Err(FemError::WrongKind {
                energy: "a strain of isoparametric solids",
                expected: "solids",
                given: kind,
            });
        }
        let mut elements = Self {
            kind,
            nodes: block.nodes.clone(),
            rest_positions: positions.to_vec(),
            material,
            thickness: 1.0,
            strain,
            point_count: 0,
            sizes: Vec::new(),
            frames: Vec::new(),
            gradients: Vec::new(),
            slots: Vec::new(),
            blocks: vec![DMat3::ZERO; kind.node_count() * kind.node_count()],
        };
        for (element, nodes) in block.elements().enumerate() {
            let points = rest_points(kind, positions, nodes, element, Integrand::Stiffness)?;
            elements.point_count = points.len();
            for point in points {
                elements.sizes.push(point.size);
                elements.frames.push(point.frame);
                let gradients = &point.gradients[..kind.node_count()];
                elements.gradients.extend_from_slice(gradients);
            }
        }
        Ok(elements)
    }

    /// The same elements with another thickness, in metres. Solids do not use it.
    pub fn with_thickness(mut self, thickness: f64) -> Result<Self, FemError> {
        positive("the thickness", thickness)?;
        if self.kind.dimension() == 2 {
            self.thickness = thickness;
        }
        Ok(self)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.kind.node_count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of points of an element at which strain is evaluated.
    pub fn points_of_element(&self) -> usize {
        self.point_count
    }

    /// The stress at a point of an element, in pascals, turned with the material to its rest
    /// orientation: Cauchy's for small strain, the second of Piola and Kirchhoff for all others.
    ///
    /// # Panics
    /// If there is no such element or point.
    pub fn stress(&self, positions: &[DVec3], element: usize, point: usize) -> DMat3 {
        assert!(point < self.point_count, "no such point");
        let point = element * self.point_count + point;
        if let Some(law) = self.strain.law() {
            let f = self.deformation_gradient(positions, point);
            return f.inverse() * law.stress(f, self.constants());
        }
        let at = self.at(positions, point);
        let frame = self.frames[point];
        let mut stress = DMat3::ZERO;
        for i in 0..self.kind.dimension() {
            for j in 0..self.kind.dimension() {
                stress += at.stress.col(j)[i] * outer(frame[i], frame[j]);
            }
        }
        stress
    }

    fn element_nodes(&self, element: usize) -> &[u32] {
        let count = self.kind.node_count();
        &self.nodes[element * count..(element + 1) * count]
    }

    fn gradients_at(&self, point: usize) -> &[[f64; 3]] {
        let count = self.kind.node_count();
        &self.gradients[point * count..(point + 1) * count]
    }

    /// The constants of Lamé, in pascals.
    fn lame(&self) -> (f64, f64) {
        if self.kind.dimension() == 2 {
            self.material.plane_stress()
        } else {
            self.material.lame()
        }
    }

    /// The columns of ∂u/∂X at a point, in its rest frame.
    fn displacement_gradient(&self, positions: &[DVec3], point: usize) -> [DVec3; 3] {
        let nodes = self.element_nodes(point / self.point_count);
        let gradients = self.gradients_at(point);
        let mut displacement = [DVec3::ZERO; 3];
        for (&node, gradient) in nodes.iter().zip(gradients) {
            let u = positions[node as usize] - self.rest_positions[node as usize];
            for (column, slope) in displacement.iter_mut().zip(gradient) {
                *column += u * *slope;
            }
        }
        displacement
    }

    /// F at a point of a solid.
    fn deformation_gradient(&self, positions: &[DVec3], point: usize) -> DMat3 {
        let [x, y, z] = self.displacement_gradient(positions, point);
        DMat3::from_cols(x, y, z) + DMat3::IDENTITY
    }

    /// The constants of Lamé for laws of the deformation gradient.
    fn constants(&self) -> Lame {
        let (lambda, mu) = self.lame();
        Lame { lambda, mu }
    }

    /// Strain and stress at a point.
    fn at(&self, positions: &[DVec3], point: usize) -> PointState {
        let rest_frame = self.frames[point];
        let displacement = self.displacement_gradient(positions, point);
        let mut strain = DMat3::ZERO;
        let dimension = self.kind.dimension();
        for i in 0..dimension {
            for j in 0..dimension {
                let mut twice =
                    rest_frame[i].dot(displacement[j]) + rest_frame[j].dot(displacement[i]);
                if self.strain == Strain::Green {
                    twice += displacement[i].dot(displacement[j]);
                }
                strain.col_mut(j)[i] = 0.5 * twice;
            }
        }
        let (lambda, mu) = self.lame();
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let mut stress = 2.0 * mu * strain;
        for i in 0..dimension {
            stress.col_mut(i)[i] += lambda * trace;
        }
        let mut frame = rest_frame;
        if self.strain == Strain::Green {
            for (column, displacement) in frame.iter_mut().zip(displacement) {
                *column += displacement;
            }
        }
        PointState {
            frame,
            strain,
            stress,
        }
    }

    /// The columns of the first Piola-Kirchhoff stress at a point, in its rest frame.
    fn pull(&self, positions: &[DVec3], point: usize) -> [DVec3; 3] {
        if let Some(law) = self.strain.law() {
            let f = self.deformation_gradient(positions, point);
            let stress = law.stress(f, self.constants());
            return [stress.x_axis, stress.y_axis, stress.z_axis];
        }
        let at = self.at(positions, point);
        let [f0, f1, f2] = at.frame;
        [at.stress.x_axis, at.stress.y_axis, at.stress.z_axis]
            .map(|column| f0 * column.x + f1 * column.y + f2 * column.z)
    }

    /// Adds the Hessian at a point to the blocks of its element, those with row <= column only.
    fn add_point_hessian(&mut self, positions: &[DVec3], point: usize, curvature: Curvature) {
        if let Some(law) = self.strain.law() {
            return self.add_law_hessian(law, positions, point, curvature);
        }
        let at = self.at(positions, point);
        let stress = match (self.strain, curvature) {
            (Strain::Linear, _) | (_, Curvature::Material) => DMat3::ZERO,
            (_, Curvature::Full) => at.stress,
            (_, Curvature::Positive) => positive_stress(at.stress),
        };
        let size = self.sizes[point] * self.thickness;
        let (lambda, mu) = self.lame();
        let count = self.kind.node_count();
        let gradients = &self.gradients[point * count..(point + 1) * count];
        let [f0, f1, f2] = at.frame;
        let squared = outer(f0, f0) + outer(f1, f1) + outer(f2, f2);
        let mut moved = [DVec3::ZERO; MOST_NODES];
        for (moved, g) in moved.iter_mut().zip(gradients) {
            *moved = f0 * g[0] + f1 * g[1] + f2 * g[2];
        }
        for a in 0..count {
            let g_a = DVec3::from_array(gradients[a]);
            let pulled = stress * g_a;
            for b in a..count {
                let g_b = DVec3::from_array(gradients[b]);
                let mut block = outer(lambda * moved[a], moved[b])
                    + outer(mu * moved[b], moved[a])
                    + mu * g_a.dot(g_b) * squared;
                let geometric = pulled.dot(g_b);
                block.x_axis.x += geometric;
                block.y_axis.y += geometric;
                block.z_axis.z += geometric;
                self.blocks[a * count + b] += size * block;
            }
        }
    }

    /// The same for a law of the deformation gradient.
    fn add_law_hessian(
        &mut self,
        law: &dyn Law,
        positions: &[DVec3],
        point: usize,
        curvature: Curvature,
    ) {
        let f = self.deformation_gradient(positions, point);
        let linearised = law.linearise(f, self.constants(), curvature);
        let (size, count) = (self.sizes[point], self.kind.node_count());
        let gradients = &self.gradients[point * count..(point + 1) * count];
        let mut in_frame = [DVec3::ZERO; MOST_NODES];
        for (target, g) in in_frame.iter_mut().zip(gradients) {
            *target = linearised.right.transpose() * DVec3::from_array(*g);
        }
        for a in 0..count {
            for b in a..count {
                let block = linearised.block_in_frame(in_frame[a], in_frame[b]);
                self.blocks[a * count + b] += size * block;
            }
        }
    }
}

/// Strain and stress at a point, in its rest frame.
struct PointState {
    /// The columns of F; for small strain those of the rest frame.
    frame: [DVec3; 3],
    strain: DMat3,
    stress: DMat3,
}

fn contract(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

impl Energy for IsoparametricElements {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for nodes in self.nodes.chunks_exact(self.kind.node_count()) {
            visit_pairs(nodes, visit);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.slots.clear();
        for nodes in self.nodes.chunks_exact(self.kind.node_count()) {
            for &row in nodes {
                let slots = nodes.iter().map(|&column| slot(matrix, row, column));
                self.slots.extend(slots);
            }
        }
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        let density = |point: usize| match self.strain.law() {
            Some(law) => law.energy(
                self.deformation_gradient(positions, point),
                self.constants(),
            ),
            None => {
                let at = self.at(positions, point);
                0.5 * contract(&at.strain, &at.stress)
            }
        };
        ordered_sum(self.sizes.len(), |first, end| {
            let mut sum = 0.0;
            for point in first..end {
                sum += self.sizes[point] * self.thickness * density(point);
            }
            sum
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for point in 0..self.sizes.len() {
            // The first Piola-Kirchhoff stress, times the size.
            let size = self.sizes[point] * self.thickness;
            let pull = self.pull(positions, point).map(|column| size * column);
            let nodes = self.element_nodes(point / self.point_count);
            for (&node, g) in nodes.iter().zip(self.gradients_at(point)) {
                gradient[node as usize] += pull[0] * g[0] + pull[1] * g[1] + pull[2] * g[2];
            }
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        let count = self.kind.node_count();
        for element in 0..self.len() {
            self.blocks.fill(DMat3::ZERO);
            for point in element * self.point_count..(element + 1) * self.point_count {
                self.add_point_hessian(positions, point, curvature);
            }
            let slots = &self.slots[element * count * count..(element + 1) * count * count];
            for a in 0..count {
                matrix.add_at(slots[a * count + a] as usize, self.blocks[a * count + a]);
                for b in a + 1..count {
                    let block = self.blocks[a * count + b];
                    matrix.add_at(slots[a * count + b] as usize, block);
                    matrix.add_at(slots[b * count + a] as usize, block.transpose());
                }
            }
        }
    }
}

//! Fracture of tetrahedra: faces between elements that are pulled too hard break.
//!
//! ```text
//! ratio = c n·σ n / (limit t)      or      c (|F N| - 1) / (limit t),
//! ```
//!
//! the mean of the two elements at the face
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | σ | Cauchy's stress of an element | Pa |
//! | n, N | unit normal of the face, as it is and at rest | 1 |
//! | t | the face's own tolerance, spread at random round 1 | 1 |
//! | c | 1, and 1 more for each open edge of a face at the tip of a crack | 1 |
//!
//! An edge is open if it belongs to a broken face or to the outside; a face is at the tip of a crack
//! if an edge of it belongs to a broken face.
//!
//! Only faces whose ratio exceeds 1 may break, and of these only the `at_once` worst in a step.
//! Tolerances are drawn from the seed and the place of the face alone. A face that breaks changes
//! no position, velocity, mass or stiffness, so energy and momentum are kept by it.
//!
//! The stress at the tip of a crack is higher than elements of constant stress can show, and as long
//! as its vertices hold together a broken face does not even unload its neighbours: without c,
//! cracks would be scattered over all that is loaded evenly and would not run.
//!
//! Departure: the paper breaks links of a grid; elements of a mesh come apart at their faces.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.3, 4.4.

use super::Loaded;
use super::elements::{Elements, fill};
use super::inner_faces::{InnerFace, InnerFaces};
use crate::energy::ElementMemory;
use crate::process::{Fracture, FractureCriterion};
use glam::{DMat3, DVec3};

/// The largest c: all three edges of the face are open.
const LARGEST: f64 = 4.0;

/// Finds faces that break.
#[derive(Debug)]
pub(super) struct FaceBreaker {
    /// σ or F of each element.
    tensors: Vec<DMat3>,
    /// Unit normals of the faces at rest, out of their first elements.
    normals: Vec<DVec3>,
}

fn normal(face: &InnerFace, positions: &[DVec3]) -> DVec3 {
    let [a, b, c] = face.pairs.map(|pair| positions[pair[0] as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

impl FaceBreaker {
    pub(super) fn new(
        elements: &Elements,
        inner_faces: &InnerFaces,
        rest_positions: &[DVec3],
    ) -> Self {
        let faces = inner_faces.faces().iter();
        Self {
            tensors: vec![DMat3::ZERO; elements.len()],
            normals: faces.map(|face| normal(face, rest_positions)).collect(),
        }
    }

    /// Finds the faces that are beyond their limit.
    pub(super) fn find_overloaded(
        &mut self,
        fracture: &Fracture,
        inner_faces: &InnerFaces,
        loaded: Loaded,
        broken: &[bool],
        found: &mut Vec<(f64, usize)>,
    ) {
        let Loaded {
            elements,
            layers,
            positions,
        } = loaded;
        fill(&mut self.tensors, |element| {
            let deformation = elements.deformation(element, positions);
            match fracture.criterion {
                FractureCriterion::Elongation => deformation,
                FractureCriterion::Stress => stress(elements, layers, element, deformation),
            }
        });
        for (index, face) in inner_faces.faces().iter().enumerate() {
            if broken[index] {
                continue;
            }
            let [first, second] = face.elements.map(|e| self.tensors[e as usize]);
            let pull = match fracture.criterion {
                FractureCriterion::Elongation => {
                    let rest = self.normals[index];
                    0.5 * ((first * rest).length() + (second * rest).length()) - 1.0
                }
                FractureCriterion::Stress => {
                    let n = normal(face, positions);
                    0.5 * n.dot((first + second) * n)
                }
            };
            let limit = fracture.limit * fracture.tolerance(index);
            // Few faces are near their limit: only those look at their neighbours.
            if LARGEST * pull <= limit {
                continue;
            }
            let ratio = concentration(inner_faces, broken, index) * pull / limit;
            if ratio > 1.0 {
                found.push((ratio, index));
            }
        }
    }
}

/// c of a face.
fn concentration(inner_faces: &InnerFaces, broken: &[bool], index: usize) -> f64 {
    let is_cracked = |edge| {
        let mut others = inner_faces.neighbours(index, edge).iter();
        others.any(|&other| broken[other as usize])
    };
    let cracked = [0, 1, 2].map(is_cracked);
    if cracked == [false; 3] {
        return 1.0;
    }
    let open = (0..3).filter(|&edge| cracked[edge] || inner_faces.is_outer_edge(index, edge));
    1.0 + open.count() as f64
}

/// σ = Σ over layers of share P(F_l) F_lᵀ / det F, F_l = F times the rest state of the layer.
fn stress(
    elements: &Elements,
    layers: &[ElementMemory],
    element: usize,
    deformation: DMat3,
) -> DMat3 {
    let material = elements.materials[element];
    let kirchhoff = |seen: DMat3| elements.law.stress(seen, material) * seen.transpose();
    let mut sum = DMat3::ZERO;
    for layer in layers {
        sum += layer.shares[element] * kirchhoff(deformation * layer.rests[element]);
    }
    if layers.is_empty() {
        sum = kirchhoff(deformation);
    }
    // An element that is flat has no volume to divide by; it is not one that is pulled apart.
    sum * deformation.determinant().max(0.05).recip()
}

//! Bending of cloth and shells: the angle between two triangles that share an edge.
//!
//! ```text
//! E(x) = Σ over inner edges of ½ k (θ - θ⁰)²,    k = D |e|² / A
//! ```
//!
//! Implements: \[Grinspun2003\], discrete shells. θ is the angle between the two normals, with its
//! sign: 0 where the surface is flat; θ⁰ the one at rest.
//!
//! D flexural rigidity (N m), e the edge and A the area of its two triangles, both at rest. The
//! paper's weight is 3 |e|² / A (times a stiffness without physical meaning), as if every edge had a
//! third of the area of its triangles to itself. Bending a sheet to a cylinder folds about a third
//! of its edges, by three times the angle that share would give, so that the energy would come out
//! three times too large; without the 3 the sheet stores ½ D κ² an area, as a plate does, exactly so
//! for a lattice of equilateral triangles \[Seung1988\].
//!
//! **Derivatives.** From the start of the edge, let e be the edge, a and b the opposite corners of
//! the two triangles, N_a = e × a and N_b = b × e their normals of twice the area, t_a = a·e / e²
//! where a is along the edge. Then
//!
//! ```text
//! ∂θ/∂a = -|e| N_a / N_a²,  ∂θ/∂b = -|e| N_b / N_b²,  ∂θ/∂e = -t_a ∂θ/∂a - t_b ∂θ/∂b
//! ```
//!
//! and the second derivatives follow from these; θ does not couple a with b. The positive part of
//! the Hessian is k ∇θ ∇θᵀ.

use super::assembly::Assembly;
use super::block_check::check_block;
use super::isoparametric::rest_measure;
use super::material::positive;
use super::slots::visit_pairs;
use super::{FemError, MeshEnergy};
use crate::elastic::Curvature;
use crate::linear::BlockMatrix;
use crate::math::parallel::ordered_sum;
use crate::math::{cross_matrix, outer};
use crate::mesh::{ElementBlock, ElementKind};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Triangles smaller than this part of the squared length of their edge have no normal.
const SMALLEST: f64 = 1e-12;

/// Bending at the inner edges of a mesh of triangles; see the module.
#[derive(Clone, Debug)]
pub struct HingeBending {
    hinges: Vec<Hinge>,
    assembly: Assembly<4>,
}

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Start and end of the edge, and the corners of the two triangles across from it.
    pub nodes: [u32; 4],
    /// Stiffness k, in newton metres.
    pub stiffness: f64,
    /// The angle at rest, in radians.
    pub rest_angle: f64,
}

impl HingeBending {
    /// Hinges at all edges that triangles share, at rest at `positions`. Where more than two
    /// triangles meet, each has a hinge with the next, in the order of the block. Triangles need
    /// not be oriented alike.
    ///
    /// - `rigidity`: the flexural rigidity D, in newton metres.
    pub fn new(block: &ElementBlock, positions: &[DVec3], rigidity: f64) -> Result<Self, FemError> {
        positive("the flexural rigidity", rigidity)?;
        let kind = ElementKind::Triangle3;
        check_block(
            block,
            positions,
            kind,
            "bending at hinges",
            "triangles of three nodes",
        )?;
        let mut open: BTreeMap<[u32; 2], (u32, f64)> = BTreeMap::new();
        let mut hinges = Vec::new();
        for (element, nodes) in block.elements().enumerate() {
            let area = rest_measure(kind, positions, nodes, element)?;
            for corner in 0..3 {
                let (a, b) = (nodes[(corner + 1) % 3], nodes[(corner + 2) % 3]);
                let edge = [a.min(b), a.max(b)];
                let across = (nodes[corner], area);
                let Some((other, other_area)) = open.insert(edge, across) else {
                    continue;
                };
                // Two triangles with the same corners cannot bend.
                if other == nodes[corner] {
                    continue;
                }
                let nodes = [edge[0], edge[1], other, nodes[corner]];
                let [start, end] = edge.map(|node| positions[node as usize]);
                hinges.push(Hinge {
                    nodes,
                    stiffness: rigidity * start.distance_squared(end) / (area + other_area),
                    rest_angle: Fold::new(positions, &nodes).angle(),
                });
            }
        }
        Ok(Self {
            hinges,
            assembly: Assembly::default(),
        })
    }

    /// The hinges.
    pub fn hinges(&self) -> &[Hinge] {
        &self.hinges
    }

    /// Gives a hinge another angle at rest, in radians: a crease.
    ///
    /// # Panics
    /// If there is no such hinge.
    pub fn set_rest_angle(&mut self, hinge: usize, angle: f64) -> Result<(), FemError> {
        if !angle.is_finite() {
            return Err(FemError::Parameter {
                parameter: "the rest angle of a hinge",
                expected: "a finite number",
                value: angle,
            });
        }
        self.hinges[hinge].rest_angle = angle;
        Ok(())
    }
}

impl Hinge {
    /// θ - θ⁰, the short way round.
    #[inline]
    fn bend(&self, fold: &Fold) -> f64 {
        let bend = fold.angle() - self.rest_angle;
        if bend.abs() <= PI {
            bend
        } else {
            bend - TAU * (bend / TAU).round()
        }
    }
}

/// A hinge as it is now: vectors from the start of its edge.
struct Fold {
    edge: DVec3,
    length: f64,
    /// 1 / e², or 0 for an edge without length.
    inverse_square: f64,
    sides: [Side; 2],
}

/// One of the two triangles of a fold.
struct Side {
    /// The opposite corner.
    corner: DVec3,
    /// N, twice the area long.
    normal: DVec3,
    /// 1 / N², or 0 for a triangle without area.
    inverse_square: f64,
    /// Where the corner is along the edge: 0 at its start, 1 at its end.
    along: f64,
}

impl Fold {
    #[inline]
    fn new(positions: &[DVec3], nodes: &[u32; 4]) -> Self {
        let [start, end, a, b] = nodes.map(|node| positions[node as usize]);
        let (edge, a, b) = (end - start, a - start, b - start);
        let square = edge.length_squared();
        let smallest = SMALLEST * square;
        let inverse_square = inverse_above(square, 0.0);
        let side = |corner: DVec3, normal: DVec3| Side {
            corner,
            normal,
            inverse_square: inverse_above(normal.length_squared(), smallest * smallest),
            along: corner.dot(edge) * inverse_square,
        };
        Self {
            edge,
            length: square.sqrt(),
            inverse_square,
            sides: [side(a, edge.cross(a)), side(b, b.cross(edge))],
        }
    }

    #[inline]
    fn angle(&self) -> f64 {
        let [a, b] = [self.sides[0].normal, self.sides[1].normal];
        let sine = self.edge.dot(a.cross(b));
        sine.atan2(self.length * a.dot(b))
    }

    /// ∂θ/∂a, ∂θ/∂b.
    #[inline]
    fn corner_slopes(&self) -> [DVec3; 2] {
        [0, 1].map(|i| {
            let side = &self.sides[i];
            side.normal * (-self.length * side.inverse_square)
        })
    }

    /// ∂θ/∂x of the four nodes.
    #[inline]
    fn slopes(&self) -> [DVec3; 4] {
        let [a, b] = self.corner_slopes();
        let end = -(a * self.sides[0].along) - b * self.sides[1].along;
        [-end - a - b, end, a, b]
    }

    /// The second derivatives by e, a and b: ee, ea, eb, aa, ab, bb.
    #[inline]
    fn second_slopes(&self) -> [DMat3; 6] {
        let slopes = self.corner_slopes();
        let direction = self.edge * (self.length * self.inverse_square);
        let edge = cross_matrix(self.edge);
        let mut ee = DMat3::ZERO;
        // The side's corner with e, and with itself.
        let mixed = [0, 1].map(|i| {
            let side = &self.sides[i];
            // N turns as de × c + e × dc on the first side, and as the opposite on the second.
            let sign = if i == 0 { 1.0 } else { -1.0 };
            let scaled = side.normal * side.inverse_square;
            let reflection = DMat3::IDENTITY - outer(2.0 * scaled, side.normal);
            let reflection = reflection * (-sign * self.length * side.inverse_square);
            let ce = -(reflection * cross_matrix(side.corner)) - outer(scaled, direction);
            let along_slope = (side.corner - 2.0 * side.along * self.edge) * self.inverse_square;
            ee -= outer(slopes[i], along_slope) + side.along * ce;
            [ce.transpose(), reflection * edge]
        });
        let [[ea, aa], [eb, bb]] = mixed;
        [ee, ea, eb, aa, DMat3::ZERO, bb]
    }
}

#[inline]
fn inverse_above(value: f64, smallest: f64) -> f64 {
    if value > smallest && value > f64::MIN_POSITIVE {
        1.0 / value
    } else {
        0.0
    }
}

impl MeshEnergy for HingeBending {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for hinge in &self.hinges {
            visit_pairs(&hinge.nodes, visit);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let elements = self.hinges.iter().map(|hinge| hinge.nodes);
        self.assembly.attach(matrix, elements);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        ordered_sum(self.hinges.len(), |first, end| {
            let mut sum = 0.0;
            for hinge in &self.hinges[first..end] {
                let bend = hinge.bend(&Fold::new(positions, &hinge.nodes));
                sum += 0.5 * hinge.stiffness * bend * bend;
            }
            sum
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let count = self.hinges.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let hinge = &self.hinges[element];
                let fold = Fold::new(positions, &hinge.nodes);
                let moment = hinge.stiffness * hinge.bend(&fold);
                for (&node, slope) in hinge.nodes.iter().zip(fold.slopes()) {
                    window.add(node, moment * slope);
                }
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let hinge = &self.hinges[element];
            let fold = Fold::new(positions, &hinge.nodes);
            let [_, e, a, b] = fold.slopes();
            let [ke, ka, kb] = [e, a, b].map(|slope| hinge.stiffness * slope);
            let mut blocks = [
                outer(ke, e),
                outer(ke, a),
                outer(ke, b),
                outer(ka, a),
                outer(ka, b),
                outer(kb, b),
            ];
            if curvature == Curvature::Full {
                let moment = hinge.stiffness * hinge.bend(&fold);
                for (block, second) in blocks.iter_mut().zip(fold.second_slopes()) {
                    *block += moment * second;
                }
            }
            window.add_differences(slots, &blocks);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::contract::EnergyContract;
    use crate::fem::test_meshes::{box_mesh, distort};

    #[test]
    fn contract_of_flat_and_curved_sheets() {
        let size = DVec3::new(1.0, 1.0, 0.0);
        let mut mesh = box_mesh(ElementKind::Triangle3, [3, 2, 1], size);
        for curved in [0.0, 0.4] {
            distort(&mut mesh, size, 0.05);
            for x in &mut mesh.positions {
                x.z = curved * (x.x * x.x - 0.5 * x.x * x.y);
            }
            let mut bending = HingeBending::new(&mesh.blocks[0], &mesh.positions, 0.02).unwrap();
            assert_eq!(bending.hinges().len(), 13);
            EnergyContract::new(&mesh.positions).check(&mut bending);
            EnergyContract::new(&mesh.positions)
                .displaced_by(0.5)
                .check(&mut bending);
            EnergyContract::new(&mesh.positions).check_crushed(&mut bending);
        }
    }

    #[test]
    fn contract_where_triangles_are_oriented_at_random_and_three_meet() {
        let positions = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::new(0.3, 1.0, 0.2),
            DVec3::new(0.6, -0.8, 0.5),
            DVec3::new(0.4, 0.1, -0.9),
        ];
        let nodes = vec![0, 1, 2, 0, 1, 3, 1, 0, 4];
        let block = ElementBlock::new(ElementKind::Triangle3, nodes);
        let mut bending = HingeBending::new(&block, &positions, 0.02).unwrap();
        assert_eq!(bending.hinges().len(), 2);
        EnergyContract::new(&positions).check(&mut bending);
    }

    #[test]
    fn the_angle_is_that_of_the_fold() {
        let block = ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2, 1, 0, 3]);
        let flat = vec![DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y];
        let mut bending = HingeBending::new(&block, &flat, 0.5).unwrap();
        // k = D e² / A = 0.5 with an edge of 1 m between two triangles of 0.5 m².
        assert!((bending.hinges()[0].stiffness - 0.5).abs() < 1e-15);
        for angle in [0.3_f64, -1.2, 3.0] {
            let mut folded = flat.clone();
            folded[2] = DVec3::new(0.0, angle.cos(), angle.sin());
            let energy = bending.energy(&folded);
            assert!((energy - 0.25 * angle * angle).abs() < 1e-12, "{energy}");
        }
        // At rest at 3 rad, a fold of -3 rad is only 2π - 6 away.
        let sign = Fold::new(
            &[flat[0], flat[1], DVec3::new(0.0, 0.5, 0.5), flat[3]],
            &[0, 1, 2, 3],
        )
        .angle()
        .signum();
        bending.set_rest_angle(0, 3.0 * sign).unwrap();
        let mut folded = flat.clone();
        folded[2] = DVec3::new(0.0, 3.0_f64.cos(), -(3.0_f64.sin()));
        let expected = 0.25 * (TAU - 6.0) * (TAU - 6.0);
        assert!((bending.energy(&folded) - expected).abs() < 1e-12);
        assert!(bending.set_rest_angle(0, f64::NAN).is_err());
    }

    /// The energy of a sheet of equilateral triangles rolled up to a cylinder of radius `radius`
    /// whose axis is turned by `turn`, over that of a plate, ½ D area / radius².
    fn energy_of_cylinder(turn: f64, radius: f64) -> f64 {
        let cells = 24;
        let mesh = box_mesh(
            ElementKind::Triangle3,
            [cells, cells, 1],
            DVec3::new(1.0, 1.0, 0.0),
        );
        let sheared = |x: &DVec3| DVec3::new(x.x - 0.5 * x.y, 0.75_f64.sqrt() * x.y, 0.0);
        let flat: Vec<DVec3> = mesh.positions.iter().map(sheared).collect();
        let mut bending = HingeBending::new(&mesh.blocks[0], &flat, 1.0).unwrap();
        let spin = DMat3::from_rotation_z(turn);
        let rolled: Vec<DVec3> = flat
            .iter()
            .map(|&x| {
                let x = spin * x;
                let (sine, cosine) = (x.x / radius).sin_cos();
                DVec3::new(radius * sine, x.y, radius * (1.0 - cosine))
            })
            .collect();
        let area = 0.75_f64.sqrt();
        // Edges of the border do not bend: n² cells have 3 n² - 2 n inner edges.
        let inner = bending.hinges().len() as f64 / (3 * cells * cells) as f64;
        bending.energy(&rolled) / (inner * 0.5 * area / (radius * radius))
    }

    #[test]
    fn a_cylinder_stores_the_energy_of_a_plate() {
        for turn in [0.0, 0.3, 0.7, 1.2] {
            let ratio = energy_of_cylinder(turn, 1.0);
            println!("turned by {turn}: {ratio}");
            // The border takes away 1 in 24 edges of two directions and none of the third.
            assert!((ratio - 1.0).abs() < 0.05, "turned by {turn}: {ratio}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let block = ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2]);
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(HingeBending::new(&block, &positions, 0.0).is_err());
        assert!(HingeBending::new(&block, &positions[..2], 1.0).is_err());
        let bending = HingeBending::new(&block, &positions, 1.0).unwrap();
        assert!(bending.hinges().is_empty());
    }
}

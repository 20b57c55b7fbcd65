//! What a body over a grid is made of, in physical units: the weights and masses of its nodes that
//! follow, for any number of nodes.
//!
//! The energies of `primal.rs` are sums over nodes of weights times squared measures in material
//! coordinates, which run from 0 to 1: h is the spacing of the grid there, ℓ the length of an edge
//! at rest, so that x_u = ℓ/h. Put equal to the energy of the continuum over the length ℓ, area A or
//! volume V that a node stands for:
//!
//! ```text
//! curve    ½ w¹ (Δℓ/h)²              = ½ E a (Δℓ/ℓ)² ℓ      w¹   = E a h²/ℓ
//!          ½ w² κ²                   = ½ E I κ² ℓ           w²   = E I ℓ
//!          ½ w³ τ²                   = ½ G J τ² ℓ           w³   = G J ℓ
//! surface  ¼ w¹ᵢᵢ (2 eᵢᵢ ℓᵢ²/hᵢ²)²     = ½ E t eᵢᵢ² A         w¹ᵢᵢ = ½ E t A (hᵢ/ℓᵢ)⁴
//!          ½ w¹₁₂ (2 e₁₂ ℓ₁ℓ₂/h₁h₂)²   = 2 G t e₁₂² A         w¹₁₂ = G t A (h₁h₂/ℓ₁ℓ₂)²
//!          ½ w²ᵢᵢ (κᵢᵢ ℓᵢ²/hᵢ²)²       = ½ S κᵢᵢ² A           w²ᵢᵢ = S A (hᵢ/ℓᵢ)⁴
//!          w²₁₂ (κ₁₂ ℓ₁ℓ₂/h₁h₂)²       = S/(1 + ν) κ₁₂² A     w²₁₂ = S/(1 + ν) A (h₁h₂/ℓ₁ℓ₂)²
//!          ½ (S κ₁₁² + S κ₂₂² + 2 ν S κ₁₁ κ₂₂) A / (1 - ν²)    where a node has both
//! solid    ¼ w¹ᵢᵢ (2 eᵢᵢ ℓᵢ²/hᵢ²)²     = μ eᵢᵢ² V             w¹ᵢⱼ = μ V (hᵢhⱼ/ℓᵢℓⱼ)²
//!          ½ v w¹ᵢᵢ(ℓᵢ/hᵢ)⁴ (J - 1)²   = ½ λ (J - 1)² V       v    = λ/μ = 2ν/(1 - 2ν)
//! ```
//!
//! E Young's modulus, ν Poisson's ratio, G = μ = E / 2(1 + ν), λ Lamé's first constant; a curve has
//! a round section of diameter t: a = π t²/4, I = π t⁴/64, J = 2 I; a surface has the thickness t and the
//! flexural rigidity D = E t³/12 (1 - ν²); S = D (1 - ν²) is that of a strip, whose edges are free to curl the
//! other way. Together the terms of bending are Kirchhoff's plate, ½ D ((κ₁₁ + κ₂₂)² - 2 (1 - ν)
//! (κ₁₁ κ₂₂ - κ₁₂²)). e is Green's strain, κ curvature, τ torsion.
//!
//! On a uniform grid of N nodes over a length L the weights of a curve therefore scale as
//! w¹ ~ E a / (L (N-1)), w² ~ E I L / (N-1); those of a square sheet as w¹ ~ ½ E t (h/L)² L², that is
//! with the inverse of the number of cells; masses too. A node at a free edge stands for half of the
//! area of one inside (a quarter at a corner): the energy shares its weights in that way by itself,
//! and the masses here do the same.
//!
//! Departure from the continuum: the energy of a surface has no term that couples the stretch of its two
//! directions, so stretched along one it does not change across. E t is its stiffness along one direction, as
//! for woven cloth; Poisson's ratio enters through shear and bending. Solids couple the directions by their
//! volume term.

use super::weights::Weights;
use crate::grid::Grid;
use glam::DVec3;
use std::f64::consts::PI;

/// What a body over a grid is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridMaterial {
    /// Young's modulus E, in pascals.
    pub young: f64,
    /// Poisson's ratio ν, above -1 and below ½.
    pub poisson: f64,
    /// Mass of a cubic metre, in kilograms.
    pub density: f64,
    /// Thickness of a surface, diameter of a curve, in metres; solids do not use it.
    pub thickness: f64,
    /// Stiffness against stretching instead of that of E and t: E a of a curve in newtons, E t of a
    /// surface in newtons per metre.
    pub stretching: Option<f64>,
    /// Stiffness against bending instead of that of E and t: E I of a curve in newton square metres,
    /// D of a surface as a plate in newton metres.
    pub rigidity: Option<f64>,
}

impl GridMaterial {
    /// The weights of every node of a grid with a rest shape.
    pub fn weights(&self, grid: &Grid, rest: &[DVec3]) -> Weights {
        let mut weights = Weights::uniform(rest.len(), 0.0, 0.0, 0.0);
        let shear = 0.5 / (1.0 + self.poisson);
        for (node, coordinates) in grid.nodes().enumerate() {
            let cell = Cell::round(grid, rest, coordinates);
            match grid.dimension() {
                1 => {
                    let moment = PI * self.thickness.powi(4) / 64.0;
                    let bending = self.rigidity.unwrap_or(self.young * moment);
                    let stretching = self.stretching.unwrap_or(self.young * self.section());
                    weights.tensions[node][0][0] = stretching * cell.size * cell.scale(0, 0);
                    weights.rigidities[node][0][0] = bending * cell.size;
                    weights.twists[node] = 2.0 * shear * bending * cell.size;
                }
                2 => {
                    let stretching = self.stretching.unwrap_or(self.young * self.thickness);
                    let strip = self.young * self.thickness.powi(3) / 12.0;
                    let of_plate = |rigidity| rigidity * (1.0 - self.poisson * self.poisson);
                    let bending = self.rigidity.map_or(strip, of_plate);
                    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        let size = cell.size * cell.scale(i, j).powi(2);
                        let (of_tension, of_rigidity) = match i == j {
                            true => (0.5, 1.0),
                            false => (shear, 1.0 / (1.0 + self.poisson)),
                        };
                        weights.tensions[node][i][j] = of_tension * stretching * size;
                        weights.rigidities[node][i][j] = of_rigidity * bending * size;
                    }
                }
                _ => {
                    for (i, row) in weights.tensions[node].iter_mut().enumerate() {
                        for (j, weight) in row.iter_mut().enumerate() {
                            let scale = cell.scale(i, j).powi(2);
                            *weight = shear * self.young * cell.size * scale;
                        }
                    }
                }
            }
        }
        (weights.volume, weights.poisson) = match grid.dimension() {
            3 => (2.0 * self.poisson / (1.0 - 2.0 * self.poisson), 0.0),
            2 => (0.0, self.poisson),
            _ => (0.0, 0.0),
        };
        weights
    }

    /// The mass of every node of a grid with a rest shape, in kilograms.
    pub fn masses(&self, grid: &Grid, rest: &[DVec3]) -> Vec<f64> {
        let section = match grid.dimension() {
            1 => self.section(),
            2 => self.thickness,
            _ => 1.0,
        };
        let sizes = node_sizes(grid, rest);
        sizes
            .into_iter()
            .map(|size| self.density * section * size)
            .collect()
    }

    /// Area of the round section of a curve, in square metres.
    fn section(&self) -> f64 {
        0.25 * PI * self.thickness * self.thickness
    }
}

/// Length, area or volume of the rest shape that each node of a grid stands for, in metres, square or
/// cubic metres; together those of the whole.
pub fn node_sizes(grid: &Grid, rest: &[DVec3]) -> Vec<f64> {
    let sizes = grid.nodes().map(|coordinates| {
        let cell = Cell::round(grid, rest, coordinates);
        cell.size * cell.share
    });
    sizes.collect()
}

/// The cells round a node of a grid, of which some are missing at a free edge.
struct Cell {
    /// Mean length, area or volume of those that exist.
    size: f64,
    /// Share of them that exists.
    share: f64,
    /// hᵢ/ℓᵢ: spacing of the grid by the mean length of the edges.
    spacings: [f64; 3],
}

impl Cell {
    fn round(grid: &Grid, rest: &[DVec3], coordinates: [usize; 3]) -> Self {
        let centre = rest[grid.index(coordinates)];
        let dimension = grid.dimension();
        let edge = |direction: usize, sign: i32| {
            let mut step = [0; 3];
            step[direction] = sign;
            let end = grid.neighbour(coordinates, step)?;
            Some(f64::from(sign) * (rest[end] - centre))
        };
        let mut spacings = [1.0; 3];
        for (direction, spacing) in spacings.iter_mut().enumerate().take(dimension) {
            let lengths = [-1, 1].map(|sign| edge(direction, sign).map(DVec3::length));
            let count = lengths.iter().flatten().count().max(1);
            let mean = lengths.iter().flatten().sum::<f64>() / count as f64;
            *spacing = grid.spacing(direction) / mean;
        }
        // A cell has 2^dimension corners; this node is one of each cell round it.
        let corners = 1 << dimension;
        let (mut total, mut found) = (0.0, 0);
        for signs in 0..corners {
            let ends: [Option<DVec3>; 3] = std::array::from_fn(|d| match d < dimension {
                true => edge(d, if signs >> d & 1 == 0 { 1 } else { -1 }),
                false => Some([DVec3::X, DVec3::Y, DVec3::Z][d]),
            });
            let [Some(a), Some(b), Some(c)] = ends else {
                continue;
            };
            total += match dimension {
                1 => a.length(),
                2 => a.cross(b).length(),
                _ => a.dot(b.cross(c)).abs(),
            };
            found += 1;
        }
        Self {
            size: total / f64::from(found.max(1)),
            share: f64::from(found) / f64::from(corners),
            spacings,
        }
    }

    /// hᵢhⱼ/ℓᵢℓⱼ.
    fn scale(&self, i: usize, j: usize) -> f64 {
        self.spacings[i] * self.spacings[j]
    }
}

//! The component of strain that a term of the elastic energy stands for; the table is in `strains.rs`.

use super::strains::StrainKind;
use crate::body::BodyDescription;
use crate::elastic::{MeasureKind, TermView};

/// What a term of the energy measures, its scale c, and stress by strain, in newtons.
pub(super) fn measured(term: &TermView, description: &BodyDescription) -> (StrainKind, f64, f64) {
    let (grid, rest) = (description.material_grid(), &description.rest_positions);
    let direction = |edge: usize| (term.edges[edge] % 3) as usize;
    // The first edge of a term joins its first two nodes, and the second the first and the third, but
    // for curves, whose nodes stand in a row.
    let edge_length =
        |a: usize, b: usize| (rest[term.nodes[b] as usize] - rest[term.nodes[a] as usize]).length();
    let weight = |i: usize, j: usize| {
        let tension = |&node: &u32| description.material_weights().tension(node as usize, i, j);
        let sum: f64 = term.nodes.iter().map(tension).sum();
        sum / term.nodes.len() as f64
    };
    match term.kind {
        MeasureKind::Metric => {
            let d = direction(0);
            let metric = (edge_length(0, 1) / grid.spacing(d)).powi(2);
            let modulus = 2.0 * metric * weight(d, d);
            (StrainKind::Stretch(d as u8), 0.5 / metric, modulus)
        }
        MeasureKind::Length => {
            let length = edge_length(0, 1) / grid.spacing(0);
            (StrainKind::Stretch(0), 1.0 / length, length * weight(0, 0))
        }
        MeasureKind::Shear => {
            let (i, j) = (direction(0), direction(1));
            let metric =
                edge_length(0, 1) * edge_length(0, 2) / (grid.spacing(i) * grid.spacing(j));
            let modulus = 2.0 * metric * weight(i, j);
            (StrainKind::Shear(i as u8, j as u8), 0.5 / metric, modulus)
        }
        MeasureKind::Volume => (StrainKind::Volume, 1.0 / 3.0, 3.0 * term.stiffness),
        MeasureKind::Curvature | MeasureKind::Torsion => {
            let scale = 0.5 * edge_length(0, 1);
            (StrainKind::Bend, scale, term.stiffness / scale)
        }
        // B is n·x_ij by the material coordinates: κ_ij = B h_i h_j / (l_i l_j).
        MeasureKind::Bending(d) => {
            let [before, after] = [1, 2].map(|side| 2 * usize::from(d) + side);
            let length = 0.5 * (edge_length(before, 0) + edge_length(0, after));
            let scale = 0.5 * grid.spacing(d.into()).powi(2) / length;
            (StrainKind::Bend, scale, term.stiffness / scale)
        }
        MeasureKind::Twisting => {
            let lengths = [
                0.5 * (edge_length(0, 1) + edge_length(2, 3)),
                0.5 * (edge_length(0, 2) + edge_length(1, 3)),
            ];
            let spacings = grid.spacing(0) * grid.spacing(1);
            let scale = 0.5 * spacings / (lengths[0] * lengths[1]).sqrt();
            (StrainKind::Bend, scale, term.stiffness / scale)
        }
    }
}

//! What the nodes of a facet stand for: the integrals of its interpolation functions at rest.
//!
//! ```text
//! s_a = ∫ N_a dS          n_a = ∫ N_a n dS
//! ```
//!
//! dS is an element of length, area or volume, n the unit normal of a face. Loads that are spread with
//! them are consistent with the elements \[Gibson1997, sect. 3.3\]. Facets that are no element of
//! their own take the functions of one that has them as a side: at ζ = -1 those of the 20-node brick
//! are the eight of its lower face, at η = -1 those of the 9-node quadrilateral the three of an edge.

use super::quadrature::{Integrand, QuadraturePoint, quadrature};
use super::shape::shape_functions;
use crate::force::NodeShare;
use crate::mesh::{ElementKind, Facet, FacetKind};
use glam::DVec3;

/// The nodes of the lower face of a brick that are those of an 8-node quadrilateral.
const LOWER_FACE: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];
/// The nodes of the first edge of a 9-node quadrilateral.
const FIRST_EDGE: [usize; 3] = [0, 1, 4];

/// Values of the functions and their slopes by ξ, η and ζ, node by node.
type Functions = Vec<(f64, [f64; 3])>;

fn functions_of(kind: ElementKind, xi: [f64; 3], nodes: &[usize]) -> Functions {
    let shape = shape_functions(kind, xi);
    let of = |&node: &usize| (shape.values[node], shape.slopes[node]);
    nodes.iter().map(of).collect()
}

fn brick8(xi: [f64; 3]) -> Functions {
    let square = functions_of(ElementKind::Quad4, xi, &[0, 1, 2, 3]);
    let layers = [-1.0, 1.0].into_iter().flat_map(|side| {
        let (value, slope) = (0.5 * (1.0 + side * xi[2]), 0.5 * side);
        let of =
            move |&(n, [a, b, _]): &(f64, [f64; 3])| (n * value, [a * value, b * value, n * slope]);
        square.iter().map(of).collect::<Vec<_>>()
    });
    layers.collect()
}

fn functions(kind: FacetKind, xi: [f64; 3]) -> Functions {
    let all = |kind: ElementKind| {
        let nodes: Vec<usize> = (0..kind.node_count()).collect();
        functions_of(kind, xi, &nodes)
    };
    match kind {
        FacetKind::Line2 => all(ElementKind::Line2),
        FacetKind::Line3 => functions_of(ElementKind::Quad9, [xi[0], -1.0, 0.0], &FIRST_EDGE),
        FacetKind::Triangle3 => all(ElementKind::Triangle3),
        FacetKind::Triangle6 => all(ElementKind::Triangle6),
        FacetKind::Quad4 => all(ElementKind::Quad4),
        FacetKind::Quad8 => functions_of(ElementKind::Brick20, [xi[0], xi[1], -1.0], &LOWER_FACE),
        FacetKind::Quad9 => all(ElementKind::Quad9),
        FacetKind::Tetrahedron4 => all(ElementKind::Tetrahedron4),
        FacetKind::Tetrahedron10 => all(ElementKind::Tetrahedron10),
        FacetKind::Brick8 => brick8(xi),
        FacetKind::Brick20 => all(ElementKind::Brick20),
    }
}

/// The points of an edge: two of Gauss are exact for straight edges, three for the product of a
/// quadratic function and a linear size.
fn rule(kind: FacetKind) -> Vec<QuadraturePoint> {
    let of = |kind| quadrature(kind, Integrand::Mass);
    match kind {
        FacetKind::Line2 => of(ElementKind::Line2),
        FacetKind::Line3 => {
            // The points of one row of a square, which count for its whole width.
            let middle = |point: &QuadraturePoint| point.xi[1] == 0.0;
            let row: Vec<QuadraturePoint> = of(ElementKind::Quad9);
            let row: Vec<QuadraturePoint> = row.into_iter().filter(middle).collect();
            let width: f64 = row.iter().map(|point| point.weight).sum::<f64>() / 2.0;
            let narrow = |point: QuadraturePoint| QuadraturePoint {
                weight: point.weight / width,
                ..point
            };
            row.into_iter().map(narrow).collect()
        }
        FacetKind::Triangle3 => of(ElementKind::Triangle3),
        FacetKind::Triangle6 => of(ElementKind::Triangle6),
        FacetKind::Quad4 => of(ElementKind::Quad4),
        FacetKind::Quad8 | FacetKind::Quad9 => of(ElementKind::Quad9),
        FacetKind::Tetrahedron4 => of(ElementKind::Tetrahedron4),
        FacetKind::Tetrahedron10 => of(ElementKind::Tetrahedron10),
        FacetKind::Brick8 | FacetKind::Brick20 => of(ElementKind::Brick20),
    }
}

/// What each node of a facet stands for at rest.
pub fn node_shares(facet: &Facet, positions: &[DVec3]) -> Vec<NodeShare> {
    let mut shares: Vec<NodeShare> = facet
        .nodes
        .iter()
        .map(|&node| NodeShare {
            node: node as usize,
            size: 0.0,
            normal: DVec3::ZERO,
        })
        .collect();
    for point in rule(facet.kind) {
        let functions = functions(facet.kind, point.xi);
        let mut tangents = [DVec3::ZERO; 3];
        for (share, (_, slopes)) in shares.iter().zip(&functions) {
            for (tangent, slope) in tangents.iter_mut().zip(slopes) {
                *tangent += *slope * positions[share.node];
            }
        }
        let [a, b, c] = tangents;
        let (size, normal) = match facet.kind {
            FacetKind::Line2 | FacetKind::Line3 => (a.length(), DVec3::ZERO),
            FacetKind::Tetrahedron4
            | FacetKind::Tetrahedron10
            | FacetKind::Brick8
            | FacetKind::Brick20 => (a.cross(b).dot(c).abs(), DVec3::ZERO),
            _ => (a.cross(b).length(), a.cross(b)),
        };
        for (share, (value, _)) in shares.iter_mut().zip(&functions) {
            share.size += point.weight * value * size;
            share.normal += point.weight * *value * normal;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(kind: FacetKind, places: &[DVec3]) -> Vec<f64> {
        let facet = Facet {
            kind,
            nodes: (0..places.len() as u32).collect(),
        };
        let shares = node_shares(&facet, places);
        shares.iter().map(|share| share.size).collect()
    }

    fn places(list: &[[f64; 3]], size: DVec3) -> Vec<DVec3> {
        list.iter().map(|&x| size * DVec3::from(x)).collect()
    }

    /// The shares that textbooks give, of facets with straight edges and middles in the middle.
    #[test]
    fn shares_are_those_of_textbooks() {
        use super::super::shape::master_nodes;
        let close = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}");
            }
        };
        let size = DVec3::new(1.5, 1.0, 1.0);
        // A line of length 3: halves; sixths and two thirds.
        let line = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        close(
            &sizes(FacetKind::Line2, &places(&line[..2], size)),
            &[1.5; 2],
        );
        close(
            &sizes(FacetKind::Line3, &places(&line, size)),
            &[0.5, 0.5, 2.0],
        );
        // A rectangle of area 6.
        let square = master_nodes(ElementKind::Quad9);
        close(
            &sizes(FacetKind::Quad4, &places(&square[..4], size)),
            &[1.5; 4],
        );
        let eight = [[-0.5; 4], [2.0; 4]].concat();
        close(
            &sizes(FacetKind::Quad8, &places(&square[..8], size)),
            &eight,
        );
        let nine = [vec![1.0 / 6.0; 4], vec![4.0 / 6.0; 4], vec![16.0 / 6.0]].concat();
        close(&sizes(FacetKind::Quad9, &places(square, size)), &nine);
        // Triangles of area 0.75.
        let triangle = master_nodes(ElementKind::Triangle6);
        let three = places(&triangle[..3], size);
        close(&sizes(FacetKind::Triangle3, &three), &[0.25; 3]);
        let six = [[0.0; 3], [0.25; 3]].concat();
        close(&sizes(FacetKind::Triangle6, &places(triangle, size)), &six);
        // A tetrahedron of volume a quarter, bricks of volume 12.
        let tetrahedron = places(master_nodes(ElementKind::Tetrahedron4), size);
        close(
            &sizes(FacetKind::Tetrahedron4, &tetrahedron),
            &[1.0 / 16.0; 4],
        );
        // Minus a twentieth at each corner, a fifth at each middle.
        let tetrahedron = places(master_nodes(ElementKind::Tetrahedron10), size);
        let ten = [vec![-0.25 / 20.0; 4], vec![0.25 / 5.0; 6]].concat();
        close(&sizes(FacetKind::Tetrahedron10, &tetrahedron), &ten);
        let brick = places(master_nodes(ElementKind::Brick20), size);
        close(&sizes(FacetKind::Brick8, &brick[..8]), &[1.5; 8]);
        let twenty = [vec![-1.5; 8], vec![2.0; 12]].concat();
        close(&sizes(FacetKind::Brick20, &brick), &twenty);
    }

    /// The shares of a face about any point give its force and its moment exactly.
    #[test]
    fn a_skew_face_has_its_area_and_its_centre() {
        let corners = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(2.0, 0.0, 1.0),
            DVec3::new(3.0, 2.0, 1.5),
            DVec3::new(-1.0, 1.0, -0.5),
        ];
        let facet = Facet {
            kind: FacetKind::Quad4,
            nodes: vec![0, 1, 2, 3],
        };
        let shares = node_shares(&facet, &corners);
        let half = |a: DVec3, b: DVec3, c: DVec3| (0.5 * (b - a).cross(c - a), (a + b + c) / 3.0);
        let parts = [
            half(corners[0], corners[1], corners[2]),
            half(corners[0], corners[2], corners[3]),
        ];
        let area: DVec3 = parts.iter().map(|part| part.0).sum();
        let moment: DVec3 = parts.iter().map(|(area, centre)| centre.cross(*area)).sum();
        let found: DVec3 = shares.iter().map(|share| share.normal).sum();
        let turning: DVec3 = shares
            .iter()
            .map(|share| corners[share.node].cross(share.normal))
            .sum();
        assert!((found - area).length() < 1e-12);
        assert!((turning - moment).length() < 1e-12, "{turning} {moment}");
        let size: f64 = shares.iter().map(|share| share.size).sum();
        assert!((size - area.length()).abs() < 1e-12);
    }
}

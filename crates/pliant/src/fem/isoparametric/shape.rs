//! Interpolation functions of the elements: φ(ξ) = Σ_a N_a(ξ) φ_a.
//!
//! Implements: \[Gibson1997\] Table 1, in the coordinates ξ of a master element: segments, squares
//! and cubes from -1 to 1, triangles and tetrahedra with corners at 0 and at 1 on each axis. The
//! functions of the 20-node brick are those of "serendipity":
//!
//! ```text
//! corner     ⅛ (1 + ξξ_a) (1 + ηη_a) (1 + ζζ_a) (ξξ_a + ηη_a + ζζ_a - 2)
//! ξ_a = 0    ¼ (1 - ξ²) (1 + ηη_a) (1 + ζζ_a)       and the same for η_a = 0, ζ_a = 0
//! ```

use crate::mesh::ElementKind;

/// The most nodes an element has.
pub(crate) const MOST_NODES: usize = 20;

/// N_a and its derivatives by ξ, η, ζ at one point, for each node a.
#[derive(Clone, Copy, Debug)]
pub struct ShapeFunctions {
    /// N_a.
    pub values: [f64; MOST_NODES],
    /// ∂N_a/∂ξ, ∂N_a/∂η, ∂N_a/∂ζ: those beyond the directions of the element are zero.
    pub slopes: [[f64; 3]; MOST_NODES],
}

/// Where the nodes of a square or a cube are, as VTK numbers them.
const CUBE: [[f64; 3]; 20] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

const SQUARE: [[f64; 3]; 9] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
];

const SIMPLEX: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

const TETRAHEDRON: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];

/// The corners at the ends of each edge of a tetrahedron, in the order of the nodes in their middles.
const TETRAHEDRON_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

const TRIANGLE: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
];

/// The coordinates ξ of the nodes of an element.
pub fn master_nodes(kind: ElementKind) -> &'static [[f64; 3]] {
    match kind {
        ElementKind::Line2 => &SQUARE[..2],
        ElementKind::Triangle3 => &TRIANGLE[..3],
        ElementKind::Triangle6 => &TRIANGLE,
        ElementKind::Quad4 => &SQUARE[..4],
        ElementKind::Quad9 => &SQUARE,
        ElementKind::Tetrahedron4 => &SIMPLEX,
        ElementKind::Tetrahedron10 => &TETRAHEDRON,
        ElementKind::Brick20 => &CUBE,
    }
}

/// The interpolation functions of an element at the coordinates ξ.
pub fn shape_functions(kind: ElementKind, xi: [f64; 3]) -> ShapeFunctions {
    let mut shape = ShapeFunctions {
        values: [0.0; MOST_NODES],
        slopes: [[0.0; 3]; MOST_NODES],
    };
    match kind {
        ElementKind::Line2 => product(&mut shape, &SQUARE[..2], xi, 1, linear),
        ElementKind::Quad4 => product(&mut shape, &SQUARE[..4], xi, 2, linear),
        ElementKind::Quad9 => product(&mut shape, &SQUARE, xi, 2, quadratic),
        ElementKind::Triangle3 => simplex(&mut shape, xi, 2),
        ElementKind::Tetrahedron4 => simplex(&mut shape, xi, 3),
        ElementKind::Triangle6 => triangle_with_middles(&mut shape, xi),
        ElementKind::Tetrahedron10 => tetrahedron_with_middles(&mut shape, xi),
        ElementKind::Brick20 => brick(&mut shape, xi),
    }
    shape
}

/// The linear function of one direction that is 1 at `node` and 0 at the other end, with its slope.
fn linear(node: f64, t: f64) -> (f64, f64) {
    (0.5 * (1.0 + node * t), 0.5 * node)
}

/// The quadratic function of one direction that is 1 at `node` and 0 at the other two of -1, 0, 1.
fn quadratic(node: f64, t: f64) -> (f64, f64) {
    if node == 0.0 {
        (1.0 - t * t, -2.0 * t)
    } else {
        (0.5 * t * (t + node), t + 0.5 * node)
    }
}

/// Products of functions of one direction.
fn product(
    shape: &mut ShapeFunctions,
    nodes: &[[f64; 3]],
    xi: [f64; 3],
    dimension: usize,
    function: fn(f64, f64) -> (f64, f64),
) {
    for (a, node) in nodes.iter().enumerate() {
        let mut factors = [(1.0, 0.0); 3];
        for i in 0..dimension {
            factors[i] = function(node[i], xi[i]);
        }
        set_product(shape, a, factors);
    }
}

fn set_product(shape: &mut ShapeFunctions, a: usize, [x, y, z]: [(f64, f64); 3]) {
    shape.values[a] = x.0 * y.0 * z.0;
    shape.slopes[a] = [x.1 * y.0 * z.0, x.0 * y.1 * z.0, x.0 * y.0 * z.1];
}

fn simplex(shape: &mut ShapeFunctions, xi: [f64; 3], dimension: usize) {
    shape.values[0] = 1.0;
    for (i, xi) in xi[..dimension].iter().enumerate() {
        shape.values[0] -= xi;
        shape.slopes[0][i] = -1.0;
        shape.values[i + 1] = *xi;
        shape.slopes[i + 1][i] = 1.0;
    }
}

fn triangle_with_middles(shape: &mut ShapeFunctions, xi: [f64; 3]) {
    let areas = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
    let slopes = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    for a in 0..3 {
        let b = (a + 1) % 3;
        let corner = 4.0 * areas[a] - 1.0;
        let edge = |i: usize| 4.0 * (areas[a] * slopes[b][i] + areas[b] * slopes[a][i]);
        shape.values[a] = areas[a] * (2.0 * areas[a] - 1.0);
        shape.values[a + 3] = 4.0 * areas[a] * areas[b];
        shape.slopes[a] = [corner * slopes[a][0], corner * slopes[a][1], 0.0];
        shape.slopes[a + 3] = [edge(0), edge(1), 0.0];
    }
}

/// Corners: V (2 V - 1); middles of edges: 4 V V'; V are the volume coordinates.
fn tetrahedron_with_middles(shape: &mut ShapeFunctions, xi: [f64; 3]) {
    let volumes = [1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]];
    let slopes = [[-1.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for a in 0..4 {
        shape.values[a] = volumes[a] * (2.0 * volumes[a] - 1.0);
        shape.slopes[a] = slopes[a].map(|slope| (4.0 * volumes[a] - 1.0) * slope);
    }
    for (edge, [a, b]) in TETRAHEDRON_EDGES.into_iter().enumerate() {
        let slope = |i: usize| 4.0 * (volumes[a] * slopes[b][i] + volumes[b] * slopes[a][i]);
        shape.values[4 + edge] = 4.0 * volumes[a] * volumes[b];
        shape.slopes[4 + edge] = std::array::from_fn(slope);
    }
}

fn brick(shape: &mut ShapeFunctions, xi: [f64; 3]) {
    for (a, node) in CUBE.iter().enumerate() {
        let factor = |i: usize| {
            if node[i] == 0.0 {
                quadratic(0.0, xi[i])
            } else {
                linear(node[i], xi[i])
            }
        };
        set_product(shape, a, [factor(0), factor(1), factor(2)]);
        if a < 8 {
            let sum = xi[0] * node[0] + xi[1] * node[1] + xi[2] * node[2] - 2.0;
            for (slope, node) in shape.slopes[a].iter_mut().zip(node) {
                *slope = *slope * sum + shape.values[a] * node;
            }
            shape.values[a] *= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 3] = [[0.1, 0.3, 0.2], [-0.4, 0.7, 0.25], [0.6, 0.15, -0.9]];

    #[test]
    fn functions_are_one_at_their_node_and_zero_at_the_others() {
        for kind in ElementKind::ALL {
            assert_eq!(master_nodes(kind).len(), kind.node_count());
            for (a, &node) in master_nodes(kind).iter().enumerate() {
                let shape = shape_functions(kind, node);
                for (b, value) in shape.values.iter().enumerate() {
                    let expected = f64::from(a == b);
                    assert!((value - expected).abs() < 1e-15, "{kind:?} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn functions_sum_to_one_and_reproduce_coordinates() {
        for kind in ElementKind::ALL {
            for xi in POINTS {
                let shape = shape_functions(kind, xi);
                let sum: f64 = shape.values.iter().sum();
                assert!((sum - 1.0).abs() < 1e-14, "{kind:?}: {sum}");
                for i in 0..kind.dimension() {
                    let nodes = master_nodes(kind).iter().enumerate();
                    let place: f64 = nodes.map(|(a, node)| node[i] * shape.values[a]).sum();
                    assert!((place - xi[i]).abs() < 1e-14, "{kind:?}");
                    let slope: f64 = shape.slopes.iter().map(|slope| slope[i]).sum();
                    assert!(slope.abs() < 1e-14, "{kind:?}: slopes sum to {slope}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        let step = 1e-5;
        for kind in ElementKind::ALL {
            for xi in POINTS {
                let shape = shape_functions(kind, xi);
                for i in 0..3 {
                    let (mut ahead, mut behind) = (xi, xi);
                    ahead[i] += step;
                    behind[i] -= step;
                    let (ahead, behind) =
                        (shape_functions(kind, ahead), shape_functions(kind, behind));
                    for a in 0..MOST_NODES {
                        let slope = (ahead.values[a] - behind.values[a]) / (2.0 * step);
                        let difference = (slope - shape.slopes[a][i]).abs();
                        assert!(difference < 1e-9, "{kind:?} node {a} direction {i}");
                    }
                }
            }
        }
    }
}

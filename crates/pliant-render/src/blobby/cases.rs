//! What each of the 256 cases of a cell looks like, found by walking round its faces.
//!
//! On a face, each run of corners inside the surface is cut off by one line, from the edge where the
//! run begins to the edge where it ends, going round counter-clockwise seen from outside the cell.
//! Two cells see their common face from opposite sides and cut it in the same places, so the lines
//! join to closed loops in each cell and to a closed surface in space. A loop is filled with
//! triangles whose inner edges stay off the faces, where another cell might have the same edge.

use std::sync::OnceLock;

/// Corner k of a cell is at x = k & 1, y = k >> 1 & 1, z = k >> 2.
/// Edge 4 d + j runs along direction d from the corner in [`EDGE_CORNERS`].
pub const EDGE_CORNERS: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// Corners of the faces, counter-clockwise seen from outside.
const FACES: [[usize; 4]; 6] = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
];

/// The triangles of each case, by the edges their corners lie on. Bit k of a case is set if
/// corner k is inside.
pub fn cases() -> &'static [Vec<[u8; 3]>; 256] {
    static CASES: OnceLock<[Vec<[u8; 3]>; 256]> = OnceLock::new();
    CASES.get_or_init(|| std::array::from_fn(triangles_of))
}

fn triangles_of(case: usize) -> Vec<[u8; 3]> {
    let mut triangles = Vec::new();
    for cycle in loops(case) {
        // A fan fills any loop; a filling that stays off the faces is taken if there is one.
        let fan = || {
            (1..cycle.len() - 1)
                .map(|k| [cycle[0], cycle[k], cycle[k + 1]])
                .collect()
        };
        triangles.extend(filling(&cycle).unwrap_or_else(fan));
    }
    triangles
        .into_iter()
        .map(|triangle: [usize; 3]| triangle.map(|edge| edge as u8))
        .collect()
}

/// The closed loops of a case, each a list of edges.
fn loops(case: usize) -> Vec<Vec<usize>> {
    let inside = |corner: usize| case >> corner & 1 == 1;
    let mut next = [usize::MAX; 12];
    for face in FACES {
        for k in 0..4 {
            let (before, first) = (face[k], face[(k + 1) % 4]);
            if inside(before) || !inside(first) {
                continue;
            }
            let mut last = k + 1;
            while inside(face[(last + 1) % 4]) {
                last += 1;
            }
            let end = edge_between(face[last % 4], face[(last + 1) % 4]);
            next[edge_between(before, first)] = end;
        }
    }
    let mut found = Vec::new();
    for start in 0..12 {
        let mut cycle = Vec::new();
        let mut edge = start;
        while next[edge] != usize::MAX {
            cycle.push(edge);
            edge = std::mem::replace(&mut next[edge], usize::MAX);
        }
        if cycle.len() >= 3 {
            found.push(cycle);
        }
    }
    found
}

fn edge_between(a: usize, b: usize) -> usize {
    let wanted = [a.min(b), a.max(b)];
    EDGE_CORNERS
        .iter()
        .position(|&corners| corners == wanted)
        .unwrap_or(0)
}

/// Triangles that fill a loop of edges without an inner edge on a face of the cell.
fn filling(cycle: &[usize]) -> Option<Vec<[usize; 3]>> {
    let [first, .., last] = *cycle else {
        return None;
    };
    if cycle.len() == 3 {
        return Some(vec![[cycle[0], cycle[1], cycle[2]]]);
    }
    // The triangle at the side from the last to the first has its tip somewhere between.
    for tip in 1..cycle.len() - 1 {
        let middle = cycle[tip];
        let left_ok = tip == 1 || !on_one_face(first, middle);
        let right_ok = tip == cycle.len() - 2 || !on_one_face(middle, last);
        if !(left_ok && right_ok) {
            continue;
        }
        let part = |nodes: &[usize]| {
            if nodes.len() < 3 {
                Some(Vec::new())
            } else {
                filling(nodes)
            }
        };
        if let (Some(left), Some(right)) = (part(&cycle[..=tip]), part(&cycle[tip..])) {
            let mut all = vec![[first, middle, last]];
            all.extend(left);
            all.extend(right);
            return Some(all);
        }
    }
    None
}

fn on_one_face(a: usize, b: usize) -> bool {
    FACES.iter().any(|face| {
        let has = |edge: usize| {
            EDGE_CORNERS[edge]
                .iter()
                .all(|corner| face.contains(corner))
        };
        has(a) && has(b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossed_edge_is_in_one_loop_and_no_other_is() {
        for case in 0..256 {
            let mut uses = [0; 12];
            for edge in loops(case).into_iter().flatten() {
                uses[edge] += 1;
            }
            for (edge, [a, b]) in EDGE_CORNERS.into_iter().enumerate() {
                let crossed = (case >> a & 1) != (case >> b & 1);
                assert_eq!(uses[edge], usize::from(crossed), "case {case}, edge {edge}");
            }
        }
    }

    #[test]
    fn every_loop_can_be_filled_off_the_faces() {
        for case in 0..256 {
            for cycle in loops(case) {
                let triangles = filling(&cycle).unwrap_or_else(|| panic!("case {case}: {cycle:?}"));
                assert_eq!(triangles.len(), cycle.len() - 2);
            }
        }
    }

    #[test]
    fn a_single_corner_is_cut_off_by_a_triangle_that_faces_away() {
        let [a, b, c] = cases()[1][0].map(usize::from);
        // Edges 0, 4, 8 run along x, y, z from the corner: counter-clockwise from outside.
        let rotations = [[0, 4, 8], [4, 8, 0], [8, 0, 4]];
        assert!(rotations.contains(&[a, b, c]), "{a} {b} {c}");
    }
}

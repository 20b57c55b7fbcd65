//! Patches that are trimmed by curves in their domain.
//!
//! The trimming curve is another body: x and y of its nodes are the material coordinates u and v of a loop in the
//! domain of the patch, from 0 to 1, closed by the line from its last node to its first. A dynamic NURBS curve is
//! one with mass and energy of its own, so the rim of what is left moves as that curve does. What is trimmed away
//! is neither drawn nor exported; the mechanics of the patch are those of the whole of it, as in \[Qin1996\], so
//! that the patch does not change where only its rim does.
//!
//! A frame keeps its nodes: a node outside that a triangle still needs is moved to where the edge to its kept
//! neighbour meets the curve.

use crate::frame::{FrameBody, Topology};
use glam::DVec3;
use std::sync::Arc;

/// Halvings of an edge that the curve crosses.
const HALVINGS: usize = 30;

/// What trims a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trim {
    /// The name of the body that is the curve.
    pub curve: Arc<str>,
    /// Whether what is inside of the curve is kept, or what is outside.
    pub keeps_inside: bool,
}

/// A frame of a patch without what a curve trims away whose nodes are at `curve`, in the domain.
pub(crate) fn trimmed(frame: &FrameBody, curve: &[DVec3], keeps_inside: bool) -> FrameBody {
    let points = curve.iter().map(|x| [x.x, x.y]).collect();
    trimmed_by(frame, &Loop { points }, keeps_inside)
}

/// A closed line in the domain of a patch.
struct Loop {
    points: Vec<[f64; 2]>,
}

impl Loop {
    /// Whether a line from a point to the right crosses it an odd number of times.
    fn holds(&self, [u, v]: [f64; 2]) -> bool {
        let ends = self.points.iter().cycle().skip(1);
        let crosses = |([u0, v0], [u1, v1]): (&[f64; 2], &[f64; 2])| {
            (v0 > &v) != (v1 > &v) && u < u0 + (v - v0) / (v1 - v0) * (u1 - u0)
        };
        self.points
            .iter()
            .zip(ends)
            .filter(|pair| crosses(*pair))
            .count()
            % 2
            == 1
    }
}

fn trimmed_by(frame: &FrameBody, curve: &Loop, keeps_inside: bool) -> FrameBody {
    let domain = &frame.topology.material_coordinates;
    let at = |node: u32| [domain[node as usize][0], domain[node as usize][1]];
    let is_kept = |point: [f64; 2]| curve.holds(point) == keeps_inside;
    let kept: Vec<bool> = (0..domain.len() as u32)
        .map(|node| is_kept(at(node)))
        .collect();
    let triangles = frame.topology.triangles.iter().copied();
    let triangles: Vec<[u32; 3]> = triangles
        .filter(|nodes| nodes.iter().any(|&node| kept[node as usize]))
        .collect();
    // The kept neighbour of each node outside from which the curve is farthest, and how far it is.
    let mut moved: Vec<Option<(u32, f64)>> = vec![None; domain.len()];
    for nodes in &triangles {
        for (&a, &b) in nodes.iter().zip(nodes.iter().cycle().skip(1)) {
            for (inside, outside) in [(a, b), (b, a)] {
                if !kept[inside as usize] || kept[outside as usize] {
                    continue;
                }
                let share = crossing(at(inside), at(outside), &is_kept);
                let known = &mut moved[outside as usize];
                if known.is_none_or(|(_, other)| share > other) {
                    *known = Some((inside, share));
                }
            }
        }
    }
    let mut frame = frame.clone();
    let mut topology = Topology {
        triangles,
        ..Topology::clone(&frame.topology)
    };
    let lists = [&mut frame.positions, &mut frame.velocities];
    for list in lists {
        let before: Vec<DVec3> = list.clone();
        for (node, moved) in moved.iter().enumerate() {
            if let Some((inside, share)) = moved {
                list[node] = before[*inside as usize].lerp(before[node], *share);
            }
        }
    }
    for (node, moved) in moved.iter().enumerate() {
        if let Some((inside, share)) = moved {
            let from = domain[*inside as usize];
            let to = domain[node];
            topology.material_coordinates[node] =
                [0, 1, 2].map(|d| from[d] + share * (to[d] - from[d]));
        }
    }
    frame.topology = Arc::new(topology);
    frame
}

/// The share of the way from a kept point to one that is not at which the curve lies.
fn crossing(inside: [f64; 2], outside: [f64; 2], is_kept: &dyn Fn([f64; 2]) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let point = [0, 1].map(|d| inside[d] + middle * (outside[d] - inside[d]));
        if is_kept(point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

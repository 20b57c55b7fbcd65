//! Removes the places where a filled shape touches itself in a mere edge or node.
//!
//! Where a shape is thinner than the lattice, or two parts of it come closer, the outer triangles
//! can meet in an edge of more than two triangles, or in a node with more than one ring of them.
//! Such a mesh bounds no solid and its surface cannot collide. Of the elements that meet there only
//! the bulkiest side stays.

use super::boundary::tetrahedron_volume;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Removes pinches from tetrahedra and says how many elements went. `outer` says which nodes may
/// lie on the boundary.
pub(super) fn remove_pinches(
    positions: &[DVec3],
    tetrahedra: &mut Vec<[u32; 4]>,
    outer: &mut [bool],
) -> usize {
    let before = tetrahedra.len();
    loop {
        let star = Star::new(positions, tetrahedra, outer);
        let doomed = star.pinched();
        if doomed.is_empty() {
            return before - tetrahedra.len();
        }
        for &element in &doomed {
            tetrahedra[element]
                .iter()
                .for_each(|&node| outer[node as usize] = true);
        }
        let mut element = 0;
        tetrahedra.retain(|_| {
            element += 1;
            !doomed.contains(&(element - 1))
        });
    }
}

/// The boundary triangles, and the elements about each of their nodes.
struct Star<'a> {
    positions: &'a [DVec3],
    tetrahedra: &'a [[u32; 4]],
    boundary: Vec<[u32; 3]>,
}

impl<'a> Star<'a> {
    fn new(positions: &'a [DVec3], tetrahedra: &'a [[u32; 4]], outer: &[bool]) -> Self {
        let mut faces: Vec<[u32; 3]> = Vec::new();
        for nodes in tetrahedra {
            for left_out in 0..4 {
                let mut face = [1, 2, 3].map(|turn| nodes[(left_out + turn) % 4]);
                if face.iter().all(|&node| outer[node as usize]) {
                    face.sort_unstable();
                    faces.push(face);
                }
            }
        }
        faces.sort_unstable();
        let single = faces
            .chunk_by(|a, b| a == b)
            .filter(|group| group.len() == 1);
        Self {
            positions,
            tetrahedra,
            boundary: single.map(|group| group[0]).collect(),
        }
    }

    /// The elements that have to go.
    fn pinched(&self) -> BTreeSet<usize> {
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let edges = self.crowded_edges();
        // Edges first: a node at the end of a crowded edge often is pinched only by that.
        let about = if edges.is_empty() {
            let nodes = self.pinched_nodes();
            let keys: BTreeSet<[u32; 2]> = nodes.into_iter().map(|node| [node; 2]).collect();
            self.elements_about(&keys, |element| element.map(|node| [node; 2]))
        } else {
            self.elements_about(&edges, |element| {
                PAIRS.map(|[a, b]| {
                    let (a, b) = (element[a], element[b]);
                    [a.min(b), a.max(b)]
                })
            })
        };
        let doomed = about
            .iter()
            .flat_map(|(shared, elements)| self.all_but_the_bulkiest(elements, shared));
        doomed.collect()
    }

    fn crowded_edges(&self) -> BTreeSet<[u32; 2]> {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [a, c], [b, c]];
        let mut edges: Vec<[u32; 2]> = self.boundary.iter().flat_map(sides).collect();
        edges.sort_unstable();
        let groups = edges.chunk_by(|a, b| a == b);
        groups
            .filter(|group| group.len() > 2)
            .map(|group| group[0])
            .collect()
    }

    /// Nodes whose boundary triangles form more than one ring.
    fn pinched_nodes(&self) -> BTreeSet<u32> {
        let mut about: Vec<(u32, [u32; 2])> = Vec::with_capacity(3 * self.boundary.len());
        for &[a, b, c] in &self.boundary {
            about.extend([(a, [b, c]), (b, [a, c]), (c, [a, b])]);
        }
        about.sort_unstable();
        let groups = about.chunk_by(|x, y| x.0 == y.0);
        let rings = |links: &[(u32, [u32; 2])]| {
            let links: Vec<[u32; 2]> = links.iter().map(|link| link.1).collect();
            groups_of(links.len(), |a, b| {
                links[a].iter().any(|node| links[b].contains(node))
            })
        };
        groups
            .filter(|links| rings(links).len() > 1)
            .map(|links| links[0].0)
            .collect()
    }

    /// The elements of each of `wanted`, if `keys` are those of an element.
    fn elements_about<const N: usize>(
        &self,
        wanted: &BTreeSet<[u32; 2]>,
        keys: impl Fn([u32; 4]) -> [[u32; 2]; N],
    ) -> BTreeMap<[u32; 2], Vec<usize>> {
        let mut about: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        if wanted.is_empty() {
            return about;
        }
        for (element, &nodes) in self.tetrahedra.iter().enumerate() {
            for key in keys(nodes).into_iter().filter(|key| wanted.contains(key)) {
                about.entry(key).or_default().push(element);
            }
        }
        about
    }

    /// Of elements that share nodes, those that are not joined through faces at these nodes to the
    /// bulkiest of them; all, if they are all joined and so pinch a gap.
    fn all_but_the_bulkiest(&self, elements: &[usize], shared: &[u32]) -> Vec<usize> {
        let joined = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|n| self.tetrahedra[elements[n]]);
            let common = a.iter().filter(|node| b.contains(node)).count();
            common == 3 && shared.iter().all(|node| b.contains(node))
        };
        let mut groups = groups_of(elements.len(), joined);
        let volume = |group: &Vec<usize>| -> f64 {
            let corners = |&n: &usize| self.tetrahedra[elements[n]];
            let corners = group.iter().map(corners);
            corners
                .map(|nodes| nodes.map(|node| self.positions[node as usize]))
                .map(|corners| tetrahedron_volume(corners).abs())
                .sum()
        };
        if groups.len() > 1 {
            let volumes: Vec<f64> = groups.iter().map(volume).collect();
            let bulkiest = (0..groups.len()).max_by(|&a, &b| volumes[a].total_cmp(&volumes[b]));
            groups.remove(bulkiest.unwrap_or(0));
        }
        groups.into_iter().flatten().map(|n| elements[n]).collect()
    }
}

/// Groups of the numbers below `count` that are joined, directly or through others.
fn groups_of(count: usize, joined: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut groups = Vec::new();
    while let Some(first) = left.pop() {
        let mut group = vec![first];
        let mut reached = 0;
        while reached < group.len() {
            let member = group[reached];
            reached += 1;
            let (more, rest): (Vec<usize>, Vec<usize>) =
                left.into_iter().partition(|&other| joined(member, other));
            group.extend(more);
            left = rest;
        }
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::{
        Division, ElementBlock, ElementKind, ElementMesh, block, boundary_surface, check_closed,
    };
    use super::*;

    /// A block of 2 x 2 x 1 cells of which two, opposite each other, are left out or kept.
    fn touching_cells(keep: impl Fn(DVec3) -> bool) -> (ElementMesh, usize) {
        let mut mesh = block([2; 3], DVec3::ONE, Division::SixTetrahedra).unwrap();
        let middle = |nodes: &[u32]| -> DVec3 {
            let positions = nodes.iter().map(|&node| mesh.positions[node as usize]);
            positions.sum::<DVec3>() / 4.0
        };
        let kept = mesh.blocks[0]
            .elements()
            .filter(|nodes| keep(middle(nodes)));
        let mut kept: Vec<[u32; 4]> = kept.map(|n| [n[0], n[1], n[2], n[3]]).collect();
        let mut outer = vec![true; mesh.positions.len()];
        let removed = remove_pinches(&mesh.positions, &mut kept, &mut outer);
        mesh.blocks[0] = ElementBlock::new(ElementKind::Tetrahedron4, kept.concat());
        (mesh, removed)
    }

    #[test]
    fn cells_that_touch_in_an_edge_or_a_node_are_parted() {
        let side = |x: f64| x > 0.5;
        let (_, none) = touching_cells(|_| true);
        assert_eq!(none, 0);
        let (edge, removed) = touching_cells(|x| side(x.x) == side(x.y) && !side(x.z));
        assert!(removed > 0 && removed < 12, "{removed}");
        assert!(check_closed(&boundary_surface(&edge).0).is_sound());
        let (node, removed) = touching_cells(|x| side(x.x) == side(x.y) && side(x.y) == side(x.z));
        assert!(removed > 0 && removed < 12, "{removed}");
        let star = Star {
            positions: &node.positions,
            tetrahedra: &[],
            boundary: boundary_surface(&node).0.triangles,
        };
        assert!(star.pinched_nodes().is_empty());
        // Two gaps that touch in an edge.
        let (gaps, removed) = touching_cells(|x| side(x.x) != side(x.y) || side(x.z));
        assert!(removed > 0, "{removed}");
        assert!(check_closed(&boundary_surface(&gaps).0).is_sound());
    }
}

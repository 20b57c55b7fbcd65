//! Fans in flat arrays, as steps use them.

use super::fan::Fan;
use glam::DVec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// No spoke.
const NONE: u32 = u32::MAX;

/// Which hinges and nodes a fan has, with the weights of the angles.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Where the spokes of a fan start.
    spoke_starts: Vec<u32>,
    /// Hinge of each spoke.
    hinges: Vec<u32>,
    /// Three weights of its angle: the fan's measures of curvature are Σ weight (θ - θ⁰).
    weights: Vec<DVec3>,
    /// Fan of each spoke.
    fans: Vec<u32>,
    /// Where the nodes of a fan start.
    node_starts: Vec<u32>,
    nodes: Vec<u32>,
    /// Where the parts of a node of a fan start.
    part_starts: Vec<u32>,
    /// Which spoke's angle moves with the node, and as which of the four nodes of its hinge.
    parts: Vec<(u32, u32)>,
    /// The two spokes of each hinge.
    spokes: Vec<[u32; 2]>,
    /// Stiffness of the hinges after those of fans, in newton metres.
    junctions: Vec<f64>,
}

impl Layout {
    /// - `weights`: of each spoke of each fan, per metre of its edge.
    /// - `lengths`: of the edges of all hinges.
    pub(super) fn new(
        fans: &[Fan],
        weights: &[DVec3],
        lengths: &[f64],
        junctions: Vec<f64>,
    ) -> Self {
        let hinge_count = lengths.len() - junctions.len();
        let mut layout = Self {
            spoke_starts: vec![0],
            hinges: Vec::new(),
            weights: Vec::new(),
            fans: Vec::new(),
            node_starts: vec![0],
            nodes: Vec::new(),
            part_starts: vec![0],
            parts: Vec::new(),
            spokes: vec![[NONE; 2]; hinge_count],
            junctions,
        };
        for (number, fan) in fans.iter().enumerate() {
            layout.add(number as u32, fan, weights, lengths);
        }
        layout
    }

    fn add(&mut self, number: u32, fan: &Fan, weights: &[DVec3], lengths: &[f64]) {
        let mut parts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); fan.nodes.len()];
        for spoke in &fan.spokes {
            let index = self.hinges.len() as u32;
            let hinge = spoke.hinge as usize;
            self.hinges.push(spoke.hinge);
            self.weights.push(weights[index as usize] * lengths[hinge]);
            self.fans.push(number);
            let place = usize::from(self.spokes[hinge][0] != NONE);
            self.spokes[hinge][place] = index;
            for (corner, &node) in (0..).zip(&spoke.corners) {
                parts[node as usize].push((index, corner));
            }
        }
        self.spoke_starts.push(self.hinges.len() as u32);
        // The first and the last ray of a fan that a junction cuts open are the same.
        let mut entries: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for (&node, parts) in fan.nodes.iter().zip(parts) {
            entries.entry(node).or_default().extend(parts);
        }
        for (node, parts) in entries {
            self.nodes.push(node);
            self.parts.extend(parts);
            self.part_starts.push(self.parts.len() as u32);
        }
        self.node_starts.push(self.nodes.len() as u32);
    }

    pub(super) fn fan_count(&self) -> usize {
        self.spoke_starts.len() - 1
    }

    /// The nodes of a fan, ascending.
    pub(super) fn nodes(&self, fan: usize) -> &[u32] {
        &self.nodes[self.entries(fan)]
    }

    /// Where the nodes of a fan are in the list of all fans' nodes.
    #[inline]
    pub(super) fn entries(&self, fan: usize) -> Range<usize> {
        self.node_starts[fan] as usize..self.node_starts[fan + 1] as usize
    }

    /// Number of the first hinge that belongs to no fan.
    pub(super) fn first_junction(&self) -> usize {
        self.spokes.len()
    }

    /// Stiffness of the hinges that belong to no fan.
    pub(super) fn junctions(&self) -> &[f64] {
        &self.junctions
    }

    /// Stiffness of a hinge, if it belongs to no fan.
    #[inline]
    pub(super) fn junction(&self, hinge: usize) -> Option<f64> {
        let place = hinge.checked_sub(self.spokes.len())?;
        self.junctions.get(place).copied()
    }

    /// Number of nodes of all fans.
    pub(super) fn entry_count(&self) -> usize {
        self.nodes.len()
    }

    /// Which hinges and corners move a node of a fan and by which spoke: `[4 hinge + corner, spoke]`.
    pub(super) fn parts(&self, entry: usize) -> impl Iterator<Item = [u32; 2]> {
        let parts = self.part_starts[entry] as usize..self.part_starts[entry + 1] as usize;
        let parts = self.parts[parts].iter();
        parts.map(|&(spoke, corner)| [4 * self.hinges[spoke as usize] + corner, spoke])
    }

    /// The weights of all spokes.
    pub(super) fn weights(&self) -> &[DVec3] {
        &self.weights
    }

    /// The measures of curvature of a fan.
    #[inline]
    pub(super) fn curvature(&self, fan: usize, bends: &[f64]) -> DVec3 {
        let spokes = self.spoke_starts[fan] as usize..self.spoke_starts[fan + 1] as usize;
        let mut sum = DVec3::ZERO;
        for spoke in spokes {
            sum += self.weights[spoke] * bends[self.hinges[spoke] as usize];
        }
        sum
    }

    /// The derivatives of the measures of a fan by one of its nodes.
    #[inline]
    pub(super) fn slopes(&self, entry: usize, slopes: &[[DVec3; 4]]) -> [DVec3; 3] {
        let parts = self.part_starts[entry] as usize..self.part_starts[entry + 1] as usize;
        let mut sum = [DVec3::ZERO; 3];
        for &(spoke, corner) in &self.parts[parts] {
            let slope = slopes[self.hinges[spoke as usize] as usize][corner as usize];
            let weight = self.weights[spoke as usize];
            sum[0] += weight.x * slope;
            sum[1] += weight.y * slope;
            sum[2] += weight.z * slope;
        }
        sum
    }

    /// The moment of a hinge: the derivative of the energy by its angle, in newton metres.
    #[inline]
    pub(super) fn moment(&self, hinge: usize, curvatures: &[DVec3], bend: f64) -> f64 {
        match self.spokes.get(hinge) {
            Some(spokes) => {
                let spokes = spokes.iter().filter(|&&spoke| spoke != NONE);
                spokes
                    .map(|&spoke| {
                        let fan = self.fans[spoke as usize] as usize;
                        self.weights[spoke as usize].dot(curvatures[fan])
                    })
                    .sum()
            }
            None => self.junctions[hinge - self.spokes.len()] * bend,
        }
    }
}

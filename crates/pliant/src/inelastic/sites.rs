//! Tensors at the nodes, for criteria that need one (von Mises, Tresca).

use super::{StrainKind, Strains};

/// A symmetric tensor and the largest bending strain at each node, from the components round it.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// 11, 22, 33, 12, 13, 23 at each node.
    pub tensors: Vec<[f64; 6]>,
    /// The largest of the bend components at each node, by size.
    pub bends: Vec<f64>,
    counts: Vec<[u32; 6]>,
}

impl Sites {
    /// Gathers a number per component at the nodes.
    pub fn gather(&mut self, strains: &Strains, value: impl Fn(usize) -> f64) {
        let n = strains.node_count();
        self.tensors.clear();
        self.tensors.resize(n, [0.0; 6]);
        self.counts.clear();
        self.counts.resize(n, [0; 6]);
        self.bends.clear();
        self.bends.resize(n, 0.0);
        for c in 0..strains.len() {
            let slot = match strains.kinds[c] {
                StrainKind::Stretch(d) => d as usize,
                StrainKind::Shear(i, j) => 2 + (i + j) as usize,
                StrainKind::Bend => 6,
                StrainKind::Volume | StrainKind::Displacement => continue,
            };
            if strains.is_gone(c) {
                continue;
            }
            let value = value(c);
            for &node in strains.nodes_of(c) {
                let node = node as usize;
                if slot == 6 {
                    if value.abs() > self.bends[node].abs() {
                        self.bends[node] = value;
                    }
                } else {
                    self.tensors[node][slot] += value;
                    self.counts[node][slot] += 1;
                }
            }
        }
        for (tensor, counts) in self.tensors.iter_mut().zip(&self.counts) {
            for (sum, &count) in tensor.iter_mut().zip(counts) {
                *sum /= f64::from(count.max(1));
            }
        }
    }
}

//! The weights of a material, which may differ from node to node.
//!
//! Symbols of \[Terzopoulos1988\]: tension is w¹ (η in \[Thesis2004\]), rigidity w² (ξ), twist w³.

/// Material weights of every node.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// w¹_ij: resistance to stretching (i = j) and shear (i ≠ j). A curve uses the first entry.
    pub tensions: Vec<[[f64; 3]; 3]>,
    /// w²_ij: resistance to bending (i = j) and twisting (i ≠ j). A curve uses the first entry.
    pub rigidities: Vec<[[f64; 2]; 2]>,
    /// w³: resistance of a curve to torsion.
    pub twists: Vec<f64>,
    /// Weight of a solid's volume term relative to its tension; 0 switches it off.
    pub volume: f64,
}

impl Weights {
    /// The same weights at every node.
    pub fn uniform(node_count: usize, tension: f64, rigidity: f64, twist: f64) -> Self {
        Self {
            tensions: vec![[[tension; 3]; 3]; node_count],
            rigidities: vec![[[rigidity; 2]; 2]; node_count],
            twists: vec![twist; node_count],
            volume: 1.0,
        }
    }

    /// Multiplies all weights by a factor.
    pub fn scale(&mut self, factor: f64) {
        let tensions = self.tensions.iter_mut().flatten().flatten();
        let rigidities = self.rigidities.iter_mut().flatten().flatten();
        for weight in tensions.chain(rigidities).chain(&mut self.twists) {
            *weight *= factor;
        }
    }

    /// Takes its weights as factors of others of the same grid, whose weight of volume it adopts.
    pub fn multiply(&mut self, others: &Self) {
        let tensions = self.tensions.iter_mut().flatten().flatten();
        let rigidities = self.rigidities.iter_mut().flatten().flatten();
        let factors = tensions.chain(rigidities).chain(&mut self.twists);
        let tensions = others.tensions.iter().flatten().flatten();
        let rigidities = others.rigidities.iter().flatten().flatten();
        let weights = tensions.chain(rigidities).chain(&others.twists);
        for (factor, weight) in factors.zip(weights) {
            *factor *= weight;
        }
        self.volume = others.volume;
    }

    /// w¹_ij at a node.
    pub fn tension(&self, node: usize, i: usize, j: usize) -> f64 {
        self.tensions[node][i][j]
    }

    /// w²_ij at a node.
    pub fn rigidity(&self, node: usize, i: usize, j: usize) -> f64 {
        self.rigidities[node][i][j]
    }

    /// w³ at a node.
    pub fn twist(&self, node: usize) -> f64 {
        self.twists[node]
    }
}

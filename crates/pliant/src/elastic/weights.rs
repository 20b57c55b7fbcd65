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
    /// Poisson's ratio ν of the bending of a surface, between -1 and 1: how far it bends across, the
    /// other way, where it is bent along. At 0 its two directions know nothing of each other, as the
    /// papers have it.
    pub poisson: f64,
}

impl Weights {
    /// The same weights at every node.
    pub fn uniform(node_count: usize, tension: f64, rigidity: f64, twist: f64) -> Self {
        Self {
            tensions: vec![[[tension; 3]; 3]; node_count],
            rigidities: vec![[[rigidity; 2]; 2]; node_count],
            twists: vec![twist; node_count],
            volume: 1.0,
            poisson: 0.0,
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

    /// Takes its weights as factors of others of the same grid, whose weight of volume and Poisson's ratio it adopts.
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
        (self.volume, self.poisson) = (others.volume, others.poisson);
    }

    /// w¹_ij at a node.
    pub fn tension(&self, node: usize, i: usize, j: usize) -> f64 {
        self.tensions[node][i][j]
    }

    /// w²_ij at a node.
    pub fn rigidity(&self, node: usize, i: usize, j: usize) -> f64 {
        self.rigidities[node][i][j]
    }

    /// k and γ of ½ k (B_11 + γ B_22)², which with ½ w²_22 B_22² is the energy of bending at a node that has
    /// both: ½ (w²_11 B_11² + w²_22 B_22² + 2 ν √(w²_11 w²_22) B_11 B_22) / (1 - ν²).
    pub fn coupled_rigidity(&self, node: usize) -> (f64, f64) {
        let [along, across] = [0, 1].map(|d| self.rigidity(node, d, d));
        if self.poisson == 0.0 || along <= 0.0 || across <= 0.0 {
            return (along, 0.0);
        }
        let weight = along / (1.0 - self.poisson * self.poisson);
        (weight, self.poisson * (across / along).sqrt())
    }

    /// w³ at a node.
    pub fn twist(&self, node: usize) -> f64 {
        self.twists[node]
    }
}

//! Fracture. What it does: `inelastic/fracture.rs` on grids, `fem/inelastic/fracture.rs` over meshes.

crate::choice! {
    /// What is compared with the limit.
    pub enum FractureCriterion {
        /// Elongation of a link by its rest length, a ratio; for creases, the bending strain.
        Elongation,
        /// Elastic stress, in newtons; over a mesh, in pascals.
        Stress,
    }
}

/// Breaks links, or faces between the elements of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Fracture {
    /// What is compared with the limit.
    pub criterion: FractureCriterion,
    /// The mean limit: a ratio, or a stress in newtons; in pascals over a mesh.
    pub limit: f64,
    /// Largest deviation of a link's limit from the mean, as a share of it, from 0 to 1.
    pub spread: f64,
    /// Where the deviations are drawn from.
    pub seed: u64,
    /// Most links that break in a step.
    pub at_once: usize,
    /// 0 tears, 1 creases.
    pub order: u8,
}

impl Fracture {
    /// t of a component: 1 plus a number between -`spread` and `spread`, small ones more often.
    pub(crate) fn tolerance(&self, component: usize) -> f64 {
        let first = drawn(self.seed, 2 * component as u64);
        let second = drawn(self.seed, 2 * component as u64 + 1);
        1.0 + self.spread * (first + second - 1.0)
    }

    /// No t is smaller than this, with its rounding.
    pub(crate) fn least_tolerance(&self) -> f64 {
        (1.0 - 1e-12) * (1.0 - self.spread)
    }
}

/// A number between 0 and 1 that depends on the seed and the index alone (SplitMix64).
fn drawn(seed: u64, index: u64) -> f64 {
    let mut z = seed.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_stay_in_their_band_and_depend_on_the_seed() {
        let fracture = |seed| Fracture {
            criterion: FractureCriterion::Elongation,
            limit: 1.0,
            spread: 0.3,
            seed,
            at_once: 1,
            order: 0,
        };
        let all = |seed| (0..1000).map(move |c| fracture(seed).tolerance(c));
        assert!(all(1).all(|t| (0.7..=1.3).contains(&t)));
        let mean = all(1).sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 0.01);
        assert!(all(1).eq(all(1)) && !all(1).eq(all(2)));
        // The first numbers of SplitMix64 from seed 0: the same on every machine.
        assert_eq!(
            drawn(0, 0),
            (0xe220_a839_7b1d_cdaf_u64 >> 11) as f64 / (1_u64 << 53) as f64
        );
    }
}

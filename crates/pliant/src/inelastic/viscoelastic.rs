//! Viscoelasticity: springs and dashpots.
//!
//! ```text
//! Maxwell     flow' = ε_e / τ                                  (a dashpot in series)
//! Voigt       σ = k (ε + τ ε')                                 (a dashpot beside the spring)
//! four units  flow = γ + δ,   γ' = ε_e / τ₁,   τ₂ δ' + δ = ε_e / κ
//! ```
//!
//! ε_e = ε - flow is the elastic strain of the first spring, τ a time of relaxation: viscosity by
//! stiffness, in seconds; κ the stiffness of the second spring by that of the first. With
//! k₁ the stiffness of the first spring the four units obey eq. 24 with
//!
//! ```text
//! a₂ = 1, a₁ = κ k₁/η₂, a₀ = 0;   b₂ = 1/k₁, b₁ = 1/η₁ + (1 + κ)/η₂, b₀ = κ k₁/(η₁ η₂)
//! η₁ = τ₁ k₁,   η₂ = τ₂ κ k₁
//! ```
//!
//! At the end of a step the strain is held and the flow follows its equation exactly, so a step
//! may be longer than the times of relaxation, and relaxation under constant strain has no error
//! of time. The Voigt dashpot is a spring from the strain before the stage of a step, so that it is implicit:
//! it makes the stiffness k (1 + τ s), s (ε - ε̂) the rate of strain by the rule of the stage (`energy/mod.rs`),
//! and moves the rest value towards ε̂. An explicit step has no such spring, and is refused. In a hybrid body it
//! acts on the deformation e; see `hybrid/viscosity.rs`.
//!
//! Departures: the viscosity is given as a time, so that the same number serves primal and hybrid
//! bodies and does not change with the grid. A negative time swells; the flow is then held within
//! `limit`, since nothing else would stop it.
//!
//! Implements: \[Terzopoulos1988\] eq. 24 and sect. 4.1, 4.4.

use super::strains::{StrainKind, Strains};
use super::{Process, Rooms};
use crate::body::{BodyDescription, BodyError};
use crate::process::{FourUnit, Maxwell, Voigt};

/// The mean over the nodes of a component of times that are given at all nodes or once.
fn time_at(strains: &Strains, component: usize, times: &[f64]) -> f64 {
    match times {
        [time] => *time,
        _ => strains.mean_at(component, times),
    }
}

/// One time for each node of a body, or one for all.
fn check_times(description: &BodyDescription, times: &[f64]) -> Result<(), BodyError> {
    let nodes = description.node_count();
    if times.len() == nodes || times.len() == 1 {
        return Ok(());
    }
    Err(BodyError::WrongLength {
        body: description.name.to_string(),
        what: "the list of times of relaxation",
        expected: nodes,
        found: times.len(),
    })
}

impl Process for Maxwell {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        check_times(description, &self.times)
    }

    fn flow(&self, step: f64, strains: &mut Strains, rooms: &mut Rooms, _memory: &mut [f64]) {
        let is_even = self.times.len() == 1 && self.rate.is_infinite();
        let together = strains.flow_together() && !is_even;
        for c in 0..strains.len() {
            let kind = strains.kinds[c];
            if kind == StrainKind::Volume || (together && kind == StrainKind::Displacement) {
                continue;
            }
            let elastic = strains.elastic(c);
            let mut time = time_at(strains, c, &self.times);
            if self.rate.is_finite() {
                let rate = (strains.totals[c] - strains.previous[c]).abs() / step;
                time *= (1.0 + rate / self.rate).powf(self.power);
            }
            let flowed = strains.flows[c] + elastic * (1.0 - (-step / time).exp());
            strains.flows[c] = if time < 0.0 {
                flowed.clamp(-self.limit, self.limit)
            } else {
                flowed
            };
        }
        if together {
            self.flow_together(step, strains, rooms);
        }
    }
}

impl Maxwell {
    /// Lets the displacements of a hybrid body flow, each node with its own viscosity, which goes by
    /// the rate of strain at the node.
    fn flow_together(&self, step: f64, strains: &mut Strains, rooms: &mut Rooms) {
        let Rooms {
            sites, at_nodes, ..
        } = rooms;
        sites.gather(strains, |c| strains.totals[c] - strains.previous[c]);
        at_nodes.clear();
        at_nodes.extend(sites.tensors.iter().enumerate().map(|(node, tensor)| {
            let mut time = match self.times[..] {
                [time] => time,
                _ => self.times[node],
            };
            if self.rate.is_finite() {
                let rate = tensor.iter().map(|t| t * t).sum::<f64>().sqrt() / step;
                time *= (1.0 + rate / self.rate).powf(self.power);
            }
            1.0 - (-step / time).exp()
        }));
        let swells = at_nodes.iter().any(|&share| share < 0.0);
        let limit = if swells { self.limit } else { f64::INFINITY };
        strains.flow_displacements(at_nodes, Strains::elastic, |strains, c, flow| {
            let flowed = strains.flows[c] + flow;
            strains.flows[c] = flowed.clamp(-limit, limit);
        });
    }
}

impl Process for Voigt {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        check_times(description, &self.times)
    }

    fn resists_rates(&self) -> bool {
        true
    }

    fn resist(&self, strains: &Strains, times: &mut [f64]) {
        for (component, time) in times.iter_mut().enumerate() {
            *time += time_at(strains, component, &self.times);
        }
    }

    fn resistance_energy(&self, step: f64, strains: &Strains) -> f64 {
        let of_component = |c: usize| {
            let change = (strains.totals[c] - strains.previous[c]) / strains.scales[c];
            let stiffness = strains.stiffness(c) * time_at(strains, c, &self.times) / step;
            0.5 * stiffness * change * change
        };
        (0..strains.len()).map(of_component).sum()
    }

    fn retardation_times(&self) -> &[f64] {
        &self.times
    }
}

impl Process for FourUnit {
    /// δ, the strain of the Voigt unit.
    fn memory_per_component(&self) -> usize {
        1
    }

    fn each_inner_spring(
        &self,
        memory: &[f64],
        _room: &mut Vec<f64>,
        add: &mut dyn FnMut(f64, &[f64]),
    ) {
        add(self.stiffness, memory);
    }

    /// With the strain held, a = ε_e and δ obey a linear equation of two unknowns,
    ///
    /// ```text
    /// a' = -(1/τ₁ + 1/(κ τ₂)) a + δ/τ₂,      δ' = a/(κ τ₂) - δ/τ₂
    /// ```
    ///
    /// whose matrix has real eigenvalues.
    fn flow(&self, step: f64, strains: &mut Strains, _rooms: &mut Rooms, memory: &mut [f64]) {
        let (fast, slow) = (1.0 / self.relaxation, 1.0 / self.retardation);
        let drive = slow / self.stiffness;
        let exponential = exponential_of([[-(fast + drive), slow], [drive, -slow]], step);
        for (c, voigt) in memory.iter_mut().enumerate() {
            if strains.kinds[c] == StrainKind::Volume {
                continue;
            }
            let (elastic, before) = (strains.elastic(c), *voigt);
            let [[aa, ad], [da, dd]] = exponential;
            *voigt = da * elastic + dd * before;
            strains.flows[c] = strains.totals[c] - (aa * elastic + ad * before);
        }
    }
}

/// exp(m t) of a matrix whose off-diagonal entries have the same sign, so that its eigenvalues are
/// real.
fn exponential_of(m: [[f64; 2]; 2], t: f64) -> [[f64; 2]; 2] {
    let mean = 0.5 * (m[0][0] + m[1][1]);
    let half = 0.5 * (m[0][0] - m[1][1]);
    let root = (half * half + m[0][1] * m[1][0]).max(0.0).sqrt();
    // exp(mean t) (cosh(root t) I + sinh(root t)/root (m - mean I)), without overflow.
    let (high, low) = (((mean + root) * t).exp(), ((mean - root) * t).exp());
    let cosine = 0.5 * (high + low);
    let sine = if root * t < 1e-8 {
        t * (mean * t).exp()
    } else {
        0.5 * (high - low) / root
    };
    [
        [cosine + sine * half, sine * m[0][1]],
        [sine * m[1][0], cosine - sine * half],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_obeys_its_equation() {
        let m = [[-3.0, 0.7], [0.4, -1.1]];
        let (t, h) = (0.8, 1e-5);
        let (before, now, after) = (
            exponential_of(m, t - h),
            exponential_of(m, t),
            exponential_of(m, t + h),
        );
        for i in 0..2 {
            for j in 0..2 {
                let rate = (after[i][j] - before[i][j]) / (2.0 * h);
                let expected = m[i][0] * now[0][j] + m[i][1] * now[1][j];
                assert!((rate - expected).abs() < 1e-8);
            }
        }
        let start = exponential_of(m, 0.0);
        assert_eq!(start, [[1.0, 0.0], [0.0, 1.0]]);
    }
}

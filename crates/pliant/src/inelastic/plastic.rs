//! Plasticity: beyond a limit the material yields, hardens and keeps a permanent strain.
//!
//! ```text
//! ξ = ε_e - H ε_p                      elastic strain less the pull of the hardening spring
//! |ξ| <= y                             elastic
//! Δε_p = (1 - y/|ξ|) ξ / (1 + H)       else, so that |ξ| = y again
//! ```
//!
//! It is the three-unit model of Fig. 6: a spring in series with a slip unit that has a second
//! spring beside it, H times as stiff. Under load beyond the yield point A the slope falls to
//! H/(1 + H) of the elastic one; unloading is elastic with the initial constants over a range of
//! twice the yield force; a closed cycle OABCDO ends where it began.
//!
//! |ξ| is taken at the nodes, from the tensor of the components round each: its Frobenius norm
//! (yield on deformation, y a ratio), or von Mises' or Tresca's stress (y in newtons, as the
//! `stress` of frames). The flow of a component is the mean of what its nodes allow. Bending yields
//! by its own strain. A **viscoplastic** time lets only 1 - exp(-dt/τ) of the excess flow.
//!
//! Departure: the paper lowers the weights beyond the yield point to harden; a second spring gives
//! the same slope and, unlike lower weights, unloads with the initial constants as its Fig. 6 asks.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.2, 4.4, Fig. 6.

use super::strains::{StrainKind, Strains};
use super::{Process, Rooms};
use crate::process::{Plastic, YieldCriterion};

impl Plastic {
    /// Size of a symmetric tensor (11, 22, 33, 12, 13, 23).
    fn size(&self, t: [f64; 6]) -> f64 {
        let [a, b, c, d, e, f] = t;
        match self.criterion {
            YieldCriterion::Deformation => {
                (a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)).sqrt()
            }
            YieldCriterion::VonMises => {
                let normal = (a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2);
                (0.5 * normal + 3.0 * (d * d + e * e + f * f)).sqrt()
            }
            YieldCriterion::Tresca => {
                let [low, _, high] = eigenvalues(t);
                high - low
            }
        }
    }
}

impl Process for Plastic {
    /// ε_p.
    fn memory_per_component(&self) -> usize {
        1
    }

    fn keeps_permanent_strain(&self) -> bool {
        true
    }

    fn each_inner_spring(
        &self,
        memory: &[f64],
        _room: &mut Vec<f64>,
        add: &mut dyn FnMut(f64, &[f64]),
    ) {
        add(self.hardening, memory);
    }

    fn flow(&self, step: f64, strains: &mut Strains, rooms: &mut Rooms, memory: &mut [f64]) {
        let is_stress = self.criterion != YieldCriterion::Deformation;
        let Rooms {
            pull,
            sites,
            at_nodes,
            ..
        } = rooms;
        pull.clear();
        pull.extend((0..strains.len()).map(|c| strains.elastic(c) - self.hardening * memory[c]));
        let unit = |strains: &Strains, c: usize| if is_stress { strains.modulus(c) } else { 1.0 };
        sites.gather(strains, |c| unit(strains, c) * pull[c]);
        let share = self.portion(step);
        let yielding = |size: f64| {
            if size > self.limit {
                share * (1.0 - self.limit / size) / (1.0 + self.hardening)
            } else {
                0.0
            }
        };
        at_nodes.clear();
        let tensors = sites.tensors.iter();
        at_nodes.extend(tensors.map(|&tensor| yielding(self.size(tensor))));
        for c in 0..strains.len() {
            let factor = match strains.kinds[c] {
                StrainKind::Volume | StrainKind::Displacement => 0.0,
                StrainKind::Bend => yielding(unit(strains, c) * pull[c].abs()),
                StrainKind::Stretch(_) | StrainKind::Shear(..) => strains.mean_at(c, at_nodes),
            };
            memory[c] += factor * pull[c];
            strains.flows[c] += factor * pull[c];
        }
        let pull = |_: &Strains, c: usize| pull[c];
        strains.flow_displacements(at_nodes, pull, |strains, c, flow| {
            memory[c] += flow;
            strains.flows[c] += flow;
        });
    }
}

/// Eigenvalues of a symmetric tensor, ascending, by the cosine formula.
fn eigenvalues([a, b, c, d, e, f]: [f64; 6]) -> [f64; 3] {
    let mean = (a + b + c) / 3.0;
    let off = d * d + e * e + f * f;
    let spread = (a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2) + 2.0 * off;
    let p = (spread / 6.0).sqrt();
    if p == 0.0 {
        return [mean; 3];
    }
    let (a, b, c) = ((a - mean) / p, (b - mean) / p, (c - mean) / p);
    let (d, e, f) = (d / p, e / p, f / p);
    let determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    let angle = (0.5 * determinant).clamp(-1.0, 1.0).acos() / 3.0;
    let third = std::f64::consts::TAU / 3.0;
    let high = mean + 2.0 * p * angle.cos();
    let low = mean + 2.0 * p * (angle + third).cos();
    [low, 3.0 * mean - low - high, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plastic(criterion: YieldCriterion) -> Plastic {
        Plastic {
            criterion,
            limit: 1.0,
            hardening: 0.0,
            time: 0.0,
        }
    }

    #[test]
    fn eigenvalues_of_known_tensors() {
        let close = |found: [f64; 3], expected: [f64; 3]| {
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        };
        close(
            eigenvalues([3.0, -1.0, 2.0, 0.0, 0.0, 0.0]),
            [-1.0, 2.0, 3.0],
        );
        close(
            eigenvalues([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
            [-1.0, 0.0, 1.0],
        );
        close(eigenvalues([2.0; 6].map(|x| x * 0.5)), [0.0, 0.0, 3.0]);
    }

    #[test]
    fn criteria_agree_in_tension_and_differ_in_shear_as_theory_says() {
        let tension = [5.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let shear = [0.0, 0.0, 0.0, 5.0, 0.0, 0.0];
        let pressure = [5.0, 5.0, 5.0, 0.0, 0.0, 0.0];
        let mises = plastic(YieldCriterion::VonMises);
        let tresca = plastic(YieldCriterion::Tresca);
        assert!((mises.size(tension) - 5.0).abs() < 1e-12);
        assert!((tresca.size(tension) - 5.0).abs() < 1e-12);
        assert!((mises.size(shear) - 5.0 * 3.0_f64.sqrt()).abs() < 1e-12);
        assert!((tresca.size(shear) - 10.0).abs() < 1e-12);
        assert_eq!(mises.size(pressure), 0.0);
        assert!(tresca.size(pressure).abs() < 1e-12);
        let size = plastic(YieldCriterion::Deformation).size(shear);
        assert!((size - 50.0_f64.sqrt()).abs() < 1e-12);
    }
}

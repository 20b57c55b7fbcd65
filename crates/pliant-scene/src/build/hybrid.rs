//! Bodies of formulation `Hybrid`: the weights of their spline energy.

use crate::scene::Particle;
use pliant::BodyDescription;
use pliant::hybrid::{DeformationEnergy, NodeWeights, PAIRS, SplineWeights};

/// Gives a hybrid body its weights; says what does not fit, and what to do. Nothing happens to other bodies.
pub(super) fn apply(
    particles: &[Particle],
    description: &mut BodyDescription,
) -> Result<(), [&'static str; 2]> {
    let deformation = description.hybrid().map(|hybrid| hybrid.deformation);
    match deformation {
        Some(DeformationEnergy::Spline) => {
            let weights = weights(description, particles);
            description.change_hybrid(|hybrid| hybrid.weights = weights);
        }
        Some(DeformationEnergy::Linearised) if particles.iter().any(|p| p.hold != 0.0) => {
            return Err([
                "`hold` belongs to the spline energy, and this body has deformation=\"Linearised\"",
                "leave `hold` out, or choose deformation=\"Spline\"",
            ]);
        }
        _ => {}
    }
    Ok(())
}

/// Weights as stiff as the primal ones, with those that only the hybrid formulation has.
fn weights(description: &BodyDescription, particles: &[Particle]) -> Option<SplineWeights> {
    let (grid, primal) = (description.grid()?, description.weights()?);
    let mut weights = SplineWeights::from_primal(grid, &description.rest_positions, primal);
    weights.zeroth = particles.iter().map(|p| p.hold).collect();
    if grid.dimension() == 3 {
        let second = SplineWeights::from_nodes(grid, |node| {
            let rigidity = particles[node].rigidity;
            NodeWeights {
                second: [0, 1, 2].map(|d| rigidity[d][d]),
                mixed: PAIRS.map(|(a, b)| 0.5 * (rigidity[a][b] + rigidity[b][a])),
                ..NodeWeights::default()
            }
        });
        (weights.second, weights.mixed) = (second.second, second.mixed);
    }
    Some(weights)
}

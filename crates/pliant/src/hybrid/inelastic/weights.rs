//! The weights that processes leave a hybrid body.
//!
//! ```text
//! w = w⁰ share(T)      w⁰ the weight of a difference, T the mean temperature of its nodes
//! w = 0                where the difference reaches over a link that is torn or melted
//! w = 0                for the second difference of a bend that is creased
//! ```
//!
//! The weights are always made from the initial ones, so that what cools stiffens again and what
//! solidifies is whole again. A molten node has no weight of order 0 either.
//!
//! Departure: the matrix of a hybrid body is factorised, so weights follow the temperature in small
//! steps: as soon as one of them is off by more than [`TOLERANCE`], all are brought up to date.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.3 and 4.4 (discontinuities of order 0 and 1), and the note
//! added in proof.

use crate::body::BodyDescription;
use crate::hybrid::{HybridMaterial, Pieces, SplineWeights};
use crate::inelastic::{Inelasticity, StrainKind, Strains};

/// How far a weight may be from what the temperature says, as a share of it.
const TOLERANCE: f64 = 2e-3;

/// Where a bend component has its weight.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The second difference about a node in a direction.
    Second(usize, usize),
    /// The mixed difference of the cell at a node.
    Mixed(usize),
}

/// The weights of a hybrid body as processes leave them.
#[derive(Debug)]
pub(crate) struct HybridWeights {
    initial: SplineWeights,
    next: SplineWeights,
    /// Bend components and where they have their weights.
    bends: Vec<(usize, Place)>,
    /// Version of the topology and number of creases that the weights were last made for.
    made_for: Option<(u64, usize)>,
}

impl HybridWeights {
    /// For a hybrid body with strains as described.
    pub(super) fn new(description: &BodyDescription, strains: &Strains) -> Self {
        let material = HybridMaterial::new(description);
        Self {
            initial: material.weights().clone(),
            next: material.weights().clone(),
            bends: places_of_bends(description, strains),
            made_for: None,
        }
    }

    /// Gives a new body the weights that its temperatures leave it.
    pub(crate) fn initialise(
        description: &BodyDescription,
        inelastic: &Inelasticity,
        material: &mut HybridMaterial,
    ) {
        if description.can_melt() {
            let strains = Strains::new(description, true);
            Self::new(description, &strains).refresh(description, inelastic, material);
        }
    }

    /// Brings the weights of a body up to date. Returns its pieces before, if it was not whole.
    pub(super) fn refresh(
        &mut self,
        description: &BodyDescription,
        inelastic: &Inelasticity,
        material: &mut HybridMaterial,
    ) -> Option<Pieces> {
        let is_creased = |component: usize| inelastic.stiffness_shares[component] == 0.0;
        let bends = self.bends.iter();
        let creases = bends
            .filter(|(component, _)| is_creased(*component))
            .count();
        let state = (inelastic.topology_version, creases);
        let heat = description.heat();
        if heat.is_none() && self.made_for == Some(state) {
            return None;
        }
        self.made_for = Some(state);
        let (grid, next) = (description.material_grid(), &mut self.next);
        let temperatures = &inelastic.thermal.temperatures;
        next.scale_from(&self.initial, grid, |span| {
            let molten = |&node: &usize| inelastic.thermal.is_molten(node);
            if span.len() == 1 && span.iter().any(molten) {
                return 0.0;
            }
            heat.map_or(1.0, |heat| {
                let sum: f64 = span.iter().map(|&node| temperatures[node]).sum();
                heat.share(sum / span.len() as f64)
            })
        });
        for (edge, _) in inelastic
            .broken_links
            .iter()
            .enumerate()
            .filter(|(_, b)| **b)
        {
            next.cut(grid, edge / 3, edge % 3);
        }
        for &(component, place) in &self.bends {
            if is_creased(component) {
                match place {
                    Place::Second(node, direction) => next.second[node][direction] = 0.0,
                    Place::Mixed(node) => next.mixed[node][0] = 0.0,
                }
            }
        }
        if differs(material.weights(), next) {
            let before = material.pieces();
            let before = (!before.is_whole()).then(|| before.clone());
            material.change_weights(|weights| weights.copy_from(next));
            return before.filter(|before| before != material.pieces());
        }
        None
    }
}

/// Whether weights are off by more than the tolerance, or zero where they should not be.
fn differs(now: &SplineWeights, wanted: &SplineWeights) -> bool {
    let pairs = now.lists().flatten().zip(wanted.lists().flatten());
    let mut off = pairs.map(|(now, wanted)| (now - wanted).abs() > TOLERANCE * wanted.abs());
    off.any(|off| off)
}

/// In the order in which `primal_terms` makes them.
fn places_of_bends(description: &BodyDescription, strains: &Strains) -> Vec<(usize, Place)> {
    let grid = description.material_grid();
    let bends = (0..strains.gauge_count).filter(|&c| strains.kinds[c] == StrainKind::Bend);
    let mut last_centre = None;
    bends
        .filter_map(|component| {
            let nodes = strains.nodes_of(component);
            let place = match (grid.dimension(), nodes.len()) {
                (1, 3) => Place::Second(nodes[1] as usize, 0),
                (2, 4) => Place::Mixed(nodes[0] as usize),
                (2, 5) => {
                    let centre = nodes[0] as usize;
                    let has_both = nodes[1] != nodes[0] && nodes[2] != nodes[0];
                    let resists = description.material_weights().rigidity(centre, 0, 0) != 0.0;
                    let first = has_both && resists && last_centre != Some(centre);
                    last_centre = Some(centre);
                    Place::Second(centre, usize::from(!first))
                }
                // The torsion of a curve, for which there is no weight.
                _ => return None,
            };
            Some((component, place))
        })
        .collect()
}

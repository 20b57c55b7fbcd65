//! What heat has changed in a body, and the bonds that it softens and melts.
//!
//! A **bond** is an edge of the grid. A melted bond takes away every component of strain that needs
//! both of its ends, as a tear does, but a tear is for ever and a melted bond may solidify. A node
//! all of whose bonds have melted is **molten**: a particle of a fluid.

use super::Strains;
use crate::body::BodyDescription;
use crate::grid::Grid;
use crate::process::Heat;
use glam::DVec3;

/// Temperatures and what has melted. It persists, as positions and velocities do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thermal {
    /// Temperature of each node, in kelvin; empty in a body that does not conduct heat.
    pub temperatures: Vec<f64>,
    /// Nodes that are particles of a fluid; empty in a body that cannot melt.
    pub molten: Vec<bool>,
    /// Bonds that have melted, as `3 * lower node + direction`; empty in a body that cannot melt.
    pub melted: Vec<bool>,
}

impl Thermal {
    /// At the beginning; nothing for a body that neither conducts nor is fluid.
    pub(crate) fn of(description: &BodyDescription) -> Self {
        let mut thermal = Self::default();
        if !description.can_melt() {
            return thermal;
        }
        let nodes = description.node_count();
        thermal.molten = vec![false; nodes];
        thermal.melted = vec![false; 3 * nodes];
        if let Some(heat) = description.heat() {
            thermal.temperatures = (0..nodes).map(|node| heat.initial(node)).collect();
        }
        if let Some(fluid) = description.fluid() {
            for bond in bonds_of(description.material_grid()) {
                let melted = bond.ends.iter().any(|&end| fluid.is_initial(end));
                thermal.melted[bond.edge] = melted;
            }
            for (node, molten) in thermal.molten.iter_mut().enumerate() {
                *molten = fluid.is_initial(node);
            }
        }
        thermal
    }

    /// Number of molten nodes.
    pub fn molten_count(&self) -> usize {
        self.molten.iter().filter(|&&molten| molten).count()
    }

    /// Whether a node is a particle of a fluid.
    pub fn is_molten(&self, node: usize) -> bool {
        self.molten.get(node).copied().unwrap_or(false)
    }
}

/// An edge of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bond {
    /// `3 * lower node + direction`.
    pub(crate) edge: usize,
    /// Where it begins and where it ends.
    pub(crate) ends: [usize; 2],
}

/// All edges of a grid, in the order of their first nodes.
pub(crate) fn bonds_of(grid: &Grid) -> impl Iterator<Item = Bond> + '_ {
    grid.nodes().flat_map(move |coordinates| {
        let node = grid.index(coordinates);
        (0..grid.dimension()).filter_map(move |direction| {
            let mut step = [0; 3];
            step[direction] = 1;
            let end = grid.neighbour(coordinates, step)?;
            (end != node).then_some(Bond {
                edge: 3 * node + direction,
                ends: [node, end],
            })
        })
    })
}

/// The bonds of a body, with the components of strain that need them.
#[derive(Debug)]
pub(crate) struct Bonds {
    pub(super) bonds: Vec<Bond>,
    /// Distance of the ends at rest, in metres.
    pub(super) rest_lengths: Vec<f64>,
    /// The edges that component c needs are `needed[needed_starts[c]..needed_starts[c + 1]]`.
    needed_starts: Vec<u32>,
    needed: Vec<u32>,
}

/// A bond can solidify, and melt conducts along it, between these shares of its rest length.
const REACH: [f64; 2] = [0.5, 1.5];

impl Bonds {
    /// Of a body that can melt.
    pub(crate) fn new(description: &BodyDescription, strains: &Strains) -> Self {
        let (grid, rest) = (description.material_grid(), &description.rest_positions);
        let bonds: Vec<Bond> = bonds_of(grid).collect();
        let rest_lengths = bonds
            .iter()
            .map(|bond| (rest[bond.ends[1]] - rest[bond.ends[0]]).length())
            .collect();
        let (mut needed, mut needed_starts) = (Vec::new(), vec![0]);
        for component in 0..strains.len() {
            let nodes = strains.nodes_of(component);
            for &node in nodes {
                let coordinates = grid.coordinates(node as usize);
                for direction in 0..grid.dimension() {
                    let mut step = [0; 3];
                    step[direction] = 1;
                    if let Some(end) = grid.neighbour(coordinates, step)
                        && end != node as usize
                        && nodes.contains(&(end as u32))
                    {
                        needed.push(3 * node + direction as u32);
                    }
                }
            }
            needed_starts.push(needed.len() as u32);
        }
        Self {
            bonds,
            rest_lengths,
            needed_starts,
            needed,
        }
    }

    /// Whether the ends of a bond are about as far apart as at rest.
    pub(super) fn is_near(&self, index: usize, positions: &[DVec3]) -> bool {
        let [a, b] = self.bonds[index].ends;
        let (length, rest) = (
            (positions[b] - positions[a]).length(),
            self.rest_lengths[index],
        );
        (REACH[0] * rest..=REACH[1] * rest).contains(&length)
    }

    /// Melts bonds whose mean temperature is above the melting point and, where the scene allows
    /// it, lets those solidify both of whose ends are below it and near each other.
    pub(super) fn melt(&self, heat: &Heat, positions: &[DVec3], thermal: &mut Thermal) {
        for (index, bond) in self.bonds.iter().enumerate() {
            let [a, b] = bond.ends.map(|end| thermal.temperatures[end]);
            if thermal.melted[bond.edge] {
                let is_cold = heat.solidifies && a < heat.melting && b < heat.melting;
                if is_cold && self.is_near(index, positions) {
                    thermal.melted[bond.edge] = false;
                }
            } else if 0.5 * a + 0.5 * b > heat.melting {
                thermal.melted[bond.edge] = true;
            }
        }
        // A node without bonds goes by its own temperature.
        let lonely = thermal.molten.iter_mut().zip(&thermal.temperatures);
        for (molten, &temperature) in lonely {
            let stays = *molten && !(heat.solidifies && temperature < heat.melting);
            *molten = stays || temperature > heat.melting;
        }
        let Thermal { molten, melted, .. } = thermal;
        for bond in &self.bonds {
            bond.ends.into_iter().for_each(|end| molten[end] = true);
        }
        for bond in self.bonds.iter().filter(|bond| !melted[bond.edge]) {
            bond.ends.into_iter().for_each(|end| molten[end] = false);
        }
    }

    /// The share of stiffness that heat leaves each component.
    pub(crate) fn fill_shares(
        &self,
        heat: Option<&Heat>,
        thermal: &Thermal,
        strains: &Strains,
        shares: &mut [f64],
    ) {
        for (component, share) in shares.iter_mut().enumerate() {
            let range = self.needed_starts[component]..self.needed_starts[component + 1];
            let needed = &self.needed[range.start as usize..range.end as usize];
            *share = if needed.iter().any(|&edge| thermal.melted[edge as usize]) {
                0.0
            } else {
                heat.map_or(1.0, |heat| {
                    heat.share(strains.mean_at(component, &thermal.temperatures))
                })
            };
        }
    }
}

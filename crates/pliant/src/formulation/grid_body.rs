//! What all bodies on grids share.

use super::grid_uses::GridUses;
use super::{grid_facets, grid_fields, grid_footprint};
use crate::body::{
    Body, BodyDescription, BodyError, ContactFeatures, EnergyVariant, Footprint, Formulation,
    GridDescription, Integrator, Memory, OnGrid, Processes, State, corner_areas,
};
use crate::elastic::node_sizes;
use crate::energy::Energy;
use crate::frame::{FrameBody, NodalField, Topology};
use crate::grid::{Grid, grid_topology, surface_directions, torn_topology, touching_topology};
use crate::inelastic::{FlowingShape, GridMaterial, Inelasticity, Strains, check_processes};
use crate::mesh::Facets;
use crate::system::{Share, implicit_share};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// What tells one formulation of bodies on grids from another; all else they share.
///
/// See [`Formulation`] for what each function is.
pub(crate) trait GridMechanics: Clone + Debug + Default + Send + Sync + 'static {
    /// Its name.
    const FORMULATION: &'static str;

    /// What it makes of the numbers of particles.
    const USES: GridUses = GridUses::COMMON;

    /// What is wrong with a description. Lists and weights have been checked before.
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError>;

    /// What a body takes in memory, without its couplings.
    fn footprint(&self, description: &BodyDescription) -> Footprint;

    /// Whether its bodies become stiffer by a factor of their weights while they run.
    fn follows_weights(&self) -> bool {
        false
    }

    /// Completes the state of a new body, and makes its memory.
    fn begin(&self, _description: &BodyDescription, _state: &mut State) -> Vec<Box<dyn Memory>> {
        Vec::new()
    }

    /// Its elastic energies over the nodes, if it has some.
    fn energies(&self, _body: &Body) -> Vec<Box<dyn Energy>> {
        Vec::new()
    }

    /// The same as they are now, for bodies whose memory is part of their energies.
    fn present_energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        self.energies(body)
    }

    /// Differs whenever those do.
    fn energy_version(&self, _body: &Body) -> u64 {
        0
    }

    /// Whether its bodies can move as one system with others.
    fn joins_others(&self, _description: &BodyDescription) -> bool {
        false
    }

    /// Whether its bodies meet others in scenes that say nothing of contact.
    fn meets_unasked(&self) -> bool {
        true
    }

    /// Whether its bodies rebound from obstacles as `restitution` says.
    fn heeds_restitution(&self) -> bool {
        true
    }

    /// What advances the body where it is not one implicit step over its energies.
    fn integrator(&self, _body: &Body) -> Option<Box<dyn Integrator>> {
        None
    }

    /// The body as it is shown, where that is not its nodes. `bodies` are those of its world.
    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        nodes
    }

    /// How the nodes are connected, where that is not what processes have left of the grid.
    fn topology(&self, _body: &Body) -> Option<Arc<Topology>> {
        None
    }

    /// Differs whenever that does.
    fn topology_version(&self, _body: &Body) -> Option<u64> {
        None
    }

    /// Processes of its own.
    fn processes(&self, _body: &Body) -> Option<Box<dyn Processes>> {
        None
    }

    /// The shape that flows with plastic and viscous strain, where it is not that of the nodes.
    fn flowing_shape(
        &self,
        _description: &BodyDescription,
        _strains: &Strains,
    ) -> Option<Box<dyn FlowingShape>> {
        None
    }
}

impl<M: GridMechanics> Formulation for OnGrid<M> {
    fn name(&self) -> &'static str {
        M::FORMULATION
    }

    fn show(&self, nodes: FrameBody, bodies: &[Body]) -> FrameBody {
        self.mechanics.show(nodes, bodies)
    }

    fn on_grid(&self) -> Option<&GridDescription> {
        Some(&self.on_grid)
    }

    fn with_grid(&self, on_grid: GridDescription) -> Option<Arc<dyn Formulation>> {
        let mechanics = self.mechanics.clone();
        Some(Arc::new(Self { on_grid, mechanics }))
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        check(&self.on_grid, description)?;
        self.mechanics.check(description)
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        self.on_grid.grid.dimension()
    }

    fn has_energy(&self, _description: &BodyDescription) -> bool {
        self.on_grid.energy == EnergyVariant::Exact
    }

    fn scale_stiffness(&self, description: &mut BodyDescription, factor: f64) -> bool {
        let follows = self.mechanics.follows_weights();
        if follows {
            description.change_grid(|on_grid| on_grid.weights.scale(factor));
        }
        follows
    }

    fn knows_processes(&self) -> bool {
        true
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let footprint = self.mechanics.footprint(description);
        footprint.coupled(|| grid_footprint::couplings(&self.on_grid.grid))
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        grid_topology(&self.on_grid.grid).triangles
    }

    fn edges(&self, _description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        let grid = &self.on_grid.grid;
        for coordinates in grid.nodes() {
            for step in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
                if let Some(end) = grid.neighbour(coordinates, step) {
                    visit(grid.index(coordinates), end);
                }
            }
        }
    }

    fn node_extents(&self, description: &BodyDescription) -> Vec<f64> {
        match self.on_grid.grid.dimension() {
            1 | 2 => node_sizes(&self.on_grid.grid, &description.rest_positions),
            _ => corner_areas(description, &self.surface_triangles(description)),
        }
    }

    fn facets(&self, _description: &BodyDescription, selected: &[bool]) -> Facets {
        grid_facets::facets(&self.on_grid.grid, selected)
    }

    fn topology(&self, body: &Body) -> Arc<Topology> {
        let of_mechanics = self.mechanics.topology(body);
        of_mechanics.unwrap_or_else(|| topology(body))
    }

    fn contact_features(&self, body: &Body) -> ContactFeatures {
        match (self.mechanics.topology(body), body.inelastic()) {
            (None, Some(inelastic)) if inelastic.topology_version != 0 => {
                let is_broken = |node, direction| inelastic.is_broken(node, direction);
                ContactFeatures::of(&touching_topology(&self.on_grid.grid, &is_broken))
            }
            _ => ContactFeatures::of(&self.topology(body)),
        }
    }

    fn topology_version(&self, body: &Body) -> u64 {
        match self.mechanics.topology_version(body) {
            Some(version) => version,
            None => body.inelastic().map_or(0, |memory| memory.topology_version),
        }
    }

    fn directions(&self, _body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        surface_directions(&self.on_grid.grid, positions, directions);
    }

    fn fields(&self, body: &Body) -> Vec<NodalField> {
        grid_fields::fields(body)
    }

    fn overstrained(&self, body: &Body, positions: &[DVec3]) -> Option<usize> {
        grid_fields::overstrained(body, positions)
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        self.mechanics.begin(description, state)
    }

    /// What is broken and how soft it is follow from what was saved.
    fn restored(&self, body: &mut Body) {
        let (description, _, memory) = body.parts_mut::<Inelasticity>();
        if let Some(memory) = memory {
            memory.find_broken_links(description);
        }
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        self.mechanics.energies(body)
    }

    fn present_energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        self.mechanics.present_energies(body)
    }

    fn energy_version(&self, body: &Body) -> u64 {
        self.mechanics.energy_version(body)
    }

    fn joins_others(&self, description: &BodyDescription) -> bool {
        self.mechanics.joins_others(description)
    }

    fn meets_unasked(&self) -> bool {
        self.mechanics.meets_unasked()
    }

    fn heeds_restitution(&self) -> bool {
        self.mechanics.heeds_restitution()
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let integrator = self.mechanics.integrator(body);
        integrator.unwrap_or_else(|| one_system(&self.on_grid.grid, body))
    }

    fn joined_integrator(&self, body: &Body) -> Box<dyn Integrator> {
        match self.mechanics.joins_others(body.description()) {
            true => one_system(&self.on_grid.grid, body),
            false => self.integrator(body),
        }
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        let flowing = |description: &BodyDescription, strains: &Strains| {
            self.mechanics.flowing_shape(description, strains)
        };
        if let Some(processes) = self.mechanics.processes(body) {
            return Some(processes);
        }
        let at_work = GridMaterial::at_work(body, flowing)?;
        Some(Box::new(at_work))
    }
}

/// An implicit step over the energies of a body.
fn one_system(grid: &Grid, body: &Body) -> Box<dyn Integrator> {
    let share = Share {
        grid: Some(grid.clone()),
        ..Share::of(body)
    };
    implicit_share(body, share)
}

/// Whether nodes and weights are those of the grid, and the processes make sense.
fn check(on_grid: &GridDescription, description: &BodyDescription) -> Result<(), BodyError> {
    let weights = &on_grid.weights;
    let expected = on_grid.grid.node_count();
    for (what, found) in [
        ("the rest shape", description.node_count()),
        ("the list of tensions", weights.tensions.len()),
        ("the list of rigidities", weights.rigidities.len()),
        ("the list of twists", weights.twists.len()),
    ] {
        if found != expected {
            return Err(BodyError::WrongLength {
                body: description.name.to_string(),
                what,
                expected,
                found,
            });
        }
    }
    for node in 0..expected {
        let smallest = weights.tensions[node]
            .iter()
            .flatten()
            .chain(weights.rigidities[node].iter().flatten())
            .chain([&weights.twists[node]])
            .fold(f64::INFINITY, |low, &value| {
                if value.is_nan() {
                    f64::NAN
                } else {
                    low.min(value)
                }
            });
        if smallest.is_nan() || smallest < 0.0 {
            return Err(BodyError::BadValue {
                body: description.name.to_string(),
                what: "a weight",
                node,
                value: smallest,
                rule: "zero or positive",
            });
        }
    }
    check_processes(description)
}

fn topology(body: &Body) -> Arc<Topology> {
    let grid = body.description().material_grid();
    Arc::new(match body.inelastic() {
        Some(inelastic) if inelastic.topology_version != 0 => {
            let is_broken = |node, direction| inelastic.is_broken(node, direction);
            let mut topology = torn_topology(grid, &is_broken);
            if !topology.broken_links.is_empty() {
                let rest = &body.description().rest_positions;
                topology.rest_positions.clone_from(rest);
            }
            topology
        }
        _ => grid_topology(grid),
    })
}

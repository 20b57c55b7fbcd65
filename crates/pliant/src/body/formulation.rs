//! What a body is: the contract of a formulation.
//!
//! The engine moves, saves and shows bodies without knowing how their shapes are described: it asks
//! the [`Formulation`] in the description. The folder `formulation` has those of this crate, one
//! file each; a program may bring its own.

use super::{
    Blade, Body, BodyDescription, BodyError, Footprint, GridDescription, Integrator, State, Ties,
};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::energy::{ElementMemory, Energy, Springs};
use crate::frame::{FrameBody, NodalField, Topology};
use crate::linear::Couplings;
use crate::mesh::{ElementMesh, Facets};
use crate::obstacle::Obstacle;
use glam::DVec3;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// How the shape of a body is described and what follows from it.
///
/// The value itself holds what no step changes, such as elements and weights. What steps change
/// beside the [`State`] is [`Memory`].
pub trait Formulation: Any + Debug + Send + Sync {
    /// One word, for messages and choices.
    fn name(&self) -> &'static str;

    /// What is wrong with a description for this formulation. Masses, positions and lengths of lists
    /// have been checked before.
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError>;

    /// 1 for a curve, 2 for a surface, 3 for a solid.
    fn dimension(&self, description: &BodyDescription) -> usize;

    /// Whether the elastic forces are the gradient of an energy.
    fn has_energy(&self, _description: &BodyDescription) -> bool {
        true
    }

    /// What only bodies on grids have.
    fn on_grid(&self) -> Option<&GridDescription> {
        None
    }

    /// The same formulation with another grid, if it has one.
    fn with_grid(&self, _grid: GridDescription) -> Option<Arc<dyn Formulation>> {
        None
    }

    /// Makes a description stiffer by a factor, if that can be done while the body runs; says whether
    /// it has.
    fn scale_stiffness(&self, _description: &mut BodyDescription, _factor: f64) -> bool {
        false
    }

    /// The nodes that stand for the whole body where a force is bound to it without a place; nothing if
    /// every node stands for itself.
    fn stands_for_all(&self) -> Option<std::ops::Range<usize>> {
        None
    }

    /// The nodes that are fixed or released together with a node while the body runs; nothing if it
    /// cannot be fixed by itself.
    fn held_together(&self, _body: &Body, node: usize) -> Option<Vec<usize>> {
        Some(vec![node])
    }

    /// Whether it carries out the inelastic processes of a description.
    fn knows_processes(&self) -> bool {
        false
    }

    /// What a body of it takes in memory while it is simulated.
    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let blocks = Footprint::new(description, true, true, 6_000.0, "fewer nodes");
        blocks.coupled(|| {
            let mut pairs: Vec<[u32; 2]> = Vec::new();
            self.edges(description, &mut |a, b| pairs.push([a as u32, b as u32]));
            let pairs = pairs.iter().map(|pair| &pair[..]);
            Couplings::of_groups(description.rest_positions.len(), pairs)
        })
    }

    /// The triangles of the whole body between its nodes: a surface, or the boundary of a solid seen
    /// from outside.
    fn surface_triangles(&self, description: &BodyDescription) -> Vec<[u32; 3]>;

    /// Calls `visit` with the two ends of each edge of the rest shape.
    fn edges(&self, description: &BodyDescription, visit: &mut dyn FnMut(usize, usize));

    /// Length (of a curve, in metres) or area (of a surface or of the boundary of a solid, in square
    /// metres) of the rest shape that each node stands for; 0 inside a solid.
    fn node_extents(&self, description: &BodyDescription) -> Vec<f64> {
        super::corner_areas(description, &self.surface_triangles(description))
    }

    /// The faces, edges and cells of the rest shape whose nodes are all selected: what a load is spread
    /// over.
    fn facets(&self, description: &BodyDescription, selected: &[bool]) -> Facets {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        self.edges(description, &mut |a, b| edges.push([a as u32, b as u32]));
        Facets::of_triangles(&self.surface_triangles(description), &edges, selected)
    }

    /// How the nodes are connected as the body is now.
    fn topology(&self, body: &Body) -> Arc<Topology>;

    /// What of the body can touch other bodies, itself and obstacles, as the body is now.
    fn contact_features(&self, body: &Body) -> ContactFeatures {
        ContactFeatures::of(&self.topology(body))
    }

    /// Whether what is seen of it and touches comes apart where its elements do; a surface that a mesh carries does
    /// not.
    fn shows_its_elements(&self) -> bool {
        true
    }

    /// Draws pieces that have come apart in a step, and lie on each other, away from each other, so that contact
    /// can keep them apart. `before` says what was broken before the step.
    fn part_pieces(&self, _body: &mut Body, _before: &[bool]) {}

    /// Whether what drives the body, or a part of it, turns so far between two times or strays so far that straight
    /// lines are not its way.
    fn strays(&self, _body: &Body, _times: [f64; 2]) -> bool {
        false
    }

    /// Differs whenever the topology does.
    fn topology_version(&self, _body: &Body) -> u64 {
        0
    }

    /// Fills one unit vector for each node: the tangent of a curve, the normal of a surface or of the
    /// boundary of a solid, zero inside.
    fn directions(&self, body: &Body, positions: &[DVec3], directions: &mut [DVec3]);

    /// Numbers at the nodes that pictures can be coloured by.
    fn fields(&self, body: &Body) -> Vec<NodalField> {
        super::edge_fields(body)
    }

    /// The body as it is shown, where that is not its nodes. `bodies` are those of its world.
    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        nodes
    }

    /// A node of a part that has changed by more than a step can resolve, if there is one; adaptive
    /// steps are shortened then.
    fn overstrained(&self, _body: &Body, _positions: &[DVec3]) -> Option<usize> {
        None
    }

    /// How many of its nodes, the first ones, can touch obstacles and be bound to forces of whole bodies; the
    /// others serve its mechanics alone. All if `None`.
    fn touching_nodes(&self) -> Option<usize> {
        None
    }

    /// Adds nodes that serve the mechanics alone to a description and a state that have none yet. It is called
    /// before anything is checked.
    fn complete(&self, _description: &mut BodyDescription, _state: &mut State) {}

    /// Completes the state of a new body, whose positions and velocities are there, and makes its
    /// memory.
    fn begin(&self, _description: &BodyDescription, _state: &mut State) -> Vec<Box<dyn Memory>> {
        Vec::new()
    }

    /// Completes the memory of a body that was restored: what follows from what was saved.
    fn restored(&self, _body: &mut Body) {}

    /// Its elastic energies over the nodes, if it has some, as no process has changed them.
    fn energies(&self, _body: &Body) -> Vec<Box<dyn Energy>> {
        Vec::new()
    }

    /// The same as they are now, for bodies whose memory is part of their energies.
    fn present_energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        self.energies(body)
    }

    /// Differs whenever those do; 0 where they are always the same.
    fn energy_version(&self, _body: &Body) -> u64 {
        0
    }

    /// Whether its bodies can move as one system with others, which contact between bodies asks for:
    /// whether [`Formulation::joined_integrator`] gives what [`crate::implicit`] does.
    fn joins_others(&self, _description: &BodyDescription) -> bool {
        false
    }

    /// Whether its bodies meet others in scenes that say nothing of contact: those of matter do.
    fn meets_unasked(&self) -> bool {
        true
    }

    /// Whether its bodies rebound from obstacles as `restitution` says.
    fn heeds_restitution(&self) -> bool {
        true
    }

    /// The elements of its mesh, if it has one.
    fn elements(&self) -> Option<&ElementMesh> {
        None
    }

    /// Whether it has parts that can hold it in balance, beside fixed nodes.
    fn has_supports(&self) -> bool {
        false
    }

    /// Whether all of its motion is given, so that no force moves it.
    fn is_driven(&self) -> bool {
        false
    }

    /// What advances the body. For a formulation with energies: [`crate::implicit`].
    fn integrator(&self, body: &Body) -> Box<dyn Integrator>;

    /// What advances the body in a world whose bodies move as one system.
    fn joined_integrator(&self, body: &Body) -> Box<dyn Integrator> {
        self.integrator(body)
    }

    /// Its inelastic processes at work, with their scratch memory; nothing for an elastic body.
    fn processes(&self, _body: &Body) -> Option<Box<dyn Processes>> {
        None
    }
}

impl dyn Formulation {
    /// The formulation as what it is.
    pub fn downcast<F: Formulation>(&self) -> Option<&F> {
        (self as &dyn Any).downcast_ref()
    }
}

/// What of a body can touch, over its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactFeatures {
    /// Triangles of a surface.
    pub triangles: Vec<[u32; 3]>,
    /// Segments of curves.
    pub lines: Vec<[u32; 2]>,
    /// Nodes that touch by themselves.
    pub points: Vec<u32>,
    /// A radius about each node, in metres, the same for all nodes of a feature; empty if there are none.
    pub radii: Vec<f64>,
    /// Four nodes in no plane that carry the frame of a body that never changes its shape, and so never
    /// meets itself.
    pub frame: Option<[u32; 4]>,
    /// How far from each other pieces of the body begin that were one, in metres; zero if it does not come apart.
    pub gap: f64,
}

impl ContactFeatures {
    /// One of its vertices.
    pub fn first_vertex(&self) -> Option<u32> {
        let triangle = self.triangles.first().map(|triangle| triangle[0]);
        let line = self.lines.first().map(|line| line[0]);
        triangle.or(line).or(self.points.first().copied())
    }

    /// Everything that a topology names.
    pub fn of(topology: &Topology) -> Self {
        // Triangles at poles and ends of closed grids may name a node twice.
        let whole = |t: &&[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let lines = topology.lines.iter().filter(|line| line[0] != line[1]);
        Self {
            triangles: topology.triangles.iter().filter(whole).copied().collect(),
            lines: lines.copied().collect(),
            points: topology.points.clone(),
            ..Self::default()
        }
    }
}

/// What steps change in a body beside its [`State`]: what its formulation remembers.
pub trait Memory: Any + Debug + Send + Sync {
    /// Writes everything that later steps depend on.
    fn save(&self, writer: &mut SnapshotWriter);

    /// Reads what [`Memory::save`] wrote.
    fn restore(
        &mut self,
        description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError>;

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Memory>;

    /// Temperature of each node, in kelvin; empty where no heat is conducted.
    fn temperatures(&self) -> &[f64] {
        &[]
    }

    /// Number of links or faces between elements that are torn or melted.
    fn broken_count(&self) -> usize {
        0
    }

    /// Whether each node is molten; empty where nothing melts.
    fn molten(&self) -> &[bool] {
        &[]
    }
}

impl Clone for Box<dyn Memory> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// Inelastic processes of one body at work.
pub trait Processes: Send {
    /// What the integrator adopts for a step from `time` on that takes `step` seconds; without a
    /// step, what the elastic energy as it is depends on.
    fn prepare<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a>;

    /// Lets the memory of the body follow the step that was last prepared and has been accepted.
    fn commit(&mut self, body: &mut Body, obstacles: &[Obstacle], time: f64, step: f64);

    /// Work that they have done by themselves in accepted steps since this was last asked, in joules: that
    /// of muscles.
    fn take_work(&mut self) -> f64 {
        0.0
    }

    /// Whether they may take energy out of the body.
    fn may_dissipate(&self) -> bool {
        true
    }

    /// Whether the springs for a step are others than those as they are, at the same place.
    fn prepares_by_step(&self, _body: &Body) -> bool {
        false
    }

    /// What dashpots have taken in accepted steps since this was last asked, beyond what the springs that stand
    /// for them in a step show, in joules.
    fn take_dissipated(&mut self) -> f64 {
        0.0
    }

    /// Energy in springs within them, beside the elastic energy that the integrator knows, in joules.
    fn stored_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    /// Severs what crosses a blade, between steps; says how many links or faces.
    fn cut(&mut self, _body: &mut Body, _blade: &Blade) -> usize {
        0
    }

    /// Linear solves that missed their tolerance since this was last asked.
    fn take_unconverged_solves(&mut self) -> usize {
        0
    }
}

/// What inelastic processes have changed, as an integrator adopts it.
#[derive(Clone, Copy, Debug)]
pub enum Past<'a> {
    /// Nothing, or what the integrator finds in the memory of the body itself.
    Nothing,
    /// Rest values and stiffnesses of the terms of the energy.
    Springs(&'a Springs),
    /// Rest states of elements.
    Elements {
        /// For each energy of the body: the one that lasts, then one for each unit that relaxes.
        /// Empty for a body whose elements are as they were.
        layers: &'a [ElementMemory],
        /// Nodes that move as one, in a body that can break.
        ties: Option<&'a Arc<Ties>>,
    },
}

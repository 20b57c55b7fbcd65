//! Rods: curves that resist stretching, bending and twisting, with a material frame along them.
//!
//! A rod is a curve on a grid whose every edge carries a frame point beside the nodes (`rod/frames.rs`): the
//! material frame turns where it turns. Frame points weigh a millionth of their edges, so that the twist is in
//! balance at every moment, as twist waves are far faster than those of bending; they touch nothing, and forces
//! of the whole body leave them alone. An edge whose ends are both fixed has its frame fixed too: it is
//! clamped. Weights are those of a primal curve: tension, rigidity and twist.
//!
//! Implements: \[Bergou2008\], with frames of their own in place of reference frames (`rod/measures.rs`).

use super::grid_facets;
use crate::body::{
    Body, BodyDescription, BodyError, ContactFeatures, Footprint, Formulation, GridDescription,
    Integrator, IntegratorKind, Memory, State,
};
use crate::contact::ContactMethod;
use crate::elastic::node_sizes;
use crate::energy::Energy;
use crate::frame::{FrameBody, NodalField, Topology};
use crate::grid::grid_topology;
use crate::linear::{Couplings, SolverKind};
use crate::mesh::Facets;
use crate::rod::{Edges, RodEnergy, rod_fields, tube, tube_topology};
use crate::system::{CoreMotion, RigidCore, Share, implicit_share, place_controls};
use glam::DVec3;
use std::sync::Arc;

/// Mass of a frame point, by that of its edge.
const FRAME_MASS: f64 = 1e-6;

/// Bounds of the radius of the tube that is shown, by the mean length of edges.
const SHOWN_RADIUS: [f64; 2] = [0.02, 1.0];

/// Bytes that a node and its frame point take.
const BYTES_PER_NODE: f64 = 6_000.0;

/// What only rods have.
#[derive(Clone, Debug, PartialEq)]
pub struct RodSettings {
    /// Stiffness against bending towards the second director by that towards the first; 1 for a round
    /// section.
    pub across: f64,
    /// Where the first director of the first edge points at rest; any direction across the edge if `None`.
    pub director: Option<DVec3>,
    /// Speed at which the last edge turns about its own direction, in radians per second. If this or
    /// `approach` is not zero, both end edges are clamped and the last one is moved.
    pub turn: f64,
    /// Speed at which the last edge moves back along its own direction, in metres per second.
    pub approach: f64,
    /// When turning and approaching end, in seconds.
    pub turn_time: f64,
}

impl Default for RodSettings {
    fn default() -> Self {
        Self {
            across: 1.0,
            director: None,
            turn: 0.0,
            approach: 0.0,
            turn_time: f64::INFINITY,
        }
    }
}

/// A curve with a material frame; see the module.
#[derive(Clone, Debug)]
pub struct Rod {
    /// Grid and weights of the nodes; frame points are beside them.
    pub on_grid: GridDescription,
    /// What only rods have.
    pub settings: RodSettings,
}

impl Rod {
    /// Its name.
    pub const NAME: &'static str = "Rod";

    fn edges(&self) -> Edges {
        Edges::of(&self.on_grid.grid)
    }

    fn nodes(&self) -> usize {
        self.on_grid.grid.node_count()
    }

    fn is_driven(&self) -> bool {
        self.settings.turn != 0.0 || self.settings.approach != 0.0
    }

    /// How the last edge turns and approaches.
    fn drive(&self, description: &BodyDescription) -> Option<CoreMotion> {
        if !self.is_driven() {
            return None;
        }
        let (n, rest) = (self.nodes(), &description.rest_positions);
        Some(CoreMotion::Screw {
            point: rest[n - 1],
            axis: (rest[n - 1] - rest[n - 2]).normalize_or(DVec3::X),
            speeds: [self.settings.turn, -self.settings.approach],
            until: self.settings.turn_time,
        })
    }

    /// The last edge as what is driven.
    fn cores(&self, description: &BodyDescription) -> Vec<RigidCore> {
        let n = self.nodes();
        let core = |motion| RigidCore {
            nodes: [n - 2, n - 1, self.edges().frame_point(n - 2)]
                .map(|node| node as u32)
                .to_vec(),
            motion,
        };
        self.drive(description).map(core).into_iter().collect()
    }

    /// The radius of a round section with this stiffness against stretching and bending, I / A = r²/4, for
    /// a mean length of edges.
    fn shown_radius(&self, mean: f64) -> f64 {
        let middle = self.nodes() / 2;
        let weights = &self.on_grid.weights;
        let h = self.on_grid.grid.spacing(0);
        let bending = weights.rigidities[middle][0][0] / mean;
        let stretching = weights.tensions[middle][0][0] * mean / (h * h);
        let radius = 2.0 * (bending / stretching).sqrt();
        let [least, most] = SHOWN_RADIUS.map(|bound| bound * mean);
        if radius.is_nan() {
            most
        } else {
            radius.clamp(least, most)
        }
    }

    /// What is wrong with the description, in words.
    fn fault(&self, description: &BodyDescription) -> Option<&'static str> {
        let settings = &self.settings;
        let closed = self.on_grid.grid.periodic()[0];
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let weights = &self.on_grid.weights;
        let stiff = |node: usize| {
            positive(weights.rigidities[node][0][0]) && positive(weights.twists[node])
        };
        let lengths = self.edges().lengths(&description.rest_positions);
        let fault = if !description.processes.is_empty() {
            "a rod has no processes"
        } else if matches!(
            description.integrator,
            IntegratorKind::SemiImplicit | IntegratorKind::Explicit
        ) {
            "a rod moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, Static"
        } else if matches!(
            description.solver.kind,
            SolverKind::Adi | SolverKind::Multigrid
        ) {
            "a rod knows the solvers ADI and Multigrid not, which go by the lines of a grid"
        } else if description.contact.method != ContactMethod::Projection {
            "a rod touches objects by the contact Projection only"
        } else if lengths.iter().any(|length| !positive(*length)) {
            "two neighbouring nodes of a rod are at the same place at rest"
        } else if !(0..self.nodes()).all(stiff) {
            "a rod needs rigidity and twist above zero at every node"
        } else if !positive(settings.across) {
            "the stiffness of a rod across its first director must be positive"
        } else if self.is_driven() && (closed || self.nodes() < 4) {
            "the ends of a rod can be turned if it is open and has at least four nodes"
        } else if self.is_driven()
            && matches!(
                description.scheme(),
                IntegratorKind::Midpoint | IntegratorKind::Newmark
            )
        {
            "a rod whose end is turned moves by the integrators TwoStage, Implicit and Static"
        } else {
            return None;
        };
        Some(fault)
    }
}

impl BodyDescription {
    /// Makes a curve on a grid a rod. Nothing happens to other bodies. Frame points are added when a
    /// [`Body`] is made of it.
    pub fn make_rod(&mut self, settings: RodSettings) {
        if let Some(on_grid) = self.on_grid().cloned() {
            self.formulation = Arc::new(Rod { on_grid, settings });
        }
    }

    /// Changes what only rods have. Nothing happens to other bodies.
    pub fn change_rod(&mut self, change: impl FnOnce(&mut RodSettings)) {
        if let Some(rod) = self.formulation.downcast::<Rod>() {
            let mut changed = rod.clone();
            change(&mut changed.settings);
            self.formulation = Arc::new(changed);
        }
    }
}

impl Formulation for Rod {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_grid(&self) -> Option<&GridDescription> {
        Some(&self.on_grid)
    }

    fn with_grid(&self, on_grid: GridDescription) -> Option<Arc<dyn Formulation>> {
        let settings = self.settings.clone();
        Some(Arc::new(Self { on_grid, settings }))
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let body = || description.name.to_string();
        let unsupported = |message| BodyError::Unsupported {
            body: body(),
            message,
        };
        let (nodes, closed) = (self.nodes(), self.on_grid.grid.periodic()[0]);
        if self.on_grid.grid.dimension() != 1 {
            return Err(unsupported("a rod is a curve"));
        }
        if nodes < if closed { 4 } else { 3 } {
            return Err(unsupported(
                "a rod needs at least three nodes, four if it is closed",
            ));
        }
        for (what, found, expected) in [
            (
                "the rest shape",
                description.node_count(),
                nodes + self.edges().count(),
            ),
            (
                "the list of tensions",
                self.on_grid.weights.tensions.len(),
                nodes,
            ),
            (
                "the list of rigidities",
                self.on_grid.weights.rigidities.len(),
                nodes,
            ),
            (
                "the list of twists",
                self.on_grid.weights.twists.len(),
                nodes,
            ),
        ] {
            if found != expected {
                return Err(BodyError::WrongLength {
                    body: body(),
                    what,
                    expected,
                    found,
                });
            }
        }
        self.fault(description)
            .map_or(Ok(()), |fault| Err(unsupported(fault)))
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        1
    }

    fn scale_stiffness(&self, description: &mut BodyDescription, factor: f64) -> bool {
        description.change_grid(|on_grid| on_grid.weights.scale(factor));
        true
    }

    /// An edge between two nodes that are held is clamped.
    fn held_together(&self, body: &Body, node: usize) -> Option<Vec<usize>> {
        let (fixed, edges) = (&body.description().fixed, self.edges());
        if node >= self.nodes() || (self.is_driven() && node + 2 >= self.nodes()) {
            return None;
        }
        let pairs = edges.pairs().enumerate();
        let clamped =
            pairs.filter(|(_, [a, b])| (*a == node && fixed[*b]) || (*b == node && fixed[*a]));
        let points = clamped.map(|(edge, _)| edges.frame_point(edge));
        Some(std::iter::once(node).chain(points).collect())
    }

    fn touching_nodes(&self) -> Option<usize> {
        Some(self.nodes())
    }

    fn complete(&self, description: &mut BodyDescription, state: &mut State) {
        let (n, edges) = (self.nodes(), self.edges());
        let lists = [
            description.node_count(),
            description.masses.len(),
            description.dampings.len(),
            description.fixed.len(),
            state.positions.len(),
            state.velocities.len(),
        ];
        if self.on_grid.grid.dimension() != 1 || n < 3 || lists != [n; 6] {
            return;
        }
        if self.is_driven() {
            description.fixed[..2].fill(true);
        }
        let rest = description.rest_positions.clone();
        let first = self.settings.director;
        description
            .rest_positions
            .extend(edges.frame_points(&rest, &rest, first));
        // The director of the first edge turns with it from the rest shape to the initial one.
        let arm = description.rest_positions[n] - 0.5 * (rest[0] + rest[1]);
        let tangent = |x: &[DVec3]| (x[1] - x[0]).normalize_or(DVec3::X);
        let turn = glam::DQuat::from_rotation_arc(tangent(&rest), tangent(&state.positions));
        let points = edges.frame_points(&state.positions, &rest, Some(turn * arm));
        state.positions.extend(points);
        for [a, b] in edges.pairs() {
            let mass = 0.5 * (description.masses[a] + description.masses[b]);
            description.masses.push(FRAME_MASS * mass);
            description.dampings.push(0.0);
            let is_clamped = description.fixed[a] && description.fixed[b];
            description.fixed.push(is_clamped);
            let velocity = 0.5 * (state.velocities[a] + state.velocities[b]);
            state.velocities.push(velocity);
        }
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let each = 0.5 * BYTES_PER_NODE;
        Footprint::new(description, true, false, each, "a smaller grid").coupled(|| {
            let joints: Vec<[u32; 5]> = self
                .edges()
                .joints()
                .map(|(_, nodes)| nodes.map(|node| node as u32))
                .collect();
            let count = self.nodes() + self.edges().count();
            Couplings::of_groups(count, joints.iter().map(|nodes| &nodes[..]))
        })
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        Vec::new()
    }

    fn edges(&self, _description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        Rod::edges(self).pairs().for_each(|[a, b]| visit(a, b));
    }

    fn node_extents(&self, description: &BodyDescription) -> Vec<f64> {
        let nodes = &description.rest_positions[..self.nodes()];
        let mut sizes = node_sizes(&self.on_grid.grid, nodes);
        sizes.resize(description.node_count(), 0.0);
        sizes
    }

    fn facets(&self, _description: &BodyDescription, selected: &[bool]) -> Facets {
        grid_facets::facets(&self.on_grid.grid, &selected[..self.nodes()])
    }

    fn topology(&self, _body: &Body) -> Arc<Topology> {
        Arc::new(grid_topology(&self.on_grid.grid))
    }

    fn contact_features(&self, body: &Body) -> ContactFeatures {
        ContactFeatures {
            points: Vec::new(),
            ..ContactFeatures::of(&self.topology(body))
        }
    }

    /// The twist between two edges is known up to whole turns only.
    fn strays(&self, body: &Body, times: [f64; 2]) -> bool {
        self.drive(body.description())
            .is_some_and(|drive| drive.strays(times, body.size()))
    }

    fn directions(&self, _body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        directions.fill(DVec3::ZERO);
        let n = self.nodes();
        crate::grid::surface_directions(&self.on_grid.grid, &positions[..n], &mut directions[..n]);
    }

    fn fields(&self, body: &Body) -> Vec<NodalField> {
        let rest = &body.description().rest_positions;
        rod_fields(&self.on_grid.grid, rest, &body.state.positions)
    }

    /// A tube that turns with the frames. The turning does not show in its velocities.
    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        let edges = Rod::edges(self);
        let of_node = edges.tube_nodes();
        let carry = |values: &[DVec3]| of_node.iter().map(|&node| values[node]).collect();
        let none = vec![DVec3::ZERO; of_node.len()];
        // Particles are drawn half as large as edges are long.
        let radius = self.shown_radius(2.0 * nodes.particle_radius);
        let carried = |field: NodalField| NodalField {
            values: of_node.iter().map(|&node| field.values[node]).collect(),
            ..field
        };
        FrameBody {
            topology: Arc::new(tube_topology(&edges)),
            positions: tube(&edges, &nodes.positions, radius),
            velocities: carry(&nodes.velocities),
            elastic_forces: none.clone(),
            external_forces: none,
            fixed: Arc::new(vec![false; of_node.len()]),
            fields: nodes.fields.into_iter().map(carried).collect(),
            ..nodes
        }
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        place_controls(&self.cores(description), description, state);
        Vec::new()
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let rest = &body.description().rest_positions;
        let (grid, weights) = (&self.on_grid.grid, &self.on_grid.weights);
        vec![Box::new(RodEnergy::new(
            grid,
            rest,
            weights,
            self.settings.across,
        ))]
    }

    fn joins_others(&self, _description: &BodyDescription) -> bool {
        true
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let share = Share {
            cores: self.cores(body.description()),
            ..Share::of(body)
        };
        implicit_share(body, share)
    }
}

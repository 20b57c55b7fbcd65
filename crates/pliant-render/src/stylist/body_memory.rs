//! What is remembered of a body from one frame to the next.

use super::cells::{Cell, find_cells};
use super::crease::SideCreases;
use super::refine::Refinement;
use super::surface::SurfacePlan;
use super::torn::{TornPlan, rest_shape};
use super::wireframe::grid_edges;
use crate::tube::{Chain, chains};
use glam::DVec3;
use pliant::frame::{FrameBody, Topology};
use pliant::image_layout::ImageLayout;
use std::sync::Arc;

/// What is remembered of a body: the shape it was first seen in, and how its present topology is
/// drawn.
#[derive(Debug)]
pub struct BodyMemory {
    name: Arc<str>,
    /// Positions in the first frame, in metres.
    first_positions: Vec<DVec3>,
    /// Diagonal of the box round the first shape, in metres; never zero.
    pub size: f64,
    /// Mean length of the edges of the first shape, in metres; never zero.
    pub spacing: f64,
    /// The largest external and elastic force seen so far, in newtons.
    pub largest_forces: [f64; 2],
    /// How pictures lie on it.
    image: ImageLayout,
    creases: Option<SideCreases>,
    topology: Option<Arc<Topology>>,
    surface: Option<Arc<SurfacePlan>>,
    refinement: Option<Arc<Refinement>>,
    edges: Option<Arc<Vec<[u32; 2]>>>,
    chains: Option<Arc<Vec<Chain>>>,
    cells: Option<Arc<Vec<Cell>>>,
    torn: Option<Torn>,
}

/// How a torn body is drawn, and what is remembered of the body that stands for it.
#[derive(Debug)]
struct Torn {
    plan: Arc<TornPlan>,
    memory: Box<BodyMemory>,
}

impl BodyMemory {
    /// The place in `memories` of what is known of this body and its present topology. It is looked
    /// for at the index that the body has in its frame first.
    pub fn recall(memories: &mut Vec<Self>, index: usize, body: &FrameBody) -> usize {
        let index = Self::meet(memories, index, body);
        let memory = &mut memories[index];
        // Keeping the topology alive makes sure that no other takes its address.
        if !memory
            .topology
            .as_ref()
            .is_some_and(|topology| Arc::ptr_eq(topology, &body.topology))
        {
            memory.topology = Some(Arc::clone(&body.topology));
            (memory.surface, memory.edges, memory.chains) = (None, None, None);
            (memory.cells, memory.refinement) = (None, None);
            memory.torn = memory.torn_plan(&body.topology);
        }
        index
    }

    /// The place in `memories` of what is known of this body. One that was not known is remembered as it
    /// is now, with its creases.
    pub fn meet(memories: &mut Vec<Self>, index: usize, body: &FrameBody) -> usize {
        let about = |memory: &Self| {
            memory.name == body.name && memory.first_positions.len() == body.positions.len()
        };
        if memories.get(index).is_some_and(about) {
            return index;
        }
        if let Some(index) = memories.iter().position(about) {
            return index;
        }
        let mut memory = Self::new(body);
        // What tears later keeps the creases that it has now.
        memory.surface(&body.topology);
        memory.topology = Some(Arc::clone(&body.topology));
        memory.torn = memory.torn_plan(&body.topology);
        memories.push(memory);
        memories.len() - 1
    }

    fn new(body: &FrameBody) -> Self {
        let (low, high) = bounds(body.positions.iter().copied());
        let size = (high - low).length();
        let spacing = mean_edge(body).unwrap_or(2.0 * body.particle_radius);
        let positive = |x: f64, otherwise: f64| {
            if x > 0.0 && x.is_finite() {
                x
            } else {
                otherwise
            }
        };
        let size = positive(size, positive(2.0 * body.particle_radius, 1.0));
        Self {
            name: Arc::clone(&body.name),
            first_positions: body.positions.clone(),
            size,
            spacing: positive(spacing, 0.1 * size),
            largest_forces: [0.0; 2],
            creases: None,
            topology: None,
            surface: None,
            refinement: None,
            image: ImageLayout::new(&body.appearance),
            edges: None,
            chains: None,
            cells: None,
            torn: None,
        }
    }

    fn torn_plan(&mut self, topology: &Topology) -> Option<Torn> {
        let plan = TornPlan::new(topology, &self.first_positions)?;
        Some(Torn {
            memory: Box::new(Self {
                name: Arc::clone(&self.name),
                first_positions: plan.positions(rest_shape(topology, &self.first_positions)),
                size: self.size,
                spacing: self.spacing,
                largest_forces: [0.0; 2],
                image: self.image.clone(),
                creases: self.creases.clone(),
                topology: None,
                surface: None,
                refinement: None,
                edges: None,
                chains: None,
                cells: None,
                torn: None,
            }),
            plan: Arc::new(plan),
        })
    }

    /// How the body is torn, and its rest shape.
    pub fn tears(&self) -> Option<(Arc<TornPlan>, &[DVec3])> {
        let torn = self.torn.as_ref()?;
        let topology = self.topology.as_ref()?;
        let rest = rest_shape(topology, &self.first_positions);
        Some((Arc::clone(&torn.plan), rest))
    }

    /// Whether the body is torn and can be drawn so.
    pub fn is_torn(&self) -> bool {
        self.torn.is_some()
    }

    /// The body that is drawn for a torn one, and what is remembered of it; `None` for others.
    pub fn torn(&mut self, body: &FrameBody) -> Option<(FrameBody, &mut Self)> {
        let torn = self.torn.as_mut()?;
        Some((torn.plan.body(body), &mut torn.memory))
    }

    /// How its triangles are drawn.
    pub fn surface(&mut self, topology: &Topology) -> Arc<SurfacePlan> {
        let plan = self.surface.get_or_insert_with(|| {
            let plan = SurfacePlan::new(
                topology,
                &self.first_positions,
                &mut self.creases,
                &self.image,
            );
            Arc::new(plan)
        });
        Arc::clone(plan)
    }

    /// How its triangles are drawn, and how they are cut finer.
    pub fn refined_surface(&mut self, body: &FrameBody) -> (Arc<SurfacePlan>, Arc<Refinement>) {
        let plan = self.surface(&body.topology);
        let refinement = self
            .refinement
            .get_or_insert_with(|| Arc::new(Refinement::new(&plan)));
        (plan, Arc::clone(refinement))
    }

    /// The lines of its grid, without the diagonals of cells.
    pub fn edges(&mut self, topology: &Topology) -> Arc<Vec<[u32; 2]>> {
        let count = self.first_positions.len();
        let edges = self
            .edges
            .get_or_insert_with(|| Arc::new(grid_edges(topology, count)));
        Arc::clone(edges)
    }

    /// The whole cells of its grid.
    pub fn cells(&mut self, topology: &Topology) -> Arc<Vec<Cell>> {
        let plan = self.surface(topology);
        let cells = self
            .cells
            .get_or_insert_with(|| Arc::new(find_cells(topology, &plan)));
        Arc::clone(cells)
    }

    /// Its curves, each a list of nodes; true for rings.
    pub fn chains(&mut self, topology: &Topology) -> Arc<Vec<Chain>> {
        let count = self.first_positions.len();
        let chains = self
            .chains
            .get_or_insert_with(|| Arc::new(chains(&topology.lines, count)));
        Arc::clone(chains)
    }
}

/// Farther out than this nothing can be drawn, in metres.
const FARTHEST: f64 = 1e12;

/// Whether a position is a place.
pub fn is_somewhere(position: DVec3) -> bool {
    position.is_finite() && position.abs().max_element() < FARTHEST
}

/// The body with all positions that are no place made plainly so; `None` if it has none.
pub fn without_far_places(body: &FrameBody) -> Option<FrameBody> {
    if body.positions.iter().copied().all(is_somewhere) {
        return None;
    }
    let mut body = body.clone();
    for position in &mut body.positions {
        if !is_somewhere(*position) {
            *position = DVec3::NAN;
        }
    }
    Some(body)
}

/// The box round all positions that are somewhere; empty (high below low) if there are none.
pub fn bounds(positions: impl IntoIterator<Item = DVec3>) -> (DVec3, DVec3) {
    positions
        .into_iter()
        .filter(|&position| is_somewhere(position))
        .fold(
            (DVec3::INFINITY, DVec3::NEG_INFINITY),
            |(low, high), position| (low.min(position), high.max(position)),
        )
}

/// Mean length of lines and of the edges of triangles, in metres. The longest edge of a triangle
/// does not count: it is the diagonal of a cell.
fn mean_edge(body: &FrameBody) -> Option<f64> {
    let length = |a: u32, b: u32| {
        let at = |node: u32| body.positions.get(node as usize).copied();
        Some((at(b)? - at(a)?).length()).filter(|length| length.is_finite())
    };
    let (mut sum, mut count) = (0.0, 0);
    for &[a, b] in &body.topology.lines {
        if let Some(length) = length(a, b) {
            sum += length;
            count += 1;
        }
    }
    for &[a, b, c] in &body.topology.triangles {
        if let (Some(ab), Some(bc), Some(ca)) = (length(a, b), length(b, c), length(c, a)) {
            sum += ab + bc + ca - ab.max(bc).max(ca);
            count += 2;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

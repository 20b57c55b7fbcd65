//! How much memory a scene takes, before it takes it.
//!
//! All figures are here. They were measured as the largest resident memory of runs of a few steps
//! (`pliant run`, one thread) with grids and meshes of 1,300 to 220,000 nodes; estimates are within a
//! third of what was measured.
//! Factors of matrices are counted by a symbolic pass over the couplings of the nodes
//! ([`pliant::linear::factor_entries`]), so that a bar is told from a cube.

use crate::failure::Failure;
use glam::DVec3;
use pliant::linear::{Couplings, LARGEST_SCALAR_FACTOR, SolverKind, factor_entries};
use pliant::mesh::{ImplicitShape, Solid};
use pliant::process::{ProcessKind, Scheduled};
use pliant::{BodyDescription, Grid, IntegratorKind, World};
use pliant_scene::Scene;
use pliant_scene::scene::{Mesh, MeshSource};
use std::collections::HashMap;

/// Bytes that the program takes without any scene.
const PROGRAM: u64 = 10_000_000;

/// Bytes per pair of fluid particles near each other.
const BYTES_PER_PAIR: f64 = 80.0;

/// Distance up to which fluid particles act on each other, in spacings.
const PAIR_REACH: f64 = 2.0;

/// Bytes per node of a solid over a mesh, beside factors.
const BYTES_PER_SOLID_NODE: f64 = 5_800.0;

/// Bytes per node of a mesh that can break, whose elements have nodes of their own.
const BYTES_PER_BREAKING_NODE: f64 = 1_900.0;

/// What a node takes, in bytes, beside factors.
fn bytes_per_node(body: &BodyDescription) -> f64 {
    let is_newton = is_newton(body);
    let Some(mesh) = body.mesh() else {
        return bytes_per_grid_node(body.grid.dimension(), is_newton);
    };
    if can_break(body) {
        return BYTES_PER_BREAKING_NODE;
    }
    let dimension = mesh.mesh.blocks.iter().map(|block| block.kind.dimension());
    match (dimension.max(), is_newton) {
        (Some(3), _) => BYTES_PER_SOLID_NODE,
        (_, false) => 4_500.0,
        (_, true) => 8_000.0,
    }
}

/// Whether the body is a mesh that breaks between its elements.
fn can_break(body: &BodyDescription) -> bool {
    let breaks = |process: &Scheduled| matches!(process.kind, ProcessKind::Fracture(_));
    body.mesh().is_some() && body.processes.iter().any(breaks)
}

/// What a node takes for inelastic processes, in bytes: measured for flow, which is the largest.
fn bytes_of_processes(body: &BodyDescription) -> f64 {
    if body.processes.is_empty() || can_break(body) {
        return 0.0;
    }
    let dimension = body.formulation.dimension(body);
    match (body.mesh().is_some(), dimension, is_newton(body)) {
        (true, _, _) => 3_500.0,
        (false, 3, true) => 7_300.0,
        (false, 3, false) => 3_800.0,
        (false, 2, _) => 2_200.0,
        (false, _, _) => 1_200.0,
    }
}

/// The same for a node of a grid.
fn bytes_per_grid_node(dimension: usize, is_newton: bool) -> f64 {
    match (dimension, is_newton) {
        (1, false) => 1_500.0,
        (1, true) => 3_000.0,
        (2, true) => 6_000.0,
        (_, false) => 2_400.0,
        (_, true) => 6_700.0,
    }
}

/// Whether the body needs a matrix of 3 x 3 blocks. One that leaves the integrator to the engine
/// is taken to.
fn is_newton(body: &BodyDescription) -> bool {
    let is_scalar = matches!(
        body.integrator,
        IntegratorKind::SemiImplicit | IntegratorKind::Explicit
    );
    !is_scalar && body.hybrid().is_none()
}

/// The solver that a body will have: curves factorise their matrix, sheets do where they are very
/// stiff.
fn solver_of(body: &BodyDescription, is_stiff: bool) -> SolverKind {
    let chooses = body.solver.kind == SolverKind::Automatic
        && is_newton(body)
        && !can_break(body)
        && body.scheme() != IntegratorKind::Static;
    match (body.solver.kind, body.formulation.dimension(body)) {
        (SolverKind::Automatic, 1) if chooses => SolverKind::Cholesky,
        (SolverKind::Automatic, 2) if chooses && is_stiff => SolverKind::Cholesky,
        // Thin bodies have no preconditioner that takes memory.
        (SolverKind::Automatic, 2) if chooses => SolverKind::DiagonalConjugateGradient,
        (SolverKind::Automatic, _) => SolverKind::ConjugateGradient,
        (kind, _) => kind,
    }
}

/// Bytes per entry of the scalar factor over the nodes of a body; 0 if none is made.
fn bytes_per_entry(body: &BodyDescription, is_stiff: bool) -> f64 {
    let has_blocks = body.mesh().is_some() || is_newton(body);
    if body.hybrid().is_some() {
        return 20.0;
    }
    match (solver_of(body, is_stiff), body.mesh().is_some(), has_blocks) {
        // Three unknowns per node, ordered by degree, which fills in more than dissection.
        (SolverKind::Cholesky, true, _) => {
            // Measured: 1.05 times as much at 15,600 nodes, 1.55 times at 216,000.
            let nodes = body.rest_positions.len() as f64;
            9.0 * 8.0 * (1.05 * (nodes / 15_600.0).powf(0.15)).max(1.0)
        }
        (SolverKind::Cholesky, false, true) => 9.0 * 8.0 * 1.3,
        (SolverKind::Cholesky, false, false) => 8.0 * 1.2,
        (SolverKind::Lu, _, true) => 9.0 * 8.0 * 5.0,
        (SolverKind::Lu, _, false) => 8.0 * 5.0,
        // The preconditioner of small solids: in double precision, and once more in 16 bits. Large
        // ones have a hierarchy, which the bytes per node include.
        (SolverKind::ConjugateGradient, _, true)
            if body.rest_positions.len() <= LARGEST_SCALAR_FACTOR =>
        {
            11.0
        }
        _ => 0.0,
    }
}

/// Bytes per node while a grid is built.
const BYTES_TO_BUILD_GRID: f64 = 450.0;

/// Bytes per node while a mesh is made and taken in.
const BYTES_TO_BUILD_MESH: f64 = 2_600.0;

/// How much memory may be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// Whether somebody asked for it; else it is what the machine has free.
    pub is_asked: bool,
}

impl MemoryLimit {
    /// What was asked for, else what the machine has free; `None` if neither is known.
    pub fn new(asked: Option<u64>) -> Option<Self> {
        let is_asked = asked.is_some();
        let bytes = asked.or_else(crate::machine::free_memory)?;
        Some(Self { bytes, is_asked })
    }

    fn words(&self) -> String {
        let bytes = readable_bytes(self.bytes as f64);
        match self.is_asked {
            true => format!("more than the {bytes} that --memory allows"),
            false => format!("and the machine has {bytes} free"),
        }
    }
}

/// What a world takes while it is simulated, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What is expected.
    pub likely: f64,
    /// What it takes if the matrices of its sheets are so stiff that they have to be factorised.
    pub most: f64,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "about {} of memory", readable_bytes(self.likely))?;
        match self.most > 1.2 * self.likely {
            true => write!(
                f,
                " ({} where sheets are so stiff that they are factorised)",
                readable_bytes(self.most)
            ),
            false => Ok(()),
        }
    }
}

/// What a world takes while it is simulated.
pub fn estimate(world: &World) -> Estimate {
    let others = PROGRAM as f64 + pair_bytes(world);
    let bytes = |is_stiff| {
        let bodies = world.bodies.iter();
        let own = bodies.map(|body| body_bytes(body.description(), is_stiff));
        others + own.sum::<f64>()
    };
    Estimate {
        likely: bytes(false),
        most: bytes(true),
    }
}

/// What a particle of a body takes at least when the body is built and simulated, in bytes.
fn bytes_of_particle(body: &pliant_scene::scene::Body) -> f64 {
    let word = |name| body.properties.word(name);
    let is_scalar = [IntegratorKind::SemiImplicit, IntegratorKind::Explicit]
        .iter()
        .any(|kind| word("integrator") == Some(kind.name()))
        || word("formulation") == Some("Hybrid");
    bytes_per_grid_node(body.dimension(), !is_scalar).max(BYTES_TO_BUILD_GRID)
}

/// The same of a node of a mesh. The number of nodes is known only roughly, so that less is asked for
/// than a solid is expected to take.
fn bytes_of_mesh_node(mesh: &Mesh) -> f64 {
    match &mesh.source {
        MeshSource::Filled { .. } | MeshSource::Cells { .. } => 0.8 * BYTES_PER_SOLID_NODE,
        _ => BYTES_TO_BUILD_MESH,
    }
}

/// Refuses a scene whose bodies could not be built, or would not fit whatever their solver. Nothing is
/// allocated for that.
pub fn check_scene(scene: &Scene, limit: Option<MemoryLimit>) -> Result<(), Failure> {
    let Some(limit) = limit else {
        return Ok(());
    };
    let mut total = PROGRAM as f64;
    for body in &scene.bodies {
        let (nodes, each) = match &body.mesh {
            Some(mesh) => (expected_nodes(&mesh.mesh), bytes_of_mesh_node(&mesh.mesh)),
            None => (body.particle_count() as f64, bytes_of_particle(body)),
        };
        total += nodes * each;
        if total > limit.bytes as f64 {
            let factor = (total / (0.5 * limit.bytes as f64)).cbrt();
            let remedy = match body.mesh.as_ref().map(|mesh| &mesh.mesh.source) {
                Some(MeshSource::Filled { resolution, .. }) => {
                    format!(
                        "resolution=\"{:.1e}\" takes half of it",
                        factor * resolution
                    )
                }
                Some(_) => "fewer cells take less".to_owned(),
                None => "fewer particles take less".to_owned(),
            };
            return Err(Failure::Input(format!(
                "body `{}` would have about {} nodes; that takes about {} of \
                 memory, {}\n  hint: {remedy}; --memory SIZE tries it anyway",
                body.id,
                readable_count(nodes),
                readable_bytes(total),
                limit.words()
            )));
        }
    }
    Ok(())
}

/// Refuses a world that would not fit into memory when it is simulated. Returns what it takes.
pub fn check_world(world: &World, limit: Option<MemoryLimit>) -> Result<Estimate, Failure> {
    let total = estimate(world);
    match limit {
        Some(limit) if total.likely > limit.bytes as f64 => Err(Failure::Input(format!(
            "the simulation takes about {} of memory, {}\n  hint: {}; --memory SIZE tries it anyway",
            readable_bytes(total.likely),
            limit.words(),
            remedy(world)
        ))),
        _ => Ok(total),
    }
}

/// What would make the largest part smaller.
fn remedy(world: &World) -> String {
    let bodies = world.bodies.iter().map(|body| body.description());
    let bytes = |body: &&BodyDescription| body_bytes(body, false);
    let largest = bodies.max_by(|a, b| bytes(a).total_cmp(&bytes(b)));
    let Some(body) = largest else {
        return "a smaller scene".to_owned();
    };
    if pair_bytes(world) > body_bytes(body, false) {
        return "a smaller `spacing` of the fluid makes fewer particles neighbours".to_owned();
    }
    let is_direct = matches!(
        solver_of(body, false),
        SolverKind::Cholesky | SolverKind::Lu
    );
    let name = &body.name;
    match (is_direct, body.mesh().is_some()) {
        (true, _) => format!("solver=\"ConjugateGradient\" of the body `{name}` takes less"),
        (false, true) => format!("a coarser mesh of the body `{name}` takes less"),
        (false, false) => format!("fewer particles of the body `{name}` take less"),
    }
}

/// What one body takes, in bytes.
fn body_bytes(body: &BodyDescription, is_stiff: bool) -> f64 {
    let nodes = body.rest_positions.len() as f64;
    let per_entry = bytes_per_entry(body, is_stiff);
    let factor = if per_entry > 0.0 {
        let couplings = match body.mesh() {
            Some(mesh) => {
                let blocks = mesh.mesh.blocks.iter();
                let elements = blocks.flat_map(|b| b.nodes.chunks(b.kind.node_count()));
                match body.formulation.dimension(body) {
                    3 => Couplings::of_groups(body.rest_positions.len(), elements),
                    _ => {
                        let folds = folds(elements);
                        let groups = folds.iter().map(Vec::as_slice);
                        Couplings::of_groups(body.rest_positions.len(), groups)
                    }
                }
            }
            None => grid_couplings(&body.grid),
        };
        // More than fits into 32-bit numbers fits into no memory either.
        couplings.map_or(1e15, |c| {
            per_entry * factor_entries(&c, &body.rest_positions) as f64
        })
    } else {
        0.0
    };
    nodes * (bytes_per_node(body) + bytes_of_processes(body)) + factor
}

/// The nodes that bending couples: those of each element and of all that share an edge with it.
fn folds<'a>(elements: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>> {
    let elements: Vec<&[u32]> = elements.collect();
    let sides = |element: &'a [u32]| {
        (0..element.len()).map(|n| {
            let (a, b) = (element[n], element[(n + 1) % element.len()]);
            [a.min(b), a.max(b)]
        })
    };
    let mut sharing: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (index, element) in elements.iter().enumerate() {
        for side in sides(element) {
            sharing.entry(side).or_default().push(index);
        }
    }
    let fold = |element: &&'a [u32]| {
        let neighbours = sides(element).flat_map(|side| &sharing[&side]);
        let mut nodes: Vec<u32> = neighbours
            .flat_map(|&other| elements[other])
            .copied()
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    elements.iter().map(fold).collect()
}

/// Nodes of a grid that a stencil couples: two apart along curves and surfaces, which bend, one
/// apart in solids.
fn grid_couplings(grid: &Grid) -> Option<Couplings> {
    let reach: i32 = if grid.dimension() == 3 { 1 } else { 2 };
    let span = |direction: usize| {
        let reach = if direction < grid.dimension() {
            reach
        } else {
            0
        };
        -reach..=reach
    };
    let mut couplings = Couplings {
        starts: vec![0],
        neighbours: Vec::new(),
    };
    for coordinates in grid.nodes() {
        for k in span(2) {
            for j in span(1) {
                for i in span(0) {
                    if let Some(other) = grid.neighbour(coordinates, [i, j, k]) {
                        couplings.neighbours.push(other as u32);
                    }
                }
            }
        }
        let end = u32::try_from(couplings.neighbours.len()).ok()?;
        couplings.starts.push(end);
    }
    Some(couplings)
}

/// What the pairs of fluid particles take, as the bodies begin.
fn pair_bytes(world: &World) -> f64 {
    let mut spacing: f64 = 0.0;
    let mut places: Vec<DVec3> = Vec::new();
    for body in &world.bodies {
        let processes = body.description().processes.iter();
        let own = processes.filter_map(|process| match &process.kind {
            ProcessKind::Fluid(fluid) => Some(fluid.spacing),
            _ => None,
        });
        let own = own.fold(0.0, f64::max);
        if own > 0.0 {
            spacing = spacing.max(own);
            places.extend(&body.state.positions);
        }
    }
    if places.is_empty() {
        return 0.0;
    }
    // Particles by cubes as wide as the force reaches; pairs of neighbouring cubes are twice to six
    // times as many as those within reach.
    let reach = PAIR_REACH * spacing;
    let cube = |place: &DVec3| (*place / reach).floor().to_array().map(|x| x as i64);
    let mut cubes: HashMap<[i64; 3], f64> = HashMap::new();
    for place in &places {
        *cubes.entry(cube(place)).or_default() += 1.0;
    }
    let mut pairs = 0.0;
    for ([i, j, k], count) in &cubes {
        for shift in 0..27_i64 {
            let other = [i + shift % 3 - 1, j + shift / 3 % 3 - 1, k + shift / 9 - 1];
            pairs += 0.5 * count * cubes.get(&other).copied().unwrap_or(0.0);
        }
    }
    let most = 0.5 * (places.len() as f64).powi(2);
    BYTES_PER_PAIR * (0.4 * pairs).min(most)
}

/// The number of nodes that a mesh will have, as far as the scene alone tells.
fn expected_nodes(mesh: &Mesh) -> f64 {
    match &mesh.source {
        MeshSource::Filled { solid, resolution } => {
            let scale = mesh.placement.scale;
            let volume = volume_of(solid) * (scale.x * scale.y * scale.z).abs();
            // The lattice has two points per cube.
            2.0 * volume / resolution.powi(3)
        }
        MeshSource::Cells { counts, .. } => counts.iter().map(|&n| n as f64 + 1.0).product(),
        MeshSource::Rectangle { counts, .. } => counts.iter().map(|&n| n as f64 + 1.0).product(),
        MeshSource::File { .. } => 0.0,
    }
}

/// The volume of a shape, by samples.
fn volume_of(solid: &Solid) -> f64 {
    const SAMPLES: usize = 40;
    let (low, high) = solid.bounds();
    let size = high - low;
    let inside = (0..SAMPLES.pow(3)).filter(|n| {
        let at = [n % SAMPLES, n / SAMPLES % SAMPLES, n / (SAMPLES * SAMPLES)];
        let share = DVec3::from_array(at.map(|i| (i as f64 + 0.5) / SAMPLES as f64));
        solid.value(low + share * size) < 0.0
    });
    let share = inside.count() as f64 / SAMPLES.pow(3) as f64;
    let volume = share * size.x * size.y * size.z;
    if volume.is_finite() { volume } else { 0.0 }
}

/// A large number as people say it.
fn readable_count(count: f64) -> String {
    match count {
        n if n >= 1e12 => format!("{n:.1e}"),
        n if n >= 1e5 => format!("{:.1} million", n / 1e6),
        n => format!("{n:.0}"),
    }
}

/// A number of bytes as people say it.
pub fn readable_bytes(bytes: f64) -> String {
    let megabytes = bytes / 1e6;
    match megabytes {
        m if m >= 1e12 => format!("{:.1e} TB", m / 1e6),
        m if m >= 1e6 => format!("{:.1} TB", m / 1e6),
        m if m >= 1000.0 => format!("{:.1} GB", m / 1000.0),
        m => format!("{m:.1} MB"),
    }
}

//! How much memory a scene takes, before it takes it.
//!
//! What a body takes while it is simulated its formulation says ([`pliant::body::Footprint`]); what it
//! takes to build it, and what fluids take, is here. All figures were measured as the largest resident
//! memory of runs of a few steps (`pliant run`, one thread) with grids and meshes of 1,300 to 220,000
//! nodes; estimates are within a third of what was measured.

use crate::failure::Failure;
use glam::DVec3;
use pliant::formulation::{BYTES_PER_SOLID_NODE, bytes_per_grid_node, uses_of_particles};
use pliant::mesh::{ImplicitShape, Solid};
use pliant::process::ProcessKind;
use pliant::{Body, BodyDescription, IntegratorKind, World};
use pliant_scene::Scene;
use pliant_scene::scene::{Elements, Mesh, MeshSource};
use std::collections::HashMap;

/// Bytes that the program takes without any scene.
const PROGRAM: u64 = 10_000_000;

/// Bytes per pair of fluid particles near each other.
const BYTES_PER_PAIR: f64 = 76.0;

/// Distance up to which fluid particles act on each other, in spacings.
const PAIR_REACH: f64 = 2.0;

/// Bytes per node while a grid is built.
const BYTES_TO_BUILD_GRID: f64 = 450.0;

/// Bytes per node while a mesh is made and taken in.
const BYTES_TO_BUILD_MESH: f64 = 2_600.0;

/// Bytes per node of a surface, curve or particle that can touch others: boxes, candidates, pairs and
/// their friction. Measured with sheets of 3,700 to 10,200 nodes and cubes of meshes: 3 kB while nothing is
/// near, 17 to 28 kB where two sheets lie on each other everywhere.
const BYTES_PER_TOUCHING_NODE: f64 = 24_000.0;

/// The same for a body that has nothing but itself to touch.
const BYTES_PER_NODE_ALONE: f64 = 6_000.0;

/// Nodes that a node is coupled with by bricks of twenty nodes, by those of tetrahedra, and no more than that.
const COUPLED_BY_BRICKS: f64 = 3.0;

/// Nodes of a covered surface per square of its resolution: triangles are about half as long as that.
const NODES_PER_SQUARE: f64 = 5.7;

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
    let others = PROGRAM as f64 + pair_bytes(world) + contact_bytes(world);
    let mut estimate = Estimate {
        likely: others,
        most: others,
    };
    for body in &world.bodies {
        let [likely, most] = body_bytes(body.description());
        estimate.likely += likely;
        estimate.most += most;
    }
    estimate
}

/// What a particle of a body takes at least when the body is built and simulated, in bytes.
fn bytes_of_particle(body: &pliant_scene::scene::Body) -> f64 {
    let word = |name| body.properties.word(name);
    let is_scalar = [IntegratorKind::SemiImplicit, IntegratorKind::Explicit]
        .iter()
        .any(|kind| word("integrator") == Some(kind.name()))
        || !uses_of_particles(word("formulation").unwrap_or_default()).newton;
    bytes_per_grid_node(body.dimension(), !is_scalar).max(BYTES_TO_BUILD_GRID)
}

/// The same of a node of a mesh. The number of nodes is known only roughly, so that less is asked for
/// than a solid is expected to take.
fn bytes_of_mesh_node(mesh: &Mesh, dimension: usize) -> f64 {
    match &mesh.source {
        MeshSource::Filled { .. } | MeshSource::Cells { .. } if dimension == 3 => {
            let coupled = match mesh.elements {
                Some(Elements::Brick20) => COUPLED_BY_BRICKS,
                _ => 1.0,
            };
            0.8 * BYTES_PER_SOLID_NODE * coupled
        }
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
            Some(mesh) => (
                expected_nodes(&mesh.mesh, body.dimension()),
                bytes_of_mesh_node(&mesh.mesh, body.dimension()),
            ),
            None => (body.particle_count() as f64, bytes_of_particle(body)),
        };
        total += nodes * each;
        if total > limit.bytes as f64 {
            let excess = total / (0.5 * limit.bytes as f64);
            let factor = excess.powf(1.0 / body.dimension() as f64);
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
    let bytes = |body: &&BodyDescription| body_bytes(body)[0];
    let largest = bodies.max_by(|a, b| bytes(a).total_cmp(&bytes(b)));
    let Some(body) = largest else {
        return "a smaller scene".to_owned();
    };
    let contact = contact_bytes(world);
    if contact > body_bytes(body)[0].max(pair_bytes(world)) {
        return "fewer nodes on the surfaces that meet each other take less".to_owned();
    }
    if pair_bytes(world) > body_bytes(body)[0] {
        return "a smaller `spacing` of the fluid makes fewer particles neighbours".to_owned();
    }
    let footprint = body.formulation.footprint(body);
    let name = &body.name;
    if footprint.is_direct() {
        return format!("solver=\"ConjugateGradient\" of the body `{name}` takes less");
    }
    format!("{} of the body `{name}` takes less", footprint.remedy)
}

/// What one body takes, in bytes.
fn body_bytes(body: &BodyDescription) -> [f64; 2] {
    let footprint = body.formulation.footprint(body);
    footprint.bytes(&body.rest_positions)
}

/// What contact between bodies takes.
fn contact_bytes(world: &World) -> f64 {
    if world.contact.is_none() {
        return 0.0;
    }
    let touching: usize = world.bodies.iter().map(touching_nodes).sum();
    let each = match world.bodies.len() {
        1 => BYTES_PER_NODE_ALONE,
        _ => BYTES_PER_TOUCHING_NODE,
    };
    each * touching as f64
}

/// The number of nodes of a body that belong to something that can touch.
fn touching_nodes(body: &Body) -> usize {
    let features = body.formulation().contact_features(body);
    let corners = features.triangles.as_flattened().iter();
    let ends = features.lines.as_flattened().iter();
    let mut is_touching = vec![false; body.node_count()];
    for &node in corners.chain(ends).chain(&features.points) {
        is_touching[node as usize] = true;
    }
    is_touching.iter().filter(|&&touches| touches).count()
}

/// What the pairs of fluid particles take, as the bodies begin.
fn pair_bytes(world: &World) -> f64 {
    let mut spacing: f64 = 0.0;
    let mut places: Vec<DVec3> = Vec::new();
    for body in &world.bodies {
        let processes = body.description().processes.iter();
        let spacings = processes.filter_map(|process| match &process.kind {
            ProcessKind::Fluid(fluid) => Some(fluid.spacing),
            _ => None,
        });
        let widest = spacings.fold(0.0, f64::max);
        if widest > 0.0 {
            spacing = spacing.max(widest);
            places.extend(&body.state.positions);
        }
    }
    if places.is_empty() {
        return 0.0;
    }
    BYTES_PER_PAIR * pairs_within(&places, PAIR_REACH * spacing)
}

/// The number of pairs of places within reach of each other, from the neighbours of some of them.
fn pairs_within(places: &[DVec3], reach: f64) -> f64 {
    const SAMPLES: usize = 1_000;
    let cube = |place: &DVec3| (*place / reach).floor().to_array().map(|x| x as i64);
    let mut cubes: HashMap<[i64; 3], Vec<DVec3>> = HashMap::new();
    for place in places {
        cubes.entry(cube(place)).or_default().push(*place);
    }
    let stride = places.len().div_ceil(SAMPLES).max(1);
    let (mut samples, mut neighbours) = (0.0, 0.0);
    for place in places.iter().step_by(stride) {
        samples += 1.0;
        let [i, j, k] = cube(place);
        for shift in 0..27_i64 {
            // Places far beyond all bounds are all in the last cube; there is none behind it.
            let near = [
                i.wrapping_add(shift % 3 - 1),
                j.wrapping_add(shift / 3 % 3 - 1),
                k.wrapping_add(shift / 9 - 1),
            ];
            let others = cubes.get(&near);
            let others = others.into_iter().flatten();
            let within = others.filter(|other| other.distance_squared(*place) < reach * reach);
            neighbours += within.count() as f64;
        }
    }
    // Each place is its own neighbour, and each pair is met from both sides.
    0.5 * (neighbours / samples - 1.0).max(0.0) * places.len() as f64
}

/// The number of nodes that a mesh will have, as far as the scene alone tells.
fn expected_nodes(mesh: &Mesh, dimension: usize) -> f64 {
    let has_middles = mesh.elements == Some(Elements::Tetrahedron10);
    match &mesh.source {
        MeshSource::Filled { solid, resolution } => {
            let scale = mesh.placement.scale;
            let scale = (scale.x * scale.y * scale.z).abs();
            let (volume, area) = extents_of(solid);
            if dimension == 2 {
                return NODES_PER_SQUARE * area * scale.powf(2.0 / 3.0) / resolution.powi(2);
            }
            // The lattice has two points per cube, each with seven edges.
            let of_point = if has_middles { 8.0 } else { 1.0 };
            2.0 * of_point * volume * scale / resolution.powi(3)
        }
        MeshSource::Cells { counts, .. } => {
            let counts: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
            let corners: f64 = counts.iter().map(|n| n + 1.0).product();
            match mesh.elements {
                // Of a cell's own edges there is one in each direction.
                Some(Elements::Brick20) => {
                    let along = counts.iter().map(|n| corners * n / (n + 1.0));
                    corners + along.sum::<f64>()
                }
                // And diagonals of its faces.
                _ if has_middles => 7.0 * corners,
                _ => corners,
            }
        }
        MeshSource::Rectangle { counts, .. } => counts.iter().map(|&n| n as f64 + 1.0).product(),
        MeshSource::File { .. } => 0.0,
    }
}

/// The volume and the surface of a shape, by samples: lines along an axis cross a surface as often as it has area
/// across them, on the mean over all directions half of it.
fn extents_of(solid: &Solid) -> (f64, f64) {
    const SAMPLES: usize = 40;
    let (low, high) = solid.bounds();
    let size = high - low;
    let is_inside = |at: [usize; 3]| {
        let share = DVec3::from_array(at.map(|i| (i as f64 + 0.5) / SAMPLES as f64));
        solid.value(low + share * size) < 0.0
    };
    let index = |at: [usize; 3]| (at[2] * SAMPLES + at[1]) * SAMPLES + at[0];
    let place = |n: usize| [n % SAMPLES, n / SAMPLES % SAMPLES, n / (SAMPLES * SAMPLES)];
    let inside: Vec<bool> = (0..SAMPLES.pow(3)).map(|n| is_inside(place(n))).collect();
    let (mut count, mut crossings) = (0_usize, DVec3::ZERO);
    for n in (0..inside.len()).filter(|&n| inside[n]) {
        count += 1;
        for axis in 0..3 {
            let mut next = place(n);
            let has_neighbour = |at: usize| at > 0 && at + 1 < SAMPLES;
            let is_at_end = !has_neighbour(next[axis]);
            crossings[axis] += f64::from(u8::from(is_at_end));
            for side in [-1_i32, 1] {
                next[axis] = place(n)[axis].wrapping_add_signed(side as isize);
                if next[axis] < SAMPLES && !inside[index(next)] {
                    crossings[axis] += 1.0;
                }
            }
        }
    }
    let cell = size / SAMPLES as f64;
    let across = DVec3::new(cell.y * cell.z, cell.z * cell.x, cell.x * cell.y);
    let volume = count as f64 * cell.x * cell.y * cell.z;
    let area = 2.0 / 3.0 * crossings.dot(across);
    let or_nothing = |x: f64| if x.is_finite() { x } else { 0.0 };
    (or_nothing(volume), or_nothing(area))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_surfaces_and_of_bricks_are_foreseen() {
        let nodes = |model: &str, mesh: &str| {
            let elastic = match model {
                "Surface" => "thickness=\"0.001\"",
                _ => "young=\"1e5\" density=\"1000\"",
            };
            let text = format!(
                "<EDMConfig id=\"S\"><Simulation duration=\"1\" fps=\"10\" /><MaterialContainer />\
                 <ExternalForces /><RigidObjects /><DeformableBodies><Body id=\"B\" \
                 model=\"{model}\" type=\"Mesh\"><Properties timestep=\"0.01\" />{mesh}<Elastic {elastic} /></Body></DeformableBodies></EDMConfig>"
            );
            let scene = pliant_scene::parse(&text, "nodes.xml").unwrap();
            let mesh = &scene.bodies[0].mesh.as_ref().unwrap().mesh;
            let assets = pliant_io::MemoryAssets::default();
            let world = pliant_scene::build_with(&scene, "nodes.xml", &assets).unwrap();
            let dimension = scene.bodies[0].dimension();
            (expected_nodes(mesh, dimension), world.node_count() as f64)
        };
        let ball = "<Mesh resolution=\"0.1\"><Sphere r=\"1\" /></Mesh>";
        let (foreseen, made) = nodes("Surface", ball);
        assert!((0.7..1.4).contains(&(foreseen / made)), "{foreseen} {made}");
        let bricks =
            "<Mesh cells=\"[4, 3, 2]\" elements=\"Brick20\"><Box size=\"[1, 1, 1]\" /></Mesh>";
        let (foreseen, made) = nodes("Solid", bricks);
        assert!((foreseen - made).abs() < 0.5, "{foreseen} {made}");
    }

    #[test]
    fn pairs_are_counted_near_and_far() {
        let row: Vec<DVec3> = (0..3_000).map(|n| f64::from(n) * DVec3::X).collect();
        // All of them.
        let all = 0.5 * 3_000.0 * 2_999.0;
        assert!((pairs_within(&row, 1e6) / all - 1.0).abs() < 1e-12);
        // Two to each side.
        assert!((pairs_within(&row, 2.5) / (2.0 * 3_000.0) - 1.0).abs() < 0.01);
        assert_eq!(pairs_within(&row, 0.5), 0.0);
        assert_eq!(pairs_within(&[DVec3::splat(1e300)], 1e-3), 0.0);
    }
}

//! A bar of tetrahedra pulled at its ends.

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Loads, NodalForce, NodalView, Stiffness};
use pliant::mesh::{Division, ElementMesh, block, boundary_triangles};
use pliant::process::{ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, IntegratorKind, World};
use std::ops::Range;
use std::sync::Arc;

pub const YOUNG: f64 = 1e6;

pub fn material(poisson: f64) -> ElasticMaterial {
    ElasticMaterial::new(YOUNG, poisson, 1000.0).unwrap()
}

/// A bar along x.
pub fn bar_mesh(counts: [usize; 3], size: DVec3) -> ElementMesh {
    block(counts, size, Division::FiveTetrahedra).unwrap()
}

/// Constant forces at the nodes, times a function of time.
pub struct NodalLoads {
    pub forces: Vec<DVec3>,
    pub amplitude: fn(f64) -> f64,
}

impl std::fmt::Debug for NodalLoads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NodalLoads({})", self.forces.len())
    }
}

impl NodalForce for NodalLoads {
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let amplitude = (self.amplitude)(view.time);
        for node in nodes {
            loads.add(node, amplitude * self.forces[node], Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -(self.amplitude)(view.time) * self.forces[node].dot(view.positions[node])
    }
}

/// The nodal forces of a traction of 1 Pa that pulls both ends of a bar along x apart.
pub fn end_traction(mesh: &ElementMesh) -> Vec<DVec3> {
    let low = mesh.positions.iter().fold(f64::MAX, |m, x| m.min(x.x));
    let high = mesh.positions.iter().fold(f64::MIN, |m, x| m.max(x.x));
    let mut forces = vec![DVec3::ZERO; mesh.positions.len()];
    for triangle in boundary_triangles(mesh) {
        let [a, b, c] = triangle.map(|node| mesh.positions[node as usize]);
        let area = 0.5 * (b - a).cross(c - a);
        for (end, sign) in [(low, -1.0), (high, 1.0)] {
            if [a, b, c].iter().all(|x| (x.x - end).abs() < 1e-9) {
                for node in triangle {
                    forces[node as usize] += sign / 3.0 * area.length() * DVec3::X;
                }
            }
        }
    }
    forces
}

pub fn solid(mesh: ElementMesh, strain: SolidStrain, poisson: f64) -> BodyDescription {
    let model = SolidModel::new(strain, material(poisson));
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("bar", settings, masses);
    description.solver.tolerance = 1e-10;
    description.solver.max_iterations = Some(4000);
    description
}

/// A bar held at one corner alone with a traction at its ends that changes with time, in
/// equilibrium, or by steps of a second that leave nothing of its vibrations.
pub fn pulled(
    mesh: ElementMesh,
    strain: SolidStrain,
    process: ProcessKind,
    amplitude: fn(f64) -> f64,
    integrator: IntegratorKind,
) -> World {
    let forces = end_traction(&mesh);
    let mut description = solid(mesh, strain, 0.3);
    description.integrator = integrator;
    if integrator != IntegratorKind::Static {
        // A share of the force that is not balanced when a step begins, which is next to nothing.
        description.solver.tolerance = 1e-5;
    }
    description.time_step = 1.0;
    description.fixed[0] = true;
    description.processes.push(Scheduled::always(process));
    let force = Arc::new(NodalLoads { forces, amplitude });
    description.forces.push(BoundForce { force, node: None });
    world(description)
}

pub fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// Mean elongation of a bar along x by its length.
pub fn elongation(world: &World) -> f64 {
    let body = &world.bodies[0];
    let rest = &body.description().rest_positions;
    let low = rest.iter().fold(f64::MAX, |m, x| m.min(x.x));
    let high = rest.iter().fold(f64::MIN, |m, x| m.max(x.x));
    let end = |place: f64| {
        let nodes: Vec<usize> = (0..rest.len())
            .filter(|&node| (rest[node].x - place).abs() < 1e-9)
            .collect();
        let sum: f64 = nodes.iter().map(|&node| body.state.positions[node].x).sum();
        sum / nodes.len() as f64
    };
    (end(high) - end(low)) / (high - low) - 1.0
}

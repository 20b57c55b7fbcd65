//! Loads that are spread over a part of a body.

use glam::DVec3;
use pliant::World;
use pliant::force::{BoundForce, Loads, NodalView};
use pliant_render::{Act, shown_loads};
use pliant_scene::Scene;

/// Moments at which the strength of a load is looked at.
const MOMENTS: usize = 200;

/// The loads that are spread over parts of a body, each with its strength in the course of time.
pub(super) fn loads(scene: &Scene, world: &World, index: usize) -> Vec<Act> {
    let bindings = scene.bodies[index].forces.iter();
    let mut forces = bindings.filter_map(|binding| scene.forces.get(binding.force));
    if !forces.any(|force| force.force.needs_part()) {
        return Vec::new();
    }
    let Some(body) = world.bodies.get(index) else {
        return Vec::new();
    };
    let is_spread = |bound: &&BoundForce| {
        let force = &bound.force;
        bound.node.is_none()
            && !force.is_by_mass()
            && !force.uses_normals()
            && force.has_potential()
            && force.source().is_none()
    };
    let bound = body.description().forces.iter().filter(is_spread);
    let duration = scene.simulation.duration;
    bound
        .filter_map(|bound| load(world, index, bound, duration))
        .collect()
}

fn load(world: &World, index: usize, bound: &BoundForce, duration: f64) -> Option<Act> {
    let description = world.bodies[index].description();
    let rest = &description.rest_positions;
    let still = vec![DVec3::ZERO; rest.len()];
    let at = |positions: &[DVec3], time: f64| {
        let mut loads = Loads::of_forces(rest.len());
        let view = NodalView {
            positions,
            velocities: &still,
            masses: &description.masses,
            directions: &[],
            curve: false,
            time,
            step: 0.0,
            window: [time, time],
        };
        bound.add_loads(&view, &mut loads);
        loads.forces
    };
    let size = |forces: &[DVec3]| {
        let lengths = forces.iter().map(|force| force.length());
        lengths.fold(0.0_f64, f64::max)
    };
    let moments = (0..=MOMENTS).map(|step| duration * step as f64 / MOMENTS as f64);
    let strength: Vec<[f64; 2]> = moments.map(|time| [time, size(&at(rest, time))]).collect();
    let strongest = strength.iter().max_by(|a, b| a[1].total_cmp(&b[1]))?;
    let [time, greatest] = *strongest;
    if !(greatest > 0.0 && greatest.is_finite()) {
        return None;
    }
    let full = at(rest, time);
    // A load that changes with places is no constant one, and has no arrows of its own.
    let moved: Vec<DVec3> = rest.iter().map(|place| 1.1 * *place + DVec3::ONE).collect();
    if at(&moved, time) != full {
        return None;
    }
    let fixed = &description.fixed;
    let loaded = (0..full.len()).filter(|&node| full[node].length() > 1e-6 * greatest);
    let free = loaded.filter(|&node| !fixed.get(node).copied().unwrap_or(false));
    let nodes: Vec<(usize, DVec3)> = free.map(|node| (node, full[node])).collect();
    // Away from the middle of the body, or on all of it.
    let middle = rest.iter().sum::<DVec3>() / rest.len() as f64;
    let outward = nodes
        .iter()
        .map(|(node, force)| force.dot(rest[*node] - middle));
    let pulls = 2 * nodes.len() > rest.len() || outward.sum::<f64>() > 0.0;
    Some(Act::Load {
        body: index,
        loads: shown_loads(&nodes, rest),
        pulls,
        strength: strength
            .iter()
            .map(|[time, size]| [*time, size / greatest])
            .collect(),
    })
}

//! Smooth surfaces round nodes, for goop and fluids.

use super::Subject;
use super::coloring::Coloring;
use super::finish;
use super::surface::relative;
use crate::blobby::blob;
use crate::color_map::Color;
use crate::draw_list::{DrawList, Shading, SphereSet};
use glam::DVec3;

/// Adds a body to the list, all its nodes as one blob.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    let nodes: Vec<u32> = (0..subject.body.positions.len() as u32).collect();
    add_blob(subject, &nodes, list);
}

/// Adds the surface round some nodes of a body.
pub fn add_blob(subject: &Subject, nodes: &[u32], list: &mut DrawList) {
    let body = subject.body;
    let there = |node: &u32| body.positions.get(*node as usize).is_some();
    let nodes: Vec<u32> = nodes.iter().copied().filter(there).collect();
    if nodes.is_empty() {
        return;
    }
    let particles: Vec<DVec3> = nodes.iter().map(|&n| body.positions[n as usize]).collect();
    let colors: Vec<Color> = match &subject.coloring {
        Coloring::Plain(color) => vec![*color],
        coloring => nodes
            .iter()
            .map(|&node| {
                let coordinates = body.topology.material_coordinates.get(node as usize);
                let [u, v, _] = coordinates.copied().unwrap_or_default();
                coloring.at(node, [u as f32, (1.0 - v) as f32])
            })
            .collect(),
    };
    let radius = if subject.style.thickness > 0.0 {
        0.5 * subject.style.thickness
    } else if body.particle_radius > 0.0 && body.particle_radius.is_finite() {
        body.particle_radius
    } else {
        0.5 * subject.memory.spacing
    };
    let Some(mut mesh) = blob(&particles, radius, &colors, subject.origin) else {
        add_balls(subject, &particles, radius, colors, list);
        return;
    };
    if mesh.triangles.is_empty() {
        return;
    }
    mesh.shading = Shading {
        two_sided: false,
        ..finish::shading(body.appearance.finish, finish::FLUID, subject.memory.size)
    };
    list.meshes.push(mesh);
}

/// Adds particles too scattered for a surface.
fn add_balls(
    subject: &Subject,
    particles: &[DVec3],
    radius: f64,
    colors: Vec<Color>,
    list: &mut DrawList,
) {
    let single = colors.len() == 1;
    let mut set = SphereSet {
        radii: vec![radius as f32],
        casts_shadow: true,
        ..SphereSet::default()
    };
    for (k, &particle) in particles.iter().enumerate() {
        if particle.is_finite() {
            set.centers.push(relative(Some(particle), subject.origin));
            if !single {
                set.colors.push(colors[k]);
            }
        }
    }
    if single {
        set.colors = colors;
    }
    list.spheres.push(set);
}

//! The nodes and what acts on them, to see what the physics does.
//!
//! Implements: \[Thesis2004\] section 3.9.3: movable nodes are grey, fixed ones red; normals, external
//! forces (green) and elastic forces (purple) are arrows. Each of the two kinds of force has its own
//! scale for each body, which follows the largest seen so far and so does not flicker; the few
//! largest of a moment are drawn shorter than they are.

use super::Subject;
use super::body_memory::BodyMemory;
use super::surface::relative;
use super::wireframe::add_edges;
use crate::color_map::Color;
use crate::draw_list::{DrawList, LineSet, SphereSet};
use crate::normals::node_normals;
use glam::DVec3;
use pliant::frame::FrameBody;

const MOVABLE: Color = [0.38, 0.39, 0.41];
const FIXED: Color = [0.75, 0.03, 0.02];
const EXTERNAL: Color = [0.02, 0.42, 0.06];
const ELASTIC: Color = [0.33, 0.04, 0.55];
const NORMAL: Color = [0.04, 0.18, 0.62];
const GRID: Color = [0.16, 0.17, 0.2];

/// Radius of a node and length of a normal, in mean edges.
const NODE_RADIUS: f64 = 0.16;
const NORMAL_LENGTH: f64 = 0.6;
/// Length of the longest arrow as a share of the size of the body, and in mean edges: longer ones
/// would hide each other.
const LONGEST_ARROW: f64 = 0.12;
const LONGEST_IN_EDGES: f64 = 2.0;
/// Arrows shorter than this share of the longest are left out: they would be dots.
const SHORTEST_ARROW: f64 = 0.03;

/// Adds a body to the list.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    add_edges(subject, list, GRID, 0.8);
    add_nodes(subject, list);
    add_normals(subject, list);
    add_forces(subject, list);
}

fn add_nodes(subject: &Subject, list: &mut DrawList) {
    let body = subject.body;
    let (mut centers, mut colors) = (Vec::new(), Vec::new());
    for (node, &position) in body.positions.iter().enumerate() {
        let center = relative(Some(position), subject.origin);
        if center.iter().all(|x| x.is_finite()) {
            let fixed = body.fixed.get(node).copied().unwrap_or(false);
            centers.push(center);
            colors.push(if fixed { FIXED } else { MOVABLE });
        }
    }
    if !centers.is_empty() {
        list.spheres.push(SphereSet {
            centers,
            radii: vec![(NODE_RADIUS * subject.memory.spacing) as f32],
            colors,
            casts_shadow: true,
            ..SphereSet::default()
        });
    }
}

fn add_normals(subject: &Subject, list: &mut DrawList) {
    let body = subject.body;
    if body.topology.triangles.is_empty() {
        return;
    }
    let mut on_surface = vec![false; body.positions.len()];
    for &node in body.topology.triangles.iter().flatten() {
        if let Some(flag) = on_surface.get_mut(node as usize) {
            *flag = true;
        }
    }
    let length = NORMAL_LENGTH * subject.memory.spacing;
    let normals = node_normals(&body.positions, &body.topology.triangles);
    let arrows = body
        .positions
        .iter()
        .zip(&normals)
        .zip(&on_surface)
        .filter(|&(_, &drawn)| drawn)
        .map(|((&from, &normal), _)| (from, length * normal));
    list.lines
        .extend(arrow_set(arrows, NORMAL, 1.0, subject.origin));
}

/// Widens the scales of the arrows to the forces of a body.
pub fn measure_forces(body: &FrameBody, memory: &mut BodyMemory) {
    for (kind, forces) in [&body.external_forces, &body.elastic_forces]
        .into_iter()
        .enumerate()
    {
        let largest = &mut memory.largest_forces[kind];
        *largest = largest.max(typical_largest(forces));
    }
}

fn add_forces(subject: &mut Subject, list: &mut DrawList) {
    let body = subject.body;
    measure_forces(body, subject.memory);
    let longest =
        (LONGEST_ARROW * subject.memory.size).min(LONGEST_IN_EDGES * subject.memory.spacing);
    let kinds = [
        (&body.external_forces, EXTERNAL),
        (&body.elastic_forces, ELASTIC),
    ];
    for (kind, (forces, color)) in kinds.into_iter().enumerate() {
        let largest = subject.memory.largest_forces[kind];
        if largest == 0.0 {
            continue;
        }
        let scale = longest / largest;
        let arrows = body
            .positions
            .iter()
            .zip(forces)
            .map(|(&from, &force)| (from, (scale * force).clamp_length_max(longest)))
            .filter(|(_, arrow)| arrow.length() > SHORTEST_ARROW * longest);
        list.lines
            .extend(arrow_set(arrows, color, 1.6, subject.origin));
    }
}

/// A length that few forces exceed.
fn typical_largest(forces: &[DVec3]) -> f64 {
    let mut lengths: Vec<f64> = forces
        .iter()
        .map(|force| force.length())
        .filter(|length| length.is_finite())
        .collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let last = lengths.len() - 1;
    let place = last - last / 50;
    *lengths.select_nth_unstable_by(place, f64::total_cmp).1
}

/// Arrows of one colour: a shaft and four barbs each.
fn arrow_set(
    arrows: impl Iterator<Item = (DVec3, DVec3)>,
    color: Color,
    width: f32,
    origin: DVec3,
) -> Option<LineSet> {
    let mut segments = Vec::new();
    for (from, arrow) in arrows.filter(|(from, arrow)| from.is_finite() && arrow.is_finite()) {
        let Some(along) = arrow.try_normalize() else {
            continue;
        };
        let tip = from + arrow;
        let place = |position: DVec3| relative(Some(position), origin);
        segments.push([place(from), place(tip)]);
        let (side, up) = along.any_orthonormal_pair();
        let barb = 0.22 * arrow.length();
        for across in [side, -side, up, -up] {
            segments.push([place(tip), place(tip - barb * along + 0.4 * barb * across)]);
        }
    }
    (!segments.is_empty()).then(|| LineSet {
        segments,
        colors: vec![color],
        width,
        lift: 0.004,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::Stylist;
    use crate::stylist::test_frames::sheet;
    use crate::{Look, TextureStore};
    use std::sync::Arc;

    #[test]
    fn fixed_nodes_are_red_and_forces_have_their_colours() {
        let mut frame = sheet(3, 3);
        let body = &mut frame.bodies[0];
        let mut fixed = vec![false; 9];
        fixed[2] = true;
        body.fixed = Arc::new(fixed);
        body.external_forces = vec![DVec3::new(0.0, 0.0, -2.0); 9];
        body.elastic_forces[4] = DVec3::new(1.0, 0.0, 0.0);
        let mut stylist = Stylist::new(Look::Particles.into(), TextureStore::default());
        let list = stylist.list(&frame).unwrap();
        let nodes = &list.spheres[0];
        assert_eq!(nodes.colors.len(), 9);
        for (node, &color) in nodes.colors.iter().enumerate() {
            assert_eq!(color, if node == 2 { FIXED } else { MOVABLE });
        }
        let lines = |color: Color| -> &LineSet {
            list.lines.iter().find(|set| set.colors == [color]).unwrap()
        };
        assert_eq!(lines(EXTERNAL).segments.len(), 9 * 5);
        assert_eq!(lines(ELASTIC).segments.len(), 5);
        assert_eq!(lines(NORMAL).segments.len(), 9 * 5);
        // The largest of each kind is the longest arrow.
        let length = |[a, b]: [[f32; 3]; 2]| (glam::Vec3::from(a) - glam::Vec3::from(b)).length();
        for color in [EXTERNAL, ELASTIC] {
            let longest = f64::from(length(lines(color).segments[0]));
            assert!((longest - LONGEST_ARROW * 2.0_f64.sqrt()).abs() < 1e-6);
        }
        // Half the force is half the arrow from now on.
        frame.bodies[0].external_forces = vec![DVec3::NEG_Z; 9];
        let list = stylist.list(&frame).unwrap();
        let set = list.lines.iter().find(|set| set.colors == [EXTERNAL]);
        let half = f64::from(length(set.unwrap().segments[0]));
        assert!((half - 0.5 * LONGEST_ARROW * 2.0_f64.sqrt()).abs() < 1e-6);
    }
}

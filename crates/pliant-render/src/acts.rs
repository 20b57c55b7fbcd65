//! What acts on bodies, made visible: springs, pins, clamps, weights, hooks and their paths, pushes, loads, wind,
//! images, letters.
//!
//! A frame holds bodies and obstacles only. What pulls them is plain data beside it, the same for
//! all frames of a film; where it is drawn follows from the nodes it acts on.

mod act;
mod arrows;
mod image;
mod paths;
mod wind;
mod wires;

pub use act::{Act, ThreadEnd};
pub use image::ImagePlane;

use crate::color_map::Color;
use crate::draw_list::{
    DrawList, Finish, Label, Mesh, Paint, Shading, SphereSet, TextAnchor, TextPlace,
};
use arrows::{MOST_ARROWS, add_arrow, spread_out};
use glam::DVec3;
use paths::{add_dots, interpolated, place_on};
use pliant::Frame;
use wind::streaks;
use wires::{add_coil, add_rail, add_thread};

const WIRE: Color = [0.42, 0.43, 0.46];
const ANCHOR: Color = [0.09, 0.10, 0.12];
const PIN: Color = [0.62, 0.05, 0.04];
const PUSH: Color = [0.85, 0.30, 0.03];
const LETTER: Color = [0.03; 3];

const STEEL: Finish = Finish {
    roughness: 0.3,
    metallic: 1.0,
    ..Finish::CHALK
};

/// Sizes as shares of the size of the scene.
const BALL: f64 = 0.0085;
const ARROW: f64 = 0.12;
const LOAD: f64 = 0.075;

/// Loaded nodes that the direction of an arrow is the mean of.
const NEIGHBOURS: usize = 9;

/// A body with more springs than this is pulled by cords: so many coils would hide it.
const MOST_COILS: usize = 12;

/// What is drawn for all that acts.
#[derive(Default)]
struct Drawn {
    wires: Mesh,
    arrows: Mesh,
    balls: Vec<(DVec3, f64, Color)>,
}

/// Adds what acts at the time of a frame to its list. `size` is that of the scene, in metres, which
/// lies about `middle`.
pub fn add_acts(acts: &[Act], frame: &Frame, middle: DVec3, size: f64, list: &mut DrawList) {
    if acts.is_empty() || !(size > 0.0 && size.is_finite()) {
        return;
    }
    let mut drawn = Drawn::default();
    let springs = acts.iter().filter(|act| matches!(act, Act::Spring { .. }));
    let has_cords = springs.count() > MOST_COILS;
    for act in acts {
        match act {
            Act::Wind(velocity) => {
                list.lines
                    .extend(streaks(*velocity, frame.time, middle, size, list.origin));
            }
            Act::Image(image) => image.draw(frame.time, list),
            Act::Letter { text, place } => {
                list.labels.push(letter(text, *place, size, list.origin))
            }
            Act::Push { .. } | Act::Load { .. } => {
                add_arrows(&mut drawn.arrows, act, frame, size, list.origin);
            }
            _ => add_things(&mut drawn, act, frame, size, has_cords, list.origin),
        }
    }
    add_mesh(drawn.wires, WIRE, STEEL, list);
    let lacquer = Finish::default();
    add_mesh(drawn.arrows, PUSH, lacquer, list);
    add_balls(&drawn.balls, list);
}

/// Where a node is.
fn at(frame: &Frame, body: usize, node: usize) -> Option<DVec3> {
    let position = *frame.bodies.get(body)?.positions.get(node)?;
    position.is_finite().then_some(position)
}

fn acts_at(time: f64, span: &[f64; 2]) -> bool {
    time >= span[0] && time <= span[1]
}

/// Adds what holds and pulls.
fn add_things(
    drawn: &mut Drawn,
    act: &Act,
    frame: &Frame,
    size: f64,
    has_cords: bool,
    origin: DVec3,
) {
    let Drawn { wires, balls, .. } = drawn;
    let time = frame.time;
    match act {
        Act::Spring {
            body,
            node,
            anchor,
            span,
        } => {
            let Some(from) = at(frame, *body, *node).filter(|_| acts_at(time, span)) else {
                return;
            };
            let to = anchor_at(anchor, span, time);
            balls.push((to, BALL * size, ANCHOR));
            if has_cords {
                add_thread(wires, from, to, f64::INFINITY, size, origin);
                return;
            }
            add_coil(wires, from, to, size, origin);
            balls.push((from, 0.55 * BALL * size, WIRE));
            add_dots(balls, &[to, anchor[1]], size);
        }
        Act::Pin { body, node } => {
            let place = at(frame, *body, *node);
            balls.extend(place.map(|place| (place, BALL * size, PIN)));
        }
        Act::Clamp {
            body,
            nodes,
            closed,
        } => {
            let row = nodes.iter().filter_map(|node| at(frame, *body, *node));
            let row: Vec<DVec3> = row.collect();
            add_rail(wires, &row, *closed, size, origin);
        }
        Act::Hook { path, span } => {
            if let (Some(place), true) = (place_on(path, time), acts_at(time, span)) {
                balls.push((place, BALL * size, ANCHOR));
                let ahead = path.iter().filter(|(moment, _)| *moment > time);
                let ahead: Vec<DVec3> = std::iter::once(place)
                    .chain(ahead.map(|(_, place)| *place))
                    .collect();
                add_dots(balls, &ahead, size);
            }
        }
        Act::Weight {
            body,
            node,
            size: relative,
        } => {
            let radius = 2.0 * BALL * size * relative.clamp(0.5, 3.0);
            let place = at(frame, *body, *node);
            balls.extend(place.map(|place| (place, radius, ANCHOR)));
        }
        Act::Thread { ends, length, span } => {
            let at = |body, node| at(frame, body, node);
            let [from, to] = [&ends[0], &ends[1]].map(|end| end.place(&at));
            if let (Some(from), Some(to), true) = (from, to, acts_at(time, span)) {
                add_thread(wires, from, to, *length, size, origin);
            }
        }
        _ => {}
    }
}

/// Adds the arrows of a push or of a spread load.
fn add_arrows(mesh: &mut Mesh, act: &Act, frame: &Frame, size: f64, origin: DVec3) {
    match act {
        Act::Push {
            body,
            node,
            force,
            span,
        } => {
            let place = match node {
                Some(node) => at(frame, *body, *node),
                None => {
                    let body = frame.bodies.get(*body);
                    body.and_then(|body| mean(&body.positions))
                }
            };
            let direction = force.try_normalize();
            let now = acts_at(frame.time, span);
            if let (Some(place), Some(direction), true) = (place, direction, now) {
                let length = ARROW * size;
                add_arrow(mesh, place, place + length * direction, length, origin);
            }
        }
        Act::Load {
            body,
            loads,
            pulls,
            strength,
        } => {
            let share = interpolated(strength, frame.time).clamp(-1.0, 1.0);
            let Some(body) = frame.bodies.get(*body) else {
                return;
            };
            let length = LOAD * size * share;
            for (node, direction) in loads {
                let place = body.positions.get(*node).filter(|place| place.is_finite());
                let (Some(place), Some(direction)) = (place, direction.try_normalize()) else {
                    continue;
                };
                if length.abs() < 0.02 * LOAD * size {
                    continue;
                }
                let arrow = length * direction;
                let from = if *pulls { *place } else { *place - arrow };
                add_arrow(mesh, from, from + arrow, LOAD * size, origin);
            }
        }
        _ => {}
    }
}

/// Which of some loaded nodes are shown by arrows, and in which direction. Loads of elements of second order differ
/// in sign from node to node; those of a neighbourhood together have the direction of the load.
pub fn shown_loads(loads: &[(usize, DVec3)], places: &[DVec3]) -> Vec<(usize, DVec3)> {
    let place = |(node, _): &(usize, DVec3)| places.get(*node).copied().unwrap_or_default();
    let at: Vec<DVec3> = loads.iter().map(place).collect();
    let shown = |index: usize| {
        let mut near: Vec<usize> = (0..at.len()).collect();
        near.sort_by(|a, b| {
            let far = |k: &usize| at[*k].distance_squared(at[index]);
            far(a).total_cmp(&far(b))
        });
        let near = near.iter().take(NEIGHBOURS);
        (loads[index].0, near.map(|k| loads[*k].1).sum())
    };
    let chosen = spread_out(&at, MOST_ARROWS);
    chosen.into_iter().map(shown).collect()
}

fn anchor_at(anchor: &[DVec3; 2], span: &[f64; 2], time: f64) -> DVec3 {
    let share = (time - span[0]) / (span[1] - span[0]);
    if share.is_finite() {
        anchor[0].lerp(anchor[1], share.clamp(0.0, 1.0))
    } else {
        anchor[0]
    }
}

fn mean(points: &[DVec3]) -> Option<DVec3> {
    let sum: DVec3 = points.iter().sum();
    let mean = sum / points.len() as f64;
    mean.is_finite().then_some(mean)
}

fn add_mesh(mut mesh: Mesh, color: Color, finish: Finish, list: &mut DrawList) {
    if mesh.triangles.is_empty() {
        return;
    }
    mesh.texture_coordinates = Vec::new();
    mesh.paint = Paint::Color(color);
    mesh.shading = Shading {
        two_sided: false,
        finish,
        ..Shading::default()
    };
    list.meshes.push(mesh);
}

fn add_balls(balls: &[(DVec3, f64, Color)], list: &mut DrawList) {
    if balls.is_empty() {
        return;
    }
    let place = |&(place, _, _): &(DVec3, f64, Color)| (place - list.origin).as_vec3().to_array();
    list.spheres.push(SphereSet {
        centers: balls.iter().map(place).collect(),
        radii: balls.iter().map(|&(_, radius, _)| radius as f32).collect(),
        colors: balls.iter().map(|&(_, _, color)| color).collect(),
        casts_shadow: true,
        finish: Finish {
            roughness: 0.35,
            ..Finish::CHALK
        },
    });
}

fn letter(text: &str, place: DVec3, size: f64, origin: DVec3) -> Label {
    Label {
        text: text.to_owned(),
        place: TextPlace::World(
            (place - origin + DVec3::Z * 0.035 * size)
                .as_vec3()
                .to_array(),
        ),
        anchor: TextAnchor::BottomCenter,
        size: 26.0,
        color: LETTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::sheet;

    fn drawn(acts: &[Act], time: f64) -> DrawList {
        let mut frame = sheet(3, 3);
        frame.time = time;
        let mut list = DrawList::default();
        add_acts(acts, &frame, DVec3::splat(0.5), 2.0, &mut list);
        list
    }

    #[test]
    fn springs_run_from_their_node_to_where_their_end_is_now() {
        let spring = Act::Spring {
            body: 0,
            node: 8,
            anchor: [DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, 3.0)],
            span: [1.0, 2.0],
        };
        assert!(drawn(std::slice::from_ref(&spring), 0.5).meshes.is_empty());
        let list = drawn(&[spring], 1.5);
        let highest = list.meshes[0].positions.iter().map(|p| p[2]);
        let highest = highest.fold(f32::MIN, f32::max);
        assert!((highest - 2.0).abs() < 0.05, "{highest}");
        assert_eq!(list.spheres[0].centers[0], [1.0, 1.0, 2.0]);
    }

    #[test]
    fn what_is_not_there_is_not_drawn() {
        let acts = [
            Act::Pin { body: 7, node: 0 },
            Act::Weight {
                body: 0,
                node: 99,
                size: 1.0,
            },
            Act::Push {
                body: 0,
                node: None,
                force: DVec3::ZERO,
                span: [0.0, 1.0],
            },
            Act::Wind(DVec3::ZERO),
        ];
        let list = drawn(&acts, 0.0);
        assert!(list.meshes.is_empty() && list.lines.is_empty() && list.spheres.is_empty());
        let list = drawn(&[Act::Pin { body: 0, node: 2 }, Act::Wind(DVec3::X)], 0.0);
        assert_eq!(list.spheres[0].centers.len(), 1);
        assert_eq!(list.lines[0].segments.len(), wind::STREAKS);
    }
}

//! What acts on bodies, made visible: springs, pins, weights, pushes, wind, images, letters.
//!
//! A frame holds bodies and obstacles only. What pulls them is plain data beside it, the same for
//! all frames of a film; where it is drawn follows from the nodes it acts on.

mod image;

pub use image::ImagePlane;

use crate::color_map::Color;
use crate::draw_list::{
    DrawList, Finish, Label, LineSet, Mesh, Paint, Shading, SphereSet, TextAnchor, TextPlace,
};
use crate::tube::{TubePoint, add_tube};
use glam::DVec3;
use pliant::Frame;
use std::f64::consts::TAU;

/// Something that acts on a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A spring from a node to a point, which may move evenly.
    Spring {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
        /// The point, in metres, at the begin and at the end.
        anchor: [DVec3; 2],
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A node that is held.
    Pin {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
    },
    /// A node with much more mass than the others.
    Weight {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
        /// Size of the ball that stands for it; 1 is usual.
        size: f64,
    },
    /// A constant force on a node, or on the whole body.
    Push {
        /// Index of the body in the frame.
        body: usize,
        /// Its node; `None` for all.
        node: Option<usize>,
        /// The force; only its direction counts.
        force: DVec3,
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A thread between two points; a slack one hangs down.
    Thread {
        /// Its ends.
        ends: [ThreadEnd; 2],
        /// Its length, in metres; infinite if it has none.
        length: f64,
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A stream of that velocity, in m/s.
    Wind(DVec3),
    /// An image that pulls curves in its plane.
    Image(ImagePlane),
    /// A letter beside an obstacle.
    Letter {
        /// What is written.
        text: String,
        /// Where, in metres.
        place: DVec3,
    },
}

/// An end of a thread.
#[derive(Clone, Debug, PartialEq)]
pub enum ThreadEnd {
    /// A place, in metres.
    Place(DVec3),
    /// A mean of nodes of a body.
    Nodes {
        /// Index of the body in the frame.
        body: usize,
        /// Nodes and weights.
        nodes: Vec<(u32, f64)>,
    },
}

impl ThreadEnd {
    /// Where it is, by the places of nodes.
    fn place(&self, at: &dyn Fn(usize, usize) -> Option<DVec3>) -> Option<DVec3> {
        match self {
            Self::Place(place) => Some(*place),
            Self::Nodes { body, nodes } => {
                let parts = nodes.iter();
                parts
                    .map(|(node, weight)| Some(*weight * at(*body, *node as usize)?))
                    .sum()
            }
        }
    }
}

const WIRE: Color = [0.42, 0.43, 0.46];
const ANCHOR: Color = [0.09, 0.10, 0.12];
const PIN: Color = [0.62, 0.05, 0.04];
const PUSH: Color = [0.85, 0.30, 0.03];
const WIND: Color = [0.60, 0.64, 0.68];
const LETTER: Color = [0.03; 3];

const STEEL: Finish = Finish {
    roughness: 0.3,
    metallic: 1.0,
    ..Finish::CHALK
};

/// Sizes as shares of the size of the scene.
const BALL: f64 = 0.0085;
const COIL: f64 = 0.011;
const WIRE_RADIUS: f64 = 0.0026;
const PITCH: f64 = 0.016;
const ARROW: f64 = 0.12;

/// Radius of a thread as a share of the size of the scene, and its pieces.
const THREAD_RADIUS: f64 = 0.0013;
const THREAD: usize = 12;

/// Most turns of a coil, and points of a turn.
const MOST_TURNS: f64 = 40.0;
const TURN: usize = 12;

/// Streaks of wind in a picture.
const STREAKS: usize = 26;

/// Adds what acts at the time of a frame to its list. `size` is that of the scene, in metres, which
/// lies about `middle`.
pub fn add_acts(acts: &[Act], frame: &Frame, middle: DVec3, size: f64, list: &mut DrawList) {
    if acts.is_empty() || !(size > 0.0 && size.is_finite()) {
        return;
    }
    let mut wires = Mesh::default();
    let mut balls: Vec<(DVec3, f64, Color)> = Vec::new();
    let mut arrows = Vec::new();
    let at = |body: usize, node: usize| {
        let position = *frame.bodies.get(body)?.positions.get(node)?;
        position.is_finite().then_some(position)
    };
    let acts_now = |span: &[f64; 2]| frame.time >= span[0] && frame.time <= span[1];
    for act in acts {
        match act {
            Act::Spring {
                body,
                node,
                anchor,
                span,
            } => {
                let Some(from) = at(*body, *node).filter(|_| acts_now(span)) else {
                    continue;
                };
                let to = anchor_at(anchor, span, frame.time);
                add_coil(&mut wires, from, to, size, list.origin);
                balls.push((to, BALL * size, ANCHOR));
                balls.push((from, 0.55 * BALL * size, WIRE));
            }
            Act::Pin { body, node } => {
                balls.extend(at(*body, *node).map(|place| (place, BALL * size, PIN)));
            }
            Act::Weight {
                body,
                node,
                size: own,
            } => {
                let radius = 2.0 * BALL * size * own.clamp(0.5, 3.0);
                balls.extend(at(*body, *node).map(|place| (place, radius, ANCHOR)));
            }
            Act::Push {
                body,
                node,
                force,
                span,
            } => {
                let place = match node {
                    Some(node) => at(*body, *node),
                    None => frame
                        .bodies
                        .get(*body)
                        .and_then(|body| mean(&body.positions)),
                };
                let direction = force.try_normalize();
                if let (Some(place), Some(direction), true) = (place, direction, acts_now(span)) {
                    arrows.push((place, direction * (ARROW * size)));
                }
            }
            Act::Thread { ends, length, span } => {
                let [from, to] = [&ends[0], &ends[1]].map(|end| end.place(&at));
                if let (Some(from), Some(to), true) = (from, to, acts_now(span)) {
                    add_thread(&mut wires, from, to, *length, size, list.origin);
                }
            }
            Act::Wind(velocity) => {
                list.lines
                    .extend(streaks(*velocity, frame.time, middle, size, list.origin));
            }
            Act::Image(image) => image.draw(frame.time, list),
            Act::Letter { text, place } => {
                list.labels.push(letter(text, *place, size, list.origin))
            }
        }
    }
    add_wires(wires, list);
    add_balls(&balls, list);
    list.lines.extend(arrow_lines(&arrows, list.origin));
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

/// A coil between two points, with straight ends; a short one is a straight wire.
fn add_coil(mesh: &mut Mesh, from: DVec3, to: DVec3, size: f64, origin: DVec3) {
    let length = from.distance(to);
    let Some(axis) = (to - from).try_normalize() else {
        return;
    };
    let (side, up) = axis.any_orthonormal_pair();
    let turns = (length / (PITCH * size)).clamp(3.0, MOST_TURNS).round();
    let radius = (COIL * size).min(0.2 * length);
    let count = turns as usize * TURN;
    let points: Vec<TubePoint> = (0..=count)
        .map(|step| {
            let share = step as f64 / count as f64;
            let angle = TAU * turns * share;
            // Wound up at both ends, so that it hangs from its axis.
            let wide = radius * (8.0 * share.min(1.0 - share)).min(1.0);
            let around = wide * (angle.cos() * side + angle.sin() * up);
            TubePoint {
                position: from + share * length * axis + around,
                along: share,
                node: 0,
            }
        })
        .collect();
    add_tube(
        mesh,
        &mut Vec::new(),
        &points,
        false,
        WIRE_RADIUS * size,
        origin,
    );
}

/// A thin thread between two points, which sags where it is longer than their distance.
fn add_thread(mesh: &mut Mesh, from: DVec3, to: DVec3, length: f64, size: f64, origin: DVec3) {
    let distance = from.distance(to);
    // A shallow arc of that length, as a parabola.
    let slack = if length.is_finite() {
        (length - distance).max(0.0)
    } else {
        0.0
    };
    let sag = (0.375 * distance * slack).sqrt().min(0.5 * length);
    let points: Vec<TubePoint> = (0..=THREAD)
        .map(|step| {
            let share = step as f64 / THREAD as f64;
            let down = 4.0 * share * (1.0 - share) * sag;
            TubePoint {
                position: from.lerp(to, share) - down * DVec3::Z,
                along: share,
                node: 0,
            }
        })
        .collect();
    let radius = THREAD_RADIUS * size;
    add_tube(mesh, &mut Vec::new(), &points, false, radius, origin);
}

fn add_wires(mut wires: Mesh, list: &mut DrawList) {
    if wires.triangles.is_empty() {
        return;
    }
    wires.texture_coordinates = Vec::new();
    wires.paint = Paint::Color(WIRE);
    wires.shading = Shading {
        two_sided: false,
        finish: STEEL,
        ..Shading::default()
    };
    list.meshes.push(wires);
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

fn arrow_lines(arrows: &[(DVec3, DVec3)], origin: DVec3) -> Option<LineSet> {
    let place = |point: DVec3| (point - origin).as_vec3().to_array();
    let mut segments = Vec::new();
    for &(from, arrow) in arrows {
        let tip = from + arrow;
        segments.push([place(from), place(tip)]);
        let (side, up) = arrow.normalize_or(DVec3::Z).any_orthonormal_pair();
        for across in [side, -side, up, -up] {
            let barb = tip - 0.25 * arrow + 0.1 * arrow.length() * across;
            segments.push([place(tip), place(barb)]);
        }
    }
    (!segments.is_empty()).then(|| LineSet {
        segments,
        colors: vec![PUSH],
        width: 3.0,
        lift: 0.2,
    })
}

/// Short faint lines that drift with a stream through the box of a scene, always the same ones.
fn streaks(velocity: DVec3, time: f64, middle: DVec3, size: f64, origin: DVec3) -> Option<LineSet> {
    let direction = velocity.try_normalize()?;
    let (side, up) = direction.any_orthonormal_pair();
    let number = |index: usize, salt: f64| {
        // A number between 0 and 1 by the golden ratio, far from its neighbours.
        (index as f64 * 0.618_034 + salt * 0.754_878).fract()
    };
    let way = 1.4 * size;
    let segments = (0..STREAKS).map(|index| {
        let start = number(index, 1.0 + index as f64 * 0.37);
        let along = (start + velocity.length() * time / way).fract() - 0.5;
        let across = number(index, 2.0) - 0.5;
        let high = number(index * 7 + 3, 5.0) - 0.5;
        let length = 0.05 + 0.05 * number(index, 3.0);
        let head = middle + way * along * direction + 0.9 * size * (across * side + high * up);
        [head, head - length * size * direction].map(|point| (point - origin).as_vec3().to_array())
    });
    Some(LineSet {
        segments: segments.collect(),
        colors: vec![WIND],
        width: 0.8,
        // Behind everything: streaks before a body look like scratches on it.
        lift: -0.3,
    })
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
        assert_eq!(list.lines[0].segments.len(), STREAKS);
    }
}

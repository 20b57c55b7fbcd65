//! Bodies that cross, touch or enclose each other or obstacles at the start, moved apart.
//!
//! Two bodies are moved along the direction in which they come free soonest, of a few that are tried; each by the
//! mass of the other, so that their common centre stays. A body that is held or led does not move. Bodies keep
//! their shapes: one that crosses itself is not mended.

use super::contact::{crossings, encloses};
use glam::DVec3;
use pliant::Body;
use pliant::contact::PairContactSettings;
use pliant::obstacle::Obstacle;
use pliant::overlaps;

/// How often all pairs are looked at: what comes free of one body may run into another.
const ROUNDS: usize = 60;

/// Halvings of the way along which a body comes free.
const HALVINGS: usize = 20;

/// Moves bodies apart. What is left afterwards is found by those who check.
pub(super) fn move_apart(
    contact: &PairContactSettings,
    bodies: &mut [Body],
    obstacles: &[Obstacle],
) {
    for _ in 0..ROUNDS {
        let mut has_moved = false;
        for index in 0..bodies.len() {
            for &obstacle in &bodies[index].description().collides_with.clone() {
                let shift = way_out(contact, &bodies[index], obstacles, obstacle);
                has_moved |= shift != DVec3::ZERO;
                shift_by(&mut bodies[index], shift);
            }
            for other in 0..index {
                let excepted =
                    |pair: &[usize; 2]| *pair == [index, other] || *pair == [other, index];
                if !contact.exceptions.iter().any(excepted) {
                    let shifts = ways_apart(contact, &bodies[index], &bodies[other]);
                    has_moved |= shifts != [DVec3::ZERO; 2];
                    shift_by(&mut bodies[index], shifts[0]);
                    shift_by(&mut bodies[other], shifts[1]);
                }
            }
        }
        if !has_moved {
            return;
        }
    }
}

fn shift_by(body: &mut Body, shift: DVec3) {
    let state = &mut body.state;
    for place in state.positions.iter_mut().chain(&mut state.controls) {
        *place += shift;
    }
}

/// The same body elsewhere.
fn shifted(body: &Body, shift: DVec3) -> Body {
    let mut body = body.clone();
    shift_by(&mut body, shift);
    body
}

/// Whether a body may be moved: nothing holds it, and no path leads it.
fn is_loose(body: &Body) -> bool {
    let description = body.description();
    let is_held = description.fixed.contains(&true) || !description.sliders.is_empty();
    !is_held && !description.formulation.is_driven()
}

fn extent(body: &Body) -> [DVec3; 2] {
    let places = || body.state.positions.iter().copied();
    let low = places().fold(DVec3::INFINITY, DVec3::min);
    let high = places().fold(DVec3::NEG_INFINITY, DVec3::max);
    [low, high]
}

fn mass(body: &Body) -> f64 {
    body.description().masses.iter().sum()
}

/// The contact of bodies with each other alone.
fn without_itself(contact: &PairContactSettings) -> PairContactSettings {
    PairContactSettings {
        with_itself: false,
        exceptions: Vec::new(),
        ..contact.clone()
    }
}

/// Whether two bodies are not apart.
fn are_entangled(contact: &PairContactSettings, pair: &[Body; 2]) -> bool {
    let [a, b] = pair;
    let ([low, high], [other_low, other_high]) = (extent(a), extent(b));
    let room = DVec3::splat(contact.thickness);
    // Round bodies reach beyond their nodes, by at most what lies between these.
    let reach = room + 0.5 * (high - low).min(other_high - other_low);
    if (low - reach).cmpgt(other_high).any() || (other_low - reach).cmpgt(high).any() {
        return false;
    }
    let first = |body: &Body| {
        let features = body.formulation().contact_features(body);
        features
            .first_vertex()
            .map(|node| body.state.positions[node as usize])
    };
    let is_inside = |inner: &Body, outer: &Body| first(inner).is_some_and(|x| encloses(outer, x));
    !crossings(contact, pair).is_empty()
        || is_inside(a, b)
        || is_inside(b, a)
        || !overlaps(contact, pair, &[]).is_empty()
}

/// How two bodies are to be moved.
fn ways_apart(contact: &PairContactSettings, a: &Body, b: &Body) -> [DVec3; 2] {
    let contact = &without_itself(contact);
    let loose = [is_loose(a), is_loose(b)];
    let mut pair = [a.clone(), b.clone()];
    if loose == [false, false] || !are_entangled(contact, &pair) {
        return [DVec3::ZERO; 2];
    }
    let ([low, high], [other_low, other_high]) = (extent(a), extent(b));
    let farthest = (high - low).length() + (other_high - other_low).length() + contact.thickness;
    let apart = 0.5 * (low + high - other_low - other_high);
    let way = shortest_way(apart, farthest, contact.thickness, |shift| {
        pair[0] = shifted(a, shift);
        are_entangled(contact, &pair)
    });
    let share = match loose {
        [true, true] => mass(b) / (mass(a) + mass(b)),
        [true, false] => 1.0,
        _ => 0.0,
    };
    [share * way, (share - 1.0) * way]
}

/// How a body is to be moved out of an obstacle.
fn way_out(
    contact: &PairContactSettings,
    body: &Body,
    obstacles: &[Obstacle],
    index: usize,
) -> DVec3 {
    let contact = &without_itself(contact);
    if !is_loose(body) {
        return DVec3::ZERO;
    }
    let obstacle = &obstacles[index];
    let is_inside = |shift: DVec3| {
        let pair = [shifted(body, shift)];
        let touches = |overlap: pliant::Overlap| overlap.who == [0, 1 + index];
        let mut places = pair[0].state.positions.iter();
        places.any(|&x| obstacle.distance(x) < 0.0)
            || overlaps(contact, &pair, obstacles).into_iter().any(touches)
    };
    if !is_inside(DVec3::ZERO) {
        return DVec3::ZERO;
    }
    let places = body.state.positions.iter();
    let depth = |x: &&DVec3| obstacle.distance(**x);
    let deepest = places.min_by(|a, b| depth(a).total_cmp(&depth(b)));
    let outwards = deepest.map_or(DVec3::Z, |&x| obstacle.normal(x));
    let [low, high] = extent(body);
    let [deep, size] = [deepest.map_or(0.0, |x| -depth(&x)), (high - low).length()];
    let farthest = 2.0 * (size + deep.max(0.0)) + contact.thickness;
    shortest_way(outwards, farthest, contact.thickness, is_inside)
}

/// The shortest shift by which something comes free, of those along some directions, and `room` beyond it;
/// nothing if none does.
fn shortest_way(
    likely: DVec3,
    farthest: f64,
    room: f64,
    mut is_caught: impl FnMut(DVec3) -> bool,
) -> DVec3 {
    let axes = [DVec3::Z, DVec3::X, DVec3::Y];
    let directions = axes.iter().flat_map(|&axis| [axis, -axis]);
    let likely = likely.try_normalize().into_iter();
    let mut best: Option<(f64, DVec3)> = None;
    for direction in likely.chain(directions) {
        let mut far = best.map_or(farthest, |(length, _)| length);
        if is_caught(far * direction) {
            continue;
        }
        let mut near = 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            match is_caught(middle * direction) {
                true => near = middle,
                false => far = middle,
            }
            if far - near < 0.1 * room {
                break;
            }
        }
        // The first directions are the likelier ones: others must be worth it.
        if best.is_none_or(|(length, _)| far < 0.9 * length) {
            best = Some((far, direction));
        }
    }
    best.map_or(DVec3::ZERO, |(length, direction)| {
        (length + room) * direction
    })
}

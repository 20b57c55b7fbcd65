//! Whether the bodies of a scene can begin to meet each other.

use super::{Builder, words};
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::obstacle::Obstacle;
use pliant::overlaps;
use std::collections::{BTreeMap, BTreeSet};

/// The largest range of contact, by the spacing of the nodes.
const THICKEST: f64 = 2.0;

/// The largest distance that a body keeps from obstacles, by the spacing of its nodes: within it every
/// feature would push every other.
const FARTHEST: f64 = 5.0;

impl Builder<'_> {
    /// Bodies that cannot move as one system, and surfaces that cross at the start.
    pub(super) fn check_contact(
        &mut self,
        contact: &PairContactSettings,
        bodies: &[pliant::Body],
        obstacles: &[Obstacle],
    ) {
        for (body, scene) in bodies.iter().zip(&self.scene.bodies) {
            let description = body.description();
            if !description.formulation.joins_others(description) {
                let element = format!("<Body id=\"{}\">", scene.id);
                let message = "this body cannot meet other bodies: its integrator or formulation \
                               finds its motion alone";
                let hint = "leave `integrator` out or choose an implicit one, and a formulation that is Primal, \
                            Hybrid, Rod or a mesh; of a Hybrid body leave out Voigt processes, and switch no \
                            inertial force off; or leave <Contact> out";
                self.refuse(scene.location, element, message, Some(hint));
            }
        }
        self.check_thickness(contact, bodies);
        if self.errors.is_empty() {
            self.check_crossings(contact, bodies);
        }
        if self.errors.is_empty() {
            self.check_overlaps(contact, bodies, obstacles);
        }
        if self.errors.is_empty() {
            self.check_nested(contact, bodies, obstacles);
        }
    }

    /// Bodies that lie wholly inside of others or of obstacles, out of which no contact leads.
    fn check_nested(
        &mut self,
        contact: &PairContactSettings,
        bodies: &[pliant::Body],
        obstacles: &[Obstacle],
    ) {
        let name = |index: usize| match index.checked_sub(bodies.len()) {
            None => bodies[index].description().name.clone(),
            Some(obstacle) => obstacles[obstacle].name.clone(),
        };
        for [inner, outer] in nested(contact, bodies, obstacles) {
            let (inner, outer) = (name(inner), name(outer));
            let message = format!("\"{inner}\" lies inside of \"{outer}\" at the start");
            let hint = "move it out, let repair=\"Yes\" do it, or except the pair by <Without>";
            let location = self.scene.contact_location;
            self.refuse(location, "<Contact>".to_owned(), message, Some(hint));
        }
    }

    /// A range of contact in which everything would push everything.
    fn check_thickness(&mut self, contact: &PairContactSettings, bodies: &[pliant::Body]) {
        for body in bodies {
            let description = body.description();
            let is_rigid = body.formulation().stands_for_all().is_some();
            let (most, what) = match is_rigid {
                true => (body.size(), "the size"),
                false => (THICKEST * description.mean_spacing(), "twice the spacing"),
            };
            if most > 0.0 && contact.thickness > most {
                let message = format!(
                    "the thickness of contact is {} m, more than {what} of \"{}\", which is {} m",
                    words::metres(contact.thickness),
                    description.name,
                    words::metres(most)
                );
                let hint = "choose a thickness below the spacing of the nodes";
                let location = self.scene.contact_location;
                self.refuse(location, "<Contact>".to_owned(), message, Some(hint));
                return;
            }
            let (kept, spacing) = (description.contact.thickness, description.mean_spacing());
            let meets = !description.collides_with.is_empty();
            if !is_rigid && meets && spacing > 0.0 && kept > FARTHEST * spacing {
                let message = format!(
                    "\"{}\" keeps {} m from obstacles, more than {FARTHEST} times the spacing of its \
                     nodes, which is {} m",
                    description.name,
                    words::metres(kept),
                    words::metres(spacing)
                );
                let hint = "choose a smaller `thickness` of the body";
                let location = self.scene.contact_location;
                self.refuse(location, "<Contact>".to_owned(), message, Some(hint));
            }
        }
    }

    /// Features without a gap between them, which no contact could push apart.
    fn check_overlaps(
        &mut self,
        contact: &PairContactSettings,
        bodies: &[pliant::Body],
        obstacles: &[Obstacle],
    ) {
        let mut pairs: BTreeMap<[usize; 2], (usize, DVec3, f64)> = BTreeMap::new();
        for overlap in overlaps(contact, bodies, obstacles) {
            let entry = pairs.entry(overlap.who);
            let (count, place, gap) = entry.or_insert((0, overlap.place, overlap.gap));
            *count += 1;
            if overlap.gap < *gap {
                (*place, *gap) = (overlap.place, overlap.gap);
            }
        }
        for ([a, b], (count, place, gap)) in pairs {
            let name = |index: usize| match index.checked_sub(bodies.len()) {
                None => bodies[index].description().name.clone(),
                Some(obstacle) => obstacles[obstacle].name.clone(),
            };
            let who = if a == b {
                format!("\"{}\" touches itself", name(a))
            } else {
                format!("\"{}\" and \"{}\" touch", name(a), name(b))
            };
            let how = match gap < 0.0 {
                true => format!("they lie {:.3e} m inside each other", -gap),
                false => "they have no gap".to_owned(),
            };
            let place = words::place(place);
            let message = format!("{who} at the start, {count} times: {how} near {place}");
            let hint = "move them apart, let repair=\"Yes\" do it, or except the pair by <Without>";
            let location = self.scene.contact_location;
            self.refuse(location, "<Contact>".to_owned(), message, Some(hint));
        }
    }

    /// Surfaces that cross at the start.
    fn check_crossings(&mut self, contact: &PairContactSettings, bodies: &[pliant::Body]) {
        let mut pairs: BTreeMap<[usize; 2], (usize, DVec3)> = BTreeMap::new();
        for (pair, place) in crossings(contact, bodies) {
            pairs.entry(pair).or_insert((0, place)).0 += 1;
        }
        for ([a, b], (count, place)) in pairs {
            let name = |index: usize| bodies[index].description().name.clone();
            let who = if a == b {
                format!("the body \"{}\" crosses itself", name(a))
            } else {
                format!("the bodies \"{}\" and \"{}\" cross", name(a), name(b))
            };
            let place = words::place(place);
            let message = format!(
                "{who} at the start: {count} times an edge passes through a triangle, first near \
                 {place}"
            );
            let hint = "move them apart, let repair=\"Yes\" do it, or except the pair by <Without>";
            let location = self.scene.contact_location;
            self.refuse(location, "<Contact>".to_owned(), message, Some(hint));
        }
    }
}

/// Bodies that lie wholly inside of others or of obstacles, with what encloses them; obstacles are counted
/// after the bodies.
pub(super) fn nested(
    contact: &PairContactSettings,
    bodies: &[pliant::Body],
    obstacles: &[Obstacle],
) -> Vec<[usize; 2]> {
    let excepted = |a: usize, b: usize| {
        let same = |&[c, d]: &[usize; 2]| [a, b] == [c, d] || [a, b] == [d, c];
        contact.exceptions.iter().any(same)
    };
    let mut found = Vec::new();
    for (inner, body) in bodies.iter().enumerate() {
        let features = body.formulation().contact_features(body);
        let Some(place) = features.first_vertex() else {
            continue;
        };
        let place = body.state.positions[place as usize];
        for (outer, other) in bodies.iter().enumerate() {
            if inner != outer && !excepted(inner, outer) && encloses(other, place) {
                found.push([inner, outer]);
            }
        }
        let is_rigid = features.frame.is_some();
        for &index in &body.description().collides_with {
            if is_rigid && obstacles[index].distance(place) < 0.0 {
                found.push([inner, bodies.len() + index]);
            }
        }
    }
    found
}

/// Whether a place lies inside of a solid: its closed surface takes all directions from there, or none.
pub(super) fn encloses(body: &pliant::Body, place: DVec3) -> bool {
    if body.formulation().dimension(body.description()) < 3 {
        return false;
    }
    let features = body.formulation().contact_features(body);
    let positions = &body.state.positions;
    let at = |node: &u32| positions[*node as usize];
    let nodes = || features.triangles.iter().flatten().map(at);
    let low = nodes().fold(DVec3::INFINITY, DVec3::min);
    let high = nodes().fold(DVec3::NEG_INFINITY, DVec3::max);
    if !(place.cmpgt(low).all() && place.cmplt(high).all()) {
        return false;
    }
    let mut angle = 0.0;
    for triangle in &features.triangles {
        let [a, b, c] = triangle.map(|node| positions[node as usize] - place);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        let volume = a.dot(b.cross(c));
        let rest = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        angle += 2.0 * volume.atan2(rest);
    }
    angle.abs() > 3.9 * std::f64::consts::PI
}

/// The box that holds all nodes of a body.
fn bounds(body: &pliant::Body) -> [DVec3; 2] {
    let nodes = body.state.positions.iter();
    nodes.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| {
        [low.min(*at), high.max(*at)]
    })
}

/// Edges that pass through triangles of bodies that are to meet, by exact predicates: the two bodies,
/// the lower first, and the middle of the edge.
pub fn crossings(
    contact: &PairContactSettings,
    bodies: &[pliant::Body],
) -> Vec<([usize; 2], DVec3)> {
    let (mut positions, mut triangles, mut body_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut edges = BTreeSet::new();
    let boxes: Vec<[DVec3; 2]> = bodies.iter().map(bounds).collect();
    let may_cross = |a: usize, b: usize| {
        let [[low, high], [other_low, other_high]] = [boxes[a], boxes[b]];
        low.cmple(other_high).all() && other_low.cmple(high).all()
    };
    for (index, body) in bodies.iter().enumerate() {
        let mut others = (0..bodies.len()).filter(|other| *other != index);
        if !contact.with_itself && !others.any(|other| may_cross(index, other)) {
            continue;
        }
        let base = positions.len() as u32;
        let topology = body.formulation().contact_features(body);
        let shifted = topology.triangles.iter().map(|t| t.map(|node| base + node));
        for [a, b, c] in shifted {
            triangles.push([a, b, c]);
            edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        edges.extend(topology.lines.iter().map(|l| l.map(|node| base + node)));
        positions.extend_from_slice(&body.state.positions);
        body_of.resize(positions.len(), index);
    }
    let edges: Vec<[u32; 2]> = edges.into_iter().collect();
    // Positions of bodies are finite and their triangles name their nodes.
    let found = pliant_crossings::crossings(&positions, &triangles, &edges).unwrap_or_default();
    let pairs = found.into_iter().map(|crossing| {
        let edge = edges[crossing.edge];
        let a = body_of[edge[0] as usize];
        let b = body_of[triangles[crossing.triangle][0] as usize];
        let [p, q] = edge.map(|node| positions[node as usize]);
        ([a.min(b), a.max(b)], 0.5 * (p + q))
    });
    let meet = |[a, b]: [usize; 2]| {
        let excepted = |&[c, d]: &[usize; 2]| [a, b] == [c.min(d), c.max(d)];
        let is_rigid = bodies[a].formulation().stands_for_all().is_some();
        let with_itself = contact.with_itself && bodies[a].can_meet_itself() && !is_rigid;
        !contact.exceptions.iter().any(excepted) && (a != b || with_itself)
    };
    pairs.filter(|(pair, _)| meet(*pair)).collect()
}

//! Bodies that meet each other in scenes that say nothing of contact.
//!
//! Two bodies that a user puts above each other are meant to meet. They do where that changes nothing else:
//! where all bodies can move as one system by the integrator that they have. Pairs that touch at the start are
//! left out, since no contact could push them apart.

use super::contact::{crossings, nested};
use super::joints::pairs_that_pass;
use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::Scene;
use pliant::contact::PairContactSettings;
use pliant::obstacle::Obstacle;
use pliant::{Body, IntegratorKind, World, overlaps};

/// The distance at which surfaces push each other, by the smallest spacing of nodes, where that is less than what
/// `Contact` has without a word.
const THICKNESS: f64 = 0.25;

/// The same by the size of the smallest body that is rigid as a whole.
const THICKNESS_BY_SIZE: f64 = 0.05;

/// Pairs of names that a warning has room for.
const MOST_NAMES: usize = 3;

/// The distance at which surfaces push each other where the file does not say, in metres.
pub(super) fn thickness(bodies: &[Body]) -> f64 {
    let of_body = |body: &Body| match body.formulation().stands_for_all() {
        Some(_) => THICKNESS_BY_SIZE * body.size(),
        None => THICKNESS * body.description().mean_spacing(),
    };
    let least = bodies.iter().map(of_body).filter(|least| *least > 0.0);
    least.fold(PairContactSettings::default().thickness, f64::min)
}

/// How bodies meet each other unasked; `None` if they do not.
pub(super) fn settings(
    scene: &Scene,
    bodies: &[Body],
    obstacles: &[Obstacle],
) -> Option<PairContactSettings> {
    if matter(bodies).count() < 2 || why_alone(bodies).is_some() {
        return None;
    }
    let mut contact = PairContactSettings {
        thickness: thickness(bodies),
        with_itself: false,
        exceptions: pairs_that_pass(scene).collect(),
        ..PairContactSettings::default()
    };
    for (index, body) in bodies.iter().enumerate() {
        if !body.formulation().meets_unasked() {
            let others = (0..bodies.len()).filter(|other| *other != index);
            contact
                .exceptions
                .extend(others.map(|other| [index, other]));
        }
    }
    let crossing = crossings(&contact, bodies)
        .into_iter()
        .map(|(pair, _)| pair);
    let touching = overlaps(&contact, bodies, obstacles).into_iter();
    let mut found: Vec<[usize; 2]> = crossing.chain(touching.map(|one| one.who)).collect();
    found.extend(nested(&contact, bodies, obstacles));
    for [a, b] in found {
        match b.checked_sub(bodies.len()) {
            Some(obstacle) => contact.by_nodes.push([a, obstacle]),
            None => contact.exceptions.push([a.min(b), a.max(b)]),
        }
    }
    for pairs in [&mut contact.exceptions, &mut contact.by_nodes] {
        pairs.sort_unstable();
        pairs.dedup();
    }
    Some(contact)
}

/// What passes through each other in a scene that says nothing of contact, though it is matter.
pub fn bodies_that_pass(scene: &Scene, world: &World) -> Option<SceneWarning> {
    if !scene.meets_unasked || matter(&world.bodies).count() < 2 {
        return None;
    }
    let message = match &world.contact {
        None => {
            let why = why_alone(&world.bodies)?;
            format!("bodies pass through each other: {why}")
        }
        Some(contact) => {
            let joined: Vec<[usize; 2]> = pairs_that_pass(scene).collect();
            let is_matter = |index: usize| world.bodies[index].formulation().meets_unasked();
            let pass = |pair: &&[usize; 2]| pair.iter().all(|&index| is_matter(index));
            let unknown =
                |&&[a, b]: &&[usize; 2]| !joined.contains(&[a, b]) && !joined.contains(&[b, a]);
            let pairs = contact.exceptions.iter().filter(pass).filter(unknown);
            let name = |index: usize| &world.bodies[index].description().name;
            let names = pairs.map(|&[a, b]| format!("\"{}\" and \"{}\"", name(a), name(b)));
            let names: Vec<String> = names.collect();
            let more = match names.len() {
                0 => return None,
                count if count > MOST_NAMES => format!(", and {} more pairs", count - MOST_NAMES),
                _ => String::new(),
            };
            let names = names[..names.len().min(MOST_NAMES)].join(", ");
            format!("bodies that touch at the start pass through each other: {names}{more}")
        }
    };
    Some(SceneError {
        line: scene.contact_location.line,
        column: scene.contact_location.column,
        element: "<EDMConfig>".to_owned(),
        attribute: None,
        message,
        hint: Some(
            "add <Contact method=\"None\" /> if they are to, <Contact /> to be told what is in the way if not"
                .to_owned(),
        ),
    })
}

/// Bodies of matter.
fn matter(bodies: &[Body]) -> impl Iterator<Item = &Body> {
    bodies
        .iter()
        .filter(|body| body.formulation().meets_unasked())
}

/// Why the bodies cannot move as one system, if they cannot.
fn why_alone(bodies: &[Body]) -> Option<String> {
    let first = bodies.first()?.description().scheme();
    bodies
        .iter()
        .map(Body::description)
        .find_map(|description| {
            let name = &description.name;
            let scheme = description.scheme();
            let is_whole = matches!(
                scheme,
                IntegratorKind::TwoStage | IntegratorKind::Implicit | IntegratorKind::Static
            );
            if !description.formulation.joins_others(description) || !is_whole {
                return Some(format!("\"{name}\" finds its motion alone"));
            }
            (scheme != first)
                .then(|| format!("the integrator of \"{name}\" is not that of the others"))
        })
}

//! Whether a run keeps what its scene expects of it.

use crate::statistics::Statistics;
use crate::volume::volume_now_and_at_rest;
use glam::DVec3;
use pliant::body::GridDescription;
use pliant::{Body, World};
use pliant_scene::scene::{Expected, Origin, Quantity};

/// The expectations of a scene, each checked when its time has come.
#[derive(Debug)]
pub struct Expectations<'a> {
    file: &'a str,
    pending: Vec<&'a Expected>,
    /// What was missed, one line each.
    pub missed: Vec<String>,
    /// Number of expectations that were checked.
    pub checked: usize,
}

impl<'a> Expectations<'a> {
    /// None of them checked yet.
    pub fn new(file: &'a str, expected: &'a [Expected]) -> Self {
        Self {
            file,
            pending: expected.iter().collect(),
            missed: Vec::new(),
            checked: 0,
        }
    }

    /// Checks what is due at the time of the world.
    pub fn check_due(&mut self, world: &World, statistics: &Statistics) {
        // Half a step of tolerance, since times are sums of steps.
        let now = world.time + 0.5 * world.time_step();
        let mut due = Vec::new();
        self.pending.retain(|expected| {
            let is_due = expected.time.is_some_and(|time| time <= now);
            if is_due {
                due.push(*expected);
            }
            !is_due
        });
        for expected in due {
            self.check(expected, world, statistics);
        }
    }

    /// Checks what is due at the end; what should have been measured later is missed.
    pub fn check_end(&mut self, world: &World, statistics: &Statistics) {
        for expected in std::mem::take(&mut self.pending) {
            match expected.time {
                Some(time) => {
                    self.checked += 1;
                    self.miss(expected, world, &format!("the run ended before {time} s"));
                }
                None => self.check(expected, world, statistics),
            }
        }
    }

    fn check(&mut self, expected: &Expected, world: &World, statistics: &Statistics) {
        self.checked += 1;
        let value = measure(expected, world, statistics);
        // Written so that NaN is a miss.
        let is_kept = expected.min.is_none_or(|least| value >= least)
            && expected.max.is_none_or(|most| value <= most);
        if !is_kept {
            self.miss(expected, world, &format!("it is {value}"));
        }
    }

    fn miss(&mut self, expected: &Expected, world: &World, found: &str) {
        let whose = expected.body.and_then(|index| world.bodies.get(index));
        let whose = whose.map_or(String::new(), |body| {
            format!(" of `{}`", body.description().name)
        });
        let bounds = match (expected.min, expected.max) {
            (Some(least), Some(most)) => format!("from {least} to {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => "any value".to_owned(),
        };
        let (file, place) = (self.file, expected.location);
        let name = words(expected.quantity);
        let origin = match expected.origin {
            Origin::Derived => "derived",
            Origin::Recorded => "recorded",
        };
        self.missed.push(format!(
            "{file}:{place}: expected {name}{whose} to be {bounds} ({origin}), but {found} (at {} s)",
            world.time
        ));
    }
}

/// A quantity by its name in the scene language.
fn words(quantity: Quantity) -> String {
    let mut name = String::new();
    for character in format!("{quantity:?}").chars() {
        if character.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    name
}

/// The number of particles of a body: of its nodes, those that do not serve its mechanics alone.
fn particle_count(body: &Body) -> usize {
    let all = body.state.positions.len();
    body.formulation().touching_nodes().unwrap_or(all)
}

/// The heights of the particles of a body, or of the surface of a rigid body above (1) or below (-1)
/// the nodes that carry it, in metres.
fn heights_of(body: &Body, sign: f64) -> Vec<f64> {
    let positions = &body.state.positions;
    let features = body.formulation().contact_features(body);
    if features.frame.is_none() {
        let particles = &positions[..particle_count(body)];
        return particles.iter().map(|position| position.z).collect();
    }
    let corners = features.triangles.as_flattened().iter();
    let ends = features.lines.as_flattened().iter();
    let nodes = corners.chain(ends).chain(&features.points);
    let radius = |node: usize| features.radii.get(node).copied().unwrap_or(0.0);
    nodes
        .map(|&node| positions[node as usize].z + sign * radius(node as usize))
        .collect()
}

fn measure(expected: &Expected, world: &World, statistics: &Statistics) -> f64 {
    let bodies: Vec<&Body> = match expected.body {
        Some(index) => world.bodies.get(index).into_iter().collect(),
        None => world.bodies.iter().collect(),
    };
    let sum = |value: &dyn Fn(&Body) -> f64| bodies.iter().map(|body| value(body)).sum::<f64>();
    let heights = |sign: f64| bodies.iter().flat_map(move |body| heights_of(body, sign));
    let lowest = || heights(-1.0).fold(f64::INFINITY, f64::min);
    let highest = || heights(1.0).fold(f64::NEG_INFINITY, f64::max);
    let [place, moved] = bodies
        .first()
        .and_then(|body| place_and_displacement(expected, body))
        .unwrap_or([DVec3::NAN; 2]);
    let volumes = || {
        bodies
            .first()
            .map_or([f64::NAN; 2], |body| volume_now_and_at_rest(body))
    };
    match expected.quantity {
        Quantity::HighestTotalEnergy => statistics.highest_total,
        Quantity::KineticEnergy => sum(&Body::kinetic_energy),
        Quantity::ElasticEnergy => sum(&Body::elastic_energy),
        Quantity::Contacts => statistics.contacts_total as f64,
        Quantity::Intersections => statistics.intersections as f64,
        Quantity::ShortenedSteps => statistics.shortened_steps as f64,
        Quantity::NonFinite => statistics.non_finite as f64,
        Quantity::BrokenLinks => sum(&|body| body.broken_count() as f64),
        Quantity::Molten => sum(&|body| body.molten_count() as f64),
        Quantity::Quarantined => sum(&|body| f64::from(u8::from(body.quarantine.is_some()))),
        Quantity::LowestZ => lowest(),
        Quantity::HighestZ => highest(),
        Quantity::Height => highest() - lowest(),
        Quantity::X => place.x,
        Quantity::Y => place.y,
        Quantity::Z => place.z,
        Quantity::DisplacementX => moved.x,
        Quantity::DisplacementY => moved.y,
        Quantity::DisplacementZ => moved.z,
        Quantity::Displacement => moved.length(),
        Quantity::Length => sum(&first_edge_length),
        Quantity::Speed => bodies
            .iter()
            .flat_map(|body| &body.state.velocities[..particle_count(body)])
            .map(|velocity| velocity.length())
            .fold(0.0, f64::max),
        Quantity::Volume => volumes()[0],
        Quantity::VolumeRatio => volumes()[0] / volumes()[1],
    }
}

/// Where the particle or part that is meant is, and how far it has moved from its place at rest: means
/// over its nodes, weighted by their masses.
fn place_and_displacement(expected: &Expected, body: &Body) -> Option<[DVec3; 2]> {
    let description = body.description();
    let rest = &description.rest_positions;
    let nodes: Vec<usize> = match (&expected.part, expected.particle, expected.near) {
        (Some(part), ..) => {
            let selected = part.select(description);
            (0..rest.len()).filter(|&node| selected[node]).collect()
        }
        (None, Some(particle), _) => vec![description.on_grid()?.grid.index(particle)],
        (None, None, near) => vec![nearest(&rest[..particle_count(body)], near?)?],
    };
    let positions = &body.state.positions;
    if let [node] = nodes[..] {
        return Some([positions[node], positions[node] - rest[node]]);
    }
    let mass: f64 = nodes.iter().map(|&node| description.masses[node]).sum();
    let mean = |value: &dyn Fn(usize) -> DVec3| {
        let weighted = nodes
            .iter()
            .map(|&node| description.masses[node] * value(node));
        weighted.sum::<DVec3>() / mass
    };
    Some([
        mean(&|node| positions[node]),
        mean(&|node| positions[node] - rest[node]),
    ])
}

/// The node nearest to a point.
fn nearest(positions: &[DVec3], point: DVec3) -> Option<usize> {
    let distance = |node: &usize| positions[*node].distance_squared(point);
    (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Length of the line of nodes along the first direction, in metres.
fn first_edge_length(body: &Body) -> f64 {
    let Some(GridDescription { grid, .. }) = body.description().on_grid() else {
        return f64::NAN;
    };
    let positions = &body.state.positions;
    (0..grid.counts()[0])
        .filter_map(|i| {
            let end = grid.neighbour([i, 0, 0], [1, 0, 0])?;
            Some((positions[end] - positions[grid.index([i, 0, 0])]).length())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_called_as_in_the_scene_language() {
        for name in [
            "highest_total_energy",
            "kinetic_energy",
            "elastic_energy",
            "contacts",
            "shortened_steps",
            "non_finite",
            "quarantined",
            "broken_links",
            "molten",
            "lowest_z",
            "highest_z",
            "height",
            "x",
            "y",
            "z",
            "displacement_x",
            "displacement_y",
            "displacement_z",
            "displacement",
            "length",
            "speed",
            "volume",
            "volume_ratio",
        ] {
            let quantity = Quantity::from_name(name).expect(name);
            assert_eq!(words(quantity), name);
        }
    }
}

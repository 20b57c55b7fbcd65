//! Which springs of a mesh are muscles.

use super::mesh_model::{ZoneFault, holds, nothing_there, regions_of, select, tolerance};
use super::mesh_source::Fault;
use crate::expression::Expression;
use crate::scene::{self, Elastic};
use glam::DVec3;
use pliant::fem::{Contraction, Muscle};
use pliant::mesh::ElementMesh;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A contraction by a formula.
struct ByRule {
    rule: Expression,
    /// u of each spring.
    places: Vec<f64>,
}

impl Contraction for ByRule {
    fn at(&self, spring: usize, time: f64) -> f64 {
        self.rule.evaluate([self.places[spring], 0.0, time])
    }
}

/// The muscles of a mesh of springs.
pub(super) fn muscles(elastic: &Elastic, mesh: &ElementMesh) -> Result<Vec<Muscle>, ZoneFault> {
    let mut free: BTreeSet<[u32; 2]> = mesh
        .blocks
        .iter()
        .flat_map(|block| block.elements())
        .flat_map(pairs)
        .collect();
    let mut made = Vec::new();
    for muscle in &elastic.muscles {
        let springs = springs_of(muscle, mesh, &free).map_err(|fault| ZoneFault {
            place: Some(muscle.place.clone()),
            element: "<Muscle>",
            fault,
        })?;
        springs.iter().for_each(|spring| {
            free.remove(spring);
        });
        made.push(Muscle {
            contraction: Arc::new(ByRule {
                rule: muscle.contraction.clone(),
                places: places_along(muscle.direction, &springs, &mesh.positions),
            }),
            springs,
        });
    }
    Ok(made)
}

/// Every two nodes of an element: its springs.
fn pairs(nodes: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    let firsts = nodes.iter().enumerate();
    firsts.flat_map(|(place, &a)| nodes[..place].iter().map(move |&b| [a.min(b), a.max(b)]))
}

fn middle([a, b]: [u32; 2], positions: &[DVec3]) -> DVec3 {
    0.5 * (positions[a as usize] + positions[b as usize])
}

fn springs_of(
    muscle: &scene::Muscle,
    mesh: &ElementMesh,
    free: &BTreeSet<[u32; 2]>,
) -> Result<Vec<[u32; 2]>, Fault> {
    let start = muscle.contraction.evaluate([0.0; 3]);
    if !start.is_finite() {
        return Err(Fault::new(format!("its contraction begins with {start}")));
    }
    let tolerance = tolerance(&mesh.positions);
    let in_region = match muscle.place.region {
        Some(_) => select(&muscle.place, mesh)?.into_iter().collect(),
        None => BTreeSet::new(),
    };
    let least = muscle.angle.to_radians().cos();
    let positions = &mesh.positions;
    let belongs = |spring: &[u32; 2]| {
        let [a, b] = spring.map(|node| positions[node as usize]);
        let along = muscle.direction.is_none_or(|direction| {
            (b - a).normalize_or_zero().dot(direction.normalize()).abs() >= least
        });
        let held = holds(&muscle.place, middle(*spring, positions), tolerance)
            || spring.iter().all(|node| in_region.contains(node));
        along && held
    };
    let springs: Vec<[u32; 2]> = free.iter().copied().filter(belongs).collect();
    if springs.is_empty() {
        let known = regions_of(mesh);
        return Err(nothing_there(&muscle.place, mesh, &known, "spring"));
    }
    Ok(springs)
}

/// Where springs lie along a direction, from 0 to 1.
fn places_along(direction: Option<DVec3>, springs: &[[u32; 2]], positions: &[DVec3]) -> Vec<f64> {
    let Some(direction) = direction else {
        return vec![0.0; springs.len()];
    };
    let along = |spring: &[u32; 2]| middle(*spring, positions).dot(direction);
    let places: Vec<f64> = springs.iter().map(along).collect();
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let length = if high > low { high - low } else { 1.0 };
    places.iter().map(|place| (place - low) / length).collect()
}

//! Knots where constraints ask for them.
//!
//! Control points that are too few cannot keep all points where they are wanted. So the control points that come
//! nearest are found by least squares; among the longest knot spans that hold points which they miss, the one is
//! halved by a knot that helps most; and so on, until every point is met within a tolerance. Then the spans that hold
//! points are halved once more, so that there is room for the energy to be least in. A knot does not change the
//! shape, so it starts as it was.
//!
//! Implements: \[Welch1992\] sect. 6, the subdivision of surfaces that constraints ask for; with knots of a tensor
//! product in place of their hierarchy of triangles or refined patches.

use super::samples::Samples;
use crate::grid::Grid;
use crate::linear::DenseCholesky;
use crate::shape::Nurbs;
use glam::DVec3;

/// What keeps control points that no constraint reaches where they are, by what constraints weigh.
const RIDGE: f64 = 1e-9;

/// Knots that are tried before the best of them is taken.
const MOST_TRIALS: usize = 8;

/// A node that one coordinate (0 to 2) is prescribed of, in metres.
pub(crate) type Wanted = (usize, usize, f64);

/// The shape with as many knots as it takes to meet what is wanted within a tolerance, in metres; says how far
/// the worst is missed where `most` control points, or samples that are too far apart, do not suffice.
pub(crate) fn subdivided(
    shape: &Nurbs,
    grid: &Grid,
    wanted: &[Wanted],
    tolerance: f64,
    most: usize,
) -> Result<Nurbs, f64> {
    let mut shape = shape.clone();
    let mut missed = misses(&shape, grid, wanted);
    while largest(&missed) > tolerance {
        // The coarsest span that holds a point which is missed about as much as the worst.
        let bad = (0..missed.len()).filter(|&node| missed[node] > 0.5 * largest(&missed));
        let spans = bad.flat_map(|node| spans_at(&shape, grid, node));
        let length = |span: &Span| span.end - span.begin;
        let coarsest = spans.map(|span| length(&span)).fold(0.0, f64::max);
        let bad = (0..missed.len()).filter(|&node| missed[node] > 0.5 * largest(&missed));
        let mut best: Option<(Nurbs, Vec<f64>)> = None;
        let mut tried: Vec<Span> = Vec::new();
        for span in bad.flat_map(|node| spans_at(&shape, grid, node)) {
            let is_next = length(&span) >= 0.5 * coarsest && !tried.contains(&span);
            if !is_next || tried.len() >= MOST_TRIALS {
                continue;
            }
            tried.push(span);
            let finer = shape.with_knot(span.direction, 0.5 * (span.begin + span.end));
            if finer.control_points().len() > most {
                continue;
            }
            let left = misses(&finer, grid, wanted);
            let is_better = |(_, known): &(Nurbs, Vec<f64>)| sum(&left) < sum(known);
            if best.as_ref().is_none_or(is_better) {
                best = Some((finer, left));
            }
        }
        let Some((finer, left)) = best else {
            return Err(largest(&missed));
        };
        (shape, missed) = (finer, left);
    }
    Ok(with_room(shape, grid, wanted, most))
}

/// The shape with all spans halved that hold points, as far as `most` control points allow: points alone take up
/// all the room that there is, and leave none for the energy to be least in.
fn with_room(shape: Nurbs, grid: &Grid, wanted: &[Wanted], most: usize) -> Nurbs {
    let mut halved: Vec<Span> = Vec::new();
    for span in wanted
        .iter()
        .flat_map(|place| spans_at(&shape, grid, place.0))
    {
        if !halved.contains(&span) {
            halved.push(span);
        }
    }
    halved.into_iter().fold(shape, |shape, span| {
        let finer = shape.with_knot(span.direction, 0.5 * (span.begin + span.end));
        match finer.control_points().len() > most {
            true => shape,
            false => finer,
        }
    })
}

/// A span between knots along a direction.
#[derive(Clone, Copy, PartialEq)]
struct Span {
    direction: usize,
    begin: f64,
    end: f64,
}

/// The spans in which a node lies, except those that are too short for samples to tell more knots apart.
fn spans_at(shape: &Nurbs, grid: &Grid, node: usize) -> impl Iterator<Item = Span> {
    let u = grid.material_coordinates(grid.coordinates(node));
    let spans = shape.bases().iter().zip(u).enumerate();
    let spans: Vec<Span> = spans
        .map(|(direction, (basis, u))| {
            let [begin, end] = basis.span(u);
            Span {
                direction,
                begin,
                end,
            }
        })
        .collect();
    let counts = grid.counts();
    spans.into_iter().filter(move |span| {
        let spacing = 1.0 / (counts[span.direction].max(2) - 1) as f64;
        span.end - span.begin > 1.999 * spacing
    })
}

fn largest(missed: &[f64]) -> f64 {
    missed.iter().copied().fold(0.0, f64::max)
}

fn sum(missed: &[f64]) -> f64 {
    missed.iter().map(|missed| missed * missed).sum()
}

/// By how much the best control points miss each node, in metres.
fn misses(shape: &Nurbs, grid: &Grid, wanted: &[Wanted]) -> Vec<f64> {
    let samples = Samples::new(shape, grid);
    let count = samples.control_count();
    let weights = shape.weights();
    let row = |node: usize| -> Vec<(usize, f64)> {
        let support = samples.support(node);
        let total: f64 = support.iter().map(|(j, value)| value * weights[*j]).sum();
        let part = |(j, value): &(usize, f64)| (*j, value * weights[*j] / total);
        support.iter().map(part).collect()
    };
    let mut missed = vec![DVec3::ZERO; grid.node_count()];
    for axis in 0..3 {
        let of_axis: Vec<(usize, f64)> = wanted
            .iter()
            .filter(|place| place.1 == axis)
            .map(|place| (place.0, place.2))
            .collect();
        if of_axis.is_empty() {
            continue;
        }
        let start = shape.control_points().iter().map(|c| c[axis]);
        let mut controls: Vec<f64> = start.collect();
        let mut matrix = vec![0.0; count * count];
        let mut right = vec![[0.0; 4]; count];
        for &(node, value) in &of_axis {
            let row = row(node);
            let now: f64 = row.iter().map(|(j, r)| r * controls[*j]).sum();
            for &(j, r) in &row {
                right[j][0] += r * (value - now);
                for &(k, s) in &row {
                    matrix[j * count + k] += r * s;
                }
            }
        }
        (0..count).for_each(|j| matrix[j * count + j] += RIDGE);
        let mut factor = DenseCholesky::new(count);
        let fill = |row: usize, target: &mut [f64]| {
            target[..=row].copy_from_slice(&matrix[row * count..][..=row]);
        };
        if factor.factorise_from(fill).is_err() {
            continue;
        }
        let mut change = vec![[0.0; 4]; count];
        factor.solve(&right, &mut change);
        for (control, change) in controls.iter_mut().zip(&change) {
            *control += change[0];
        }
        for (node, value) in of_axis {
            let place: f64 = row(node).iter().map(|(j, r)| r * controls[*j]).sum();
            missed[node][axis] = place - value;
        }
    }
    missed.iter().map(|missed| missed.length()).collect()
}

//! Rest values and stiffnesses that processes leave the terms of an open surface, as numbers of its lanes.

use super::lanes::{Lane, Layout};
use super::measure::{MeasureKind, TermView};
use super::surface_constants::{BendingLanes, MetricLanes};
use super::terms::TermGroup;
use crate::grid::Grid;

/// Where a term of the groups stands in the lanes: what it measures, and at which node.
#[derive(Clone, Copy, Debug)]
struct Place {
    measure: Measured,
    node: u32,
}

#[derive(Clone, Copy, Debug)]
enum Measured {
    /// The edge that leaves the node in a direction.
    Edge(u8),
    /// A corner of the cell of the node: bottom left, bottom right, top left, top right.
    Corner(u8),
    /// B_11 or B_22 at the node.
    Star(u8),
    /// B_12 in the cell of the node.
    Twist,
}

/// The places of all terms, in the order of the groups.
#[derive(Debug)]
pub(super) struct SurfaceAdoption {
    places: Vec<Place>,
    columns: usize,
    rows: usize,
}

impl SurfaceAdoption {
    /// `None` if a term is none of a surface.
    pub(super) fn new(grid: &Grid, groups: &[Box<dyn TermGroup>]) -> Option<Self> {
        let [columns, rows, _] = grid.counts();
        let mut places = Vec::with_capacity(groups.iter().map(|group| group.len()).sum());
        let mut all_known = true;
        for group in groups {
            group.describe(&mut |term| match place_of(&term, columns) {
                Some(place) => places.push(place),
                None => all_known = false,
            });
        }
        all_known.then_some(Self {
            places,
            columns,
            rows,
        })
    }

    /// Hands rest values and stiffnesses to the lanes, in the order of the groups.
    pub(super) fn adopt(
        &self,
        layout: &Layout,
        metric: &mut MetricLanes,
        bending: Option<&mut BendingLanes>,
        (rests, stiffnesses): (&[f64], &[f64]),
    ) {
        let mut bending = bending;
        for (place, (&rest, &stiffness)) in self.places.iter().zip(rests.iter().zip(stiffnesses)) {
            let node = place.node as usize;
            let set = |lane: &mut Lane, value: f64| lane.values_mut(layout)[node] = value;
            match (place.measure, &mut bending) {
                (Measured::Edge(d), _) => {
                    let d = usize::from(d);
                    set(&mut metric.edge_rest[d], rest);
                    set(&mut metric.edge_stiffness[d], stiffness);
                    set(&mut metric.edge_root[d], stiffness.sqrt());
                    self.share_out(layout, metric, (node, d), stiffness);
                }
                (Measured::Corner(corner), _) => {
                    let corner = usize::from(corner);
                    set(&mut metric.corner_rest[corner], rest);
                    set(&mut metric.corner_stiffness[corner], stiffness);
                    set(&mut metric.corner_root[corner], stiffness.sqrt());
                }
                (Measured::Star(d), Some(bending)) => {
                    let d = usize::from(d);
                    set(&mut bending.star_rest[d], rest);
                    set(&mut bending.star_stiffness[d], stiffness);
                    set(&mut bending.star_root[d], stiffness.sqrt());
                }
                (Measured::Twist, Some(bending)) => {
                    set(&mut bending.twist_rest, rest);
                    set(&mut bending.twist_stiffness, stiffness);
                    set(&mut bending.twist_root, stiffness.sqrt());
                }
                (Measured::Star(_) | Measured::Twist, None) => {}
            }
        }
    }

    /// Gives the cells on both sides of an edge their shares of its stiffness.
    fn share_out(
        &self,
        layout: &Layout,
        metric: &mut MetricLanes,
        (node, direction): (usize, usize),
        stiffness: f64,
    ) {
        let (at, count, stride) = match direction {
            0 => (node / self.columns, self.rows, self.columns),
            _ => (node % self.columns, self.columns, 1),
        };
        let (has_before, has_after) = (at > 0, at + 1 < count);
        let cells = f64::from(u8::from(has_before) + u8::from(has_after));
        let share = stiffness / cells.max(1.0);
        // Sides of a cell: bottom, top, left, right.
        if has_after {
            metric.side_stiffness[2 * direction].values_mut(layout)[node] = share;
        }
        if has_before {
            metric.side_stiffness[2 * direction + 1].values_mut(layout)[node - stride] = share;
        }
    }
}

/// Where a term stands; `None` for one of a curve or a solid.
fn place_of(term: &TermView, columns: usize) -> Option<Place> {
    let (&first, nodes) = term.nodes.split_first()?;
    let (measure, node) = match (term.kind, nodes) {
        (MeasureKind::Metric, [_]) => {
            let edge = *term.edges.first()?;
            (Measured::Edge((edge % 3) as u8), edge / 3)
        }
        (MeasureKind::Shear, &[along, across]) => {
            let (right, top) = (along < first, across < first);
            let cell = first - u32::from(right) - u32::from(top) * columns as u32;
            (Measured::Corner(u8::from(right) + 2 * u8::from(top)), cell)
        }
        (MeasureKind::Bending(direction), _) => (Measured::Star(direction), first),
        (MeasureKind::Twisting, _) => (Measured::Twist, first),
        _ => return None,
    };
    Some(Place { measure, node })
}

#[cfg(test)]
mod tests {
    use super::super::surface_lanes::SurfaceLanes;
    use super::super::{Weights, primal_terms};
    use super::*;
    use crate::linear::BlockMatrix;
    use glam::{DMat3, DVec3};

    fn sheet() -> (Grid, Vec<DVec3>, Weights) {
        let grid = Grid::new(&[6, 5], &[false; 2]);
        let place = |at| {
            let [u, v, _] = grid.material_coordinates(at);
            DVec3::new(u, 0.9 * v, 0.2 * u * u - 0.1 * u * v)
        };
        let rest: Vec<DVec3> = grid.nodes().map(place).collect();
        let weights = Weights::uniform(grid.node_count(), 7.0, 0.02, 0.0);
        (grid, rest, weights)
    }

    fn moved(rest: &[DVec3]) -> Vec<DVec3> {
        let moved = rest.iter().enumerate().map(|(i, x)| {
            let i = i as f64;
            *x + 0.05 * DVec3::new((3.0 * i).sin(), (5.0 * i).cos(), (7.0 * i).sin())
        });
        moved.collect()
    }

    /// Rest values and stiffnesses of all terms.
    fn springs(groups: &[Box<dyn TermGroup>]) -> (Vec<f64>, Vec<f64>) {
        let (mut rests, mut stiffnesses) = (Vec::new(), Vec::new());
        for group in groups {
            group.describe(&mut |term| {
                rests.push(term.rest);
                stiffnesses.push(term.stiffness);
            });
        }
        (rests, stiffnesses)
    }

    fn hessian(lanes: &mut SurfaceLanes, grid: &Grid, x: &[DVec3]) -> Vec<DMat3> {
        let count = grid.node_count();
        let pairs = (0..count).flat_map(|row| (0..row).map(move |column| (row, column)));
        let mut matrix = BlockMatrix::new(count, pairs);
        lanes.attach(grid, &matrix);
        lanes.add_hessian(x, &mut matrix);
        matrix.blocks().to_vec()
    }

    #[test]
    fn terms_that_have_not_changed_change_nothing() {
        let (grid, rest, weights) = sheet();
        let groups = primal_terms(&grid, &rest, &weights);
        let mut lanes = SurfaceLanes::adopting(&grid, &rest, &weights, &groups).unwrap();
        let x = moved(&rest);
        let before = hessian(&mut lanes, &grid, &x);
        let (rests, stiffnesses) = springs(&groups);
        lanes.adopt(&rests, &stiffnesses);
        let after = hessian(&mut lanes, &grid, &x);
        let size = before.iter().fold(0.0_f64, |size, block| {
            size.max(block.to_cols_array().into_iter().fold(0.0, f64::max))
        });
        for (before, after) in before.iter().zip(&after) {
            assert!(before.abs_diff_eq(*after, 1e-12 * size));
        }
    }

    #[test]
    fn lanes_that_adopt_agree_with_terms_that_adopt() {
        let (grid, rest, weights) = sheet();
        let mut groups = primal_terms(&grid, &rest, &weights);
        let mut lanes = SurfaceLanes::adopting(&grid, &rest, &weights, &groups).unwrap();
        let (mut rests, mut stiffnesses) = springs(&groups);
        for (term, (rest, stiffness)) in rests.iter_mut().zip(&mut stiffnesses).enumerate() {
            *rest += 0.1 * (term as f64).sin();
            *stiffness *= [0.0, 1.0, 0.7, 1.0, 1.3][term % 5];
        }
        lanes.adopt(&rests, &stiffnesses);
        let mut start = 0;
        for group in &mut groups {
            let range = start..start + group.len();
            start = range.end;
            group.adopt(&rests[range.clone()], &stiffnesses[range]);
        }
        let x = moved(&rest);
        let wanted: f64 = groups.iter().map(|group| group.energy(&x)).sum();
        lanes.evaluate(&x);
        assert!((lanes.energy() / wanted - 1.0).abs() < 1e-12);
        let [mut found, mut wanted] = [vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]];
        lanes.add_gradient(&mut found);
        groups
            .iter()
            .for_each(|group| group.add_gradient(&x, &mut wanted));
        let size = wanted.iter().fold(0.0, |size: f64, g| size.max(g.length()));
        let mut pairs = found.iter().zip(&wanted);
        assert!(size > 0.0 && pairs.all(|(a, b)| a.distance(*b) < 1e-12 * size));
    }
}

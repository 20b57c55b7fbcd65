//! Samples of a NURBS curve or surface and how they follow its control points and weights.

use crate::grid::Grid;
use crate::shape::Nurbs;
use glam::DVec3;

/// The products of B-splines that are not zero at each node: number of the control point, and value.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    supports: Vec<Vec<(usize, f64)>>,
    control_count: usize,
}

/// Control points and weights with the samples they give.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampled {
    pub(super) controls: Vec<DVec3>,
    pub(super) weights: Vec<f64>,
    pub(super) positions: Vec<DVec3>,
    /// The rational functions at each node: number of the control point, and value.
    pub(super) functions: Vec<Vec<(usize, f64)>>,
}

impl Samples {
    pub(crate) fn new(shape: &Nurbs, grid: &Grid) -> Self {
        let bases = shape.bases();
        let support = |at: [usize; 3]| {
            let u = grid.material_coordinates(at);
            let mut products = vec![(0, 1.0)];
            let mut stride = 1;
            for (d, basis) in bases.iter().enumerate() {
                let values = basis.at(u[d]);
                let along = values.values.iter().enumerate();
                let along: Vec<(usize, f64)> = along
                    .map(|(n, value)| (stride * (values.first + n), *value))
                    .collect();
                let times = |(control, value): &(usize, f64)| {
                    let (control, value) = (*control, *value);
                    let along = along.clone().into_iter();
                    along.map(move |(more, factor)| (control + more, value * factor))
                };
                products = products.iter().flat_map(times).collect();
                stride *= basis.count();
            }
            products.retain(|(_, value)| *value != 0.0);
            products
        };
        Self {
            supports: grid.nodes().map(support).collect(),
            control_count: bases.iter().map(|basis| basis.count()).product(),
        }
    }

    pub(crate) fn control_count(&self) -> usize {
        self.control_count
    }

    /// The control points that a node depends on, with the products of B-splines.
    pub(super) fn support(&self, node: usize) -> &[(usize, f64)] {
        &self.supports[node]
    }

    /// The samples of control points and weights.
    pub(crate) fn positions(&self, controls: &[DVec3], weights: &[f64]) -> Vec<DVec3> {
        let mut sampled = Sampled {
            controls: controls.to_vec(),
            weights: weights.to_vec(),
            ..Sampled::default()
        };
        self.sample(&mut sampled);
        sampled.positions
    }

    /// Finds functions and positions anew.
    pub(super) fn sample(&self, sampled: &mut Sampled) {
        let Sampled {
            controls,
            weights,
            positions,
            functions,
        } = sampled;
        positions.clear();
        functions.resize(self.supports.len(), Vec::new());
        for (support, functions) in self.supports.iter().zip(functions) {
            let total: f64 = support.iter().map(|(j, value)| value * weights[*j]).sum();
            functions.clear();
            functions.extend(support.iter().map(|(j, n)| (*j, n * weights[*j] / total)));
            let place = functions.iter().map(|(j, r)| *r * controls[*j]).sum();
            positions.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplineBasis;
    use crate::shape::Shape;

    #[test]
    fn samples_are_those_of_the_shape() {
        let bases = vec![
            SplineBasis::clamped(5, 3).unwrap(),
            SplineBasis::clamped(4, 2).unwrap(),
        ];
        let place = |n: usize| DVec3::new((n % 5) as f64, (n / 5) as f64, (n as f64).sin());
        let points: Vec<DVec3> = (0..20).map(place).collect();
        let weights: Vec<f64> = (0..20).map(|n| 1.0 + 0.5 * (n as f64).cos()).collect();
        let shape = Nurbs::new(bases, points.clone(), weights.clone()).unwrap();
        let grid = Grid::new(&[9, 7], &[false, false]);
        let samples = Samples::new(&shape, &grid);
        let expected = shape.sample(&grid).unwrap();
        for (a, b) in samples.positions(&points, &weights).iter().zip(&expected) {
            assert!(a.distance(*b) < 1e-13);
        }
    }
}

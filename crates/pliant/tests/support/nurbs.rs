//! Dynamic NURBS for the tests.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::formulation::DynamicNurbs;
use pliant::math::SplineBasis;
use pliant::shape::{Nurbs, Shape};
use pliant::{Body, BodyDescription, Grid, World};
use std::sync::Arc;

/// A curve or patch by its control points, sampled on a grid.
pub struct Made {
    pub counts: Vec<usize>,
    pub degree: usize,
    pub controls: Vec<DVec3>,
    pub weights: Vec<f64>,
    pub grid: Vec<usize>,
}

impl Made {
    pub fn shape(&self) -> Nurbs {
        let bases = self.counts.iter();
        let bases = bases.map(|&count| SplineBasis::clamped(count, self.degree).unwrap());
        Nurbs::new(bases.collect(), self.controls.clone(), self.weights.clone()).unwrap()
    }

    pub fn describe(&self, alpha: f64, beta: f64) -> BodyDescription {
        let grid = Grid::new(&self.grid, &vec![false; self.grid.len()]);
        let shape = self.shape();
        let rest = shape.sample(&grid).unwrap();
        let mut weights = Weights::uniform(rest.len(), alpha, beta, 0.0);
        weights.rigidities.fill([[beta; 2]; 2]);
        let mut description = BodyDescription::new("nurbs", grid, rest, weights);
        description.make_dynamic_nurbs(DynamicNurbs {
            shape: Some(Arc::new(shape)),
            ..DynamicNurbs::default()
        });
        description.masses.fill(0.01);
        description.time_step = 0.02;
        description
    }
}

/// A straight curve along x from 0 to `length` with a clamped cubic basis.
pub fn straight(count: usize, samples: usize, length: f64) -> Made {
    let basis = SplineBasis::clamped(count, 3).unwrap();
    let controls = (0..count).map(|n| DVec3::X * length * basis.greville(n));
    Made {
        counts: vec![count],
        degree: 3,
        controls: controls.collect(),
        weights: vec![1.0; count],
        grid: vec![samples],
    }
}

pub fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// The unit square as a cubic patch, sampled so many times each way.
pub fn square(samples: usize) -> Made {
    let place = |n: usize| DVec3::new((n % 4) as f64, (n / 4) as f64, 0.0) / 3.0;
    Made {
        counts: vec![4, 4],
        degree: 3,
        controls: (0..16).map(place).collect(),
        weights: vec![1.0; 16],
        grid: vec![samples; 2],
    }
}

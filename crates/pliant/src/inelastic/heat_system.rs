//! The linear system of one implicit step of conduction: links between unknown temperatures.
//!
//! ```text
//! (A x)_i = s_i x_i + Σ_j g_ij (x_i - x_j),     x_i = 0 where the temperature is held
//! ```
//!
//! s_i is inertia and exchange (W/K), g_ij the conductance of a link (W/K). It is solved by conjugate
//! gradients with the diagonal; sums go link by link and node by node, in one order.

use crate::linear::{Goal, LinearError, Passes, Recurrence};

/// The residual at which the iteration ends, by the right-hand side.
const TOLERANCE: f64 = 1e-12;

const MOST_ITERATIONS: usize = 4000;

/// The system, with the memory of its iteration.
#[derive(Debug)]
pub(super) struct HeatSystem {
    is_held: Vec<bool>,
    /// s.
    capacities: Vec<f64>,
    diagonal: Vec<f64>,
    links: Vec<([u32; 2], f64)>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl HeatSystem {
    /// Room for the unknowns of `is_held` and a number of links.
    pub(super) fn new(is_held: Vec<bool>, link_count: usize) -> Self {
        let zeros = vec![0.0; is_held.len()];
        Self {
            capacities: zeros.clone(),
            diagonal: zeros.clone(),
            links: Vec::with_capacity(link_count),
            residual: zeros.clone(),
            direction: zeros.clone(),
            image: zeros,
            is_held,
        }
    }

    /// Whether some temperature is held.
    pub(super) fn holds_any(&self) -> bool {
        self.is_held.contains(&true)
    }

    /// Begins anew, without links.
    pub(super) fn begin(&mut self, capacities: impl Iterator<Item = f64>) {
        self.capacities.clear();
        self.capacities.extend(capacities);
        self.diagonal.copy_from_slice(&self.capacities);
        self.links.clear();
    }

    /// Adds a link of a conductance.
    pub(super) fn link(&mut self, ends: [usize; 2], conductance: f64) {
        for end in ends {
            self.diagonal[end] += conductance;
        }
        self.links.push((ends.map(|end| end as u32), conductance));
    }

    /// Solves from zero on; gives the residual by the right-hand side.
    pub(super) fn solve(&mut self, rhs: &[f64], x: &mut [f64]) -> Result<f64, LinearError> {
        if self.diagonal.iter().any(|value| !value.is_finite()) {
            return Err(LinearError::NotFinite);
        }
        if let Some(row) = self.diagonal.iter().position(|&value| value <= 0.0) {
            return Err(LinearError::NotPositiveDefinite { row });
        }
        x.fill(0.0);
        self.direction.fill(0.0);
        self.take_residual(rhs);
        let whole = square(&self.residual).sqrt();
        if whole == 0.0 {
            return Ok(0.0);
        }
        let goal = Goal {
            residual: TOLERANCE * whole,
            iterations: MOST_ITERATIONS,
        };
        let mut recurrence = Recurrence::new([whole * whole]);
        recurrence.run(&mut Iteration { system: self, x }, goal)?;
        self.direction.copy_from_slice(x);
        self.multiply();
        self.take_residual(rhs);
        let left = self.residual.iter().zip(&self.image);
        let left: f64 = left.map(|(b, ax)| (b - ax).powi(2)).sum();
        Ok(left.sqrt() / whole)
    }

    fn take_residual(&mut self, rhs: &[f64]) {
        let all = self.residual.iter_mut().zip(rhs).zip(&self.is_held);
        all.for_each(|((residual, rhs), held)| *residual = if *held { 0.0 } else { *rhs });
    }

    /// The image of the direction.
    fn multiply(&mut self) {
        let each = self.capacities.iter().zip(&self.direction);
        for (image, (capacity, direction)) in self.image.iter_mut().zip(each) {
            *image = capacity * direction;
        }
        for &(ends, conductance) in &self.links {
            let [a, b] = ends.map(|end| end as usize);
            let flux = conductance * (self.direction[b] - self.direction[a]);
            self.image[a] -= flux;
            self.image[b] += flux;
        }
        for (image, _) in self
            .image
            .iter_mut()
            .zip(&self.is_held)
            .filter(|(_, h)| **h)
        {
            *image = 0.0;
        }
    }
}

fn square(field: &[f64]) -> f64 {
    field.iter().map(|value| value * value).sum()
}

struct Iteration<'a> {
    system: &'a mut HeatSystem,
    x: &'a mut [f64],
}

impl Passes<1> for Iteration<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        let terms = self.system.residual.iter().zip(&self.system.diagonal);
        Ok([terms.map(|(r, d)| r * r / d).sum()])
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        let system = &mut *self.system;
        let scaled = system.residual.iter().zip(&system.diagonal);
        for (direction, (r, d)) in system.direction.iter_mut().zip(scaled) {
            *direction = r / d + beta * *direction;
        }
    }

    fn multiply(&mut self) -> [f64; 1] {
        self.system.multiply();
        let pairs = self.system.direction.iter().zip(&self.system.image);
        [pairs.map(|(p, q)| p * q).sum()]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        let system = &mut *self.system;
        for (x, direction) in self.x.iter_mut().zip(&system.direction) {
            *x += alpha * direction;
        }
        for (residual, image) in system.residual.iter_mut().zip(&system.image) {
            *residual -= alpha * image;
        }
        [square(&system.residual)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three nodes in a row, the last one held: (s + g) x_0 - g x_1 = b and so on.
    #[test]
    fn a_chain_is_solved_and_what_is_held_stays() {
        let mut system = HeatSystem::new(vec![false, false, true], 2);
        system.begin([1.0, 2.0, 5.0].into_iter());
        system.link([0, 1], 3.0);
        system.link([1, 2], 4.0);
        let mut x = [9.0; 3];
        let residual = system.solve(&[1.0, 0.0, 7.0], &mut x).unwrap();
        assert!(residual < 1e-12);
        // 4 x_0 - 3 x_1 = 1 and -3 x_0 + 9 x_1 = 0.
        assert!((x[0] - 1.0 / 3.0).abs() < 1e-12 && (x[1] - 1.0 / 9.0).abs() < 1e-12);
        assert_eq!(x[2], 0.0);
        system.begin([0.0; 3].into_iter());
        let empty = system.solve(&[1.0, 0.0, 0.0], &mut x);
        assert_eq!(empty, Err(LinearError::NotPositiveDefinite { row: 0 }));
    }
}

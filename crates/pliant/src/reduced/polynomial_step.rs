//! A step of a body that deforms by a polynomial map.
//!
//! ```text
//! minimise  ½ s² |q - y|²_M + E(P q) + ½ s |q - q̂|²_C - loads        where  A q = b
//! ```
//!
//! M = Pᵀ m P is the mass of the unknowns, E the energy of the elements, C damping, s the rate and y the inertial
//! target of a stage: two of TR-BDF2, or one of backward Euler where something holds the body, since a node that is
//! caught in its motion must not create energy. A q = b are constraints that come and go, each held
//! by a Lagrange multiplier: nodes that are fixed at the moment, and nodes that press against an obstacle, as long
//! as their multiplier pushes. A free body that has hit an obstacle rebounds as a whole; nodes of one that is
//! held, by impulses that are found together. Friction with obstacles is in `polynomial_friction.rs`.
//!
//! Implements: \[Witkin1990\] sect. 3 to 5. Departs from it by the implicit rule, by energies of elements in place
//! of penalties, and by positions that are held in place of accelerations, so that nothing drifts.

use super::polynomial::PolynomialBasis;
use super::polynomial_constraints::HeldOff;
use super::small_factor::{SmallFactor, constrained};
use crate::body::{Body, Effort, Integrator, IntegratorKind, Problem, State, StepFailure};
use crate::energy::{Curvature, Energy};
use crate::force::Loads;
use crate::linear::BlockMatrix;
use crate::loads::{LoadEvaluator, LoadMoment};
use glam::DVec3;

/// Iterations of a stage.
const ITERATIONS: usize = 60;

/// Largest move of a node in the last iteration, by the size of the body.
const STILL: f64 = 1e-6;

/// The same where it went by the matrix of an earlier one, which leaves a share of the move in place of its
/// square.
const STILL_BY_OLD_MATRIX: f64 = 1e-9;

/// A matrix is not used again where moves have not become shorter by this factor.
const SLOW: f64 = 0.2;

/// Where no node has moved farther than this, by the size of the body, the stiffness has all but stayed: the
/// next iteration goes by the same matrix, and by new forces.
const NEAR: f64 = 1e-2;

/// One stage of a step.
pub(super) struct Stage {
    pub(super) rate: f64,
    pub(super) target: Vec<DVec3>,
    /// v = s (q - q̂).
    pub(super) from: Vec<DVec3>,
    /// Where the stiffness that damps is taken.
    pub(super) damped_at: Vec<DVec3>,
    /// When the stage ends, in seconds.
    pub(super) time: f64,
    /// The part of the step that it stands for.
    pub(super) window: [f64; 2],
}

impl Stage {
    /// When and for how long external forces act.
    fn moment(&self) -> LoadMoment {
        LoadMoment {
            time: self.time,
            window: self.window,
            step: 1.0 / self.rate,
        }
    }
}

/// The integrator of bodies that deform by polynomial maps; see the module.
pub(crate) struct PolynomialDynamics {
    pub(super) basis: PolynomialBasis,
    pub(super) energies: Vec<Box<dyn Energy>>,
    matrix: BlockMatrix,
    pub(super) masses: Vec<f64>,
    mass: SmallFactor,
    pub(super) evaluator: LoadEvaluator,
    loads: Loads,
    pub(super) places: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    gradient: Vec<DVec3>,
    pub(super) touching: Vec<bool>,
    pub(super) size: f64,
    pub(super) held_off: Vec<HeldOff>,
    /// That of the last matrix of Newton's method.
    factor: Option<SmallFactor>,
    /// The damping of the last stage.
    damping: Vec<f64>,
    /// What damping and friction have taken in the step, in joules.
    damping_loss: f64,
    pub(super) friction_loss: f64,
}

pub(super) fn flat(vectors: &[DVec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

pub(super) fn vectors(numbers: &[f64]) -> Vec<DVec3> {
    numbers.chunks(3).map(DVec3::from_slice).collect()
}

/// m (x) 1 of a scalar matrix of m rows.
pub(super) fn spread(scalar: &[f64], count: usize) -> Vec<f64> {
    let size = 3 * count;
    let mut spread = vec![0.0; size * size];
    for k in 0..count {
        for l in 0..count {
            for i in 0..3 {
                spread[(3 * k + i) * size + 3 * l + i] = scalar[k * count + l];
            }
        }
    }
    spread
}

/// A square matrix times a vector.
pub(super) fn multiply(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let row = |row: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum();
    matrix.chunks_exact(x.len()).map(row).collect()
}

impl PolynomialDynamics {
    /// Of a body whose unknowns its masses can tell apart.
    pub(crate) fn new(body: &Body, degree: usize) -> Option<Self> {
        let description = body.description();
        let basis = PolynomialBasis::new(&description.rest_positions, &description.masses, degree);
        let mut energies = body.formulation().energies(body);
        let count = body.node_count();
        let mut pairs = Vec::new();
        for energy in &energies {
            energy.couplings(&mut |a, b| pairs.push((a, b)));
        }
        let matrix = BlockMatrix::new(count, pairs.into_iter());
        energies
            .iter_mut()
            .for_each(|energy| energy.attach(&matrix));
        let masses = basis.gram(&description.masses);
        let mass = SmallFactor::new(basis.len(), &masses)?;
        let mut touching = vec![false; count];
        let triangles = body.formulation().surface_triangles(description);
        triangles
            .iter()
            .flatten()
            .for_each(|&node| touching[node as usize] = true);
        Some(Self {
            mass,
            masses,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(count, true),
            places: vec![DVec3::ZERO; count],
            velocities: vec![DVec3::ZERO; count],
            gradient: vec![DVec3::ZERO; count],
            touching,
            size: body.size(),
            held_off: Vec::new(),
            factor: None,
            damping: Vec::new(),
            damping_loss: 0.0,
            friction_loss: 0.0,
            basis,
            energies,
            matrix,
        })
    }

    /// The unknowns that fit nodal vectors best, by mass.
    pub(super) fn fit(&self, masses: &[f64], nodal: &[DVec3]) -> Vec<DVec3> {
        let heavy: Vec<DVec3> = nodal.iter().zip(masses).map(|(x, m)| *m * *x).collect();
        self.by_mass(&self.basis.gather(&heavy))
    }

    /// M⁻¹ of vectors.
    pub(super) fn by_mass(&self, sums: &[DVec3]) -> Vec<DVec3> {
        let [x, y, z] = [0, 1, 2].map(|i| {
            let part: Vec<f64> = sums.iter().map(|v| v[i]).collect();
            self.mass.solve(&part)
        });
        (0..sums.len())
            .map(|k| DVec3::new(x[k], y[k], z[k]))
            .collect()
    }

    /// Elastic and external forces at the places of q, gathered; fills loads with their stiffness.
    pub(super) fn forces(
        &mut self,
        problem: &Problem,
        q: &[DVec3],
        rates: &[DVec3],
        moment: LoadMoment,
    ) -> Vec<DVec3> {
        self.basis.place(q, &mut self.places);
        self.basis.place(rates, &mut self.velocities);
        self.gradient.fill(DVec3::ZERO);
        for energy in &mut self.energies {
            energy.add_gradient(&self.places, &mut self.gradient);
        }
        self.evaluator.take_directions(problem, &self.places);
        let (x, v, loads) = (&self.places, &self.velocities, &mut self.loads);
        self.evaluator
            .evaluate_with_directions(problem, x, v, moment, loads);
        let forces = self.loads.forces.iter().zip(&self.gradient);
        let forces: Vec<DVec3> = forces.map(|(f, g)| *f - *g).collect();
        self.basis.gather(&forces)
    }

    /// Damping with the stiffness at the places of q, as a matrix.
    pub(super) fn damping(&mut self, problem: &Problem, q: &[DVec3]) -> Vec<f64> {
        let description = problem.body.description();
        let m = self.basis.len();
        let [alpha, beta] = description.rayleigh;
        let mut damping = spread(&self.basis.gram(&description.dampings), m);
        for (entry, mass) in damping.iter_mut().zip(spread(&self.masses, m)) {
            *entry += alpha * mass;
        }
        if beta > 0.0 {
            self.add_stiffness(q, beta, Curvature::Material, &mut damping);
        }
        damping
    }

    /// What is left of the forces at q.
    fn residual(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        damping: &[f64],
        q: &[DVec3],
    ) -> Vec<f64> {
        let s = stage.rate;
        let mass = spread(&self.masses, self.basis.len());
        let rates = combined(s, q, -s, &stage.from);
        let mut right = flat(&self.forces(problem, q, &rates, stage.moment()));
        let inertia = multiply(&mass, &flat(&combined(1.0, q, -1.0, &stage.target)));
        let drag = multiply(damping, &flat(&rates));
        for i in 0..right.len() {
            right[i] -= s * s * inertia[i] + drag[i];
        }
        right
    }

    /// The matrix of a Newton step at q, after [`Self::residual`].
    fn hessian(&mut self, stage: &Stage, damping: &[f64], q: &[DVec3]) -> Vec<f64> {
        let s = stage.rate;
        let mass = spread(&self.masses, self.basis.len());
        let both = mass.iter().zip(damping);
        let mut hessian: Vec<f64> = both.map(|(m, c)| s * s * m + s * c).collect();
        self.add_stiffness(q, 1.0, Curvature::Positive, &mut hessian);
        for (node, block) in self.loads.blocks.iter().enumerate() {
            if self.loads.stiffness[node] > 0.0 {
                self.basis.add_block(node, node, block, &mut hessian);
            }
        }
        hessian
    }

    /// Solves a stage from q on.
    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        mut q: Vec<DVec3>,
        effort: &mut Effort,
    ) -> Result<Vec<DVec3>, StepFailure> {
        let failed = |what| StepFailure::Formulation { what };
        let damping = self.damping(problem, &stage.damped_at);
        let mut largest = f64::INFINITY;
        let mut kept: Option<SmallFactor> = None;
        for _ in 0..ITERATIONS {
            problem.check_stop()?;
            effort.newton_iterations += 1;
            let right = self.residual(problem, stage, &damping, &q);
            let still = match kept {
                Some(_) => STILL_BY_OLD_MATRIX,
                None => STILL,
            };
            let factor = match kept.take() {
                Some(factor) => factor,
                None => {
                    let hessian = self.hessian(stage, &damping, &q);
                    SmallFactor::new(right.len(), &hessian).ok_or(failed(
                        "the matrix of a global deformation is not positive definite",
                    ))?
                }
            };
            let fresh = self.find_held_off(problem, &q);
            let (rows, wanted, held) = self.all_rows(problem, &q);
            let answer = constrained(&factor, &right, &rows, &wanted);
            let (change, pushes) = answer.ok_or(failed(
                "the constraints of a global deformation contradict each other",
            ))?;
            let before = self.held_off.len();
            let mut pushes = pushes[held..].iter();
            self.held_off.retain_mut(|held| {
                held.push = pushes.next().copied().unwrap_or(-1.0);
                held.push >= 0.0
            });
            let change = vectors(&change);
            for (q, change) in q.iter_mut().zip(&change) {
                *q += *change;
            }
            let nodes = 0..self.places.len();
            let moves = nodes.map(|node| self.basis.point(&change, node).length());
            let earlier = std::mem::replace(&mut largest, moves.fold(0.0, f64::max));
            let settled = !fresh && before == self.held_off.len();
            if largest <= still * self.size && settled && !self.find_held_off(problem, &q) {
                self.factor = Some(factor);
                self.damping = damping;
                return Ok(q);
            }
            if !largest.is_finite() {
                break;
            }
            let is_near = largest <= NEAR * self.size && largest <= SLOW * earlier;
            kept = (is_near && settled).then_some(factor);
        }
        Err(StepFailure::NewtonDiverged {
            iterations: ITERATIONS,
            residual: largest,
        })
    }

    /// What damping takes in a step, in joules: the mean of both ends, each with the stiffness there, which knows
    /// no turning. Without stiffness in it, by the mean of the velocities.
    fn loss(&mut self, problem: &Problem, ends: [(&[DVec3], &[DVec3]); 2]) -> f64 {
        let taken = |damping: &[f64], rates: &[DVec3]| -> f64 {
            let rates = flat(rates);
            let drags = multiply(damping, &rates);
            drags.iter().zip(&rates).map(|(d, v)| d * v).sum()
        };
        if problem.body.description().rayleigh[1] == 0.0 {
            let mean = combined(0.5, ends[0].1, 0.5, ends[1].1);
            return problem.step * taken(&self.damping, &mean);
        }
        let losses = ends.map(|(q, rates)| taken(&self.damping(problem, q), rates));
        0.5 * problem.step * (losses[0] + losses[1])
    }

    /// Adds a factor times the stiffness at the places of q.
    fn add_stiffness(&mut self, q: &[DVec3], factor: f64, curvature: Curvature, sum: &mut [f64]) {
        self.basis.place(q, &mut self.places);
        self.matrix.clear();
        for energy in &mut self.energies {
            energy.add_hessian(&self.places, curvature, &mut self.matrix);
        }
        if factor != 1.0 {
            self.matrix
                .blocks_mut()
                .iter_mut()
                .for_each(|block| *block *= factor);
        }
        self.basis.add_reduced(&self.matrix, sum);
    }
}

pub(super) fn combined(a: f64, x: &[DVec3], b: f64, y: &[DVec3]) -> Vec<DVec3> {
    x.iter().zip(y).map(|(x, y)| a * *x + b * *y).collect()
}

impl Integrator for PolynomialDynamics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let description = problem.body.description();
        candidate.copy_from(state);
        let mut effort = Effort::default();
        let q0 = self.fit(&description.masses, &state.positions);
        let v0 = self.fit(&description.masses, &state.velocities);
        let (h, end) = (problem.step, problem.time + problem.step);
        self.held_off.clear();
        self.find_held_off(problem, &q0);
        let is_held = !self.held_off.is_empty() || description.fixed.contains(&true);
        let two_stages = description.scheme() == IntegratorKind::TwoStage && !is_held;
        let mut found = None;
        if two_stages {
            found = self.two_stages(problem, [&q0, &v0], &mut effort)?;
        }
        let (stage, mut q) = match found {
            Some(found) => found,
            None => {
                self.held_off.clear();
                let stage = Stage {
                    rate: 1.0 / h,
                    target: combined(1.0, &q0, h, &v0),
                    from: q0.clone(),
                    damped_at: q0.clone(),
                    time: end,
                    window: [problem.time, end],
                };
                let q = self.solve(problem, &stage, q0.clone(), &mut effort)?;
                (stage, q)
            }
        };
        if let Some(factor) = self.factor.take() {
            q = self.slowed(problem, &factor, [&q0, &v0], q);
        }
        let mut rates = combined(stage.rate, &q, -stage.rate, &stage.from);
        self.damping_loss = self.loss(problem, [(&q0, &v0), (&q, &rates)]);
        effort.contacts.friction_loss = self.friction_loss;
        if !self.held_off.is_empty() {
            rates = self.rebounding(problem, [&q0, &v0], &q, rates);
        }
        self.basis.place(&q, &mut candidate.positions);
        self.basis.place(&rates, &mut candidate.velocities);
        for (node, &fixed) in description.fixed.iter().enumerate() {
            if fixed {
                candidate.velocities[node] = DVec3::ZERO;
            }
        }
        effort.contacts.count = self.held_off.len();
        let mut smallest = f64::INFINITY;
        for &index in problem.meets {
            for node in (0..self.touching.len()).filter(|&node| self.touching[node]) {
                let distance = problem.obstacles[index].distance(candidate.positions[node]);
                smallest = smallest.min(distance);
            }
        }
        effort.contacts.smallest_distance = smallest;
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn damping_loss(&self, _problem: &Problem, _candidate: &State) -> f64 {
        self.damping_loss
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let positions = &body.state.positions;
        self.energies
            .iter_mut()
            .map(|energy| energy.energy(positions))
            .sum()
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        for energy in &mut self.energies {
            energy.add_gradient(&body.state.positions, gradient);
        }
    }
}

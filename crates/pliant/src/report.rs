//! What a step tells about itself.

use glam::DVec3;

/// Energies, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// ½ Σ μ v².
    pub kinetic: f64,
    /// Stored by deformation.
    pub elastic: f64,
    /// In gravity, springs and contact potentials.
    pub external: f64,
}

impl Energies {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.external
    }
}

/// What took energy out of the world, in joules.
///
/// Each cause is measured by itself; `rest` is what is then missing in the ledger, so that their sum is
/// `dissipated - energy_created`. It is negative where the step has created energy beside what the causes took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dissipation {
    /// Damping of nodes and Rayleigh's damping, as the time rule applies it.
    pub damping: f64,
    /// Friction with obstacles and between bodies: its impulse times the mean velocity of what slides.
    pub friction: f64,
    /// Inelastic processes: what creep, yield, breaking and heat take out of stored energy while nothing moves, what
    /// dashpots take of motion, the viscosity of what is molten. Negative where a process stores energy.
    pub processes: f64,
    /// Impacts, and what the time rule damps since the step does not resolve it.
    pub rest: f64,
}

impl Dissipation {
    /// All causes, in the order of the fields.
    pub fn causes(&self) -> [f64; 4] {
        [self.damping, self.friction, self.processes, self.rest]
    }

    /// Adds what was taken in another step.
    pub fn add(&mut self, other: &Self) {
        self.damping += other.damping;
        self.friction += other.friction;
        self.processes += other.processes;
        self.rest += other.rest;
    }
}

/// One step of the world, summed over its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Energies after the step; they and the momenta are zero if the workspace does not measure.
    pub energies: Energies,
    /// Work that moving springs, switched forces and streams did in the step, in joules.
    pub work: f64,
    /// Energy that the step took out of the world: by damping, friction, impacts, inelastic processes
    /// and the time rule, in joules.
    pub dissipated: f64,
    /// The same by cause, less what was created.
    pub dissipation: Dissipation,
    /// Energy that appeared in the step without work, in joules: an error of the step.
    pub energy_created: f64,
    /// Momentum after the step, in kilogram metres per second.
    pub momentum: DVec3,
    /// Angular momentum about the origin, in kilogram square metres per second.
    pub angular_momentum: DVec3,
    /// Pairs of node and obstacle in contact.
    pub contacts: usize,
    /// Smallest distance of a node from an obstacle, in metres; infinite without obstacles.
    pub smallest_distance: f64,
    /// Pairs of features of bodies that might have touched, in the attempt that had most.
    pub candidates: usize,
    /// Pairs of features of bodies that were closer than the thickness of contact.
    pub active_pairs: usize,
    /// Newton iterations of bodies that moved as one system.
    pub contact_rounds: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Iterations of the linear solver.
    pub linear_iterations: usize,
    /// Those of them that a multigrid cycle preconditioned, on open surfaces.
    pub multigrid_cycles: usize,
    /// Largest relative residual of the linear solves.
    pub linear_residual: f64,
    /// Linear solves that ended at their limit.
    pub unconverged_solves: usize,
    /// Steps of two stages that were repeated by backward Euler, since they had created energy.
    pub damped_steps: usize,
    /// Numeric factorisations of the matrix. It counts work, not state: a run that is resumed factorises anew
    /// what the one before had kept.
    pub factorisations: usize,
    /// How often a step was repeated with a shorter one.
    pub shortened_steps: usize,
    /// How often a step had values that are not finite.
    pub non_finite: usize,
    /// Number of bodies that are frozen.
    pub quarantined: usize,
    /// Links that are torn or melted, and broken faces between the elements of meshes.
    pub broken_links: usize,
    /// Nodes that are molten.
    pub molten: usize,
    /// Heat of the bodies that conduct it, above 0 K, in joules; zero if the workspace does not
    /// measure.
    pub heat: f64,
    /// Whether somebody stopped the step before its end ([`crate::Workspace::stop`]); the world is
    /// then between two steps, and the other numbers mean nothing.
    pub is_stopped: bool,
    /// Time spent in the stages, in seconds.
    pub times: StageTimes,
}

impl Default for StepReport {
    fn default() -> Self {
        Self {
            energies: Energies::default(),
            work: 0.0,
            dissipated: 0.0,
            dissipation: Dissipation::default(),
            energy_created: 0.0,
            momentum: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            contacts: 0,
            smallest_distance: f64::INFINITY,
            candidates: 0,
            active_pairs: 0,
            contact_rounds: 0,
            newton_iterations: 0,
            linear_iterations: 0,
            multigrid_cycles: 0,
            linear_residual: 0.0,
            unconverged_solves: 0,
            damped_steps: 0,
            factorisations: 0,
            shortened_steps: 0,
            non_finite: 0,
            quarantined: 0,
            broken_links: 0,
            molten: 0,
            heat: 0.0,
            is_stopped: false,
            times: StageTimes::default(),
        }
    }
}

/// Wall time of the stages of a step, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Forces, elastic forces and the matrix.
    pub assembly: f64,
    /// The linear solver.
    pub solve: f64,
    /// Contact: which pairs touch, and their forces.
    pub contact: f64,
    /// The search for pairs that may touch.
    pub search: f64,
    /// The proof that motions are free.
    pub guarantee: f64,
    /// Inelastic processes: strains, what becomes of them, fluid particles.
    pub processes: f64,
}

impl StageTimes {
    /// Adds what another step took.
    pub fn add(&mut self, other: &Self) {
        self.assembly += other.assembly;
        self.solve += other.solve;
        self.contact += other.contact;
        self.search += other.search;
        self.guarantee += other.guarantee;
        self.processes += other.processes;
    }
}

//! The values of particles: what sets them, and what comes out.

use super::body::{Body, Model};
use crate::expression::Expression;
use glam::DVec3;

/// Weights of the metric or the curvature; a curve uses `[0][0]` only, a surface the upper left
/// 2 × 2 entries. Entries not used are zero.
pub type Tensor = [[f64; 3]; 3];

/// One of the children of `Particles`; they apply in order.
#[derive(Clone, Debug, PartialEq)]
pub enum ParticleRule {
    /// Sets values of a selection (`All`, `Single`, `Region`).
    Set {
        /// Which particles.
        selection: Selection,
        /// Which values.
        change: Box<ParticleChange>,
    },
    /// Multiplies a value by a field (`Field`).
    Multiply(Field),
}

/// Some of the particles of a body, by grid coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// One.
    Single([usize; 3]),
    /// A box, both corners included.
    Region {
        /// Lowest coordinates.
        from: [usize; 3],
        /// Highest coordinates.
        to: [usize; 3],
    },
}

impl Selection {
    /// Whether a particle belongs to the selection.
    pub fn contains(&self, particle: [usize; 3]) -> bool {
        match *self {
            Self::All => true,
            Self::Single(one) => one == particle,
            Self::Region { from, to } => (0..3).all(|d| (from[d]..=to[d]).contains(&particle[d])),
        }
    }
}

/// The values a rule sets; `None` leaves a value as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleChange {
    /// Damping.
    pub damping: Option<f64>,
    /// Mass.
    pub mass: Option<f64>,
    /// Whether the particle stays where it is.
    pub fixed: Option<bool>,
    /// Which of x, y and z are fixed then.
    pub coordinates: [bool; 3],
    /// Weights η of the metric.
    pub tension: Option<Tensor>,
    /// Weights ξ of the curvature.
    pub rigidity: Option<Tensor>,
    /// Weight of the torsion of a curve.
    pub twist: Option<f64>,
    /// Weight of the deformation itself of a hybrid body.
    pub hold: Option<f64>,
    /// What the body is at right angles to, a unit vector.
    pub normal: Option<DVec3>,
    /// Where it passes, by x, y and z.
    pub places: [Option<Expression>; 3],
}

/// A factor that varies over the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The value that is multiplied.
    pub target: Target,
    /// The factor.
    pub factor: Factor,
}

pliant::choice! {
    /// The value a [`Field`] multiplies.
    pub enum Target {
        /// Mass.
        Mass = "mass",
        /// Damping.
        Damping = "damping",
        /// All weights of the metric.
        Tension = "tension",
        /// All weights of the curvature.
        Rigidity = "rigidity",
        /// The weight of the torsion.
        Twist = "twist",
        /// The weight of the deformation itself.
        Hold = "hold",
    }
}

/// The factor of a [`Field`].
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// A formula in the material coordinates.
    Rule(Expression),
    /// A picture, relative to the scene file; `low` where it is black, `high` where it is white.
    Image {
        /// Path of the picture.
        path: String,
        /// Factor where it is black.
        low: f64,
        /// Factor where it is white.
        high: f64,
    },
}

/// All values of one particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Damping.
    pub damping: f64,
    /// Mass.
    pub mass: f64,
    /// Whether it stays where it is.
    pub fixed: bool,
    /// Which of x, y and z are fixed.
    pub held: [bool; 3],
    /// Weights η of the metric.
    pub tension: Tensor,
    /// Weights ξ of the curvature.
    pub rigidity: Tensor,
    /// Weight of the torsion of a curve.
    pub twist: f64,
    /// Weight of the deformation itself of a hybrid body.
    pub hold: f64,
    /// What the body is at right angles to, a unit vector.
    pub normal: Option<DVec3>,
    /// Where it passes, by x, y and z, in metres.
    pub places: [Option<f64>; 3],
}

impl Default for Particle {
    /// The published defaults.
    fn default() -> Self {
        Self {
            damping: 0.0,
            mass: 1.0,
            fixed: false,
            held: [false; 3],
            tension: [[0.0; 3]; 3],
            rigidity: [[0.0; 3]; 3],
            twist: 0.0,
            hold: 0.0,
            normal: None,
            places: [None; 3],
        }
    }
}

/// A particle whose values make no sense once all rules have been applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "body `{body}`, particle {particle:?}: {quantity} becomes {value}, which is not {expected}"
)]
pub struct ParticleError {
    /// The body.
    pub body: String,
    /// Grid coordinates of the particle.
    pub particle: [usize; 3],
    /// Which value.
    pub quantity: &'static str,
    /// What it becomes.
    pub value: f64,
    /// What it should be.
    pub expected: &'static str,
}

impl Particle {
    /// Factors of 1 on what the material gives. A solid has no rigidity.
    fn factors(model: Model) -> Self {
        let rigidity = f64::from(u8::from(model != Model::Solid));
        Self {
            tension: [[1.0; 3]; 3],
            rigidity: [[rigidity; 3]; 3],
            twist: 1.0,
            ..Self::default()
        }
    }

    fn set(&mut self, change: &ParticleChange, at: [f64; 3]) {
        self.damping = change.damping.unwrap_or(self.damping);
        self.mass = change.mass.unwrap_or(self.mass);
        match change.fixed {
            Some(true) => (0..3).for_each(|c| self.held[c] |= change.coordinates[c]),
            Some(false) => self.held = [false; 3],
            None => {}
        }
        self.fixed = self.held == [true; 3];
        self.tension = change.tension.unwrap_or(self.tension);
        self.rigidity = change.rigidity.unwrap_or(self.rigidity);
        self.twist = change.twist.unwrap_or(self.twist);
        self.hold = change.hold.unwrap_or(self.hold);
        self.normal = change.normal.or(self.normal);
        for (place, rule) in self.places.iter_mut().zip(&change.places) {
            *place = rule.as_ref().map(|rule| rule.evaluate(at)).or(*place);
        }
    }

    fn multiply(&mut self, target: Target, factor: f64) {
        let scale = |tensor: &mut Tensor| {
            for entry in tensor.iter_mut().flatten() {
                *entry *= factor;
            }
        };
        match target {
            Target::Mass => self.mass *= factor,
            Target::Damping => self.damping *= factor,
            Target::Tension => scale(&mut self.tension),
            Target::Rigidity => scale(&mut self.rigidity),
            Target::Twist => self.twist *= factor,
            Target::Hold => self.hold *= factor,
        }
    }

    /// The first value that makes no sense.
    fn mistake(&self) -> Option<(&'static str, f64, &'static str)> {
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Some(("mass", self.mass, "a positive number"));
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return Some(("damping", self.damping, "zero or a positive number"));
        }
        let not_finite =
            |tensor: &Tensor| tensor.iter().flatten().find(|x| !x.is_finite()).copied();
        if let Some(value) = not_finite(&self.tension) {
            return Some(("tension", value, "finite"));
        }
        if let Some(value) = not_finite(&self.rigidity) {
            return Some(("rigidity", value, "finite"));
        }
        if !(self.twist >= 0.0 && self.twist.is_finite()) {
            return Some(("twist", self.twist, "zero or a positive number"));
        }
        if !(self.hold >= 0.0 && self.hold.is_finite()) {
            return Some(("hold", self.hold, "zero or a positive number"));
        }
        let mut places = self.places.iter().flatten();
        if let Some(&value) = places.find(|place| !place.is_finite()) {
            return Some(("place", value, "finite"));
        }
        None
    }
}

impl Body {
    /// The material coordinates of a particle, from 0 to 1 along each direction; in a closed
    /// direction the last particle lies one spacing before 1, where the first follows again.
    pub fn material_coordinates(&self, particle: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|d| {
            let intervals = if self.periodic[d] {
                self.grid[d]
            } else {
                self.grid[d].saturating_sub(1)
            };
            particle[d] as f64 / intervals.max(1) as f64
        })
    }

    /// The values of all particles, the first direction running fastest, after all rules have
    /// been applied in order. `grey` gives the grey value, from 0 to 1, of the picture with the
    /// path it is given at the material coordinates `[u, v, w]`.
    pub fn resolve_particles(
        &self,
        grey: &mut dyn FnMut(&str, [f64; 3]) -> f64,
    ) -> Result<Vec<Particle>, ParticleError> {
        let [n0, n1, n2] = self.grid;
        let nodes =
            (0..n2).flat_map(|k| (0..n1).flat_map(move |j| (0..n0).map(move |i| [i, j, k])));
        nodes.map(|node| self.resolve(node, grey)).collect()
    }

    fn resolve(
        &self,
        node: [usize; 3],
        grey: &mut dyn FnMut(&str, [f64; 3]) -> f64,
    ) -> Result<Particle, ParticleError> {
        let mut particle = match self.elastic {
            Some(_) => Particle::factors(self.model),
            None => Particle::default(),
        };
        for rule in &self.particles {
            match rule {
                ParticleRule::Set { selection, change } => {
                    if selection.contains(node) {
                        particle.set(change, self.material_coordinates(node));
                    }
                }
                ParticleRule::Multiply(field) => {
                    let at = self.material_coordinates(node);
                    let factor = match &field.factor {
                        Factor::Rule(rule) => rule.evaluate(at),
                        Factor::Image { path, low, high } => low + (high - low) * grey(path, at),
                    };
                    particle.multiply(field.target, factor);
                }
            }
        }
        match particle.mistake() {
            None => Ok(particle),
            Some((quantity, value, expected)) => Err(ParticleError {
                body: self.id.clone(),
                particle: node,
                quantity,
                value,
                expected,
            }),
        }
    }
}

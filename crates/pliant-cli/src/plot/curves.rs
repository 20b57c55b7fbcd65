//! What can be plotted, and the curves it consists of.

use pliant_io::cache::StepSample;

/// A quantity that can be plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Energy,
    Momentum,
    AngularMomentum,
    Volume,
    Contacts,
    Iterations,
}

/// The measures of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it is called where several are compared.
    pub label: String,
    pub samples: Vec<StepSample>,
}

/// One curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: String,
    /// Which of the curves of its run it is; curves of one kind have one colour.
    pub kind: usize,
    /// Which run it belongs to; curves of one run have one pattern of dashes.
    pub run: usize,
    /// Time in seconds, and value.
    pub points: Vec<[f64; 2]>,
}

type Measure = fn(&StepSample) -> f64;

impl Quantity {
    pub const ALL: [Self; 6] = [
        Self::Energy,
        Self::Momentum,
        Self::AngularMomentum,
        Self::Volume,
        Self::Contacts,
        Self::Iterations,
    ];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Momentum => "momentum",
            Self::AngularMomentum => "spin",
            Self::Volume => "volume",
            Self::Contacts => "contacts",
            Self::Iterations => "iterations",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        let is_named = |quantity: &Self| quantity.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_named)
    }

    /// What the vertical axis says.
    pub fn axis(self) -> &'static str {
        match self {
            Self::Energy => "energy gained or lost since the start (J)",
            Self::Momentum => "momentum (kg m/s)",
            Self::AngularMomentum => "angular momentum (kg m²/s)",
            Self::Volume => "volume (m³)",
            Self::Contacts => "contacts of nodes with obstacles",
            Self::Iterations => "iterations in a step",
        }
    }

    /// Whether curves show the difference from their first value. Of an energy only differences have
    /// a meaning.
    pub fn is_relative(self) -> bool {
        self == Self::Energy
    }

    /// What is plotted, for the title of a plot.
    pub fn title(self) -> &'static str {
        match self {
            Self::Energy => "energies",
            Self::Momentum => "momentum of all bodies",
            Self::AngularMomentum => "angular momentum of all bodies",
            Self::Volume => "volume of closed bodies",
            Self::Contacts => "contacts",
            Self::Iterations => "iterations of the solvers",
        }
    }

    /// Whether the axis begins at zero: counts are read by their height.
    pub fn begins_at_zero(self) -> bool {
        matches!(self, Self::Contacts | Self::Iterations)
    }

    fn measures(self) -> &'static [(&'static str, Measure)] {
        match self {
            Self::Energy => &[
                ("total", |s| s.kinetic + s.elastic + s.external),
                ("kinetic", |s| s.kinetic),
                ("elastic", |s| s.elastic),
                ("gravity and other loads", |s| s.external),
            ],
            Self::Momentum => &[
                ("x", |s| s.momentum.x),
                ("y", |s| s.momentum.y),
                ("z", |s| s.momentum.z),
            ],
            Self::AngularMomentum => &[
                ("x", |s| s.angular_momentum.x),
                ("y", |s| s.angular_momentum.y),
                ("z", |s| s.angular_momentum.z),
            ],
            Self::Volume => &[("volume", |s| s.volume)],
            Self::Contacts => &[("contacts", |s| s.contacts as f64)],
            Self::Iterations => &[
                ("of the linear solver", |s| s.linear_iterations as f64),
                ("of Newton's method", |s| s.newton_iterations as f64),
            ],
        }
    }

    /// The curves of all runs, without those that are zero throughout beside others that are not.
    pub fn curves(self, runs: &[Run]) -> Vec<Curve> {
        let mut curves = Vec::new();
        for (run, Run { label, samples }) in runs.iter().enumerate() {
            for (kind, (name, measure)) in self.measures().iter().enumerate() {
                let name = match runs.len() {
                    1 => (*name).to_owned(),
                    _ => format!("{label}: {name}"),
                };
                let points = samples.iter().map(|sample| [sample.time, measure(sample)]);
                let mut points: Vec<[f64; 2]> =
                    points.filter(|[_, value]| value.is_finite()).collect();
                let first = points.first().map_or(0.0, |point| point[1]);
                if self.is_relative() {
                    points.iter_mut().for_each(|point| point[1] -= first);
                }
                curves.push(Curve {
                    name,
                    kind,
                    run,
                    points,
                });
            }
        }
        let says_something = |curve: &Curve| curve.points.iter().any(|[_, value]| *value != 0.0);
        if self.begins_at_zero() && curves.iter().any(says_something) {
            curves.retain(says_something);
        }
        curves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_add_up_and_runs_are_told_apart() {
        let sample = StepSample {
            time: 2.0,
            kinetic: 1.0,
            elastic: 2.0,
            external: -7.0,
            volume: f64::NAN,
            linear_iterations: 5,
            ..StepSample::default()
        };
        let run = |label: &str| Run {
            label: label.to_owned(),
            samples: vec![sample; 3],
        };
        let mut falling = run("a");
        falling.samples[1].external -= 3.0;
        let curves = Quantity::Energy.curves(&[falling]);
        assert_eq!(curves[0].name, "total");
        // Relative to the first sample, and the sum of the others.
        assert_eq!(curves[0].points[0], [2.0, 0.0]);
        assert_eq!(curves[0].points[1], [2.0, -3.0]);
        assert_eq!(curves[3].points[1], [2.0, -3.0]);
        let both = Quantity::Energy.curves(&[run("a"), run("b")]);
        assert_eq!((both.len(), both[4].name.as_str()), (8, "b: total"));
        assert!(Quantity::Volume.curves(&[run("a")])[0].points.is_empty());
        let iterations = Quantity::Iterations.curves(&[run("a")]);
        assert_eq!(iterations.len(), 1, "Newton's method was not used");
    }
}

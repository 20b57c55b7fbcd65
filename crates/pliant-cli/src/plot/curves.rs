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
    /// Names of the closed bodies, in the order of their volumes.
    pub closed: Vec<String>,
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

/// Curves of the energy ledger, summed up from the start.
const WORK: &str = "work of what drives";
const DISSIPATED: &str = "dissipated";
const DAMPING: &str = "by damping";
const FRICTION: &str = "by friction";
const PROCESSES: &str = "by processes";
const REST: &str = "by impacts and time rule";
const CREATED: &str = "created by errors";
const SUMS: [&str; 7] = [
    WORK, DISSIPATED, DAMPING, FRICTION, PROCESSES, REST, CREATED,
];

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
                (WORK, |s| s.work),
                (DISSIPATED, |s| s.dissipated),
                (CREATED, |s| s.energy_created),
                (DAMPING, |s| s.dissipation.damping),
                (FRICTION, |s| s.dissipation.friction),
                (PROCESSES, |s| s.dissipation.processes),
                (REST, |s| s.dissipation.rest),
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
        for (index, run) in runs.iter().enumerate() {
            for (kind, (name, values)) in self.series(run).into_iter().enumerate() {
                let name = match runs.len() {
                    1 => name,
                    _ => format!("{}: {name}", run.label),
                };
                let times = run.samples.iter().map(|sample| sample.time);
                let points = times.zip(values).map(|(time, value)| [time, value]);
                curves.push(Curve {
                    name,
                    kind,
                    run: index,
                    points: points.filter(|[_, value]| value.is_finite()).collect(),
                });
            }
        }
        let says_something = |curve: &Curve| curve.points.iter().any(|[_, value]| *value != 0.0);
        let is_sum = |curve: &Curve| {
            let ends = |name: &&str| curve.name.ends_with(*name);
            SUMS.iter().any(ends)
        };
        if self.begins_at_zero() && curves.iter().any(says_something) {
            curves.retain(says_something);
        }
        curves.retain(|curve| !is_sum(curve) || says_something(curve));
        curves
    }

    /// What is plotted of one run: names, and a value for each sample.
    fn series(self, run: &Run) -> Vec<(String, Vec<f64>)> {
        if self == Self::Volume && run.closed.len() > 1 {
            let volume = |index: usize| {
                let of = |sample: &StepSample| sample.volumes.get(index).copied();
                let samples = run.samples.iter();
                samples
                    .map(|sample| of(sample).unwrap_or(f64::NAN))
                    .collect()
            };
            let names = run.closed.iter().enumerate();
            return names
                .map(|(index, name)| (name.clone(), volume(index)))
                .collect();
        }
        let measures = self.measures().iter();
        measures
            .map(|&(name, measure)| {
                let mut values: Vec<f64> = run.samples.iter().map(measure).collect();
                if self == Self::Energy && SUMS.contains(&name) {
                    let mut sum = 0.0;
                    for value in &mut values {
                        sum += *value;
                        *value = sum;
                    }
                } else if self.is_relative() {
                    let first = values.first().copied().unwrap_or_default();
                    values.iter_mut().for_each(|value| *value -= first);
                }
                (name.to_owned(), values)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::report::Dissipation;

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
            closed: Vec::new(),
            samples: vec![sample.clone(); 3],
        };
        let mut falling = run("a");
        falling.samples[1].external -= 3.0;
        let curves = Quantity::Energy.curves(&[falling]);
        assert_eq!(curves[0].name, "total");
        // Relative to the first sample, and the sum of the others.
        assert_eq!(curves[0].points[0], [2.0, 0.0]);
        assert_eq!(curves[0].points[1], [2.0, -3.0]);
        assert_eq!(curves[3].points[1], [2.0, -3.0]);
        assert_eq!(curves.len(), 4, "nothing was driven or lost");
        let both = Quantity::Energy.curves(&[run("a"), run("b")]);
        assert_eq!((both.len(), both[4].name.as_str()), (8, "b: total"));
        assert!(Quantity::Volume.curves(&[run("a")])[0].points.is_empty());
        let iterations = Quantity::Iterations.curves(&[run("a")]);
        assert_eq!(iterations.len(), 1, "Newton's method was not used");
    }

    #[test]
    fn the_ledger_is_summed_up_and_volumes_are_those_of_bodies() {
        let sample = StepSample {
            dissipated: 2.0,
            dissipation: Dissipation {
                friction: 1.5,
                rest: 0.5,
                ..Dissipation::default()
            },
            volume: 5.0,
            volumes: vec![1.0, 4.0],
            ..StepSample::default()
        };
        let run = Run {
            label: "a".to_owned(),
            closed: vec!["Red".to_owned(), "Blue".to_owned()],
            samples: vec![sample; 3],
        };
        let energy = Quantity::Energy.curves(std::slice::from_ref(&run));
        let ledger = energy[4..].iter();
        let ledger: Vec<_> = ledger.map(|c| (c.name.as_str(), c.points[2][1])).collect();
        assert_eq!(ledger, [(DISSIPATED, 6.0), (FRICTION, 4.5), (REST, 1.5)]);
        let volume = Quantity::Volume.curves(&[run]);
        let names: Vec<&str> = volume.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["Red", "Blue"]);
        assert_eq!(volume[1].points[0][1], 4.0);
    }
}

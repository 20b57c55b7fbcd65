//! `Particles`: the grid, and what sets the values of its particles.

use super::attributes::Values;
use super::elements::{check_children, read_element};
use super::mesh_parts::coordinates_of;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{ALL, FIELD, PARTICLES, REGION, SINGLE};
use crate::scene::{Factor, Field, Model, ParticleChange, ParticleRule, Selection, Target, Tensor};
use crate::xml::Node;
use glam::DVec3;
use pliant::formulation::GridUses;

/// The grid of a body, once it is known to be sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridSize {
    dimension: usize,
    counts: [usize; 3],
}

impl GridSize {
    /// `None` for the empty grid of a body with mistakes.
    pub(super) fn of(dimension: usize, counts: [usize; 3]) -> Option<Self> {
        let is_sound = counts.iter().all(|&count| count > 0);
        is_sound.then_some(Self { dimension, counts })
    }

    fn describe(&self, less: usize) -> String {
        list(self.counts[..self.dimension].iter().map(|n| n - less))
    }
}

fn list(numbers: impl Iterator<Item = usize>) -> String {
    let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn indices_of(dimension: usize) -> &'static str {
    match dimension {
        1 => "1 index for a curve, such as \"[0]\"",
        2 => "2 indices for a surface, such as \"[0, 9]\"",
        _ => "3 indices for a solid, such as \"[1, 1, 1]\"",
    }
}

/// A particle of the grid named by an attribute; reported if it is not one.
pub(super) fn read_particle_index(
    reporter: &mut Reporter,
    values: &Values<'_>,
    attribute: &str,
    grid: Option<&GridSize>,
) -> Option<[usize; 3]> {
    let found = values.indices(attribute)?;
    let grid = grid?;
    let shown = list(found.iter().map(|&i| i as usize));
    if found.len() != grid.dimension {
        let expected = indices_of(grid.dimension);
        let message = format!("expected {expected}, found \"{shown}\"");
        values.wrong(reporter, attribute, Problem::new(message));
        return None;
    }
    let mut index = [0; 3];
    for (slot, &i) in index.iter_mut().zip(found) {
        *slot = i as usize;
    }
    if (0..3).any(|d| index[d] >= grid.counts[d]) {
        let problem = Problem::new(format!(
            "the particle {shown} lies outside the grid {}",
            grid.describe(0)
        ))
        .with_hint(format!(
            "indices count from 0: the last particle is {}",
            grid.describe(1)
        ));
        values.wrong(reporter, attribute, problem);
        return None;
    }
    Some(index)
}

/// What the children of `Particles` need to be read.
pub(super) struct RuleReader<'a> {
    pub(super) label: &'a str,
    pub(super) model: Option<Model>,
    pub(super) uses: GridUses,
    /// Whether masses and weights follow from an `Elastic`.
    pub(super) is_physical: bool,
    pub(super) grid: Option<&'a GridSize>,
}

impl RuleReader<'_> {
    /// The children of `Particles`, in order.
    pub(super) fn read(&self, reporter: &mut Reporter, particles: &Node) -> Vec<ParticleRule> {
        let label = format!("{}<Particles>", self.label);
        check_children(reporter, particles, &label, &PARTICLES);
        let mut rules = Vec::new();
        for node in &particles.children {
            let Some(element) = [&ALL, &SINGLE, &REGION, &FIELD]
                .into_iter()
                .find(|element| element.name == node.name)
            else {
                // Reported as unknown with the other children.
                continue;
            };
            let values = read_element(reporter, node, self.label, element);
            rules.extend(match element.name {
                "All" => Some(self.set(reporter, &values, Selection::All)),
                "Single" => {
                    let particle = read_particle_index(reporter, &values, "particle", self.grid);
                    let selection = Selection::Single(particle.unwrap_or_default());
                    Some(self.set(reporter, &values, selection))
                }
                "Region" => {
                    let selection = read_region(reporter, &values, self.grid);
                    Some(self.set(reporter, &values, selection))
                }
                _ => read_field(reporter, node, &values, self.model),
            });
        }
        rules
    }

    fn set(
        &self,
        reporter: &mut Reporter,
        values: &Values<'_>,
        selection: Selection,
    ) -> ParticleRule {
        let model = self.model;
        if self.is_physical {
            for name in ["mass", "tension", "rigidity", "twist"] {
                if values.is_given(name) {
                    let problem = Problem::new("it follows from <Elastic>").with_hint(format!(
                        "remove it; <Field target=\"{name}\" rule=\"…\" /> makes it vary"
                    ));
                    values.wrong(reporter, name, problem);
                }
            }
        }
        refuse_twist(reporter, values, "twist", model);
        if values.is_given("coordinates") && values.optional_boolean("fixed") != Some(true) {
            let problem =
                Problem::new("used only with fixed=\"Yes\"").with_hint("add it, or remove this");
            values.wrong(reporter, "coordinates", problem);
        }
        if !self.uses.hold {
            let why = "only formulation Hybrid holds particles; it is ignored";
            warn_of_unused(reporter, values, "hold", why);
        }
        let rigidity = if model == Some(Model::Solid) && !self.uses.solid_rigidity {
            let why = "a solid uses rigidity only with formulation Hybrid; it is ignored";
            warn_of_unused(reporter, values, "rigidity", why);
            None
        } else {
            read_tensor(reporter, values, "rigidity", model)
        };
        ParticleRule::Set {
            selection,
            change: Box::new(ParticleChange {
                damping: values.optional_number("damping"),
                mass: values.optional_number("mass"),
                fixed: values.optional_boolean("fixed"),
                coordinates: coordinates_of(values.word("coordinates")),
                tension: read_tensor(reporter, values, "tension", model),
                rigidity,
                twist: values.optional_number("twist"),
                hold: values.optional_number("hold"),
                normal: values.optional_vector("normal").map(DVec3::normalize),
                places: ["placex", "placey", "placez"].map(|name| values.rule(name).cloned()),
            }),
        }
    }
}

fn read_region(reporter: &mut Reporter, values: &Values<'_>, grid: Option<&GridSize>) -> Selection {
    let from = read_particle_index(reporter, values, "from", grid);
    let to = read_particle_index(reporter, values, "to", grid);
    let (from, to) = (from.unwrap_or_default(), to.unwrap_or([usize::MAX; 3]));
    if (0..3).any(|d| from[d] > to[d]) {
        let problem = Problem::new("`to` lies before `from`, so that the region is empty")
            .with_hint("give the lowest indices in `from` and the highest in `to`");
        values.wrong(reporter, "to", problem);
    }
    Selection::Region { from, to }
}

/// Says that an attribute plays no part.
fn warn_of_unused(reporter: &mut Reporter, values: &Values<'_>, name: &str, why: &str) {
    if values.is_given(name) {
        let offset = values.offset(name);
        reporter.warning(offset, &values.label, Some(name), Problem::new(why));
    }
}

fn refuse_twist(reporter: &mut Reporter, values: &Values<'_>, name: &str, model: Option<Model>) {
    if values.is_given(name) && model.is_some_and(|model| model != Model::Curve) {
        let problem = Problem::new("twist is a property of curves only").with_hint("remove it");
        values.wrong(reporter, name, problem);
    }
}

fn read_tensor(
    reporter: &mut Reporter,
    values: &Values<'_>,
    name: &str,
    model: Option<Model>,
) -> Option<Tensor> {
    let rows = values.matrix(name)?;
    let model = model?;
    let size = model.dimension();
    if rows.len() != size {
        let (what, example) = match model {
            Model::Curve => ("a number for a curve", "2.0"),
            Model::Surface => ("a 2 × 2 matrix for a surface", "[[1, 0], [0, 1]]"),
            Model::Solid => (
                "a 3 × 3 matrix for a solid",
                "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            ),
        };
        let found = rows.len();
        let message =
            format!("expected {what} such as \"{example}\", found a {found} × {found} matrix");
        values.wrong(reporter, name, Problem::new(message));
        return None;
    }
    let mut tensor = [[0.0; 3]; 3];
    for (i, row) in rows.iter().enumerate() {
        tensor[i][..size].copy_from_slice(row);
    }
    let mut oddity = |message: &str, hint: &str| {
        let problem = Problem::new(message).with_hint(hint);
        reporter.warning(values.offset(name), &values.label, Some(name), problem);
    };
    if tensor.iter().flatten().any(|&weight| weight < 0.0) {
        oddity(
            "a negative weight drives the body away from its rest shape",
            "weights are zero or positive",
        );
    }
    if (0..3).any(|i| (0..i).any(|j| tensor[i][j] != tensor[j][i])) {
        oddity(
            "the tensor is not symmetric",
            "only the mean of the entries [i][j] and [j][i] matters",
        );
    }
    Some(tensor)
}

fn read_field(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
    model: Option<Model>,
) -> Option<ParticleRule> {
    if values.is_given("rule") == values.is_given("image") {
        let problem = Problem::new("expected either `rule` or `image`, not both or neither");
        reporter.error(node.offset, &values.label, None, problem);
    }
    for name in ["low", "high"] {
        if values.is_given(name) && !values.is_given("image") {
            let problem = Problem::new("used only with `image`").with_hint("remove it");
            values.wrong(reporter, name, problem);
        }
    }
    let target = Target::from_name(values.word("target")?)?;
    if target == Target::Twist {
        refuse_twist(reporter, values, "target", model);
    }
    let factor = if let Some(rule) = values.rule("rule") {
        check_rule(reporter, values, target);
        Factor::Rule(rule.clone())
    } else {
        Factor::Image {
            path: values.text("image")?.to_owned(),
            low: values.optional_number("low").unwrap_or(0.0),
            high: values.optional_number("high").unwrap_or(1.0),
        }
    };
    Some(ParticleRule::Multiply(Field { target, factor }))
}

/// Tries a formula at points all over the body. Every particle is checked when the body is
/// built; this finds most mistakes while their place in the file is known.
fn check_rule(reporter: &mut Reporter, values: &Values<'_>, target: Target) {
    const SAMPLES: usize = 9;
    let Some(rule) = values.rule("rule") else {
        return;
    };
    let at = |i: usize| i as f64 / (SAMPLES - 1) as f64;
    for sample in 0..SAMPLES * SAMPLES * SAMPLES {
        let point = [
            at(sample % SAMPLES),
            at(sample / SAMPLES % SAMPLES),
            at(sample / SAMPLES / SAMPLES),
        ];
        let factor = rule.evaluate(point);
        let expected = if !factor.is_finite() {
            "a finite factor"
        } else if target == Target::Mass && factor <= 0.0 {
            "a positive factor for a mass"
        } else if factor < 0.0 {
            "a factor that is not negative"
        } else {
            continue;
        };
        let [u, v, w] = point;
        let message = format!("expected {expected}, found {factor} at u = {u}, v = {v}, w = {w}");
        values.wrong(reporter, "rule", Problem::new(message));
        return;
    }
}

//! `DeformableBodies`.

use super::attributes::Values;
use super::bindings::{Names, Nodes, read_bindings};
use super::elements::{check_children, own_attributes, read_properties, read_variant};
use super::meshes::{read_mesh_body, refuse_placement};
use super::particles::{GridSize, read_rules};
use super::processes::read_processes;
use super::report_repeated_ids;
use super::shapes::ShapeReader;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{BODY, DEFORMABLE_BODIES, INITIAL_SHAPE, NATURAL_SHAPE, PARTICLES, Variant};
use crate::scene::{Body, BodyProperties, Contact, Energy, Formulation, Model, Shape};
use crate::xml::Node;
use glam::DVec3;
use pliant::IntegratorKind;
use pliant::linear::SolverKind;

/// The most particles of one scene.
pub const MOST_PARTICLES: u64 = 20_000_000;
/// Memory a particle of a curve or surface needs, in bytes: state, matrix row, solver vectors.
pub const BYTES_PER_THIN_PARTICLE: u64 = 2_000;
/// Memory a particle of a solid needs, in bytes: its matrix row has more entries.
pub const BYTES_PER_SOLID_PARTICLE: u64 = 6_000;

pub(super) fn read_bodies(
    reporter: &mut Reporter,
    configuration: &Node,
    names: &Names<'_>,
) -> Vec<Body> {
    let Some(container) = configuration.first(DEFORMABLE_BODIES.name) else {
        return Vec::new();
    };
    let label = container.label();
    own_attributes(reporter, container, label.clone(), &DEFORMABLE_BODIES);
    check_children(reporter, container, &label, &DEFORMABLE_BODIES);
    report_repeated_ids(reporter, container.all(BODY.name));
    let bodies: Vec<Body> = container
        .all(BODY.name)
        .filter_map(|node| read_body(reporter, node, names))
        .collect();
    let total: u64 = bodies.iter().map(|b| b.particle_count() as u64).sum();
    if total > MOST_PARTICLES {
        let bytes = bodies
            .iter()
            .map(|body| u128::from(bytes_per_particle(body.model)) * body.particle_count() as u128)
            .sum();
        let problem = Problem::new(format!(
            "all bodies together have {total} particles; at most {MOST_PARTICLES}: they would \
             need {} of memory",
            memory(bytes)
        ));
        reporter.error(container.offset, &label, None, problem);
    }
    bodies
}

fn read_body(reporter: &mut Reporter, node: &Node, names: &Names<'_>) -> Option<Body> {
    let label = node.label();
    let values = own_attributes(reporter, node, label.clone(), &BODY);
    check_children(reporter, node, &label, &BODY);
    let variant = read_variant(reporter, &values, &BODY);
    let properties = read_properties(reporter, node, &label, &BODY, variant);
    let model = values.word("model").map(|word| match word {
        "Curve" => Model::Curve,
        "Surface" => Model::Surface,
        _ => Model::Solid,
    });
    let periodic = match (&properties, model) {
        (Some(properties), Some(model)) => read_periodic(properties, model),
        _ => [false; 3],
    };
    let particles = node.first(PARTICLES.name);
    let grid = particles.and_then(|node| read_grid(reporter, node, &label, model, periodic));
    let grid_size = match (grid, model) {
        (Some(grid), Some(model)) => GridSize::of(model.dimension(), grid),
        _ => None,
    };
    let is_mesh = variant.is_some_and(|variant| variant.name == "Mesh");
    let mesh = match model {
        Some(model) if is_mesh => read_mesh_body(reporter, node, &label, model),
        _ => None,
    };
    if let Some(properties) = properties.as_ref().filter(|_| variant.is_some()) {
        check_integrator(reporter, properties, is_mesh);
    }
    let rules = particles.map_or_else(Vec::new, |node| {
        let hybrid = properties
            .as_ref()
            .is_some_and(|p| p.word("formulation") == Some(Formulation::Hybrid.name()));
        read_rules(reporter, node, &label, (model, hybrid), grid_size.as_ref())
    });
    let nodes = match is_mesh {
        true => Nodes::Mesh,
        false => Nodes::Grid(grid_size.as_ref()),
    };
    let bindings = read_bindings(reporter, node, &label, names, nodes);
    let shapes = match (&properties, model, variant) {
        (Some(properties), Some(model), Some(variant)) if !is_mesh => {
            read_shapes(reporter, node, &label, model, variant, properties)
        }
        _ => (None, None),
    };
    // A body with mistakes is kept under its name, for those that refer to it; its scene is
    // refused all the same.
    Some(Body {
        id: values.text("id")?.to_owned(),
        location: reporter.locate(node.offset),
        model: model.unwrap_or(Model::Surface),
        properties: properties.as_ref().map_or_else(defaults, body_properties),
        natural_shape: shapes.0.unwrap_or(Shape::Bezier {
            order: 0,
            control_points: Vec::new(),
        }),
        initial_shape: shapes.1,
        mesh: mesh.map(Box::new),
        grid: grid.unwrap_or([0; 3]),
        periodic,
        particles: rules,
        processes: read_processes(
            reporter,
            node,
            &label,
            properties.as_ref().map(|own| body_properties(own).energy),
        ),
        material: bindings.material,
        forces: bindings.forces,
        collisions: bindings.collisions,
    })
}

fn read_shapes(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    model: Model,
    variant: &'static Variant,
    properties: &Values<'_>,
) -> (Option<Shape>, Option<Shape>) {
    let shapes = ShapeReader {
        label,
        model,
        variant,
        properties,
    };
    let natural = node.first(NATURAL_SHAPE.name);
    let initial = node.first(INITIAL_SHAPE.name);
    if let Some(initial) = initial {
        refuse_placement(reporter, initial, label);
    }
    (
        natural.and_then(|node| shapes.read(reporter, node, &NATURAL_SHAPE)),
        initial.and_then(|node| shapes.read(reporter, node, &INITIAL_SHAPE)),
    )
}

/// Newmark's rule is for meshes; explicit steps are for grids.
fn check_integrator(reporter: &mut Reporter, properties: &Values<'_>, is_mesh: bool) {
    let (message, hint) = match properties.word("integrator") {
        Some("Newmark") if !is_mesh => (
            "only a body of type \"Mesh\" is stepped by Newmark's rule",
            "write \"Midpoint\", of the same order",
        ),
        Some("Explicit") if is_mesh => (
            "a body of type \"Mesh\" is not stepped explicitly",
            "write \"SemiImplicit\", which solves one linear system a step",
        ),
        _ => return,
    };
    let problem = Problem::new(message).with_hint(hint);
    properties.wrong(reporter, "integrator", problem);
}

/// l, m and n are the 1st, 2nd and 3rd direction of a solid; a surface has m and n, a curve m.
fn read_periodic(properties: &Values<'_>, model: Model) -> [bool; 3] {
    let [l, m, n] = ["lcont", "mcont", "ncont"].map(|name| properties.boolean(name));
    match model {
        Model::Curve => [m, false, false],
        Model::Surface => [m, n, false],
        Model::Solid => [l, m, n],
    }
}

fn read_grid(
    reporter: &mut Reporter,
    node: &Node,
    parent: &str,
    model: Option<Model>,
    periodic: [bool; 3],
) -> Option<[usize; 3]> {
    let label = format!("{parent}<Particles>");
    let values = own_attributes(reporter, node, label, &PARTICLES);
    let counts = values.indices("grid")?;
    let model = model?;
    let shown = format!("{counts:?}");
    if counts.len() != model.dimension() {
        let expected = match model {
            Model::Curve => "1 number for a curve, such as \"[20]\"",
            Model::Surface => "2 numbers for a surface, such as \"[10, 10]\"",
            Model::Solid => "3 numbers for a solid, such as \"[5, 5, 5]\"",
        };
        let message = format!("expected {expected}, found \"{shown}\"");
        values.wrong(reporter, "grid", Problem::new(message));
        return None;
    }
    for (direction, &count) in counts.iter().enumerate() {
        let (least, why) = if periodic[direction] {
            (3, "a continuous direction")
        } else {
            (2, "a direction")
        };
        if count < least {
            let message = format!(
                "expected at least {least} particles in {why}, found {count} in \"{shown}\""
            );
            values.wrong(reporter, "grid", Problem::new(message));
            return None;
        }
    }
    let total: u128 = counts.iter().map(|&count| u128::from(count)).product();
    if total > u128::from(MOST_PARTICLES) {
        let bytes = total * u128::from(bytes_per_particle(model));
        let problem = Problem::new(format!(
            "the grid \"{shown}\" has {total} particles, which would need {} of memory; at \
             most {MOST_PARTICLES} particles are accepted",
            memory(bytes)
        ))
        .with_hint("make the grid coarser");
        values.wrong(reporter, "grid", problem);
        return None;
    }
    let mut grid = [1; 3];
    for (slot, &count) in grid.iter_mut().zip(counts) {
        *slot = count as usize;
    }
    Some(grid)
}

fn bytes_per_particle(model: Model) -> u64 {
    match model {
        Model::Solid => BYTES_PER_SOLID_PARTICLE,
        Model::Curve | Model::Surface => BYTES_PER_THIN_PARTICLE,
    }
}

fn memory(bytes: u128) -> String {
    let mut size = bytes as f64 / 1e6;
    for unit in ["MB", "GB", "TB", "PB"] {
        if size < 1000.0 {
            return format!("about {size:.0} {unit}");
        }
        size /= 1000.0;
    }
    "more than 1000 PB".to_owned()
}

/// The choice a word names; the fallback stands for a word that is wrong and reported.
fn chosen<T>(properties: &Values<'_>, name: &str, of: fn(&str) -> Option<T>, fallback: T) -> T {
    properties.word(name).and_then(of).unwrap_or(fallback)
}

fn body_properties(p: &Values<'_>) -> BodyProperties {
    BodyProperties {
        timestep: p.number("timestep"),
        formulation: chosen(
            p,
            "formulation",
            Formulation::from_name,
            Formulation::Primal,
        ),
        centrifugal: p.boolean("centrifugal"),
        coriolis: p.boolean("coriolis"),
        transverse: p.boolean("transverse"),
        energy: chosen(p, "energy", Energy::from_name, Energy::Exact),
        integrator: chosen(
            p,
            "integrator",
            IntegratorKind::from_name,
            IntegratorKind::SemiImplicit,
        ),
        solver: chosen(
            p,
            "solver",
            SolverKind::from_name,
            SolverKind::ConjugateGradient,
        ),
        tolerance: p.number("tolerance"),
        iterations: p.count("iterations") as usize,
        relaxation: p.number("relaxation"),
        newton: p.count("newton") as usize,
        adaptive: p.boolean("adaptive"),
        shortest: p.number("shortest"),
        contact: chosen(p, "contact", Contact::from_name, Contact::Projection),
        threshold: p.number("threshold"),
        thickness: p.number("thickness"),
        strength: p.number("strength"),
        friction: p.number("friction"),
        restitution: p.number("restitution"),
        volume: p.number("volume"),
        velocity: p.vector("velocity"),
        spin: p.vector("spin"),
    }
}

/// Stands for properties that are missing, which is reported.
fn defaults() -> BodyProperties {
    BodyProperties {
        timestep: 0.01,
        formulation: Formulation::Primal,
        centrifugal: true,
        coriolis: true,
        transverse: true,
        energy: Energy::Exact,
        integrator: IntegratorKind::SemiImplicit,
        solver: SolverKind::ConjugateGradient,
        tolerance: 1e-6,
        iterations: 200,
        relaxation: 1.5,
        newton: 20,
        adaptive: false,
        shortest: 1.0,
        contact: Contact::Projection,
        threshold: 0.0,
        thickness: 0.0,
        strength: 1.0,
        friction: 0.0,
        restitution: 0.0,
        volume: 1.0,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{EXPECTED, FIELD, Kind};
    use crate::scene::{Quantity, Target};

    /// Whether all words of an attribute name a choice: one that does not would silently be read
    /// as the default.
    fn all_known(words: &[&str], is_known: impl Fn(&str) -> bool) -> bool {
        !words.is_empty() && words.iter().all(|word| is_known(word))
    }

    #[test]
    fn every_word_of_the_table_has_a_meaning() {
        for attribute in BODY.all_properties() {
            let words = &attribute.kind.words();
            let is_known = match attribute.name {
                "formulation" => all_known(words, |w| Formulation::from_name(w).is_some()),
                "energy" => all_known(words, |w| Energy::from_name(w).is_some()),
                "integrator" | "solver" => matches!(attribute.kind, Kind::Named(_)),
                "contact" => all_known(words, |w| Contact::from_name(w).is_some()),
                _ => words.is_empty() || words == &["Yes", "No"],
            };
            assert!(is_known, "{}", attribute.name);
        }
        let quantities = EXPECTED.attributes[0].kind.words();
        assert!(all_known(&quantities, |w| Quantity::from_name(w).is_some()));
        let targets = FIELD.attributes[0].kind.words();
        assert!(all_known(&targets, |w| Target::from_name(w).is_some()));
    }

    #[test]
    fn memory_is_told_in_readable_units() {
        assert_eq!(memory(42_000_000_000), "about 42 GB");
        assert_eq!(memory(u128::MAX), "more than 1000 PB");
    }
}

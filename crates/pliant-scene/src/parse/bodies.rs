//! `DeformableBodies`.

use super::attributes::Values;
use super::bindings::{Names, Nodes, read_bindings};
use super::elements::{Instance, instances, own_attributes, read_instance};
use super::grid_elastic::read_grid_elastic;
use super::meshes::{read_mesh_body, refuse_placement};
use super::operators::{has_operators, read_operators};
use super::particles::{GridSize, RuleReader};
use super::processes::read_processes;
use super::shapes::ShapeReader;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{
    BODY, DEFORMABLE_BODIES, INITIAL_SHAPE, MESH, NATURAL_SHAPE, NODE, PARTICLES, SKIN, Variant,
};
use crate::scene::{Body, Model, Shape};
use crate::xml::Node;
use pliant::deform::Deformation;
use pliant::formulation::uses_of_particles;
use std::sync::Arc;

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
    let nodes = instances(reporter, configuration, &DEFORMABLE_BODIES, &BODY);
    let bodies: Vec<Body> = nodes
        .into_iter()
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
        let container = configuration.first(DEFORMABLE_BODIES.name);
        let offset = container.map_or(configuration.offset, |container| container.offset);
        let label = format!("<{}>", DEFORMABLE_BODIES.name);
        reporter.error(offset, &label, None, problem);
    }
    bodies
}

fn read_body(reporter: &mut Reporter, node: &Node, names: &Names<'_>) -> Option<Body> {
    let label = node.label();
    let Instance {
        values,
        variant,
        properties,
        ..
    } = read_instance(reporter, node, label.clone(), &BODY);
    let model = values.word("model").and_then(Model::from_name);
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
    let elastic = match model {
        Some(model) if !is_mesh => {
            read_grid_elastic(reporter, node, &label, (model, properties.as_ref()))
        }
        _ => None,
    };
    let formulation = properties
        .as_ref()
        .and_then(|values| values.word("formulation"));
    let uses = uses_of_particles(formulation.unwrap_or_default());
    let rules = particles.map_or_else(Vec::new, |node| {
        let reader = RuleReader {
            label: &label,
            model,
            uses,
            is_physical: elastic.is_some(),
            grid: grid_size.as_ref(),
        };
        reader.read(reporter, node)
    });
    let nodes = match is_mesh {
        true => Nodes::Mesh,
        false => Nodes::Grid(grid_size.as_ref()),
    };
    let bindings = read_bindings(reporter, node, &label, names, nodes);
    let [natural_operators, initial_operators] = read_both_operators(reporter, node, is_mesh);
    let shapes = match (&properties, model, variant) {
        (Some(properties), Some(model), Some(variant)) if !is_mesh => {
            read_shapes(reporter, node, &label, model, variant, properties)
        }
        _ => (None, None),
    };
    let energy = properties.as_ref().and_then(|values| values.word("energy"));
    let processes = read_processes(reporter, node, &label, energy);
    // A body with mistakes is kept under its name, for those that refer to it; its scene is
    // refused all the same.
    Some(Body {
        id: values.text("id")?.to_owned(),
        location: reporter.locate(node.offset),
        model: model.unwrap_or(Model::Surface),
        natural_shape: shapes.0.unwrap_or(Shape::Bezier {
            order: 0,
            control_points: Vec::new(),
        }),
        initial_shape: shapes.1,
        natural_operators,
        initial_operators,
        mesh: mesh.map(Box::new),
        grid: grid.unwrap_or([0; 3]),
        periodic,
        elastic,
        particles: rules,
        processes,
        properties: properties.map(|values| values.settings).unwrap_or_default(),
        material: bindings.material,
        forces: bindings.forces,
        collisions: bindings.collisions,
    })
}

/// The operators on the shape at rest and on that at the start.
fn read_both_operators(
    reporter: &mut Reporter,
    node: &Node,
    is_mesh: bool,
) -> [Vec<Arc<dyn Deformation>>; 2] {
    let label = node.label();
    let natural = match is_mesh {
        true => MESH.name,
        false => NATURAL_SHAPE.name,
    };
    let both = [natural, INITIAL_SHAPE.name].map(|name| {
        let holder = node.first(name);
        holder.map_or_else(Vec::new, |holder| {
            read_operators(reporter, holder, &format!("{label}<{name}>"))
        })
    });
    if is_mesh && !both[0].is_empty() && node.first(SKIN.name).is_some() {
        let problem = Problem::new("a skin does not follow the operators of its mesh")
            .with_hint("deform the shape at the start instead, in <InitialShape>");
        reporter.error(node.offset, &label, None, problem);
    }
    both
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
    let rest = natural.and_then(|node| shapes.read(reporter, node, &NATURAL_SHAPE));
    // Operators alone deform the natural shape.
    let start = initial
        .filter(|node| node.first(NODE.name).is_some() || !has_operators(node))
        .and_then(|node| shapes.read(reporter, node, &INITIAL_SHAPE));
    let start = shapes.started(start.as_ref().or(rest.as_ref())).or(start);
    (rest, start)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Kind, Presence};
    use crate::value::{Value, parse_value};
    use glam::DVec3;
    use pliant::fem::{ElasticMaterial, MeshSettings, SolidModel, SolidStrain};
    use pliant::formulation::Trim;
    use pliant::formulation::{
        ChainMail, Condensed, DynamicNurbs, FittedSuperquadric, GlobalDeformation, Hybrid, Modal,
        RodSettings, Sticks,
    };
    use pliant::mesh::{Division, block};
    use pliant::{BodyDescription, Grid};

    fn over_mesh() -> BodyDescription {
        let mesh = block([1, 1, 1], DVec3::ONE, Division::FiveTetrahedra).unwrap();
        let material = ElasticMaterial::new(1.0, 0.1, 1.0).unwrap();
        let model = SolidModel::new(SolidStrain::Linear, material);
        let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
        BodyDescription::of_mesh("body", settings, vec![1.0; 8])
    }

    fn described(attribute: &crate::language::Attribute, value: &Value) -> String {
        let grid = Grid::new(&[2, 2], &[false, false]);
        let weights = pliant::elastic::Weights::uniform(4, 1.0, 1.0, 1.0);
        let primal = BodyDescription::new("body", grid, vec![DVec3::ZERO; 4], weights);
        // Some attributes are those of hybrid bodies.
        let mut hybrid = primal.clone();
        hybrid.make_hybrid(Hybrid::default());
        let (mut sticks, mut mail) = (primal.clone(), primal.clone());
        sticks.make_sticks(Sticks::default());
        mail.make_chain_mail(ChainMail::default());
        let mut modal = over_mesh();
        modal.make_modal(Modal::default());
        let mut condensed = over_mesh();
        condensed.make_condensed(Condensed::default());
        let mut global = over_mesh();
        global.make_global(GlobalDeformation::default());
        let mut snake = primal.clone();
        snake.make_snake();
        let mut film = primal.clone();
        film.make_film();
        let mut nurbs = primal.clone();
        nurbs.make_dynamic_nurbs(DynamicNurbs {
            trim: Some(Trim {
                curve: "curve".into(),
                keeps_inside: false,
            }),
            ..DynamicNurbs::default()
        });
        let mut rod = primal.clone();
        rod.make_rod(RodSettings::default());
        let mut fitted = primal.clone();
        fitted.make_superquadric(FittedSuperquadric::default());
        let mut bodies = [
            nurbs,
            fitted,
            rod,
            film,
            snake,
            primal,
            hybrid,
            sticks,
            mail,
            over_mesh(),
            modal,
            global,
            condensed,
        ];
        if let Some(set) = attribute.sets {
            bodies.iter_mut().for_each(|body| set(value, body));
        }
        format!("{bodies:?}")
    }

    /// A word that sets the same as another would silently be taken for it.
    #[test]
    fn every_word_sets_something_else() {
        for attribute in BODY.all_properties() {
            let words = attribute.kind.words();
            if attribute.sets.is_none() || words.is_empty() {
                continue;
            }
            let mut seen: Vec<String> = words
                .iter()
                .map(|word| described(attribute, &parse_value(attribute.kind, word).unwrap()))
                .collect();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), words.len(), "{}", attribute.name);
        }
    }

    /// A setter that takes another kind of value than its attribute has gives NaN or nothing.
    #[test]
    fn every_number_is_set_as_it_is_written() {
        for attribute in BODY.all_properties() {
            let example = match (attribute.kind, attribute.presence) {
                (Kind::Number(_), _) => "0.0123",
                (Kind::Count { .. }, Presence::Default(_)) => "123",
                _ => continue,
            };
            if attribute.sets.is_some() {
                let text = described(attribute, &parse_value(attribute.kind, example).unwrap());
                assert!(text.contains(example), "{}: {text}", attribute.name);
            }
        }
    }

    #[test]
    fn memory_is_told_in_readable_units() {
        assert_eq!(memory(42_000_000_000), "about 42 GB");
        assert_eq!(memory(u128::MAX), "more than 1000 PB");
    }
}

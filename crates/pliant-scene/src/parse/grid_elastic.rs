//! `Elastic` of a body over a grid.

use super::attributes::Values;
use super::elements::read_element;
use super::meshes::{THICKNESS, refuse};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{ELASTIC, MUSCLE, ZONE};
use crate::scene::{GridElastic, Model};
use crate::xml::Node;
use pliant::elastic::GridMaterial;
use pliant::formulation::uses_of_particles;

/// What only meshes have.
const OF_MESHES: [&str; 8] = [
    "strain",
    "rotation",
    "volume",
    "angular",
    "tension",
    "elongation",
    "factor",
    "momentum",
];

/// What a body over a grid is made of, if it says so in physical units.
pub(super) fn read_grid_elastic(
    reporter: &mut Reporter,
    body: &Node,
    label: &str,
    (model, properties): (Model, Option<&Values<'_>>),
) -> Option<GridElastic> {
    let node = body.first(ELASTIC.name)?;
    let values = read_element(reporter, node, label, &ELASTIC);
    for name in OF_MESHES {
        refuse(reporter, &values, name, "a property of meshes only");
    }
    if let Some(muscle) = node.first(MUSCLE.name) {
        let problem = Problem::new("only a mesh of springs has muscles").with_hint("remove it");
        reporter.error(muscle.offset, &values.label, None, problem);
    }
    if let Some(zone) = node.first(ZONE.name) {
        let problem = Problem::new("only a mesh has zones")
            .with_hint("vary the values of particles with <Field target=\"…\" rule=\"…\" />");
        reporter.error(zone.offset, &values.label, None, problem);
    }
    if model == Model::Solid {
        let why = "a property of curves and surfaces only";
        for name in ["thickness", "stretching", "rigidity"] {
            refuse(reporter, &values, name, why);
        }
    }
    if let Some(properties) = properties {
        if properties
            .word("energy")
            .is_some_and(|word| word != "Exact")
        {
            let problem = Problem::new("a body with <Elastic> has the exact energy")
                .with_hint("leave out `energy`");
            properties.wrong(reporter, "energy", problem);
        }
        let why = "with <Elastic> it follows from Poisson's ratio";
        refuse(reporter, properties, "volume", why);
        let explicit = ["SemiImplicit", "Explicit"];
        let formulation = properties.word("formulation").unwrap_or_default();
        let is_newton = uses_of_particles(formulation).newton
            && properties
                .word("integrator")
                .is_none_or(|word| !explicit.contains(&word));
        if !is_newton {
            let why =
                "only a primal grid that is stepped by Newton's method is damped by stiffness";
            refuse(reporter, &values, "beta", why);
        }
    }
    Some(GridElastic {
        material: GridMaterial {
            young: values.optional_number("young")?,
            poisson: values.optional_number("poisson")?,
            density: values.optional_number("density")?,
            thickness: values.optional_number("thickness").unwrap_or(THICKNESS),
            stretching: values.optional_number("stretching"),
            rigidity: values.optional_number("rigidity"),
        },
        alpha: values.optional_number("alpha")?,
        beta: values.optional_number("beta")?,
    })
}

//! What only bodies of type `Mesh` have.

use super::attributes::Values;
use super::elements::read_element;
use super::mesh_parts::{read_core, read_fixed, read_muscle, read_zone};
use super::solids::{read_placement, read_solid, solid_nodes};
use crate::diagnostics::{Location, Problem, Reporter};
use crate::language::{
    CORE, ELASTIC, FIXED, INITIAL_SHAPE, MESH, MUSCLE, NODE, RECTANGLE, SKIN, ZONE,
};
use crate::scene::{
    Core, Elastic, Elements, Fixed, Mesh, MeshBody, MeshSource, Model, Placement,
    STRAINS_OF_ELEMENTS, Skin, SkinSource, Strain, VertexRotation, Zone,
};
use crate::xml::Node;

/// The most cells of a mesh; nodes and elements beyond need tens of gigabytes.
const MOST_CELLS: u64 = 20_000_000;

/// Thickness of a surface that gives none, in metres.
pub(super) const THICKNESS: f64 = 0.001;

/// The mesh of a body, or nothing if its elements are missing or wrong, which is reported.
pub(super) fn read_mesh_body(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    model: Model,
) -> Option<MeshBody> {
    let mesh = node.first(MESH.name);
    let mesh = mesh.and_then(|node| read_mesh(reporter, node, label, model));
    let elastic = node.first(ELASTIC.name);
    let elastic = elastic.and_then(|node| {
        let kind = mesh.as_ref().and_then(|mesh: &Mesh| mesh.elements);
        read_elastic(reporter, node, label, (model, kind))
    });
    let fixed = node
        .all(FIXED.name)
        .map(|node| read_fixed(reporter, node, label));
    let fixed: Vec<Option<Fixed>> = fixed.collect();
    let cores = node
        .all(CORE.name)
        .map(|node| read_core(reporter, node, label));
    let cores: Vec<Option<Core>> = cores.collect();
    let start = node.first(INITIAL_SHAPE.name);
    let start = start.map(|node| read_start(reporter, node, label));
    let skin = node
        .first(SKIN.name)
        .map(|node| read_skin(reporter, node, label, (model, mesh.as_ref())));
    Some(MeshBody {
        mesh: mesh?,
        elastic: elastic?,
        fixed: fixed.into_iter().collect::<Option<_>>()?,
        cores: cores.into_iter().collect::<Option<_>>()?,
        skin,
        start: start.unwrap_or(Placement::IDENTITY),
    })
}

fn read_mesh(reporter: &mut Reporter, node: &Node, parent: &str, model: Model) -> Option<Mesh> {
    let values = read_element(reporter, node, parent, &MESH);
    let elements = values.word("elements").and_then(Elements::from_name);
    let is_face = !matches!(
        elements,
        None | Some(Elements::Tetrahedron4 | Elements::Tetrahedron10 | Elements::Brick20)
    );
    if let Some(elements) = elements
        && is_face != (model == Model::Surface)
    {
        let (what, those) = match model {
            Model::Surface => (
                "a surface",
                "\"Triangle3\", \"Triangle6\", \"Quad4\" or \"Quad9\"",
            ),
            _ => (
                "a solid",
                "\"Tetrahedron4\", \"Tetrahedron10\" or \"Brick20\"",
            ),
        };
        let problem = Problem::new(format!("{what} is not made of \"{}\"", elements.name()))
            .with_hint(format!("write {those}"));
        values.wrong(reporter, "elements", problem);
        return None;
    }
    Some(Mesh {
        location: reporter.locate(node.offset),
        source: read_source(reporter, node, &values, (model, elements))?,
        elements,
        placement: read_placement(&values),
    })
}

/// A mesh comes neither from a file nor from a shape, or from several.
fn no_single_source(is_file: bool, shape_count: usize) -> Problem {
    let (found, hint) = match (is_file, shape_count) {
        (false, 0) => (
            "neither".to_owned(),
            "add file=\"…\", or a shape such as <Sphere r=\"0.5\" />",
        ),
        (true, _) => ("both".to_owned(), "remove one of them"),
        (false, count) => (
            format!("{count} shapes"),
            "put several shapes into a <Union>",
        ),
    };
    let message = format!("expected `file` or one shape inside, found {found}");
    Problem::new(message).with_hint(hint)
}

fn read_source(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
    (model, elements): (Model, Option<Elements>),
) -> Option<MeshSource> {
    let mut shapes: Vec<&Node> = solid_nodes(node).collect();
    shapes.extend(node.all(RECTANGLE.name));
    let is_file = values.is_given("file");
    if usize::from(is_file) + shapes.len() != 1 {
        let problem = no_single_source(is_file, shapes.len());
        reporter.error(node.offset, &values.label, None, problem);
        return None;
    }
    if is_file {
        refuse(reporter, values, "cells", "a mesh from a file has no cells");
        return Some(MeshSource::File {
            path: values.text("file")?.to_owned(),
            resolution: values.optional_number("resolution"),
            repair: values.boolean("repair"),
        });
    }
    if values.is_given("repair") {
        refuse(
            reporter,
            values,
            "repair",
            "only a surface from a file is mended",
        );
    }
    let both = values.is_given("cells") && values.is_given("resolution");
    let neither = !values.is_given("cells") && !values.is_given("resolution");
    if both || neither {
        let found = if both { "both" } else { "neither" };
        let problem = Problem::new(format!(
            "expected `resolution` (a spacing) or `cells` (regular ones), found {found}"
        ));
        reporter.error(node.offset, &values.label, None, problem);
        return None;
    }
    let shape = shapes[0];
    if shape.name == RECTANGLE.name {
        return read_rectangle(reporter, shape, values, model);
    }
    let solid = read_solid(reporter, shape, &values.label)?;
    if let Some(resolution) = values.optional_number("resolution") {
        let higher = elements.filter(|kind| {
            !matches!(
                kind,
                Elements::Tetrahedron4 | Elements::Tetrahedron10 | Elements::Triangle3
            )
        });
        if let Some(kind) = higher {
            let message = format!(
                "only `cells` and files have elements of kind \"{}\", not `resolution`",
                kind.name()
            );
            values.wrong(reporter, "elements", Problem::new(message));
            return None;
        }
        return Some(MeshSource::Filled { solid, resolution });
    }
    if model == Model::Surface {
        let problem = Problem::new("of a surface, only a <Rectangle> has cells")
            .with_hint("write resolution=\"…\" to cover the shape with triangles");
        values.wrong(reporter, "cells", problem);
        return None;
    }
    Some(MeshSource::Cells {
        solid,
        counts: read_cells(reporter, values)?,
    })
}

fn read_rectangle(
    reporter: &mut Reporter,
    node: &Node,
    mesh: &Values<'_>,
    model: Model,
) -> Option<MeshSource> {
    let values = read_element(reporter, node, &mesh.label, &RECTANGLE);
    if model != Model::Surface {
        let problem = Problem::new("a solid is not made of a <Rectangle>")
            .with_hint("write <Box size=\"…\" />, or model=\"Surface\" for the body");
        reporter.error(node.offset, &values.label, None, problem);
        return None;
    }
    if mesh.is_given("resolution") {
        let problem = Problem::new("a <Rectangle> is divided into `cells`, not by a resolution")
            .with_hint("write cells=\"[20, 20]\"");
        mesh.wrong(reporter, "resolution", problem);
        return None;
    }
    let counts = read_cells(reporter, mesh)?;
    let &[m, n] = counts.as_slice() else {
        let message = format!("expected 2 numbers for a rectangle, found \"{counts:?}\"");
        mesh.wrong(reporter, "cells", Problem::new(message));
        return None;
    };
    Some(MeshSource::Rectangle {
        centre: values.optional_vector("c")?,
        size: [
            values.optional_number("width")?,
            values.optional_number("height")?,
        ],
        counts: [m, n],
    })
}

fn read_cells(reporter: &mut Reporter, values: &Values<'_>) -> Option<Vec<usize>> {
    let counts = values.indices("cells")?;
    let total: u128 = counts.iter().map(|&count| u128::from(count)).product();
    let problem = if counts.contains(&0) {
        Problem::new("expected at least one cell in each direction, found 0")
    } else if total > u128::from(MOST_CELLS) {
        Problem::new(format!(
            "{total} cells are too many; at most {MOST_CELLS} are accepted"
        ))
        .with_hint("divide the shape into fewer")
    } else {
        return Some(counts.iter().map(|&count| count as usize).collect());
    };
    values.wrong(reporter, "cells", problem);
    None
}

/// Reports an attribute that makes no sense here, if it is given.
pub(super) fn refuse(reporter: &mut Reporter, values: &Values<'_>, name: &str, why: &str) {
    if values.is_given(name) {
        let problem = Problem::new(why).with_hint("remove it");
        values.wrong(reporter, name, problem);
    }
}

fn read_elastic(
    reporter: &mut Reporter,
    node: &Node,
    parent: &str,
    (model, kind): (Model, Option<Elements>),
) -> Option<Elastic> {
    let values = read_element(reporter, node, parent, &ELASTIC);
    let zones: Vec<Option<Zone>> = node
        .all(ZONE.name)
        .map(|zone| read_zone(reporter, zone, &values.label))
        .collect();
    let muscles: Vec<_> = node
        .all(MUSCLE.name)
        .map(|muscle| read_muscle(reporter, muscle, &values.label))
        .collect();
    refuse(reporter, &values, "stretching", "a property of grids only");
    if model == Model::Solid {
        let why = "a property of surfaces only";
        refuse(reporter, &values, "thickness", why);
        refuse(reporter, &values, "rigidity", why);
    } else {
        refuse(reporter, &values, "volume", "a property of solids only");
    }
    let strain = values.word("strain").and_then(Strain::from_name);
    let is_solid = model == Model::Solid;
    let may_be_warped =
        is_solid && !matches!(kind, Some(Elements::Tetrahedron10 | Elements::Brick20));
    // Whether elements from a file are triangles of three nodes is known when they are read.
    let may_be_cloth = model != Model::Solid && matches!(kind, None | Some(Elements::Triangle3));
    let has_strain = |strain: Strain| match strain {
        Strain::Linear | Strain::Green | Strain::Springs => true,
        Strain::Corotated => is_solid || may_be_cloth,
        Strain::NeoHookean | Strain::SplitNeoHookean => is_solid,
        Strain::Active => may_be_cloth,
        Strain::Warped => may_be_warped,
    };
    if let Some(strain) = strain
        && !has_strain(strain)
    {
        let what = match strain {
            Strain::Active => "surfaces of three-node triangles",
            Strain::Warped => "tetrahedra of four nodes",
            _ => "solids",
        };
        let problem = Problem::new(format!("only {what} have the strain \"{}\"", strain.name()))
            .with_hint(STRAINS_OF_ELEMENTS);
        values.wrong(reporter, "strain", problem);
    }
    let has_factor = values.is_given("factor") && values.optional_number("factor").is_some();
    if has_factor && !values.is_given("elongation") {
        let problem = Problem::new("used only with `elongation`").with_hint("add elongation=\"…\"");
        values.wrong(reporter, "factor", problem);
    }
    let factor = values.optional_number("factor").unwrap_or(1.0);
    Some(Elastic {
        location: reporter.locate(node.offset),
        strain,
        rotation: values.word("rotation").and_then(VertexRotation::from_name),
        young: values.optional_number("young")?,
        poisson: values.optional_number("poisson")?,
        density: values.optional_number("density")?,
        alpha: values.optional_number("alpha")?,
        beta: values.optional_number("beta")?,
        thickness: values.optional_number("thickness").unwrap_or(THICKNESS),
        rigidity: values.optional_number("rigidity"),
        volume: values.optional_number("volume").unwrap_or(0.0),
        limit: values
            .optional_number("elongation")
            .map(|elongation| (elongation, factor)),
        momentum: values.optional_boolean("momentum"),
        tension: values.optional_number("tension").unwrap_or(0.0),
        angular: values.optional_number("angular").unwrap_or(0.0),
        zones: zones.into_iter().collect::<Option<_>>()?,
        muscles: muscles.into_iter().collect::<Option<_>>()?,
    })
}

/// How a mesh starts.
fn read_start(reporter: &mut Reporter, node: &Node, parent: &str) -> Placement {
    let values = read_element(reporter, node, parent, &INITIAL_SHAPE);
    if let Some(control_point) = node.first(NODE.name) {
        let problem = Problem::new("a mesh has no control points to start from")
            .with_hint("write scale, rotation and position instead");
        reporter.error(control_point.offset, &values.label, None, problem);
    }
    read_placement(&values)
}

fn read_skin(
    reporter: &mut Reporter,
    node: &Node,
    parent: &str,
    (model, mesh): (Model, Option<&Mesh>),
) -> Skin {
    let values = read_element(reporter, node, parent, &SKIN);
    let location: Location = reporter.locate(node.offset);
    if model != Model::Solid || mesh.is_some_and(|m| m.elements == Some(Elements::Brick20)) {
        let problem =
            Problem::new("only a solid of tetrahedra carries a skin").with_hint("remove it");
        reporter.error(node.offset, &values.label, None, problem);
    }
    let is_file = mesh.is_some_and(|mesh| matches!(mesh.source, MeshSource::File { .. }));
    let source = match (values.text("file"), values.optional_number("resolution")) {
        (Some(_), Some(_)) => {
            let problem = Problem::new("expected `file` or `resolution`, found both");
            reporter.error(node.offset, &values.label, None, problem);
            SkinSource::Filled
        }
        (Some(path), None) => SkinSource::File(path.to_owned()),
        (None, Some(resolution)) => {
            if is_file {
                let problem = Problem::new("a mesh from a file has no shape to take a skin from")
                    .with_hint(
                        "name a surface with file=\"…\", or leave both out for that of the file",
                    );
                values.wrong(reporter, "resolution", problem);
            }
            SkinSource::Resolution(resolution)
        }
        (None, None) => {
            if mesh.is_some() && !is_file && !values.is_given("file") {
                let problem = Problem::new("expected `resolution` or `file`, found neither");
                reporter.error(node.offset, &values.label, None, problem);
            }
            SkinSource::Filled
        }
    };
    Skin { location, source }
}

/// Reports attributes of `InitialShape` that only a mesh has.
pub(super) fn refuse_placement(reporter: &mut Reporter, node: &Node, label: &str) {
    for name in ["scale", "rotation", "position"] {
        if let Some(found) = node.attribute(name) {
            let label = format!("{label}<{}>", INITIAL_SHAPE.name);
            let problem =
                Problem::new("only a body of type \"Mesh\" starts scaled, turned or moved")
                    .with_hint("give <Node> elements instead");
            reporter.error(found.offset, &label, Some(name), problem);
        }
    }
}

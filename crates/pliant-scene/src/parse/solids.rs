//! Implicit shapes: simple ones, and groups of them.

use super::attributes::Values;
use super::elements::{check_children, own_attributes};
use crate::diagnostics::{Problem, Reporter};
use crate::language::SOLIDS;
use crate::scene::Placement;
use crate::xml::Node;
use glam::{DQuat, DVec3};
use pliant::mesh::{Solid, hound_head, rabbit};

/// The shapes among the children of an element, in their order. A shape with a mistake, which is
/// reported, is left out.
pub(super) fn read_solids(reporter: &mut Reporter, node: &Node, parent: &str) -> Vec<Solid> {
    let shapes = solid_nodes(node);
    shapes
        .filter_map(|shape| read_solid(reporter, shape, parent))
        .collect()
}

/// The children of an element that are shapes.
pub(super) fn solid_nodes(node: &Node) -> impl Iterator<Item = &Node> {
    let children = node.children.iter();
    children.filter(|child| SOLIDS.iter().any(|known| known.element.name == child.name))
}

/// One shape; nothing if a mistake was reported in it.
pub(super) fn read_solid(reporter: &mut Reporter, node: &Node, parent: &str) -> Option<Solid> {
    let table = SOLIDS
        .iter()
        .find(|known| known.element.name == node.name)?
        .element;
    let label = format!("{parent}<{}>", node.name);
    check_children(reporter, node, &label, table);
    let values = own_attributes(reporter, node, label, table);
    let number = |name| values.optional_number(name);
    let vector = |name| values.optional_vector(name);
    Some(match node.name.as_str() {
        "Sphere" => Solid::Sphere {
            centre: vector("c")?,
            radius: number("r")?,
        },
        "Ellipsoid" => turned(&values, |centre| {
            Some(Solid::Ellipsoid {
                centre,
                semi_axes: vector("axes")?,
            })
        })?,
        "Box" => read_box(reporter, &values)?,
        "Bar" => {
            let (from, to) = read_ends(reporter, &values)?;
            Solid::Bar {
                from,
                to,
                width: number("width")?,
                height: number("height")?,
            }
        }
        "Capsule" => {
            let (from, to) = (vector("from")?, vector("to")?);
            let radius = number("r")?;
            Solid::Capsule {
                from,
                to,
                radii: [radius, number("end").unwrap_or(radius)],
            }
        }
        "Tube" => read_tube(reporter, &values)?,
        "Torus" => Solid::Torus {
            centre: vector("c")?,
            axis: vector("axis")?,
            major_radius: number("r")?,
            minor_radius: number("a")?,
        },
        "Superquadric" => turned(&values, |centre| {
            Some(Solid::Superquadric {
                centre,
                semi_axes: vector("axes")?,
                exponents: [number("poles")?, number("equator")?],
            })
        })?,
        "Rabbit" => placed(read_placement(&values), rabbit()),
        "Hound" => placed(read_placement(&values), hound_head()),
        _ => read_group(reporter, node, &values)?,
    })
}

fn read_group(reporter: &mut Reporter, node: &Node, values: &Values<'_>) -> Option<Solid> {
    let mut parts = read_solids(reporter, node, &values.label);
    let given = solid_nodes(node).count();
    let needed = if node.name == "Difference" { 2 } else { 1 };
    if given < needed {
        let message = match needed {
            1 => "expected at least one shape inside".to_owned(),
            _ => format!("expected a shape and what is cut from it, found {given}"),
        };
        let problem = Problem::new(message)
            .with_hint("add shapes such as <Sphere c=\"[0, 0, 0]\" r=\"1\" />");
        reporter.error(node.offset, &values.label, None, problem);
    }
    if parts.len() < given.max(needed) {
        return None;
    }
    let solid = match node.name.as_str() {
        "Intersection" => Solid::Intersection(parts),
        "Difference" => {
            let without = parts.split_off(1);
            Solid::Difference {
                solid: Box::new(parts.remove(0)),
                without,
            }
        }
        _ => match values.optional_number("blend") {
            Some(blend) if blend > 0.0 => Solid::SmoothUnion { parts, blend },
            _ => Solid::Union(parts),
        },
    };
    Some(placed(read_placement(values), solid))
}

fn read_box(reporter: &mut Reporter, values: &Values<'_>) -> Option<Solid> {
    let size = values.optional_vector("size")?;
    let rounding = values.optional_number("rounding")?;
    let most = 0.5 * size.min_element();
    if rounding > most {
        let message = format!("expected at most half the shortest edge, {most}, found {rounding}");
        values.wrong(reporter, "rounding", Problem::new(message));
        return None;
    }
    turned(values, |centre| {
        Some(Solid::Cuboid {
            centre,
            size,
            rounding,
        })
    })
}

fn read_tube(reporter: &mut Reporter, values: &Values<'_>) -> Option<Solid> {
    let (from, to) = read_ends(reporter, values)?;
    let outer_radius = values.optional_number("r")?;
    let inner_radius = values.optional_number("hole")?;
    if inner_radius >= outer_radius {
        let message =
            format!("expected less than the radius `r`, {outer_radius}, found {inner_radius}");
        values.wrong(reporter, "hole", Problem::new(message));
        return None;
    }
    Some(Solid::Tube {
        from,
        to,
        outer_radius,
        inner_radius,
    })
}

/// Both ends of a straight shape, which must not be the same point.
fn read_ends(reporter: &mut Reporter, values: &Values<'_>) -> Option<(DVec3, DVec3)> {
    let (from, to) = (
        values.optional_vector("from")?,
        values.optional_vector("to")?,
    );
    if from == to {
        let problem = Problem::new("`from` and `to` are the same point");
        values.wrong(reporter, "to", problem);
        return None;
    }
    Some((from, to))
}

/// A shape with a centre, turned about it.
fn turned(values: &Values<'_>, shape: impl Fn(DVec3) -> Option<Solid>) -> Option<Solid> {
    let centre = values.optional_vector("c")?;
    let turn = values.optional_vector("rotation")?;
    if turn == DVec3::ZERO {
        return shape(centre);
    }
    Some(Solid::Transform {
        solid: Box::new(shape(DVec3::ZERO)?),
        scale: DVec3::ONE,
        rotation: rotation_of(turn),
        translation: centre,
    })
}

/// A solid in its place.
pub(super) fn placed(placement: Placement, solid: Solid) -> Solid {
    if placement == Placement::IDENTITY {
        return solid;
    }
    Solid::Transform {
        solid: Box::new(solid),
        scale: placement.scale,
        rotation: placement.rotation,
        translation: placement.position,
    }
}

/// The attributes `scale`, `rotation` and `position`.
pub(super) fn read_placement(values: &Values<'_>) -> Placement {
    Placement {
        scale: values.optional_vector("scale").unwrap_or(DVec3::ONE),
        rotation: rotation_of(values.optional_vector("rotation").unwrap_or_default()),
        position: values.optional_vector("position").unwrap_or_default(),
    }
}

/// The turn about an axis that is as long as its angle in degrees.
pub(super) fn rotation_of(degrees: DVec3) -> DQuat {
    let angle = degrees.length() % 360.0;
    match degrees.try_normalize() {
        Some(axis) => DQuat::from_axis_angle(axis, angle.to_radians()),
        None => DQuat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_vectors_in_degrees() {
        let turn = rotation_of(DVec3::new(0.0, 0.0, 90.0));
        assert!((turn * DVec3::X).distance(DVec3::Y) < 1e-12);
        assert!((rotation_of(DVec3::new(0.0, -450.0, 0.0)) * DVec3::X).distance(DVec3::Z) < 1e-12);
        assert_eq!(rotation_of(DVec3::ZERO), DQuat::IDENTITY);
        assert!(rotation_of(DVec3::splat(1e100)).is_finite());
    }
}

//! `NaturalShape` and `InitialShape`: the control points, complete and not collapsed.

use super::attributes::Values;
use super::elements::{check_children, own_attributes};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{Element, NODE, Variant};
use crate::scene::{Model, Shape};
use crate::xml::Node;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// A shape is collapsed in a direction if it is thinner there than this fraction of its size.
const THINNEST: f64 = 1e-9;

/// What the shapes of a body need to be read.
pub(super) struct ShapeReader<'a> {
    pub(super) label: &'a str,
    pub(super) model: Model,
    pub(super) variant: &'static Variant,
    pub(super) properties: &'a Values<'a>,
}

/// The most control points of a spline.
const MOST_CONTROL_POINTS: u64 = 1_000_000;

/// A control point and where it stands.
struct ControlPoint {
    position: DVec3,
    weight: f64,
    offset: usize,
}

impl ShapeReader<'_> {
    /// The order of a Bézier type; `None` for other types.
    fn order(&self) -> Option<usize> {
        match self.variant.name {
            "LinearBezierCurve" | "LinearBezierSolid" => Some(1),
            "QuadraticBezierPatch" => Some(2),
            "GenericBezierCurve" | "GenericBezierPatch" | "GenericBezierSolid" => {
                Some(self.properties.count("order") as usize)
            }
            _ => None,
        }
    }

    pub(super) fn read(
        &self,
        reporter: &mut Reporter,
        node: &Node,
        element: &'static Element,
    ) -> Option<Shape> {
        let label = format!("{}<{}>", self.label, element.name);
        check_children(reporter, node, &label, element);
        own_attributes(reporter, node, label.clone(), element);
        if self.variant.name.starts_with("Generic")
            && self.properties.optional_count("order").is_none()
        {
            // Without the order, the number of control points is not known.
            return None;
        }
        if !self.variant.name.starts_with("BSpline") {
            let weights = node
                .all(NODE.name)
                .filter_map(|point| point.attribute("weight"));
            for weight in weights {
                let problem =
                    Problem::new("only the control points of B-spline types have weights")
                        .with_hint("remove it");
                reporter.error(weight.offset, &label, Some("weight"), problem);
            }
        }
        match (self.variant.name, self.order()) {
            (_, Some(order)) => self.read_bezier(reporter, node, &label, order),
            ("SuperquadricPatch" | "SuperquadricSolid" | "ToroidPatch" | "ToroidSolid", None) => {
                let shape = self.read_ellipsoid(reporter, node, &label)?;
                self.squared(shape)
            }
            ("BSplineCurve" | "BSplinePatch", None) => self.read_spline(reporter, node, &label),
            ("Helix", None) => self.read_helix(reporter, node, &label),
            (name, None) if name.starts_with("Formula") => {
                self.read_formula(reporter, node, &label)
            }
            _ => self.read_ellipsoid(reporter, node, &label),
        }
    }

    fn read_bezier(
        &self,
        reporter: &mut Reporter,
        node: &Node,
        label: &str,
        order: usize,
    ) -> Option<Shape> {
        let count = (order + 1).pow(self.model.dimension() as u32);
        let points = read_nodes(reporter, node, label, count, true)?;
        let control_points: Vec<DVec3> = points.values().map(|point| point.position).collect();
        let directions = extent_directions(&control_points);
        if node.name == "NaturalShape" && directions < self.model.dimension() {
            let collapsed = match directions {
                0 => "a point",
                1 => "a line",
                _ => "a plane",
            };
            let what = match self.model {
                Model::Curve => "curve",
                Model::Surface => "surface",
                Model::Solid => "solid",
            };
            let problem = Problem::new(format!(
                "the control points of the {what} all lie in {collapsed}"
            ))
            .with_hint("a shape at rest needs an extent in each of its directions");
            reporter.error(node.offset, label, None, problem);
        }
        Some(Shape::Bezier {
            order,
            control_points,
        })
    }

    fn read_ellipsoid(&self, reporter: &mut Reporter, node: &Node, label: &str) -> Option<Shape> {
        let points = read_nodes(reporter, node, label, 2, true)?;
        let (axes, centre) = (points.get(&0)?, points.get(&1)?);
        if axes.position.min_element() <= 0.0 {
            let DVec3 { x, y, z } = axes.position;
            let problem = Problem::new(format!(
                "expected three semi-axes greater than 0, found \"[{x}, {y}, {z}]\""
            ))
            .with_hint("the node with index 0 holds the semi-axes, index 1 the centre");
            reporter.error(axes.offset, label, Some("pos"), problem);
        }
        Some(Shape::Ellipsoid {
            axes: axes.position,
            centre: centre.position,
            opening: self.properties.optional_number("opening"),
        })
    }

    /// The superquadric with the axes and the centre of an ellipsoid.
    fn squared(&self, shape: Shape) -> Option<Shape> {
        let Shape::Ellipsoid {
            axes,
            centre,
            opening,
        } = shape
        else {
            return None;
        };
        Some(Shape::Superquadric {
            axes,
            centre,
            exponents: ["e1", "e2"].map(|name| self.properties.number(name)),
            ring: self.properties.optional_number("ring"),
            opening,
        })
    }

    fn read_spline(&self, reporter: &mut Reporter, node: &Node, label: &str) -> Option<Shape> {
        let dimension = self.model.dimension();
        let counts = self.properties.indices("points")?;
        let degree = self.properties.count("degree");
        if counts.len() != dimension || counts.iter().any(|&count| count <= degree) {
            let message = format!(
                "expected {dimension} number{} of control points greater than the degree {degree}, \
                 found {counts:?}",
                if dimension == 1 { "" } else { "s" }
            );
            self.properties
                .wrong(reporter, "points", Problem::new(message));
            return None;
        }
        let total: u64 = counts.iter().map(|&count| u64::from(count)).product();
        if total > MOST_CONTROL_POINTS {
            let message = format!("at most {MOST_CONTROL_POINTS} control points, found {total}");
            self.properties
                .wrong(reporter, "points", Problem::new(message));
            return None;
        }
        let points = read_nodes(reporter, node, label, total as usize, true)?;
        let closed = match self.model {
            Model::Curve => vec!["mcont"],
            _ => vec!["mcont", "ncont"],
        };
        Some(Shape::Nurbs {
            degrees: vec![degree as usize; dimension],
            counts: counts.iter().map(|&count| count as usize).collect(),
            control_points: points.values().map(|point| point.position).collect(),
            weights: points.values().map(|point| point.weight).collect(),
            periodic: closed
                .into_iter()
                .map(|name| self.properties.boolean(name))
                .collect(),
        })
    }

    fn read_formula(&self, reporter: &mut Reporter, node: &Node, label: &str) -> Option<Shape> {
        let points = read_nodes(reporter, node, label, 1, false)?;
        let rule = |name| self.properties.rule(name).cloned();
        Some(Shape::Formula {
            rules: Box::new([rule("x")?, rule("y")?, rule("z")?]),
            shift: points.get(&0).map_or(DVec3::ZERO, |point| point.position),
        })
    }

    /// The shape that a body starts from where properties say so, made of the one that it would start from else.
    pub(super) fn started(&self, shape: Option<&Shape>) -> Option<Shape> {
        let mut shape = shape?.clone();
        let mut is_changed = false;
        match &mut shape {
            Shape::Formula { rules, .. } => {
                for (rule, name) in rules.iter_mut().zip(["startx", "starty", "startz"]) {
                    if let Some(start) = self.properties.rule(name) {
                        *rule = start.clone();
                        is_changed = true;
                    }
                }
            }
            Shape::Helix { radius, pitch, .. } => {
                for (value, name) in [(radius, "startradius"), (pitch, "startpitch")] {
                    if let Some(start) = self.properties.optional_number(name) {
                        *value = start;
                        is_changed = true;
                    }
                }
            }
            _ => {}
        }
        is_changed.then_some(shape)
    }

    fn read_helix(&self, reporter: &mut Reporter, node: &Node, label: &str) -> Option<Shape> {
        let points = read_nodes(reporter, node, label, 1, false)?;
        Some(Shape::Helix {
            radius: self.properties.number("radius"),
            pitch: self.properties.number("pitch"),
            turns: self.properties.number("turns"),
            centre: points.get(&0).map_or(DVec3::ZERO, |point| point.position),
        })
    }
}

/// The nodes of a shape by index; `None` if some are missing or wrong.
fn read_nodes(
    reporter: &mut Reporter,
    shape: &Node,
    label: &str,
    count: usize,
    all_needed: bool,
) -> Option<BTreeMap<usize, ControlPoint>> {
    let mut points = BTreeMap::new();
    let mut is_sound = true;
    for node in shape.all(NODE.name) {
        let label = format!("{label}<Node>");
        check_children(reporter, node, &label, &NODE);
        let values = own_attributes(reporter, node, label, &NODE);
        let Some(index) = values.optional_count("index").map(|index| index as usize) else {
            is_sound = false;
            continue;
        };
        if index >= count {
            let message = format!("expected an index from 0 to {}, found {index}", count - 1);
            let problem = Problem::new(message).with_hint(format!(
                "the shape has {count} control point{}",
                if count == 1 { "" } else { "s" }
            ));
            values.wrong(reporter, "index", problem);
            continue;
        }
        if points.contains_key(&index) {
            let message = format!("the control point {index} is given twice");
            values.wrong(reporter, "index", Problem::new(message));
            continue;
        }
        let position = values.optional_vector("pos");
        is_sound &= position.is_some();
        let point = ControlPoint {
            position: position.unwrap_or_default(),
            weight: values.optional_number("weight").unwrap_or(1.0),
            offset: values.offset("pos"),
        };
        points.insert(index, point);
    }
    // A node without a sound index may be the one that is missing.
    let missing: Vec<usize> = (0..count).filter(|i| !points.contains_key(i)).collect();
    if all_needed && !missing.is_empty() {
        if is_sound || missing.len() > 1 {
            report_missing(reporter, shape, label, count, &missing);
        }
        return None;
    }
    is_sound.then_some(points)
}

fn report_missing(
    reporter: &mut Reporter,
    shape: &Node,
    label: &str,
    count: usize,
    missing: &[usize],
) {
    const SHOWN: usize = 12;
    let mut list: Vec<String> = missing.iter().take(SHOWN).map(usize::to_string).collect();
    if missing.len() > SHOWN {
        list.push(format!("and {} more", missing.len() - SHOWN));
    }
    let problem = Problem::new(format!(
        "expected {count} control points with the indices 0 to {}; missing: {}",
        count - 1,
        list.join(", ")
    ))
    .with_hint(format!(
        "add <Node index=\"{}\" pos=\"[x, y, z]\" /> and so on",
        missing[0]
    ));
    reporter.error(shape.offset, label, None, problem);
}

/// In how many independent directions a set of points extends: 0 for a point, 1 for a line, 2 for
/// a plane, 3 for space.
fn extent_directions(points: &[DVec3]) -> usize {
    let Some(&first) = points.first() else {
        return 0;
    };
    // One direction is taken after the other: the farthest point from what is spanned so far.
    let mut offsets: Vec<DVec3> = points.iter().map(|&point| point - first).collect();
    let size = farthest(&offsets);
    if size == 0.0 {
        return 0;
    }
    for offset in &mut offsets {
        *offset /= size;
    }
    let mut directions = 0;
    while directions < 3 {
        let length = farthest(&offsets);
        if length <= THINNEST {
            break;
        }
        let Some(&longest) = offsets
            .iter()
            .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
        else {
            break;
        };
        let axis = longest / longest.length();
        let across =
            DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        for offset in &mut offsets {
            *offset = across * *offset;
        }
        directions += 1;
    }
    directions
}

fn farthest(offsets: &[DVec3]) -> f64 {
    offsets
        .iter()
        .map(|offset| offset.abs().max_element())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents() {
        let v = DVec3::new;
        assert_eq!(extent_directions(&[]), 0);
        assert_eq!(extent_directions(&[v(1.0, 2.0, 3.0); 4]), 0);
        let line = [
            v(1e6, 0.0, 0.0),
            v(1e6 + 1.0, 1.0, 1.0),
            v(1e6 + 2.0, 2.0, 2.0),
        ];
        assert_eq!(extent_directions(&line), 1);
        let plane = [v(0.0, 0.0, 5.0), v(1e-6, 0.0, 5.0), v(0.0, 1e-6, 5.0)];
        assert_eq!(extent_directions(&plane), 2);
        let space = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * 1e-6];
        assert_eq!(extent_directions(&space), 3);
        assert_eq!(extent_directions(&[DVec3::ZERO, DVec3::X * 1e100]), 1);
    }
}

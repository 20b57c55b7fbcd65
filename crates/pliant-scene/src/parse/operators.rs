//! What deforms a shape before it is simulated, in the order of the file.

use super::attributes::Values;
use super::elements::read_element;
use super::solids::rotation_of;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{CONTROL, MOVE, OPERATORS};
use crate::xml::Node;
use glam::DVec3;
use pliant::deform::{
    AxisFrame, Bend, DeformError, Deformation, Lattice, LatticeBasis, Stretch, Taper, Twist,
};
use std::sync::Arc;

/// The most control points of a lattice.
const MOST_CONTROL_POINTS: u64 = 100_000;

/// The operators inside an element.
pub(super) fn read_operators(
    reporter: &mut Reporter,
    parent: &Node,
    label: &str,
) -> Vec<Arc<dyn Deformation>> {
    let mut operators = Vec::new();
    for node in &parent.children {
        let known = OPERATORS
            .iter()
            .find(|known| known.element.name == node.name);
        let Some(known) = known else { continue };
        let before = reporter.mistakes();
        let values = read_element(reporter, node, label, known.element);
        if reporter.mistakes() > before {
            continue;
        }
        match read_one(reporter, node, &values) {
            Ok(operator) => operators.extend(operator),
            Err(message) => {
                reporter.error(node.offset, &values.label, None, Problem::new(message));
            }
        }
    }
    operators
}

/// Whether an element holds operators.
pub(super) fn has_operators(parent: &Node) -> bool {
    let is_one = |node: &Node| {
        OPERATORS
            .iter()
            .any(|known| known.element.name == node.name)
    };
    parent.children.iter().any(is_one)
}

fn read_one(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
) -> Result<Option<Arc<dyn Deformation>>, String> {
    let said = |error: DeformError| error.to_string();
    let frame = || {
        let side = values.optional_vector("towards").unwrap_or_default();
        let range = [values.number("from"), values.number("to")];
        let frame = AxisFrame::new(values.vector("c"), values.vector("axis"), side, range);
        frame.map_err(said)
    };
    let angle = || values.number("angle").to_radians();
    let factor = || values.number("factor");
    Ok(match node.name.as_str() {
        "Taper" => Some(Arc::new(Taper::new(frame()?, factor()).map_err(said)?)),
        "Twist" => Some(Arc::new(Twist::new(frame()?, angle()).map_err(said)?)),
        "Bend" => Some(Arc::new(Bend::new(frame()?, angle()).map_err(said)?)),
        "Stretch" => {
            let rotation = rotation_of(values.vector("rotation"));
            let (factors, shift) = (values.vector("scale"), values.vector("shift"));
            let stretch = Stretch::new(values.vector("c"), factors, rotation, shift);
            Some(Arc::new(stretch.map_err(said)?))
        }
        _ => read_lattice(reporter, node, values)?.map(|lattice| Arc::new(lattice) as _),
    })
}

fn read_lattice(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
) -> Result<Option<Lattice>, String> {
    let before = reporter.mistakes();
    let counts = values.indices("points").unwrap_or_default();
    let &[l, m, n] = counts else {
        return Err("expected `points` along x, y and z, such as \"[4, 4, 4]\"".to_owned());
    };
    let total: u64 = [l, m, n].iter().map(|&count| u64::from(count)).product();
    if total > MOST_CONTROL_POINTS {
        return Err(format!(
            "a lattice has at most {MOST_CONTROL_POINTS} control points, found {total}"
        ));
    }
    let corners = values.matrix("box").unwrap_or_default();
    let [low, high] = [0, 1].map(|n| DVec3::from_slice(&corners[n]));
    let size = high - low;
    let edges = [size.x * DVec3::X, size.y * DVec3::Y, size.z * DVec3::Z];
    let basis = match values.word("basis") {
        Some("BSpline") => LatticeBasis::BSpline {
            degree: values.count("degree") as usize,
        },
        _ => LatticeBasis::Bernstein,
    };
    let counts = [l, m, n].map(|count| count as usize);
    let lattice = Lattice::in_box(low, edges, counts, basis);
    let mut lattice = lattice.map_err(|error| error.to_string())?;
    for child in node.all(CONTROL.name) {
        let values = read_element(reporter, child, &values.label, &CONTROL);
        let index = values.indices("index").unwrap_or_default();
        let index: Vec<usize> = index.iter().map(|&i| i as usize).collect();
        let fits = index.len() == 3 && index.iter().zip(counts).all(|(&i, count)| i < count);
        if !fits && values.is_given("index") {
            let last = counts.map(|count| count - 1);
            let problem = Problem::new(format!(
                "expected three indices from [0, 0, 0] to {last:?}, found {index:?}"
            ));
            values.wrong(reporter, "index", problem);
        } else if let (&[i, j, k], Some(by)) = (&index[..], values.optional_vector("by")) {
            lattice.displacements_mut()[i + counts[0] * (j + counts[1] * k)] += by;
        }
    }
    let mut moves = Vec::new();
    for child in node.all(MOVE.name) {
        let values = read_element(reporter, child, &values.label, &MOVE);
        let [point, to] = ["point", "to"].map(|name| values.optional_vector(name));
        moves.extend(point.zip(to).map(|(point, to)| [point, to]));
    }
    if reporter.mistakes() > before {
        return Ok(None);
    }
    lattice
        .move_points(&moves)
        .map_err(|error| error.to_string())?;
    Ok(Some(lattice))
}

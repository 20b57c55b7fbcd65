//! Parts of bodies that are named by a box, a block of particles or a region of a mesh.

use super::attributes::Values;
use super::bindings::Nodes;
use super::particles::read_particle_index;
use crate::diagnostics::{Problem, Reporter};
use crate::scene::Part;
use glam::DVec3;

/// The ways to name nodes, each by the attribute that says so.
const WAYS: [&str; 5] = ["particle", "near", "from", "box", "region"];

/// The part that `box`, `from` and `to`, or `region` name; what does not fit is reported.
pub(super) fn read_part(
    reporter: &mut Reporter,
    values: &Values<'_>,
    nodes: Nodes<'_>,
) -> Option<Part> {
    let given: Vec<&str> = WAYS
        .into_iter()
        .filter(|way| values.is_given(way))
        .collect();
    if let [first, second, ..] = given.as_slice() {
        let problem = Problem::new(format!("nodes are named by `{first}` already"))
            .with_hint("keep one of the two");
        values.wrong(reporter, second, problem);
        return None;
    }
    for (name, other) in [("from", "to"), ("to", "from")] {
        if values.is_given(name) && !values.is_given(other) {
            let problem = Problem::new(format!("`{name}` needs `{other}`"))
                .with_hint("both particles belong to the block");
            values.wrong(reporter, name, problem);
            return None;
        }
    }
    if let Some(corners) = values.matrix("box") {
        let corner = |row: &Vec<f64>| DVec3::new(row[0], row[1], row[2]);
        let [low, high] = [corner(corners.first()?), corner(corners.get(1)?)];
        return Some(Part::Box { low, high });
    }
    match nodes {
        Nodes::Grid(grid) => {
            if values.is_given("region") {
                let problem = Problem::new("only meshes have regions")
                    .with_hint("write from=\"[…]\" and to=\"[…]\", or a box");
                values.wrong(reporter, "region", problem);
            }
            let from = read_particle_index(reporter, values, "from", grid)?;
            let to = read_particle_index(reporter, values, "to", grid)?;
            if (0..3).any(|d| from[d] > to[d]) {
                let problem = Problem::new("`to` lies before `from`, so that the block is empty")
                    .with_hint("give the lowest indices in `from` and the highest in `to`");
                values.wrong(reporter, "to", problem);
            }
            Some(Part::Particles { from, to })
        }
        Nodes::Mesh => {
            if values.is_given("from") {
                let problem = Problem::new("the nodes of a mesh have no grid coordinates")
                    .with_hint("write box=\"[[x, y, z], [x, y, z]]\"");
                values.wrong(reporter, "from", problem);
            }
            let region = values.optional_count("region")?;
            Some(Part::Region(region as i32))
        }
    }
}

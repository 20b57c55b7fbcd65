//! Numbers at the nodes that show how a body is strained.
//!
//! ```text
//! strain   (|e| - |e⁰|) / |e⁰|        of the edge at the node that is stretched or squeezed most
//! stress   w (|e|² - |e⁰|²) / h²       of the same edge: tension times change of metric
//! ```
//!
//! Over a mesh: the strain alone, the temperature and the accumulated plastic strain.
//!
//! They are measures for the eye: the sign says whether the material is pulled or pressed. Links
//! that are torn or melted count for nothing.

use super::{Body, BodyDescription};
use crate::fem::MeshSettings;
use crate::frame::NodalField;
use crate::inelastic::Inelasticity;
use glam::DVec3;

/// Strain and stress at the nodes of a body, and its temperature if it conducts heat.
pub fn nodal_fields(body: &Body) -> Vec<NodalField> {
    let description = body.description();
    if let Some(settings) = &description.mesh {
        return mesh_fields(body, settings);
    }
    let (grid, rest) = (&description.grid, &description.rest_positions);
    let positions = &body.state.positions;
    let mut strains = vec![0.0_f64; body.node_count()];
    let mut stresses = vec![0.0_f64; body.node_count()];
    for coordinates in grid.nodes() {
        let node = grid.index(coordinates);
        for direction in 0..grid.dimension() {
            let mut step = [0; 3];
            step[direction] = 1;
            let Some(end) = grid.neighbour(coordinates, step) else {
                continue;
            };
            let squared = |x: &[DVec3]| (x[end] - x[node]).length_squared();
            let (now, before) = (squared(positions), squared(rest));
            let is_broken = |own: &Inelasticity| own.is_broken(node, direction);
            if before == 0.0 || body.inelastic.as_deref().is_some_and(is_broken) {
                continue;
            }
            let strain = (now / before).sqrt() - 1.0;
            let h = grid.spacing(direction);
            let tension = |n| description.weights.tension(n, direction, direction);
            let stress = 0.5 * (tension(node) + tension(end)) * (now - before) / (h * h);
            for n in [node, end] {
                if strain.abs() > strains[n].abs() {
                    (strains[n], stresses[n]) = (strain, stress);
                }
            }
        }
    }
    let mut fields = vec![
        NodalField {
            name: "strain",
            unit: "",
            values: strains,
        },
        NodalField {
            name: "stress",
            unit: "N",
            values: stresses,
        },
    ];
    if description.heat().is_some()
        && let Some(inelastic) = &body.inelastic
    {
        fields.push(NodalField {
            name: "temperature",
            unit: "K",
            values: inelastic.thermal.temperatures.clone(),
        });
    }
    fields
}

/// The change of length of the edge at each node that is stretched or squeezed most.
fn mesh_fields(body: &Body, settings: &MeshSettings) -> Vec<NodalField> {
    let (rest, positions) = (&body.description().rest_positions, &body.state.positions);
    let mut strains = vec![0.0_f64; positions.len()];
    for edge in settings.edges() {
        let [a, b] = edge.map(|node| node as usize);
        let length = (rest[b] - rest[a]).length();
        if length == 0.0 {
            continue;
        }
        let strain = (positions[b] - positions[a]).length() / length - 1.0;
        for node in [a, b] {
            if strain.abs() > strains[node].abs() {
                strains[node] = strain;
            }
        }
    }
    let mut fields = vec![NodalField {
        name: "strain",
        unit: "",
        values: strains,
    }];
    if !body.temperatures().is_empty() {
        fields.push(NodalField {
            name: "temperature",
            unit: "K",
            values: body.temperatures().to_vec(),
        });
    }
    let inelastic = body.mesh_inelastic.as_ref();
    if let Some(values) = inelastic.and_then(|own| own.nodal_plastic_strains(body.description())) {
        fields.push(NodalField {
            name: "plastic strain",
            unit: "",
            values,
        });
    }
    fields
}

/// Mean length of the edges of a body at rest, in metres.
pub(crate) fn mean_spacing(description: &BodyDescription) -> f64 {
    let (grid, rest) = (&description.grid, &description.rest_positions);
    let (mut sum, mut count) = (0.0, 0_usize);
    for edge in description.mesh.iter().flat_map(|mesh| mesh.edges()) {
        sum += (rest[edge[1] as usize] - rest[edge[0] as usize]).length();
        count += 1;
    }
    for coordinates in grid.nodes() {
        for step in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            if let Some(end) = grid.neighbour(coordinates, step) {
                sum += (rest[end] - rest[grid.index(coordinates)]).length();
                count += 1;
            }
        }
    }
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::Weights;
    use crate::{BodyDescription, Grid};

    #[test]
    fn a_stretched_rope_shows_its_strain() {
        let grid = Grid::new(&[3], &[false]);
        let h = grid.spacing(0);
        let rest = vec![DVec3::ZERO, h * DVec3::X, 2.0 * h * DVec3::X];
        let rope = BodyDescription::new("rope", grid, rest, Weights::uniform(3, 7.0, 0.0, 0.0));
        let mut body = Body::new(rope).unwrap();
        body.state.positions[2].x += 0.5 * h;
        let fields = nodal_fields(&body);
        assert_eq!(fields[0].name, "strain");
        for (found, expected) in fields[0].values.iter().zip([0.0, 0.5, 0.5]) {
            assert!((found - expected).abs() < 1e-14);
        }
        assert!((fields[1].values[2] - 7.0 * (1.5 * 1.5 - 1.0)).abs() < 1e-12);
    }
}

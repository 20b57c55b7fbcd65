//! Numbers at the nodes that show how a body is strained, from its edges alone.
//!
//! ```text
//! strain   (|e| - |e⁰|) / |e⁰|        of the edge at the node that is stretched or squeezed most
//! ```
//!
//! They are measures for the eye: the sign says whether the material is pulled or pressed.

use super::Body;
use crate::frame::NodalField;

/// Strain at the nodes of a body, and its temperature if it conducts heat.
pub fn edge_fields(body: &Body) -> Vec<NodalField> {
    let description = body.description();
    let (rest, positions) = (&description.rest_positions, &body.state.positions);
    let mut strains = vec![0.0_f64; positions.len()];
    body.formulation().edges(description, &mut |a, b| {
        let length = (rest[b] - rest[a]).length();
        if length == 0.0 {
            return;
        }
        let strain = (positions[b] - positions[a]).length() / length - 1.0;
        for node in [a, b] {
            if strain.abs() > strains[node].abs() {
                strains[node] = strain;
            }
        }
    });
    let mut fields = vec![NodalField {
        name: "strain",
        unit: "",
        values: strains,
    }];
    fields.extend(temperature_field(body));
    fields
}

/// The temperature of a body that conducts heat.
pub fn temperature_field(body: &Body) -> Option<NodalField> {
    (!body.temperatures().is_empty()).then(|| NodalField {
        name: "temperature",
        unit: "K",
        values: body.temperatures().to_vec(),
    })
}

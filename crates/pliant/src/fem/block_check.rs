//! Whether a block of elements fits the nodes it is used with.

use super::FemError;
use crate::mesh::{ElementBlock, ElementKind, MeshError};
use glam::DVec3;

/// Fails if an element names a node that does not exist or names one twice, if the length of the
/// block does not fit its kind, or if a position is not finite.
pub(super) fn check_nodes(block: &ElementBlock, positions: &[DVec3]) -> Result<(), FemError> {
    let node_count = positions.len();
    if block.nodes.len() != block.kind.node_count() * block.len() {
        return Err(MeshError::WrongLength {
            nodes: block.nodes.len(),
            regions: block.regions.len(),
        }
        .into());
    }
    if let Some(node) = positions.iter().position(|x| !x.is_finite()) {
        return Err(MeshError::NotFinite { node }.into());
    }
    for (element, nodes) in block.elements().enumerate() {
        for (place, &node) in nodes.iter().enumerate() {
            if node as usize >= node_count {
                return Err(MeshError::NoSuchNode {
                    element,
                    node,
                    node_count,
                }
                .into());
            }
            if nodes[..place].contains(&node) {
                return Err(MeshError::NodeTwice { element, node }.into());
            }
        }
    }
    Ok(())
}

/// As [`check_nodes`], and fails if the elements are of another kind.
pub(super) fn check_block(
    block: &ElementBlock,
    positions: &[DVec3],
    kind: ElementKind,
    energy: &'static str,
    expected: &'static str,
) -> Result<(), FemError> {
    if block.kind != kind {
        return Err(FemError::WrongKind {
            energy,
            expected,
            given: block.kind,
        });
    }
    check_nodes(block, positions)
}

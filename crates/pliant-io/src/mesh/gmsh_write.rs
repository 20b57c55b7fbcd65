//! Meshes out, as Gmsh 2.2 text: what Gmsh, meshio and nearly every mesh program reads.

use super::gmsh_kinds::{number_of, vtk_place};
use crate::{AtomicFile, IoError};
use pliant::mesh::{ElementMesh, MeshError};
use std::fmt::Write;
use std::path::Path;

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
pub enum MeshWriteError {
    /// The mesh makes no sense.
    #[error("the mesh cannot be written: {0}")]
    Inconsistent(#[from] MeshError),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] IoError),
}

/// Writes a mesh as Gmsh 2.2 text. The region of an element becomes its physical group and its
/// entity. Numbers are written such that they are read as they were, bit for bit.
///
/// ```no_run
/// use glam::DVec3;
/// use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
/// let mesh = ElementMesh {
///     positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     blocks: vec![ElementBlock::new(ElementKind::Tetrahedron4, vec![0, 1, 2, 3])],
/// };
/// pliant_io::mesh::write_gmsh(&mesh, "one.msh".as_ref())?;
/// # Ok::<(), pliant_io::mesh::MeshWriteError>(())
/// ```
pub fn write_gmsh(mesh: &ElementMesh, path: &Path) -> Result<(), MeshWriteError> {
    mesh.check()?;
    Ok(AtomicFile::save(path, text(mesh).as_bytes())?)
}

/// The text of the file, for a mesh that makes sense.
fn text(mesh: &ElementMesh) -> String {
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n".to_string();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", mesh.positions.len());
    for (number, x) in (1..).zip(&mesh.positions) {
        let _ = writeln!(text, "{number} {:?} {:?} {:?}", x.x, x.y, x.z);
    }
    let counts = mesh.blocks.iter().map(|block| block.len());
    let count: usize = counts.sum();
    let _ = writeln!(text, "$EndNodes\n$Elements\n{count}");
    let mut number = 0;
    for block in &mesh.blocks {
        let kind = number_of(block.kind);
        for (nodes, region) in block.elements().zip(&block.regions) {
            number += 1;
            let _ = write!(text, "{number} {kind} 2 {region} {region}");
            for place in 0..nodes.len() {
                let node = nodes[vtk_place(block.kind, place)];
                let _ = write!(text, " {}", u64::from(node) + 1);
            }
            text.push('\n');
        }
    }
    text.push_str("$EndElements\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{MeshFormat, parse_mesh, read_mesh};

    #[test]
    fn what_is_written_is_read_again() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
        let names = [
            "gmsh_41_all.msh",
            "brick20_41.msh",
            "quad9.msh",
            "triangle6.msh",
            "quad4.msh",
            "vtk.obj",
            "tetgen_one.1.ele",
        ];
        for name in names {
            let mesh = read_mesh(&folder.join(name)).unwrap();
            let again = parse_mesh(text(&mesh).as_bytes(), MeshFormat::Gmsh).unwrap();
            assert_eq!(again, mesh, "{name}");
        }
    }

    #[test]
    fn a_mesh_without_elements_is_refused() {
        let error = write_gmsh(&ElementMesh::default(), Path::new("never.msh")).unwrap_err();
        assert!(matches!(
            error,
            MeshWriteError::Inconsistent(MeshError::Empty)
        ));
    }
}

//! The elements of a mesh: from a file, or made of a shape.

use super::mesh_cells::cells;
use super::mesh_surface::{load, solid_surface};
use crate::scene::{Elements, Mesh, MeshSource, Model, Placement};
use glam::{DQuat, DVec3};
use pliant::frame::TriangleMesh;
use pliant::mesh::{
    ElementBlock, ElementKind, ElementMesh, MeshMakeError, Solid, compact, element_twice, elevated,
    fill, fill_surface, orient_tetrahedra, rectangle, skin,
};
use pliant_io::Assets;

/// What is wrong with a mesh, and what to do.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Fault {
    pub(super) fn new(message: impl ToString) -> Self {
        Self {
            message: message.to_string(),
            hint: None,
        }
    }

    pub(super) fn with_hint(mut self, hint: impl ToString) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl From<MeshMakeError> for Fault {
    fn from(error: MeshMakeError) -> Self {
        Self::new(error)
    }
}

/// A mesh in its place, and the surface that was filled, if it was one from a file.
pub(super) struct Made {
    pub(super) mesh: ElementMesh,
    pub(super) surface: Option<TriangleMesh>,
}

/// The mesh of a body.
pub(super) fn make(mesh: &Mesh, model: Model, assets: &dyn Assets) -> Result<Made, Fault> {
    let scale = mesh.placement.scale;
    let mut made = match &mesh.source {
        MeshSource::File {
            path,
            resolution,
            repair,
        } => from_file(mesh, model, &load(assets, path)?, *resolution, *repair)?,
        MeshSource::Filled { solid, resolution } => Made {
            mesh: filled(&scaled(solid, scale), model, *resolution)?,
            surface: None,
        },
        MeshSource::Cells { solid, counts } => {
            solid.check()?;
            let bricks = mesh.elements == Some(Elements::Brick20);
            let mut mesh = cells(solid, counts, bricks)?;
            stretch(&mut mesh.positions, scale);
            Made {
                mesh,
                surface: None,
            }
        }
        MeshSource::Rectangle {
            centre,
            size,
            counts,
        } => {
            let kind = kind_of(mesh.elements.unwrap_or(Elements::Triangle3));
            let mut mesh = rectangle(kind, *counts, *size)?;
            let shift = *centre - 0.5 * DVec3::new(size[0], size[1], 0.0);
            for position in &mut mesh.positions {
                *position = (*position + shift) * scale;
            }
            Made {
                mesh,
                surface: None,
            }
        }
    };
    if mesh.elements == Some(Elements::Tetrahedron10) {
        // Those of a file that has some are as they are.
        made.mesh = elevated(&made.mesh);
    }
    settle(&mut made.mesh.positions, &mesh.placement);
    if let Some(surface) = &mut made.surface {
        settle(&mut surface.positions, &mesh.placement);
    }
    Ok(made)
}

/// A shape that is scaled before it is meshed, so that the spacing is that of the scene.
pub(super) fn scaled(solid: &Solid, scale: DVec3) -> Solid {
    if scale == DVec3::ONE {
        return solid.clone();
    }
    Solid::Transform {
        solid: Box::new(solid.clone()),
        scale,
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    }
}

pub(super) fn stretch(positions: &mut [DVec3], scale: DVec3) {
    for position in positions {
        *position *= scale;
    }
}

/// Turns and moves what is already scaled.
pub(super) fn settle(positions: &mut [DVec3], placement: &Placement) {
    for position in positions {
        *position = placement.rotation * *position + placement.position;
    }
}

fn filled(solid: &Solid, model: Model, resolution: f64) -> Result<ElementMesh, Fault> {
    solid.check()?;
    if model == Model::Solid {
        return Ok(fill(solid, resolution)?);
    }
    Ok(of_triangles(skin(solid, resolution)?))
}

fn of_triangles(surface: TriangleMesh) -> ElementMesh {
    let nodes = surface.triangles.into_iter().flatten().collect();
    ElementMesh {
        positions: surface.positions,
        blocks: vec![ElementBlock::new(ElementKind::Triangle3, nodes)],
    }
}

fn kind_of(elements: Elements) -> ElementKind {
    match elements {
        Elements::Tetrahedron4 => ElementKind::Tetrahedron4,
        Elements::Tetrahedron10 => ElementKind::Tetrahedron10,
        Elements::Brick20 => ElementKind::Brick20,
        Elements::Triangle3 => ElementKind::Triangle3,
        Elements::Triangle6 => ElementKind::Triangle6,
        Elements::Quad4 => ElementKind::Quad4,
        Elements::Quad9 => ElementKind::Quad9,
    }
}

fn from_file(
    wanted: &Mesh,
    model: Model,
    read: &ElementMesh,
    resolution: Option<f64>,
    repair: bool,
) -> Result<Made, Fault> {
    let mut mesh = read.clone();
    stretch(&mut mesh.positions, wanted.placement.scale);
    let all = match model {
        Model::Solid => &[
            Elements::Tetrahedron4,
            Elements::Tetrahedron10,
            Elements::Brick20,
        ][..],
        _ => &[
            Elements::Triangle3,
            Elements::Triangle6,
            Elements::Quad4,
            Elements::Quad9,
        ],
    };
    let found: Vec<Elements> = all
        .iter()
        .copied()
        .filter(|&kind| mesh.elements_of(kind_of(kind)) > 0)
        .collect();
    let names = || {
        let names: Vec<&str> = found.iter().map(|kind| kind.name()).collect();
        names.join(" and ")
    };
    let kind = match (wanted.elements, found.as_slice()) {
        (Some(kind), _) if found.contains(&kind) => kind,
        // Nodes are put into the middle of their edges.
        (Some(Elements::Tetrahedron10), _) if found.contains(&Elements::Tetrahedron4) => {
            Elements::Tetrahedron4
        }
        (None, &[kind]) => kind,
        (_, []) if model == Model::Solid => {
            let surface = solid_surface(&mesh, repair)?;
            return fill_file(surface, resolution);
        }
        (_, []) => return Err(Fault::new("the file has no faces")),
        (Some(kind), _) => {
            let message = format!(
                "the file has no elements of kind {}, only {}",
                kind.name(),
                names()
            );
            return Err(Fault::new(message));
        }
        (None, [first, ..]) => {
            let message = format!("the file has elements of the kinds {}", names());
            let hint = format!("choose one, such as elements=\"{}\"", first.name());
            return Err(Fault::new(message).with_hint(hint));
        }
    };
    mesh.blocks.retain(|block| block.kind == kind_of(kind));
    if let Some([first, second]) = element_twice(&mesh) {
        // Counted from one, as programs that make meshes do.
        let message = format!(
            "elements {} and {} of kind {} have the same nodes: the material would be there twice",
            first + 1,
            second + 1,
            kind.name()
        );
        return Err(Fault::new(message).with_hint("remove one of them from the file"));
    }
    compact(&mut mesh);
    orient_tetrahedra(&mut mesh);
    Ok(Made {
        mesh,
        surface: None,
    })
}

/// Fills the surface of a file.
fn fill_file(surface: TriangleMesh, resolution: Option<f64>) -> Result<Made, Fault> {
    let Some(resolution) = resolution else {
        let (low, high) = extent(&surface.positions);
        let advice = (high - low).max_element() / 15.0;
        let message = "the file holds a surface; a solid fills it with tetrahedra";
        let hint = format!("add resolution=\"{advice:.2}\", the spacing of the nodes in metres");
        return Err(Fault::new(message).with_hint(hint));
    };
    Ok(Made {
        mesh: fill_surface(&surface, resolution)?,
        surface: Some(surface),
    })
}

/// The lowest and highest corner of the box round some points.
pub(super) fn extent(positions: &[DVec3]) -> (DVec3, DVec3) {
    let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = positions.iter().copied();
    (low, high.fold(DVec3::NEG_INFINITY, DVec3::max))
}

//! Surfaces from files: those that are filled, and skins.

use super::mesh_source::{Fault, Made, scaled, settle, stretch};
use crate::scene::{Mesh, MeshSource, Skin, SkinSource};
use pliant::fem::MeshSurface;
use pliant::frame::TriangleMesh;
use pliant::mesh::{
    ElementKind, ElementMesh, RepairOptions, SurfaceReport, check_surface, repair, skin,
};
use pliant_io::Assets;
use pliant_io::mesh::read_mesh_from;
use std::path::Path;

/// Reads a mesh file that the scene names.
pub(super) fn load(assets: &dyn Assets, path: &str) -> Result<ElementMesh, Fault> {
    let found = assets.locate(path).map_err(|error| {
        let hint = "the path is relative to the scene file";
        Fault::new(format!("the mesh `{path}` {error}")).with_hint(hint)
    })?;
    read_mesh_from(assets, Path::new(&found)).map_err(Fault::new)
}

/// The triangles of a mesh as a surface that bounds a solid.
pub(super) fn solid_surface(mesh: &ElementMesh, mend: bool) -> Result<TriangleMesh, Fault> {
    let mut surface = triangles(mesh)?;
    if mend {
        repair(&mut surface, &RepairOptions::default());
    }
    let report = check_surface(&surface);
    if report.is_sound() {
        return Ok(surface);
    }
    let when = if mend {
        ", even after it was mended"
    } else {
        ""
    };
    let fault = fault_of(&report, when);
    Err(if report.is_closed() {
        // Which side is inside cannot be told where triangles pass through each other.
        fault
            .with_hint("unite the parts that pass through each other in the program that made them")
    } else if mend {
        fault
    } else {
        fault.with_hint("repair=\"Yes\" closes holes, welds vertices and turns triangles")
    })
}

fn triangles(mesh: &ElementMesh) -> Result<TriangleMesh, Fault> {
    let blocks = mesh.blocks.iter();
    let blocks = blocks.filter(|block| block.kind == ElementKind::Triangle3);
    let triangles: Vec<[u32; 3]> = blocks
        .flat_map(|block| block.nodes.as_chunks::<3>().0)
        .copied()
        .collect();
    if triangles.is_empty() {
        return Err(Fault::new("the file has neither tetrahedra nor triangles"));
    }
    Ok(TriangleMesh {
        positions: mesh.positions.clone(),
        triangles,
    })
}

fn fault_of(report: &SurfaceReport, when: &str) -> Fault {
    let first = report.faults.first().map(ToString::to_string);
    let kinds = [
        (report.open_edges, "open edges"),
        (report.crowded_edges, "edges of more than two triangles"),
        (
            report.turned_edges,
            "edges between triangles turned opposite ways",
        ),
        (report.without_area, "triangles without area"),
        (report.twice, "triangles twice"),
        (
            report.crossings,
            match report.crossings < SurfaceReport::MOST_CROSSINGS {
                true => "pairs of triangles that pass through each other",
                false => "pairs of triangles that pass through each other, and more",
            },
        ),
    ];
    let counts: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let all = match counts.is_empty() {
        true => String::new(),
        false => format!(" (in all {})", counts.join(", ")),
    };
    Fault::new(format!(
        "the surface does not bound a solid{when}: {}{all}",
        first.unwrap_or_default()
    ))
}

/// The fine surface that a mesh carries.
pub(super) fn embed(
    wanted: &Skin,
    mesh: &Mesh,
    made: &Made,
    assets: &dyn Assets,
) -> Result<MeshSurface, Fault> {
    let placement = &mesh.placement;
    let fine = match &wanted.source {
        SkinSource::File(path) => {
            let mut fine = triangles(&load(assets, path)?)?;
            stretch(&mut fine.positions, placement.scale);
            settle(&mut fine.positions, placement);
            fine
        }
        SkinSource::Filled => {
            let Some(surface) = &made.surface else {
                let message = "the file has tetrahedra, so there is no surface that was filled";
                return Err(Fault::new(message).with_hint("name one with file=\"…\""));
            };
            surface.clone()
        }
        SkinSource::Resolution(resolution) => {
            let (MeshSource::Filled { solid, .. } | MeshSource::Cells { solid, .. }) = &mesh.source
            else {
                return Err(Fault::new("there is no shape to take a skin from"));
            };
            let mut fine = skin(&scaled(solid, placement.scale), *resolution)?;
            settle(&mut fine.positions, placement);
            fine
        }
    };
    Ok(MeshSurface::embedded(&made.mesh, &fine)?)
}

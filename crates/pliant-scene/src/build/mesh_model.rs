//! What the elements of a mesh are made of.

use super::mesh_source::Fault;
use super::muscles::muscles;
use super::words;
use crate::scene::{Elastic, Place, STRAINS_OF_ELEMENTS, Strain, VertexRotation};
use glam::DVec3;
use pliant::fem::isoparametric;
use pliant::fem::{
    ActiveSurface, ClothModel, ElasticMaterial, ElementModel, MembraneStrain, MeshModel,
    RegionMaterials, RotationMethod, SolidModel, SolidStrain, SpringModel, StretchLimit,
};
use pliant::mesh::{ElementKind, ElementMesh, ImplicitShape};
use std::sync::Arc;

/// A model and whether its body keeps its momenta.
pub(super) struct Model {
    pub(super) model: Arc<dyn MeshModel>,
    pub(super) keeps_momentum: bool,
}

/// The model of a mesh. Zones become regions of the mesh.
pub(super) fn model_of(elastic: &Elastic, mesh: &mut ElementMesh) -> Result<Model, ZoneFault> {
    let kind = mesh.blocks.first().map(|block| block.kind);
    let is_tetrahedra = kind == Some(ElementKind::Tetrahedron4);
    let strain = elastic.strain.unwrap_or(match kind {
        Some(ElementKind::Tetrahedron4 | ElementKind::Triangle3) => Strain::Corotated,
        _ => Strain::Green,
    });
    let material = ElasticMaterial {
        young: elastic.young,
        poisson: elastic.poisson,
        density: elastic.density,
    };
    let membrane = match (kind, strain) {
        (Some(ElementKind::Triangle3), Strain::Corotated) => Some(MembraneStrain::Corotated),
        (Some(ElementKind::Triangle3), Strain::Green) => Some(MembraneStrain::Green),
        _ => None,
    };
    refuse_misplaced(elastic, strain, membrane.is_some())?;
    let is_solid = kind.is_some_and(|kind| kind.dimension() == 3);
    let isoparametric = match strain {
        Strain::Linear => Some(isoparametric::Strain::Linear),
        Strain::Green => Some(isoparametric::Strain::Green),
        Strain::Corotated if is_solid => Some(isoparametric::Strain::Corotated),
        Strain::NeoHookean if is_solid => Some(isoparametric::Strain::NeoHookean),
        Strain::SplitNeoHookean if is_solid => Some(isoparametric::Strain::SplitNeoHookean),
        _ => None,
    };
    let model: Arc<dyn MeshModel> = match (strain, isoparametric, membrane) {
        (Strain::Springs, ..) => Arc::new(SpringModel {
            materials: zones(elastic, material, mesh)?,
            angular: elastic.angular,
            muscles: muscles(elastic, mesh)?,
            section: elastic.thickness,
            limit: elastic
                .limit
                .map(|(elongation, factor)| StretchLimit { elongation, factor }),
            volume: elastic.volume,
            warped: elastic.rotation.map(method),
        }),
        (Strain::Active, ..) => Arc::new(ActiveSurface {
            tension: elastic.tension,
            rigidity: elastic.rigidity.unwrap_or(0.0),
            area_density: elastic.density * elastic.thickness,
        }),
        (_, _, Some(membrane)) => Arc::new(ClothModel {
            material,
            thickness: elastic.thickness,
            strain: membrane,
            rigidity: elastic.rigidity,
        }),
        _ if is_tetrahedra => Arc::new(SolidModel {
            strain: strain_of_tetrahedra(strain, elastic.rotation),
            materials: zones(elastic, material, mesh)?,
        }),
        (_, Some(strain), None) => Arc::new(ElementModel {
            materials: zones(elastic, material, mesh)?,
            strain,
            thickness: elastic.thickness,
        }),
        (_, None, None) => {
            let message = format!(
                "these elements do not have the strain \"{}\"",
                strain.name()
            );
            return Err(Fault::new(message).with_hint(STRAINS_OF_ELEMENTS).into());
        }
    };
    Ok(Model {
        model,
        keeps_momentum: elastic.momentum.unwrap_or(strain == Strain::Warped),
    })
}

/// Refuses what only other bodies have: rigidity of what is no cloth, zones of what has one material.
fn refuse_misplaced(elastic: &Elastic, strain: Strain, is_cloth: bool) -> Result<(), ZoneFault> {
    if elastic.rigidity.is_some() && !is_cloth && strain != Strain::Active {
        let fault = Fault::new(
            "only cloth has a `rigidity`: triangles of three nodes with the strain \"Corotated\" or \"Green\"",
        );
        return Err(fault.with_hint("remove it").into());
    }
    let misplaced = |place: &Place, element: &'static str, message: &str| ZoneFault {
        place: Some(place.clone()),
        element,
        fault: Fault::new(message).with_hint("remove it"),
    };
    if let Some(zone) = elastic.zones.first()
        && (is_cloth || strain == Strain::Active)
    {
        let message = if is_cloth {
            "cloth cannot have zones"
        } else {
            "an active surface cannot have zones"
        };
        return Err(misplaced(&zone.place, "<Zone>", message));
    }
    if let Some(muscle) = elastic.muscles.first()
        && strain != Strain::Springs
    {
        let message = "only the strain \"Springs\" has muscles";
        return Err(misplaced(&muscle.place, "<Muscle>", message));
    }
    Ok(())
}

fn method(rotation: VertexRotation) -> RotationMethod {
    match rotation {
        VertexRotation::Frames => RotationMethod::Frames,
        VertexRotation::Svd => RotationMethod::Svd,
    }
}

fn strain_of_tetrahedra(strain: Strain, rotation: Option<VertexRotation>) -> SolidStrain {
    match strain {
        Strain::Linear => SolidStrain::Linear,
        Strain::Green => SolidStrain::Green,
        Strain::NeoHookean => SolidStrain::NeoHookean,
        Strain::SplitNeoHookean => SolidStrain::SplitNeoHookean,
        Strain::Warped => SolidStrain::Warped(method(rotation.unwrap_or(VertexRotation::Svd))),
        Strain::Corotated | Strain::Springs | Strain::Active => SolidStrain::Corotated,
    }
}

/// A fault and the zone or muscle in which it is, if in one.
#[derive(Debug)]
pub(super) struct ZoneFault {
    pub(super) place: Option<Place>,
    /// The element of the place, as labels of faults have it.
    pub(super) element: &'static str,
    pub(super) fault: Fault,
}

impl From<Fault> for ZoneFault {
    fn from(fault: Fault) -> Self {
        Self {
            place: None,
            element: "",
            fault,
        }
    }
}

/// Gives the elements of each zone a region of their own.
fn zones(
    elastic: &Elastic,
    everywhere: ElasticMaterial,
    mesh: &mut ElementMesh,
) -> Result<RegionMaterials, ZoneFault> {
    let known = regions_of(mesh);
    let beyond = known.last().map_or(0, |last| last.saturating_add(1));
    let mut counts = vec![0_usize; elastic.zones.len()];
    let positions = &mesh.positions;
    let tolerance = tolerance(positions);
    for block in &mut mesh.blocks {
        let size = block.kind.node_count();
        let elements = block.nodes.chunks_exact(size).zip(&mut block.regions);
        for (nodes, region) in elements {
            let sum: DVec3 = nodes.iter().map(|&n| positions[n as usize]).sum();
            let middle = sum / size as f64;
            let mut zones = elastic.zones.iter();
            let found = zones.position(|zone| {
                zone.place.region == Some(*region) || holds(&zone.place, middle, tolerance)
            });
            if let Some(zone) = found {
                counts[zone] += 1;
                *region = beyond.saturating_add(zone as i32);
            }
        }
    }
    if let Some(empty) = counts.iter().position(|&count| count == 0) {
        return Err(ZoneFault {
            place: Some(elastic.zones[empty].place.clone()),
            element: "<Zone>",
            fault: nothing_there(&elastic.zones[empty].place, mesh, &known, "element"),
        });
    }
    let of_zones = elastic.zones.iter().enumerate().map(|(index, zone)| {
        let material = ElasticMaterial {
            young: zone.young.unwrap_or(everywhere.young),
            poisson: zone.poisson.unwrap_or(everywhere.poisson),
            density: zone.density.unwrap_or(everywhere.density),
        };
        (beyond.saturating_add(index as i32), material)
    });
    Ok(RegionMaterials {
        everywhere,
        regions: of_zones.collect(),
    })
}

/// The numbers of the regions of a mesh, in order.
pub(super) fn regions_of(mesh: &ElementMesh) -> Vec<i32> {
    let mut regions: Vec<i32> = mesh
        .blocks
        .iter()
        .flat_map(|block| &block.regions)
        .copied()
        .collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// How far from a shape a point still counts as in it, in metres: rounding.
pub(super) fn tolerance(positions: &[DVec3]) -> f64 {
    let (low, high) = super::mesh_source::extent(positions);
    1e-9 * (high - low).length()
}

pub(super) fn holds(place: &Place, point: DVec3, tolerance: f64) -> bool {
    let mut solids = place.solids.iter();
    solids.any(|solid| solid.value(point) <= tolerance)
}

/// The nodes that a place selects.
pub(super) fn select(place: &Place, mesh: &ElementMesh) -> Result<Vec<u32>, Fault> {
    let mut selected = vec![false; mesh.positions.len()];
    if let Some(wanted) = place.region {
        for block in &mesh.blocks {
            let elements = block.elements().zip(&block.regions);
            for (nodes, _) in elements.filter(|(_, region)| **region == wanted) {
                for &node in nodes {
                    selected[node as usize] = true;
                }
            }
        }
    }
    let tolerance = tolerance(&mesh.positions);
    for (selected, position) in selected.iter_mut().zip(&mesh.positions) {
        *selected |= holds(place, *position, tolerance);
    }
    let nodes = (0_u32..).zip(selected);
    let nodes: Vec<u32> = nodes.filter_map(|(node, is)| is.then_some(node)).collect();
    if nodes.is_empty() {
        return Err(nothing_there(place, mesh, &regions_of(mesh), "node"));
    }
    Ok(nodes)
}

pub(super) fn nothing_there(
    place: &Place,
    mesh: &ElementMesh,
    regions: &[i32],
    what: &str,
) -> Fault {
    if let Some(region) = place.region {
        let known: Vec<String> = regions.iter().take(12).map(i32::to_string).collect();
        return Fault::new(format!("no {what} of the mesh belongs to region {region}"))
            .with_hint(format!("known regions: {}", known.join(", ")));
    }
    let (low, high) = super::mesh_source::extent(&mesh.positions);
    let [low, high] = [low, high].map(words::place);
    Fault::new(format!(
        "no {what} of the mesh lies in it; the mesh reaches from {low} to {high}"
    ))
    .with_hint("coordinates are those of the scene, where the mesh is at rest")
}

//! The geometry in a `.usda`: meshes, curves and points of one body.

use crate::IoError;
use crate::look::linear_color;
use crate::loose::loose_nodes;
use crate::names::{UniqueNames, identifier};
use crate::polylines::polylines;
use crate::seam::Seams;
use crate::spool::Spool;
use crate::timeline::{Actor, Sample};
use crate::usda_text::{UsdText, integers, numbers, tuples};
use pliant::frame::Topology;
use std::sync::Arc;

/// The nodes that the points of a prim are, in order; `None` for all nodes.
type Nodes = Option<Vec<u32>>;

/// A prim whose points follow some nodes of a body.
struct PointBased<'a> {
    actor: &'a Actor,
    /// The nodes at each sample, shared by samples of the same topology.
    nodes: Vec<Arc<Nodes>>,
    /// What the points are wide, in metres; zero for meshes.
    width: f64,
}

/// Writes the triangles of a body, if it ever has any.
pub(crate) fn write_surface(
    text: &mut UsdText,
    spool: &mut Spool,
    actor: &Actor,
) -> Result<(), IoError> {
    let topologies = actor.topologies();
    if topologies
        .iter()
        .all(|topology| topology.triangles.is_empty())
    {
        return Ok(());
    }
    text.open(
        "def Mesh \"surface\"",
        &["prepend apiSchemas = [\"MaterialBindingAPI\"]"],
    )?;
    text.line("uniform bool doubleSided = true")?;
    text.line("uniform token orientation = \"rightHanded\"")?;
    text.line("uniform token subdivisionScheme = \"none\"")?;
    write_look(text, actor)?;
    let changes = changes(actor);
    let triangles = |place: usize| &topologies[place].triangles;
    text.attribute("int[] faceVertexCounts", None, &changes, |place| {
        Ok(integers(triangles(place).iter().map(|_| 3)))
    })?;
    text.attribute("int[] faceVertexIndices", None, &changes, |place| {
        Ok(integers(triangles(place).iter().copied().flatten()))
    })?;
    write_texture_coordinates(text, &topologies, &changes)?;
    let all_nodes = Arc::new(None);
    let prim = PointBased {
        actor,
        nodes: vec![all_nodes; actor.samples.len()],
        width: 0.0,
    };
    prim.write(text, spool)?;
    text.close()
}

/// Writes the lines of a body, if it ever has any.
pub(crate) fn write_curves(
    text: &mut UsdText,
    spool: &mut Spool,
    actor: &Actor,
) -> Result<(), IoError> {
    let topologies = actor.topologies();
    if topologies.iter().all(|topology| topology.lines.is_empty()) {
        return Ok(());
    }
    let lines: Vec<Vec<Vec<u32>>> = topologies
        .iter()
        .map(|topology| polylines(&topology.lines))
        .collect();
    text.open(
        "def BasisCurves \"curves\"",
        &["prepend apiSchemas = [\"MaterialBindingAPI\"]"],
    )?;
    text.line("uniform token type = \"linear\"")?;
    text.line("uniform token wrap = \"nonperiodic\"")?;
    write_look(text, actor)?;
    let changes = changes(actor);
    text.attribute("int[] curveVertexCounts", None, &changes, |place| {
        Ok(integers(lines[place].iter().map(|line| line.len() as u32)))
    })?;
    // Curves have no thickness of their own: half the distance of their nodes looks like a rope.
    let width = actor.particle_radius;
    text.attribute("float[] widths", Some("constant"), &[0], |_| {
        Ok(numbers([width as f32]))
    })?;
    let nodes = lines.iter().map(|lines| Some(lines.concat()));
    let prim = PointBased {
        actor,
        nodes: at_samples(actor, nodes.collect()),
        width,
    };
    prim.write(text, spool)?;
    text.close()
}

/// Writes the loose particles of a body, if it ever has any.
pub(crate) fn write_particles(
    text: &mut UsdText,
    spool: &mut Spool,
    actor: &Actor,
) -> Result<(), IoError> {
    let count = actor.samples.first().map_or(0, Sample::node_count);
    let loose: Vec<Vec<u32>> = actor
        .topologies()
        .iter()
        .map(|topology| loose_nodes(topology, count))
        .collect();
    if loose.iter().all(|nodes| nodes.is_empty()) {
        return Ok(());
    }
    text.open(
        "def Points \"particles\"",
        &["prepend apiSchemas = [\"MaterialBindingAPI\"]"],
    )?;
    write_look(text, actor)?;
    let changes = changes(actor);
    text.attribute("int64[] ids", None, &changes, |place| {
        Ok(integers(loose[place].iter().copied()))
    })?;
    // One width a point: Pixar's library does not compute the extent of points otherwise.
    let width = 2.0 * actor.particle_radius;
    text.attribute("float[] widths", Some("vertex"), &changes, |place| {
        Ok(numbers(loose[place].iter().map(|_| width as f32)))
    })?;
    let prim = PointBased {
        actor,
        nodes: at_samples(actor, loose.into_iter().map(Some).collect()),
        width,
    };
    prim.write(text, spool)?;
    text.close()
}

/// Places of the frames at which the connections change, the first of all included.
fn changes(actor: &Actor) -> Vec<usize> {
    let same = |a: &Sample, b: &Sample| Arc::ptr_eq(&a.topology, &b.topology);
    actor
        .samples
        .chunk_by(same)
        .map(|chunk| chunk[0].frame)
        .collect()
}

/// What belongs to each topology, at each sample.
fn at_samples(actor: &Actor, of_topology: Vec<Nodes>) -> Vec<Arc<Nodes>> {
    let same = |a: &Sample, b: &Sample| Arc::ptr_eq(&a.topology, &b.topology);
    actor
        .samples
        .chunk_by(same)
        .zip(of_topology)
        .flat_map(|(chunk, nodes)| {
            let shared = Arc::new(nodes);
            vec![shared; chunk.len()]
        })
        .collect()
}

fn write_look(text: &mut UsdText, actor: &Actor) -> Result<(), IoError> {
    let material = text.material.clone();
    text.line(&format!("rel material:binding = <{material}>"))?;
    let color = linear_color(&actor.appearance, actor.shown_image().is_some());
    text.attribute(
        "color3f[] primvars:displayColor",
        Some("constant"),
        &[0],
        |_| Ok(tuples([color])),
    )
}

/// Texture coordinates at the nodes, or at the corners of faces if the body has a seam.
fn write_texture_coordinates(
    text: &mut UsdText,
    topologies: &[&Arc<Topology>],
    changes: &[usize],
) -> Result<(), IoError> {
    let Some(seams) = topologies
        .iter()
        .map(|topology| Seams::new(topology))
        .collect::<Option<Vec<Seams>>>()
    else {
        return Ok(());
    };
    let corners = |place: usize| {
        let (seams, topology) = (&seams[place], &topologies[place]);
        topology.triangles.iter().flat_map(move |&triangle| {
            let shifts = seams.shifts(triangle);
            std::array::from_fn::<_, 3, _>(|corner| (triangle[corner], shifts[corner]))
        })
    };
    let single = |[u, v]: [f64; 2]| [u as f32, v as f32];
    let has_seam =
        (0..seams.len()).any(|place| corners(place).any(|(_, shift)| shift != [false; 2]));
    let declaration = "texCoord2f[] primvars:st";
    if has_seam {
        return text.attribute(declaration, Some("faceVarying"), changes, |place| {
            let texture = |(node, shift)| single(seams[place].texture(node, shift));
            Ok(tuples(corners(place).map(texture)))
        });
    }
    // A body that tears keeps its nodes, and so their coordinates.
    let count = topologies[0].material_coordinates.len() as u32;
    text.attribute(declaration, Some("vertex"), &[0], |_| {
        Ok(tuples(
            (0..count).map(|node| single(seams[0].texture(node, [false; 2]))),
        ))
    })
}

impl PointBased<'_> {
    /// Writes points, extent, widths, velocities and fields.
    fn write(&self, text: &mut UsdText, spool: &mut Spool) -> Result<(), IoError> {
        let moving = self.moving_samples();
        let frames = |places: &[usize]| -> Vec<usize> {
            let frame = |&place: &usize| self.actor.samples[place].frame;
            places.iter().map(frame).collect()
        };
        let mut extents = Vec::new();
        let reach = 0.5 * self.width as f32;
        text.attribute("point3f[] points", None, &frames(&moving), |place| {
            let sample = moving[place];
            let block = self.actor.samples[sample].positions;
            let points = self.pick(sample, spool.vectors(block)?);
            extents.push(extent(&points, reach));
            Ok(tuples(points))
        })?;
        text.attribute("float3[] extent", None, &frames(&moving), |place| {
            Ok(tuples(extents[place]))
        })?;
        let samples = &self.actor.samples;
        let with_velocities: Vec<usize> = (0..samples.len())
            .filter(|&sample| samples[sample].velocities.is_some())
            .collect();
        if !with_velocities.is_empty() {
            let places = frames(&with_velocities);
            text.attribute("vector3f[] velocities", None, &places, |place| {
                let sample = with_velocities[place];
                let values = match samples[sample].velocities {
                    Some(block) => spool.vectors(block)?,
                    None => Vec::new(),
                };
                Ok(tuples(self.pick(sample, values)))
            })?;
        }
        let mut names = UniqueNames::default();
        for reserved in ["st", "displayColor"] {
            names.give(reserved);
        }
        for (index, name) in self.actor.field_names.iter().enumerate() {
            let blocks: Vec<_> = (0..samples.len())
                .filter_map(|sample| Some((sample, (*samples[sample].fields.get(index)?)?)))
                .collect();
            let places: Vec<usize> = blocks.iter().map(|(sample, _)| *sample).collect();
            let declaration = format!("float[] primvars:{}", names.give(&identifier(name)));
            text.attribute(&declaration, Some("vertex"), &frames(&places), |place| {
                let (sample, block) = blocks[place];
                Ok(numbers(self.pick(sample, spool.numbers(block)?)))
            })?;
        }
        Ok(())
    }

    /// The samples that tell all about the motion. Between two samples positions change evenly, so
    /// of many alike the first and the last are enough, and one if nothing ever moves.
    fn moving_samples(&self) -> Vec<usize> {
        let samples = &self.actor.samples;
        let alike = |a: usize, b: usize| {
            samples[a].positions == samples[b].positions
                && Arc::ptr_eq(&self.nodes[a], &self.nodes[b])
        };
        let last = samples.len() - 1;
        if (1..=last).all(|sample| alike(0, sample)) {
            return vec![0];
        }
        (0..=last)
            .filter(|&sample| {
                sample == 0
                    || sample == last
                    || !(alike(sample - 1, sample) && alike(sample, sample + 1))
            })
            .collect()
    }

    /// The values of the nodes that are points here.
    fn pick<T: Copy>(&self, sample: usize, values: Vec<T>) -> Vec<T> {
        match &*self.nodes[sample] {
            None => values,
            Some(nodes) => nodes.iter().map(|&node| values[node as usize]).collect(),
        }
    }
}

/// The box round points of a radius; an empty one for no points.
fn extent(points: &[[f32; 3]], radius: f32) -> [[f32; 3]; 2] {
    if points.is_empty() {
        return [[0.0; 3]; 2];
    }
    let fold = |start: f32, pick: fn(f32, f32) -> f32| -> [f32; 3] {
        std::array::from_fn(|axis| points.iter().map(|point| point[axis]).fold(start, pick))
    };
    let lowest = fold(f32::INFINITY, f32::min).map(|value| value - radius);
    let highest = fold(f32::NEG_INFINITY, f32::max).map(|value| value + radius);
    [lowest, highest]
}

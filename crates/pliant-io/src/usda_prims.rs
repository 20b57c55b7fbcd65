//! The geometry in a `.usda`: meshes, curves and points of one body.

use crate::IoError;
use crate::look::linear_color;
use crate::loose::loose_nodes;
use crate::names::{UniqueNames, identifier};
use crate::polylines::polylines;
use crate::spool::Spool;
use crate::texture_coordinates::TextureCoordinates;
use crate::timeline::{Actor, Sample};
use crate::usda_text::{UsdText, integers, number, numbers, quoted, tuples};
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

/// The kinds of prims a body can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Surface,
    Curves,
    Particles,
}

impl Kind {
    /// The type of the prim, and its name where a body is several.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Surface => ("Mesh", "surface"),
            Self::Curves => ("BasisCurves", "curves"),
            Self::Particles => ("Points", "particles"),
        }
    }

    /// Whether a body at a sample is this, among others.
    fn is_in(self, sample: &Sample) -> bool {
        let topology = &sample.topology;
        match self {
            Self::Surface => !topology.triangles.is_empty(),
            Self::Curves => !topology.lines.is_empty(),
            Self::Particles => !loose_nodes(topology, sample.node_count()).is_empty(),
        }
    }
}

/// Writes a body or an obstacle under a name: one prim, or a transform with several.
pub(crate) fn write_actor(
    text: &mut UsdText,
    spool: &mut Spool,
    actor: &Actor,
    name: &str,
) -> Result<(), IoError> {
    let chunks: Vec<&Sample> = chunks(actor).map(|chunk| &chunk[0]).collect();
    let kinds: Vec<Kind> = [Kind::Surface, Kind::Curves, Kind::Particles]
        .into_iter()
        .filter(|kind| chunks.iter().any(|sample| kind.is_in(sample)))
        .collect();
    let display_name = format!("displayName = {}", quoted(&actor.name));
    let material = "prepend apiSchemas = [\"MaterialBindingAPI\"]";
    if let [kind] = kinds[..] {
        let prim = format!("def {} \"{name}\"", kind.names().0);
        text.open(&prim, &[material, &display_name])?;
        write_presence(text, actor)?;
        write_kind(text, spool, actor, kind)?;
        return text.close();
    }
    text.open(&format!("def Xform \"{name}\""), &[&display_name])?;
    write_presence(text, actor)?;
    for kind in kinds {
        let (prim, name) = kind.names();
        text.open(&format!("def {prim} \"{name}\""), &[material])?;
        write_kind(text, spool, actor, kind)?;
        text.close()?;
    }
    text.close()
}

/// Tells obstacles from bodies, and hides what is not there at some frames.
fn write_presence(text: &mut UsdText, actor: &Actor) -> Result<(), IoError> {
    if actor.is_obstacle {
        text.line("custom bool pliant:obstacle = true")?;
    }
    let mut there = vec![false; text.codes.len()];
    for sample in &actor.samples {
        there[sample.frame] = true;
    }
    if there.iter().all(|&there| there) {
        return Ok(());
    }
    text.line("token visibility.timeSamples = {")?;
    for frame in 0..there.len() {
        if frame == 0 || there[frame] != there[frame - 1] {
            let word = if there[frame] {
                "inherited"
            } else {
                "invisible"
            };
            let code = number(text.codes[frame]);
            text.line(&format!("    {code}: \"{word}\","))?;
        }
    }
    text.line("}")
}

fn write_kind(
    text: &mut UsdText,
    spool: &mut Spool,
    actor: &Actor,
    kind: Kind,
) -> Result<(), IoError> {
    let material = text.material.clone();
    text.line(&format!("rel material:binding = <{material}>"))?;
    let color = linear_color(&actor.appearance, actor.shown_image().is_some());
    let declaration = "color3f[] primvars:displayColor";
    text.attribute(declaration, Some("constant"), &[0], |_| Ok(tuples([color])))?;
    let prim = match kind {
        Kind::Surface => surface(text, actor),
        Kind::Curves => curves(text, actor),
        Kind::Particles => particles(text, actor),
    }?;
    prim.write(text, spool)
}

fn surface<'a>(text: &mut UsdText, actor: &'a Actor) -> Result<PointBased<'a>, IoError> {
    text.line("uniform bool doubleSided = true")?;
    text.line("uniform token orientation = \"rightHanded\"")?;
    text.line("uniform token subdivisionScheme = \"none\"")?;
    let topologies = actor.topologies();
    let changes = changes(actor);
    let triangles = |place: usize| &topologies[place].triangles;
    text.attribute("int[] faceVertexCounts", None, &changes, |place| {
        Ok(integers(triangles(place).iter().map(|_| 3)))
    })?;
    text.attribute("int[] faceVertexIndices", None, &changes, |place| {
        Ok(integers(triangles(place).iter().copied().flatten()))
    })?;
    write_texture_coordinates(text, actor, &changes)?;
    let all_nodes = Arc::new(None);
    Ok(PointBased {
        actor,
        nodes: vec![all_nodes; actor.samples.len()],
        width: 0.0,
    })
}

fn curves<'a>(text: &mut UsdText, actor: &'a Actor) -> Result<PointBased<'a>, IoError> {
    let lines: Vec<Vec<Vec<u32>>> = chunks(actor)
        .map(|chunk| polylines(&chunk[0].topology.lines))
        .collect();
    text.line("uniform token type = \"linear\"")?;
    text.line("uniform token wrap = \"nonperiodic\"")?;
    text.attribute("int[] curveVertexCounts", None, &changes(actor), |place| {
        Ok(integers(lines[place].iter().map(|line| line.len() as u32)))
    })?;
    // Curves have no thickness of their own: half the distance of their nodes looks like a rope.
    let width = actor.particle_radius;
    text.attribute("float[] widths", Some("constant"), &[0], |_| {
        Ok(numbers([width as f32]))
    })?;
    let nodes = lines.iter().map(|lines| Some(lines.concat()));
    Ok(PointBased {
        actor,
        nodes: at_samples(actor, nodes.collect()),
        width,
    })
}

fn particles<'a>(text: &mut UsdText, actor: &'a Actor) -> Result<PointBased<'a>, IoError> {
    let loose: Vec<Vec<u32>> = chunks(actor)
        .map(|chunk| loose_nodes(&chunk[0].topology, chunk[0].node_count()))
        .collect();
    let changes = changes(actor);
    text.attribute("int64[] ids", None, &changes, |place| {
        Ok(integers(loose[place].iter().copied()))
    })?;
    // One width a point: Pixar's library does not compute the extent of points otherwise.
    let width = 2.0 * actor.particle_radius;
    text.attribute("float[] widths", Some("vertex"), &changes, |place| {
        Ok(numbers(loose[place].iter().map(|_| width as f32)))
    })?;
    Ok(PointBased {
        actor,
        nodes: at_samples(actor, loose.into_iter().map(Some).collect()),
        width,
    })
}

/// The samples, cut where the connections change.
fn chunks(actor: &Actor) -> impl Iterator<Item = &[Sample]> {
    actor
        .samples
        .chunk_by(|a, b| Arc::ptr_eq(&a.topology, &b.topology))
}

/// Places of the frames at which the connections change, the first of all included.
fn changes(actor: &Actor) -> Vec<usize> {
    chunks(actor).map(|chunk| chunk[0].frame).collect()
}

/// What belongs to each topology, at each sample.
fn at_samples(actor: &Actor, of_topology: Vec<Nodes>) -> Vec<Arc<Nodes>> {
    chunks(actor)
        .zip(of_topology)
        .flat_map(|(chunk, nodes)| {
            let shared = Arc::new(nodes);
            vec![shared; chunk.len()]
        })
        .collect()
}

/// Texture coordinates at the nodes, or at the corners of faces where a node has several.
fn write_texture_coordinates(
    text: &mut UsdText,
    actor: &Actor,
    changes: &[usize],
) -> Result<(), IoError> {
    let samples: Vec<&Sample> = chunks(actor).map(|chunk| &chunk[0]).collect();
    let found: Vec<Option<TextureCoordinates>> = samples
        .iter()
        .map(|sample| actor.texture_coordinates(sample))
        .collect();
    let Some(first) = found.iter().flatten().next() else {
        return Ok(());
    };
    let single = |[u, v]: [f64; 2]| [u as f32, v as f32];
    let declaration = "texCoord2f[] primvars:st";
    let at_corners = |found: &TextureCoordinates| matches!(found, TextureCoordinates::Corners(_));
    if let (false, TextureCoordinates::Nodes(places)) =
        (found.iter().flatten().any(at_corners), first)
    {
        // A body that tears keeps its nodes, and so their coordinates.
        return text.attribute(declaration, Some("vertex"), &[0], |_| {
            Ok(tuples(places.iter().copied().map(single)))
        });
    }
    text.attribute(declaration, Some("faceVarying"), changes, |place| {
        let triangles = samples[place].topology.triangles.iter().enumerate();
        let corners = triangles.flat_map(|(index, &nodes)| {
            std::array::from_fn::<_, 3, _>(|corner| {
                let found = found[place].as_ref();
                let found = found.map(|found| found.corner(index, nodes, corner));
                single(found.unwrap_or_default())
            })
        });
        Ok(tuples(corners))
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

//! The meshes of a `.glb`: vertices that triangles, lines and points share, and morph targets.

use crate::IoError;
use crate::gltf::{Document, Use, add};
use crate::loose::loose_nodes;
use crate::normals::node_normals;
use crate::spool::{Block, Spool};
use crate::texture_coordinates::TextureCoordinates;
use crate::timeline::{Actor, Sample};
use pliant::frame::Topology;
use std::collections::HashMap;

/// Kinds of primitives, as glTF numbers them.
const POINTS: u8 = 0;
const LINES: u8 = 1;
const TRIANGLES: u8 = 4;

/// Bytes of a position and a normal.
const VERTEX_BYTES: usize = 2 * size_of::<[f32; 3]>();

/// About how many bytes a frame of a moving actor takes.
pub(crate) fn bytes_per_frame(actor: &Actor) -> usize {
    let moves = actor
        .samples
        .windows(2)
        .any(|pair| pair[0].positions != pair[1].positions);
    let nodes = actor.samples.first().map_or(0, Sample::node_count);
    if moves { nodes * VERTEX_BYTES } else { 0 }
}

/// The vertices and primitives of a topology. A node with several texture coordinates is as many
/// vertices, a node that nothing is made of is none.
pub(crate) struct MeshParts<'a> {
    topology: &'a Topology,
    /// The node of each vertex.
    nodes: Vec<u32>,
    /// Texture coordinates of each vertex; empty if the body has none.
    textures: Vec<[f32; 2]>,
    triangles: Vec<u32>,
    lines: Vec<u32>,
    points: Vec<u32>,
}

impl<'a> MeshParts<'a> {
    /// The parts of a body as connected at a sample.
    pub(crate) fn new(sample: &'a Sample, textures: Option<&TextureCoordinates>) -> Self {
        let topology = &*sample.topology;
        let mut parts = Self {
            topology,
            nodes: Vec::new(),
            textures: Vec::new(),
            triangles: Vec::new(),
            lines: Vec::new(),
            points: Vec::new(),
        };
        let coordinates = &topology.material_coordinates;
        let has_textures = textures.is_some() || !coordinates.is_empty();
        let at_node = |node: u32| {
            let [u, v, _] = coordinates.get(node as usize).copied().unwrap_or_default();
            [u, v]
        };
        let mut known: HashMap<(u32, [u64; 2]), u32> = HashMap::new();
        let mut vertex = |node: u32, [u, v]: [f64; 2]| {
            let key = (node, [u.to_bits(), v.to_bits()]);
            *known.entry(key).or_insert_with(|| {
                if has_textures {
                    // Images hang from the top in glTF.
                    parts.textures.push([u as f32, (1.0 - v) as f32]);
                }
                parts.nodes.push(node);
                parts.nodes.len() as u32 - 1
            })
        };
        for (index, &nodes) in topology.triangles.iter().enumerate() {
            for corner in 0..3 {
                let place = match textures {
                    Some(textures) => textures.corner(index, nodes, corner),
                    None => at_node(nodes[corner]),
                };
                parts.triangles.push(vertex(nodes[corner], place));
            }
        }
        for &node in topology.lines.as_flattened() {
            parts.lines.push(vertex(node, at_node(node)));
        }
        for node in loose_nodes(topology, sample.node_count()) {
            parts.points.push(vertex(node, at_node(node)));
        }
        parts
    }

    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a mesh whose base is the first block of positions and whose targets are the others.
    pub(crate) fn add_to(
        &self,
        document: &mut Document,
        spool: &mut Spool,
        blocks: &[Block],
        material: usize,
        has_image: bool,
    ) -> Result<usize, IoError> {
        let (base_positions, base_normals) = self.shape(spool.vectors(blocks[0])?);
        let positions = document.add_tuples(&base_positions, Use::Vertices)?;
        let normals = match base_normals.is_empty() {
            true => None,
            false => Some(document.add_tuples(&base_normals, Use::Vertices)?),
        };
        let textures = match self.textures.is_empty() || !(has_image || normals.is_some()) {
            true => None,
            false => Some(document.add_tuples(&self.textures, Use::Vertices)?),
        };
        let mut targets = Vec::new();
        for block in &blocks[1..] {
            let (moved, turned) = self.shape(spool.vectors(*block)?);
            let moved =
                document.add_tuples(&differences(&moved, &base_positions), Use::Vertices)?;
            let turned = match normals {
                None => None,
                Some(_) => {
                    let turned = differences(&turned, &base_normals);
                    Some(document.add_tuples(&turned, Use::Vertices)?)
                }
            };
            targets.push((moved, turned));
        }
        let mut primitives = Vec::new();
        for (mode, indices) in [
            (TRIANGLES, &self.triangles),
            (LINES, &self.lines),
            (POINTS, &self.points),
        ] {
            if indices.is_empty() {
                continue;
            }
            let lit = mode == TRIANGLES;
            let attributes = attributes(positions, normals.filter(|_| lit), textures);
            let targets: Vec<String> = targets
                .iter()
                .map(|(moved, turned)| self::attributes(*moved, turned.filter(|_| lit), None))
                .collect();
            let targets = match targets.is_empty() {
                true => String::new(),
                false => format!(",\"targets\":[{}]", targets.join(",")),
            };
            let indices = document.add_indices(indices)?;
            primitives.push(format!(
                "{{\"attributes\":{attributes},\"indices\":{indices},\"mode\":{mode},\
                 \"material\":{material}{targets}}}"
            ));
        }
        let mesh = format!("{{\"primitives\":[{}]}}", primitives.join(","));
        Ok(add(&mut document.meshes, mesh))
    }

    /// Positions and normals of the vertices; no normals without triangles.
    fn shape(&self, positions: Vec<[f32; 3]>) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let pick = |values: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let value = |&node: &u32| values[node as usize];
            self.nodes.iter().map(value).collect()
        };
        let normals = match self.triangles.is_empty() {
            true => Vec::new(),
            false => pick(&node_normals(&positions, &self.topology.triangles)),
        };
        (pick(&positions), normals)
    }
}

/// Attributes of a primitive or of a target.
fn attributes(positions: usize, normals: Option<usize>, textures: Option<usize>) -> String {
    let entry = |name: &str, accessor: Option<usize>| {
        accessor.map_or(String::new(), |index| format!(",\"{name}\":{index}"))
    };
    format!(
        "{{\"POSITION\":{positions}{}{}}}",
        entry("NORMAL", normals),
        entry("TEXCOORD_0", textures)
    )
}

fn differences(values: &[[f32; 3]], base: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let difference = |(value, base): (&[f32; 3], &[f32; 3])| {
        // Two numbers at the ends of what single precision holds differ by more than it holds.
        std::array::from_fn(|axis| (value[axis] - base[axis]).clamp(f32::MIN, f32::MAX))
    };
    values.iter().zip(base).map(difference).collect()
}

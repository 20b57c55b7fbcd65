//! Binary glTF 2.0 (`.glb`), for browsers, viewers, game engines and Blender: the whole run in one
//! file. Sheen needs an extension, which readers may leave out.
//!
//! A body is a mesh whose shape at the first frame is the base; each later frame is a morph target
//! (displacements and changes of the normals), and an animation shows one after the other by its
//! weight. Between frames weights change evenly, and so do positions. Where the connections change,
//! a new mesh takes over: scales of 0 and 1 hide all but one, as the specification proposes. Curves
//! are lines and particles points, as thin as the viewer draws them.
//!
//! Morph targets stay in the memory of the graphics card, and many viewers keep them as layers of
//! one texture of which 256 are certain: a longer run is thinned out to [`MOST_FRAMES`], or to what
//! fits in [`MOST_BYTES`]. Z is up in Pliant and y in glTF: the root node turns the scene. Times
//! count from the first frame.

use crate::glb_mesh::{MeshParts, bytes_per_frame};
use crate::gltf::{Document, Use, add, list, quoted};
use crate::look::{finish, linear_color};
use crate::timeline::{Actor, Sample, Timeline};
use crate::{Format, FrameSink, IoError};
use pliant::frame::Frame;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// The most frames that are kept; of a longer run, as many that lie evenly in it.
pub const MOST_FRAMES: usize = 250;

/// The extension for the light that fine fibres catch.
const SHEEN: &str = "KHR_materials_sheen";

/// The most bytes that positions and normals of all frames may take.
pub const MOST_BYTES: usize = 1 << 30;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Binary glTF",
    extensions: &["glb"],
    in_folder: false,
    open: |name| Ok(Box::new(GlbScene::new(name.index_path("glb"))?)),
};

/// Writes one `.glb`.
pub struct GlbScene {
    timeline: Timeline,
}

impl GlbScene {
    /// A scene that will stand at the path. The folder must exist.
    pub fn new(path: PathBuf) -> Result<Self, IoError> {
        Ok(Self {
            timeline: Timeline::new(path, false)?,
        })
    }
}

impl FrameSink for GlbScene {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        self.timeline.record(frame).map(drop)
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        let timeline = &mut self.timeline;
        if timeline.times.is_empty() {
            return Ok(Vec::new());
        }
        let mut scene = SceneWriter {
            document: Document::new(&timeline.path)?,
            kept: kept_frames(timeline),
            input: HashMap::new(),
            weights: HashMap::new(),
        };
        let mut children = Vec::new();
        for place in 0..timeline.actors.len() {
            children.extend(scene.add_actor(timeline, place)?);
        }
        let children = match children.is_empty() {
            true => String::new(),
            false => format!(",\"children\":{children:?}"),
        };
        let half = 0.5_f32.sqrt();
        let root = format!(
            "{{\"name\":\"World\",\"rotation\":{}{children}}}",
            list([-half, 0.0, 0.0, half])
        );
        let root = add(&mut scene.document.nodes, root);
        scene.document.save(&timeline.path, root)?;
        Ok(vec![timeline.path.clone()])
    }
}

/// The frames that are kept (their places in the run) with their times from the first.
fn kept_frames(timeline: &Timeline) -> Vec<(usize, f32)> {
    let bytes: usize = timeline.actors.iter().map(bytes_per_frame).sum();
    let most = MOST_FRAMES.min(MOST_BYTES / bytes.max(1)).max(2);
    let start = timeline.times[0];
    let mut kept: Vec<(usize, f32)> = Vec::new();
    for frame in evenly(timeline.times.len(), most) {
        let time = (timeline.times[frame] - start) as f32;
        // Times must grow, also in single precision.
        if kept.last().is_none_or(|(_, last)| time > *last) {
            kept.push((frame, time));
        }
    }
    kept
}

/// At most `most` of `count` places, the first and the last among them.
fn evenly(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most)
        .map(|index| (index * (count - 1) + (most - 1) / 2) / (most - 1))
        .collect()
}

/// A stretch of kept frames with the same connections.
struct Segment<'a> {
    /// Place of its first frame among those kept.
    first: usize,
    samples: Vec<&'a Sample>,
}

struct SceneWriter {
    document: Document,
    kept: Vec<(usize, f32)>,
    /// Accessors of times, by first and number of kept frames.
    input: HashMap<(usize, usize), usize>,
    /// Samplers of weights, by first kept frame and the target of each frame.
    weights: HashMap<(usize, Vec<usize>), usize>,
}

impl SceneWriter {
    /// Adds a body or obstacle and returns its node; nothing if it has no cells.
    fn add_actor(
        &mut self,
        timeline: &mut Timeline,
        place: usize,
    ) -> Result<Option<usize>, IoError> {
        let Timeline { actors, spool, .. } = timeline;
        let actor = &actors[place];
        let segments = self.segments(actor);
        let mut material = None;
        let mut nodes = Vec::new();
        for segment in &segments {
            let textures = actor.texture_coordinates(segment.samples[0]);
            let parts = MeshParts::new(segment.samples[0], textures.as_ref());
            if parts.is_empty() {
                continue;
            }
            let material = match material {
                Some(material) => material,
                None => *material.insert(self.add_material(actor)?),
            };
            // Frames in which nothing moves share a target; 0 is the base.
            let mut blocks = Vec::new();
            let mut targets = Vec::new();
            for sample in &segment.samples {
                if blocks.last() != Some(&sample.positions) {
                    blocks.push(sample.positions);
                }
                targets.push(blocks.len() - 1);
            }
            let has_image = actor.shown_image().is_some();
            let mesh = parts.add_to(&mut self.document, spool, &blocks, material, has_image)?;
            let whole = segments.len() == 1 && segment.samples.len() == self.kept.len();
            let hidden = !whole && segment.first > 0;
            let name = match whole {
                true => quoted(&actor.name),
                false => quoted(&format!(
                    "{} from frame {}",
                    actor.name, self.kept[segment.first].0
                )),
            };
            let scale = if hidden { ",\"scale\":[0,0,0]" } else { "" };
            let node = format!("{{\"name\":{name},\"mesh\":{mesh}{scale}}}");
            let node = add(&mut self.document.nodes, node);
            if blocks.len() > 1 {
                self.animate_weights(node, segment.first, targets)?;
            }
            if !whole {
                self.animate_visibility(node, segment)?;
            }
            nodes.push(node);
        }
        if nodes.len() < 2 {
            return Ok(nodes.pop());
        }
        let parent = format!(
            "{{\"name\":{},\"children\":{nodes:?}}}",
            quoted(&actor.name)
        );
        Ok(Some(add(&mut self.document.nodes, parent)))
    }

    fn segments<'a>(&self, actor: &'a Actor) -> Vec<Segment<'a>> {
        let mut segments: Vec<Segment> = Vec::new();
        for (place, (frame, _)) in self.kept.iter().enumerate() {
            let Ok(found) = actor
                .samples
                .binary_search_by_key(frame, |sample| sample.frame)
            else {
                continue;
            };
            let sample = &actor.samples[found];
            match segments.last_mut() {
                Some(segment)
                    if segment.first + segment.samples.len() == place
                        && Arc::ptr_eq(&segment.samples[0].topology, &sample.topology) =>
                {
                    segment.samples.push(sample);
                }
                _ => segments.push(Segment {
                    first: place,
                    samples: vec![sample],
                }),
            }
        }
        segments
    }

    fn add_material(&mut self, actor: &Actor) -> Result<usize, IoError> {
        let mut texture = String::new();
        let mut glow_texture = String::new();
        let mut image_shown = false;
        if let Some((bytes, kind)) = actor.shown_image().and_then(read_image) {
            let document = &mut self.document;
            let view = document.add_view(&bytes, Use::Other)?;
            let image = format!("{{\"bufferView\":{view},\"mimeType\":\"{kind}\"}}");
            let image = add(&mut document.images, image);
            let entry = add(&mut document.textures, format!("{{\"source\":{image}}}"));
            texture = format!(",\"baseColorTexture\":{{\"index\":{entry}}}");
            glow_texture = format!(",\"emissiveTexture\":{{\"index\":{entry}}}");
            image_shown = true;
        }
        let [red, green, blue] = linear_color(&actor.appearance, image_shown);
        let finish = finish(&actor.appearance);
        let opacity = finish.opacity as f32;
        let blended = if opacity < 1.0 {
            ",\"alphaMode\":\"BLEND\""
        } else {
            ""
        };
        let mut more = String::new();
        if finish.glow > 0.0 {
            let glow = [red, green, blue].map(|part| part * finish.glow as f32);
            more = format!(",\"emissiveFactor\":{}{glow_texture}", list(glow));
        }
        if finish.sheen > 0.0 {
            // Fibres catch the light of the lamps, whatever the colour below.
            let sheen = list([finish.sheen as f32; 3]);
            more += &format!(
                ",\"extensions\":{{\"{SHEEN}\":{{\"sheenColorFactor\":{sheen},\
                 \"sheenRoughnessFactor\":0.5}}}}"
            );
            self.document.use_extension(SHEEN);
        }
        let material = format!(
            "{{\"name\":{},\"doubleSided\":true{blended}{more},\"pbrMetallicRoughness\":\
             {{\"baseColorFactor\":{},\"metallicFactor\":{:?},\"roughnessFactor\":{:?}{texture}}}}}",
            quoted(&actor.name),
            list([red, green, blue, opacity]),
            finish.metallic as f32,
            finish.roughness as f32,
        );
        Ok(add(&mut self.document.materials, material))
    }

    /// The accessor of the times of some kept frames.
    fn times(&mut self, first: usize, count: usize) -> Result<usize, IoError> {
        if let Some(accessor) = self.input.get(&(first, count)) {
            return Ok(*accessor);
        }
        let times: Vec<[f32; 1]> = self.kept[first..first + count]
            .iter()
            .map(|(_, time)| [*time])
            .collect();
        let accessor = self.document.add_tuples(&times, Use::Other)?;
        self.input.insert((first, count), accessor);
        Ok(accessor)
    }

    /// Shows one target after the other. Bodies that move alike share the weights, which are as
    /// many as the square of the number of frames.
    fn animate_weights(
        &mut self,
        node: usize,
        first: usize,
        targets: Vec<usize>,
    ) -> Result<(), IoError> {
        let key = (first, targets);
        let sampler = match self.weights.get(&key) {
            Some(sampler) => *sampler,
            None => {
                let targets = &key.1;
                let input = self.times(first, targets.len())?;
                let count = targets.iter().copied().max().unwrap_or(0);
                let weights: Vec<[f32; 1]> = targets
                    .iter()
                    .flat_map(|&shown| {
                        (1..=count).map(move |target| [f32::from(u8::from(target == shown))])
                    })
                    .collect();
                let output = self.document.add_tuples(&weights, Use::Other)?;
                let sampler = self.add_sampler(input, output, "LINEAR");
                self.weights.insert(key, sampler);
                sampler
            }
        };
        self.add_channel(sampler, node, "weights");
        Ok(())
    }

    /// Shows a node during its segment only.
    fn animate_visibility(&mut self, node: usize, segment: &Segment) -> Result<(), IoError> {
        let end = segment.first + segment.samples.len();
        let mut keys = vec![(0, segment.first == 0)];
        if segment.first > 0 {
            keys.push((segment.first, true));
        }
        if end < self.kept.len() {
            keys.push((end, false));
        }
        let times: Vec<[f32; 1]> = keys
            .iter()
            .map(|(place, _)| [self.kept[*place].1])
            .collect();
        let scales: Vec<[f32; 3]> = keys
            .iter()
            .map(|(_, shown)| [f32::from(u8::from(*shown)); 3])
            .collect();
        let input = self.document.add_tuples(&times, Use::Other)?;
        let output = self.document.add_tuples(&scales, Use::Other)?;
        let sampler = self.add_sampler(input, output, "STEP");
        self.add_channel(sampler, node, "scale");
        Ok(())
    }

    fn add_sampler(&mut self, input: usize, output: usize, interpolation: &str) -> usize {
        let sampler = format!(
            "{{\"input\":{input},\"output\":{output},\"interpolation\":\"{interpolation}\"}}"
        );
        add(&mut self.document.samplers, sampler)
    }

    fn add_channel(&mut self, sampler: usize, node: usize, path: &str) {
        let channel =
            format!("{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}");
        self.document.channels.push(channel);
    }
}

/// The content of an image and its type, if it is one that glTF knows.
fn read_image(path: &str) -> Option<(Vec<u8>, &'static str)> {
    let bytes = fs::read(path).ok()?;
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some((bytes, "image/png"))
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some((bytes, "image/jpeg"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_thinned_out_evenly() {
        assert_eq!(evenly(4, 250), [0, 1, 2, 3]);
        assert_eq!(evenly(10, 4), [0, 3, 6, 9]);
        for count in [251, 1000, 12345] {
            let kept = evenly(count, 250);
            assert_eq!((kept[0], kept[249], kept.len()), (0, count - 1, 250));
            let gaps: Vec<usize> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
            assert!(most - least <= 1, "{least} to {most} of {count}");
        }
    }
}

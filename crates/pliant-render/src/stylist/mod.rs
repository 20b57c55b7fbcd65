//! Frames become draw lists, in the style that the user chose.
//!
//! A [`Stylist`] remembers what is the same in all frames of a film: where vertices are split,
//! what the colours of a field stand for, where the ground is. Each look has its own file.

mod blob;
mod body_memory;
mod cells;
mod coloring;
mod crease;
mod finish;
mod frayed;
mod ground;
mod net;
mod obstacles;
mod particles;
mod refine;
mod shaded;
mod strobe;
mod surface;
#[cfg(test)]
pub(crate) mod test_frames;
mod thick;
mod threads;
mod torn;
mod wireframe;

pub use strobe::strobe;

use crate::draw_list::DrawList;
use crate::fields::{ColorTable, FieldScale, field_names, field_values};
use crate::style::{Look, Style};
use crate::texture::TextureStore;
use body_memory::{BodyMemory, without_far_places};
use coloring::Coloring;
use glam::DVec3;
use ground::GroundMemory;
use obstacles::ObstacleMemory;
use pliant::Frame;
use pliant::frame::FrameBody;
use thiserror::Error;

/// Why a frame cannot be drawn in a style.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum StyleError {
    /// The frame has no such field.
    #[error("there is no field `{name}` in the frames; there are {known}")]
    UnknownField {
        /// The field asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// A body has a texture that is not in the store.
    #[error("the texture `{path}` was not loaded")]
    TextureNotLoaded {
        /// Its path in the scene.
        path: String,
    },
}

/// Turns the frames of a film, one after the other, into draw lists.
///
/// ```
/// use pliant::Frame;
/// use pliant_render::{Style, Stylist, TextureStore};
/// let frame = Frame::default();
/// let textures = TextureStore::for_frame(std::path::Path::new("."), &frame)?;
/// let mut stylist = Stylist::new("wireframe".parse::<Style>()?, textures);
/// let list = stylist.list(&frame)?;
/// assert!(list.lines.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stylist {
    style: Style,
    textures: TextureStore,
    origin: Option<DVec3>,
    bodies: Vec<BodyMemory>,
    obstacles: ObstacleMemory,
    ground: GroundMemory,
    scale: Option<FieldScale>,
}

/// A body on its way into a list: what each look needs to know.
struct Subject<'a> {
    body: &'a FrameBody,
    memory: &'a mut BodyMemory,
    coloring: Coloring,
    style: &'a Style,
    origin: DVec3,
}

impl Stylist {
    /// A stylist for one film. The textures are those that its bodies and obstacles ask for.
    pub fn new(style: Style, textures: TextureStore) -> Self {
        let scale = match &style.look {
            Look::Field(name) => Some(FieldScale::new(name, style.field_range)),
            _ => None,
        };
        Self {
            style,
            textures,
            origin: None,
            bodies: Vec::new(),
            obstacles: ObstacleMemory::default(),
            ground: GroundMemory::default(),
            scale,
        }
    }

    /// Tells the stylist where bodies may go during the film: the ground is laid below. In metres.
    #[must_use]
    pub fn with_bounds(mut self, low: DVec3, high: DVec3) -> Self {
        self.ground.set_bounds(low, high);
        self
    }

    /// Whether colours, arrows or the ground would change in the midst of a film unless its frames are taken in by
    /// [`Self::look_ahead`] before the first is drawn.
    pub fn needs_look_ahead(&self) -> bool {
        self.ground.is_guess(self.style.ground)
            || self.scale.as_ref().is_some_and(|scale| !scale.is_fixed())
            || self.style.look == Look::Particles
    }

    /// Takes in frames that will be drawn later, so that colours, arrows and the ground mean the same
    /// in all of them from the first on.
    pub fn look_ahead<'a>(&mut self, frames: impl IntoIterator<Item = &'a Frame>) {
        for frame in frames {
            self.meet(frame);
            self.ground.look_ahead(frame);
            self.measure(frame);
        }
    }

    /// Sees a frame that is not drawn as if it had been: the frames after it look the same in a film and
    /// alone.
    pub fn pass_over(&mut self, frame: &Frame) {
        let origin = self.meet(frame);
        self.measure(frame);
        self.ground.height(frame, self.style.ground, origin);
    }

    /// Sees a frame without drawing it: the shapes of its bodies are those over which pictures are laid,
    /// from which creases are told, and by which sizes are chosen, whichever frame is drawn first.
    /// Returns the origin of the lists.
    pub fn meet(&mut self, frame: &Frame) -> DVec3 {
        for (index, body) in frame.bodies.iter().enumerate() {
            let cleaned = without_far_places(body);
            let body = cleaned.as_ref().unwrap_or(body);
            BodyMemory::meet(&mut self.bodies, index, body);
        }
        self.obstacles.meet(frame);
        self.ground.meet(frame);
        *self.origin.get_or_insert_with(|| ground::center(frame))
    }

    /// Widens the scales of colours and arrows to what is in a frame.
    fn measure(&mut self, frame: &Frame) {
        if let Some(scale) = &mut self.scale {
            scale.widen(frame);
        }
        if self.style.look == Look::Particles {
            for (index, body) in frame.bodies.iter().enumerate() {
                let place = BodyMemory::meet(&mut self.bodies, index, body);
                particles::measure_forces(body, &mut self.bodies[place]);
            }
        }
    }

    /// The style.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// What is to be drawn of a frame.
    pub fn list(&mut self, frame: &Frame) -> Result<DrawList, StyleError> {
        let origin = self.meet(frame);
        let mut list = DrawList {
            origin,
            ..DrawList::default()
        };
        let table = self.field_table(frame, &mut list)?;
        self.obstacles
            .draw(frame, &self.style, &self.textures, &mut list)?;
        for (index, body) in frame.bodies.iter().enumerate() {
            let cleaned = without_far_places(body);
            let body = cleaned.as_ref().unwrap_or(body);
            let place = BodyMemory::recall(&mut self.bodies, index, body);
            let shows_tears = matches!(self.style.look, Look::Shaded | Look::Field(_));
            let memory = &mut self.bodies[place];
            let torn;
            let (body, memory) = match shows_tears && memory.is_torn() {
                true => match memory.torn(body) {
                    Some((pieces, memory)) => {
                        torn = pieces;
                        (&torn, memory)
                    }
                    None => continue,
                },
                false => (body, memory),
            };
            let coloring = match &table {
                Some((name, table)) => field_coloring(body, name, table),
                None => Coloring::of(&body.appearance, &self.textures)?.with_heat(body),
            };
            let mut subject = Subject {
                body,
                memory,
                coloring,
                style: &self.style,
                origin,
            };
            match self.style.look {
                Look::Shaded | Look::Field(_) => shaded::draw(&mut subject, &mut list),
                Look::Wireframe => wireframe::draw(&mut subject, &mut list),
                Look::Particles => particles::draw(&mut subject, &mut list),
                Look::Threads => threads::draw(&mut subject, &mut list),
                Look::Net => net::draw(&mut subject, &mut list),
                Look::Blobby => blob::draw(&mut subject, &mut list),
            }
        }
        list.ground = self.ground.height(frame, self.style.ground, origin);
        Ok(list)
    }

    fn field_table(
        &mut self,
        frame: &Frame,
        list: &mut DrawList,
    ) -> Result<Option<(String, ColorTable)>, StyleError> {
        let (Look::Field(name), Some(scale)) = (&self.style.look, &mut self.scale) else {
            return Ok(None);
        };
        if !scale.widen(frame) && !frame.bodies.is_empty() {
            return Err(StyleError::UnknownField {
                name: name.clone(),
                known: field_names(frame).join(", "),
            });
        }
        list.color_bars.push(scale.color_bar());
        Ok(Some((name.clone(), scale.table())))
    }
}

fn field_coloring(body: &FrameBody, name: &str, table: &ColorTable) -> Coloring {
    match field_values(body, name) {
        Some((values, _)) => {
            Coloring::Nodes(values.iter().map(|&value| table.color(value)).collect())
        }
        None => Coloring::Plain([0.35; 3]),
    }
}

#[cfg(test)]
mod tests;

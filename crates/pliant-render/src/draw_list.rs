//! What is drawn: meshes, lines, spheres and labels, whatever they stand for.
//!
//! A draw list is plain data and knows neither bodies nor pixels. Positions are in metres and in
//! single precision, relative to `origin`, so that scenes far from the origin lose nothing.
//! Colours are linear (not sRGB) red, green and blue between 0 and 1.

use glam::DVec3;
use std::sync::Arc;

/// Everything in one picture, but for camera and lights.
#[derive(Clone, Debug, Default)]
pub struct DrawList {
    /// All positions are relative to this point, in metres.
    pub origin: DVec3,
    /// Triangle meshes.
    pub meshes: Vec<Mesh>,
    /// Sets of line segments.
    pub lines: Vec<LineSet>,
    /// Sets of spheres.
    pub spheres: Vec<SphereSet>,
    /// Texts.
    pub labels: Vec<Label>,
    /// Legends of fields.
    pub color_bars: Vec<ColorBar>,
    /// Height (z, relative to `origin`) of a ground that catches shadows; `None` draws none.
    pub ground: Option<f32>,
}

/// Triangles with one look. Normals and texture coordinates are per corner of the list of
/// positions, so a seam has its positions twice.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit normal at each vertex.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates at each vertex, 0 to 1; empty without a texture. The first runs from
    /// left to right in the picture, the second from the top down. A picture repeats outside.
    pub texture_coordinates: Vec<[f32; 2]>,
    /// Colour at each vertex; empty unless the paint is [`Paint::Vertices`].
    pub colors: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Where its colour comes from.
    pub paint: Paint,
    /// How light falls on it.
    pub shading: Shading,
}

/// Where the colour of a mesh comes from.
#[derive(Clone, Debug)]
pub enum Paint {
    /// One colour.
    Color([f32; 3]),
    /// A picture.
    Texture(Arc<Texture>),
    /// The colours at the vertices.
    Vertices,
    /// One colour with the fine lines of a grid, whose cells have sides of length 1 in texture
    /// coordinates.
    Grid([f32; 3]),
}

impl Default for Paint {
    fn default() -> Self {
        Self::Color([0.7; 3])
    }
}

/// How light falls on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shading {
    /// Both sides are seen: the normal is turned towards the eye. Else triangles that face away
    /// are not drawn.
    pub two_sided: bool,
    /// Bounds a solid, its front outside: seen from a lamp, what faces away lies behind something else.
    pub closed: bool,
    /// What it is made of.
    pub finish: Finish,
    /// Whether it throws a shadow.
    pub casts_shadow: bool,
    /// Opacity from 0 to 1; below 1 what lies behind shines through.
    pub opacity: f32,
    /// Moves the mesh towards the eye by this share of its distance, as far as hiding goes, so that
    /// a cloth is not pierced by the obstacle it lies on.
    pub lift: f32,
    /// The colour is multiplied by this where a two-sided mesh is seen from behind.
    pub back_tint: [f32; 3],
    /// Turns into background far from the scene, as a floor without end does.
    pub fades: bool,
}

/// What a surface is made of, as light sees it. All values but the depth lie between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// 0 is a mirror, 1 is chalk, which has no highlight.
    pub roughness: f32,
    /// 1 for a metal, whose reflections have its colour.
    pub metallic: f32,
    /// Light that fine fibres catch where the surface turns away from the eye.
    pub sheen: f32,
    /// How much light gets inside.
    pub subsurface: f32,
    /// How far light gets inside, in metres: after this way a third of it is left.
    pub depth: f32,
    /// Light of its own, as a share of its colour.
    pub glow: f32,
}

impl Finish {
    /// No highlight at all.
    pub const CHALK: Self = Self {
        roughness: 1.0,
        metallic: 0.0,
        sheen: 0.0,
        subsurface: 0.0,
        depth: 0.0,
        glow: 0.0,
    };
}

impl Default for Finish {
    fn default() -> Self {
        Self {
            roughness: 0.5,
            ..Self::CHALK
        }
    }
}

impl Default for Shading {
    fn default() -> Self {
        Self {
            two_sided: true,
            closed: false,
            finish: Finish::default(),
            casts_shadow: true,
            opacity: 1.0,
            lift: 0.0,
            back_tint: [1.0; 3],
            fades: false,
        }
    }
}

/// A picture laid over a mesh: rows from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel, as in the file (sRGB).
    pub pixels: Vec<[u8; 3]>,
}

/// Segments of one width.
#[derive(Clone, Debug, Default)]
pub struct LineSet {
    /// Both ends of each segment.
    pub segments: Vec<[[f32; 3]; 2]>,
    /// Colour of each segment; a single colour serves all.
    pub colors: Vec<[f32; 3]>,
    /// Width in pixels of a picture 720 pixels high; scales with its height.
    pub width: f32,
    /// Moves the line towards the eye by this share of its distance, so that it is not hidden by
    /// the surface it lies on.
    pub lift: f32,
}

/// Spheres, shaded.
#[derive(Clone, Debug, Default)]
pub struct SphereSet {
    /// Centres.
    pub centers: Vec<[f32; 3]>,
    /// Radius of each; a single one serves all, in metres.
    pub radii: Vec<f32>,
    /// Colour of each; a single one serves all.
    pub colors: Vec<[f32; 3]>,
    /// Whether they throw shadows.
    pub casts_shadow: bool,
    /// What they are made of.
    pub finish: Finish,
}

/// A text.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What it says; lines are separated by line breaks.
    pub text: String,
    /// Where it stands.
    pub place: TextPlace,
    /// Which point of the text stands there.
    pub anchor: TextAnchor,
    /// Height of a line in pixels of a picture 720 pixels high; scales with its height.
    pub size: f32,
    /// Its colour.
    pub color: [f32; 3],
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextPlace {
    /// Share of the width and of the height of the picture, from its upper left corner.
    Picture([f32; 2]),
    /// A point in space; drawn in front of everything.
    World([f32; 3]),
}

/// Which point of a text is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TextAnchor {
    /// The upper left corner.
    #[default]
    TopLeft,
    /// The middle of the upper edge.
    TopCenter,
    /// The upper right corner.
    TopRight,
    /// The lower left corner.
    BottomLeft,
    /// The middle of the lower edge.
    BottomCenter,
    /// The middle.
    Center,
}

/// The legend of a field: a strip of colours with numbers, at the right edge of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorBar {
    /// What the field is, with its unit: `speed (m/s)`.
    pub title: String,
    /// Value at the lower end.
    pub low: f64,
    /// Value at the upper end.
    pub high: f64,
    /// Colours from low to high, evenly spaced.
    pub colors: Vec<[f32; 3]>,
}

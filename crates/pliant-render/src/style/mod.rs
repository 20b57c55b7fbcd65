//! How frames are to look: plain data that a command line or a scene can name.

mod names;

pub use names::{STYLE_NAMES, StyleName, UnknownGround, UnknownStyle};

/// How frames are to look.
///
/// ```
/// use pliant_render::{Look, Style};
/// let style: Style = "threads".parse()?;
/// assert_eq!(style.look, Look::Threads);
/// let style: Style = "field:temperature".parse()?;
/// assert_eq!(style.look, Look::Field("temperature".into()));
/// # Ok::<(), pliant_render::UnknownStyle>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// What bodies are drawn as.
    pub look: Look,
    /// Whether a ground is laid under the scene.
    pub ground: Ground,
    /// Lowest and highest value of the colours of a field, in its own unit; `None` takes them from
    /// the frames.
    pub field_range: Option<[f64; 2]>,
    /// Whether lines of a wireframe are seen through the surfaces before them.
    pub hidden_lines: bool,
    /// Thickness that surfaces, curves and particles of blobs are drawn with, in metres; 0 draws surfaces as
    /// thin as they are, curves as wide as their length suggests and particles as wide as they are apart.
    pub thickness: f64,
}

/// What bodies are drawn as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Lit surfaces in their colours or textures; curves as tubes, fluids as blobs.
    #[default]
    Shaded,
    /// The lines of the grid.
    Wireframe,
    /// Nodes, fixed ones in red, with normals and the forces on them.
    Particles,
    /// Surfaces as woven threads.
    Threads,
    /// Surfaces as nets: cords along the links that are whole, knots at the nodes.
    Net,
    /// A smooth surface round the nodes, as of something that flows.
    Blobby,
    /// Coloured by a number at the nodes: `speed` or a field of the frame.
    Field(String),
}

/// Whether a ground is laid under the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Below everything, unless the scene has a floor of its own.
    #[default]
    Auto,
    /// Below everything.
    Yes,
    /// None.
    No,
}

impl From<Look> for Style {
    fn from(look: Look) -> Self {
        Self {
            look,
            ..Self::default()
        }
    }
}

//! How pictures and films of a scene look.

/// How pictures and films look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// What bodies are drawn as.
    pub style: PictureStyle,
    /// The number at the nodes that colours them, with [`PictureStyle::Field`].
    pub field: Option<String>,
    /// Width and height in pixels; `None` leaves them to the program.
    pub size: Option<(usize, usize)>,
    /// Whether there is a ground; `None` leaves it to the program.
    pub ground: Option<bool>,
    /// Height of the lowest point that anything reaches, in metres.
    pub level: Option<f64>,
    /// Red, green and blue from 0 to 1 behind everything.
    pub background: Option<[f64; 3]>,
    /// Thickness that surfaces and curves are drawn with, in metres.
    pub thickness: f64,
    /// Whether what acts on bodies is drawn.
    pub acts: bool,
    /// Time of the picture that stands for the film, in seconds.
    pub poster: Option<f64>,
    /// Moments that each picture of a film is the mean of; `None` leaves them to the program.
    pub motion_blur: Option<usize>,
}

pliant::choice! {
    /// What bodies are drawn as.
    pub enum PictureStyle {
        /// Lit surfaces.
        Shaded,
        /// The lines of the grid.
        Wireframe,
        /// Nodes with the forces on them.
        Particles,
        /// Woven threads.
        Threads,
        /// Cords along the lines of the grid.
        Net,
        /// A smooth surface round the nodes.
        Blobby,
        /// Coloured by a number at the nodes.
        Field,
    }
}

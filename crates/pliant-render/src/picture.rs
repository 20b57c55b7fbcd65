//! A picture in memory.

/// Rows of pixels from top to bottom; red, green, blue and opacity, one byte each, as they are
/// shown (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, color: [u8; 4]) -> Self {
        Self {
            width,
            height,
            pixels: vec![color; width * height],
        }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// All pixels, row by row, to be changed.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// All bytes, row by row.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}

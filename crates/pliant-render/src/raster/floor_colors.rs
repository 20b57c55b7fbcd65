//! The colours of floors in white light, kept from one frame of a film to the next.
//!
//! A floor stands still and so does the camera of most films: what is read of its picture at a pixel is
//! the same in each frame. It depends on nothing but what [`Key`] holds, so a picture has the same bits
//! whether its floor was known before or not.

use super::block::BLOCK;
use super::view::View;
use crate::{Mesh, Paint, Texture};
use glam::{DVec3, Vec3};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Floors that are remembered.
const FLOORS: usize = 3;

/// Pictures with more pixels than this get no memory: it takes 12 bytes per pixel.
const MOST_PIXELS: usize = 4_000_000;

/// The colours of the pixels of a block, row by row.
pub(crate) type Colors = [Vec3; BLOCK * BLOCK];

/// The colours of a floor, block by block.
pub(crate) struct FloorColors {
    blocks_per_row: usize,
    blocks: Vec<OnceLock<Box<Colors>>>,
}

impl FloorColors {
    /// The colours of the block that begins at a pixel; `make` gives that of a pixel of it if they are not
    /// known yet.
    pub fn block(&self, [column, row]: [usize; 2], make: impl Fn([usize; 2]) -> Vec3) -> &Colors {
        let index = row / BLOCK * self.blocks_per_row + column / BLOCK;
        self.blocks[index].get_or_init(|| {
            let color = |pixel: usize| make([pixel % BLOCK, pixel / BLOCK]);
            Box::new(std::array::from_fn(color))
        })
    }
}

/// All that the colours depend on.
struct Key {
    eye: DVec3,
    axes: [DVec3; 3],
    pixel: f64,
    size: [usize; 2],
    positions: Vec<[f32; 3]>,
    texture_coordinates: Vec<[f32; 2]>,
    triangles: Vec<[u32; 3]>,
    tint: Option<[f32; 3]>,
    paint: PaintKey,
}

enum PaintKey {
    Texture(Weak<Texture>),
    Grid([f32; 3]),
}

impl Key {
    fn new(view: &View, mesh: &Mesh) -> Option<Self> {
        let paint = match &mesh.paint {
            Paint::Texture(texture) => PaintKey::Texture(Arc::downgrade(texture)),
            Paint::Grid(color) => PaintKey::Grid(*color),
            _ => return None,
        };
        Some(Self {
            eye: view.eye,
            axes: view.axes,
            pixel: view.pixel,
            size: view.size,
            positions: mesh.positions.clone(),
            texture_coordinates: mesh.texture_coordinates.clone(),
            triangles: mesh.triangles.clone(),
            tint: mesh.shading.two_sided.then_some(mesh.shading.back_tint),
            paint,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let same_paint = match (&self.paint, &other.paint) {
            (PaintKey::Texture(one), PaintKey::Texture(other)) => one.ptr_eq(other),
            (PaintKey::Grid(one), PaintKey::Grid(other)) => one == other,
            _ => false,
        };
        same_paint
            && self.eye == other.eye
            && self.axes == other.axes
            && self.pixel == other.pixel
            && self.size == other.size
            && self.positions == other.positions
            && self.texture_coordinates == other.texture_coordinates
            && self.triangles == other.triangles
            && self.tint == other.tint
    }
}

/// Floors that were drawn, the last one at the end.
static KNOWN: Mutex<Vec<(Key, Arc<FloorColors>)>> = Mutex::new(Vec::new());

/// The colours of a floor as a view sees it; `None` if they are not worth the memory.
pub(crate) fn floor_colors(view: &View, mesh: &Mesh) -> Option<Arc<FloorColors>> {
    let [columns, rows] = view.size;
    let is_plane = mesh.triangles.len() <= 2;
    if !mesh.shading.fades || !is_plane || columns.saturating_mul(rows) > MOST_PIXELS {
        return None;
    }
    let key = Key::new(view, mesh)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = known.iter().position(|(known, _)| known.is_same(&key)) {
        let found = known.remove(index);
        let colors = Arc::clone(&found.1);
        known.push(found);
        return Some(colors);
    }
    // A block at an edge of the picture may not be whole; it has a place all the same.
    let [blocks_per_row, block_rows] = [columns, rows].map(|count| count.div_ceil(BLOCK));
    let colors = Arc::new(FloorColors {
        blocks_per_row,
        blocks: (0..blocks_per_row * block_rows)
            .map(|_| OnceLock::new())
            .collect(),
    });
    if known.len() >= FLOORS {
        known.remove(0);
    }
    known.push((key, Arc::clone(&colors)));
    Some(colors)
}

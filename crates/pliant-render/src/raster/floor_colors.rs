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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw_list::{Finish, Shading};
    use crate::{Camera, DrawList, Picture, PictureOptions, draw};

    /// A floor with a chequered picture.
    fn floor(texture: &Arc<Texture>) -> DrawList {
        let corners = [[-40.0, -40.0], [40.0, -40.0], [40.0, 40.0], [-40.0, 40.0]];
        DrawList {
            meshes: vec![Mesh {
                positions: corners.map(|[x, y]| [x, y, 0.0]).to_vec(),
                normals: vec![[0.0, 0.0, 1.0]; 4],
                texture_coordinates: corners.map(|[x, y]| [0.1 * x, 0.1 * y]).to_vec(),
                triangles: vec![[0, 1, 2], [0, 2, 3]],
                paint: Paint::Texture(Arc::clone(texture)),
                shading: Shading {
                    fades: true,
                    casts_shadow: false,
                    finish: Finish::CHALK,
                    ..Shading::default()
                },
                ..Mesh::default()
            }],
            ..DrawList::default()
        }
    }

    fn texture(bright: u8) -> Arc<Texture> {
        let pixel = |index: usize| {
            [if (index + index / 8) % 2 == 0 {
                bright
            } else {
                20
            }; 3]
        };
        Arc::new(Texture {
            width: 8,
            height: 8,
            pixels: (0..64).map(pixel).collect(),
        })
    }

    fn drawn(list: &DrawList, eye: DVec3) -> Picture {
        let camera = Camera {
            eye,
            target: DVec3::ZERO,
            up: DVec3::Z,
            field_of_view: 0.8,
        };
        let options = PictureOptions {
            width: 160,
            height: 90,
            ..PictureOptions::default()
        };
        draw(list, &camera, &[], &options)
    }

    #[test]
    fn a_floor_that_is_known_looks_as_one_that_is_not() {
        let [one, other] = [texture(250), texture(120)];
        let places = [DVec3::new(0.0, -9.0, 4.0), DVec3::new(3.0, -7.0, 5.0)];
        let fresh: Vec<Picture> = places.map(|eye| drawn(&floor(&one), eye)).to_vec();
        assert_ne!(fresh[0].pixels(), fresh[1].pixels(), "the camera counts");
        for (eye, first) in places.into_iter().zip(&fresh) {
            assert_eq!(drawn(&floor(&one), eye).pixels(), first.pixels());
            let changed = drawn(&floor(&other), eye);
            assert_ne!(changed.pixels(), first.pixels(), "the picture counts");
        }
        // Another texture at the same address as one that is gone is not taken for it.
        drop(one);
        let again = texture(250);
        assert_eq!(drawn(&floor(&again), places[0]).pixels(), fresh[0].pixels());
    }
}

//! A square of the picture: which thing is nearest at each sample of each pixel.

use super::lanes::{self, Ink, Samples};
use super::sphere::Sphere;
use super::triangle::Triangle;
use super::view::View;

/// Columns and rows of a tile, in pixels.
pub(crate) const TILE: usize = 32;

/// Stands for nothing at all.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Stands for the ground.
pub(crate) const GROUND: u32 = u32::MAX - 1;

/// Where the samples of a pixel lie, in pixels from its upper left corner. No two share a row or
/// column, so near-horizontal and near-vertical edges get as many steps as there are samples.
pub(crate) const fn sample_places<const N: usize>() -> [[f32; 2]; N] {
    const FOUR: [[f32; 2]; 4] = [
        [0.375, 0.125],
        [0.875, 0.375],
        [0.125, 0.625],
        [0.625, 0.875],
    ];
    const EIGHT: [[f32; 2]; 8] = [
        [0.5625, 0.3125],
        [0.4375, 0.6875],
        [0.8125, 0.5625],
        [0.3125, 0.1875],
        [0.1875, 0.8125],
        [0.0625, 0.4375],
        [0.6875, 0.9375],
        [0.9375, 0.0625],
    ];
    let mut places = [[0.5; 2]; N];
    let mut index = 0;
    while index < N {
        if N == 4 {
            places[index] = FOUR[index];
        } else if N == 8 {
            places[index] = EIGHT[index];
        }
        index += 1;
    }
    places
}

/// The samples of one tile.
pub(crate) struct Tile<const N: usize> {
    /// First column and row of the tile in the picture.
    pub origin: [usize; 2],
    /// Depth of the nearest thing, larger is nearer; pixel by pixel, row by row.
    pub depth: Vec<[f32; N]>,
    /// Which thing it is.
    pub id: Vec<[u32; N]>,
    /// The one thing that all samples show, where that is known; their depths have no meaning then.
    pub only: Option<u32>,
}

impl<const N: usize> Tile<N> {
    /// Memory for one tile.
    pub fn new() -> Self {
        Self {
            origin: [0; 2],
            depth: vec![[f32::MIN; N]; TILE * TILE],
            id: vec![[EMPTY; N]; TILE * TILE],
            only: None,
        }
    }

    /// Forgets what is there and moves to another place.
    pub fn clear(&mut self, origin: [usize; 2]) {
        self.origin = origin;
        self.depth.fill([f32::MIN; N]);
        self.id.fill([EMPTY; N]);
        self.only = None;
    }

    /// Moves to another place, where all samples show one thing.
    pub fn show_only(&mut self, origin: [usize; 2], id: u32) {
        self.origin = origin;
        if self.only != Some(id) {
            self.id.fill([id; N]);
            self.only = Some(id);
        }
    }

    /// Draws a triangle, moved towards the eye by the share `lift` of its distance.
    pub fn draw_triangle(&mut self, view: &View, triangle: &Triangle, id: u32, lift: f32) {
        let Some(scan) = Scan::<N>::new(triangle, self.origin) else {
            return;
        };
        let ink = Ink {
            id,
            range: triangle.depth_range,
            nearer: 1.0 + lift,
            nearest: view.nearest_depth() as f32,
        };
        lanes::fill(&scan, ink, self.samples());
    }

    /// Draws a sphere.
    pub fn draw_sphere(&mut self, view: &View, sphere: &Sphere, id: u32) {
        let [x0, y0, x1, y1] = clip_bounds(sphere.bounds, self.origin);
        let places = sample_places::<N>();
        for y in y0..y1 {
            for x in x0..x1 {
                let index = y * TILE + x;
                for (sample, [dx, dy]) in places.into_iter().enumerate() {
                    let column = (self.origin[0] + x) as f64 + f64::from(dx);
                    let row = (self.origin[1] + y) as f64 + f64::from(dy);
                    let Some(point) = sphere.hit(view, column, row) else {
                        continue;
                    };
                    let depth = view.depth_of(point) as f32;
                    if depth > self.depth[index][sample] {
                        self.depth[index][sample] = depth;
                        self.id[index][sample] = id;
                    }
                }
            }
        }
    }

    /// Draws an endless plane, given its depth as a linear function of column and row.
    pub fn draw_plane(&mut self, plane: [f64; 3], farthest: f32, id: u32) {
        let origin = self.origin;
        lanes::fill_plane::<N>(plane, origin, farthest, id, self.samples());
    }

    fn samples(&mut self) -> Samples<'_> {
        Samples {
            depth: self.depth.as_flattened_mut(),
            id: self.id.as_flattened_mut(),
        }
    }
}

/// The part of pixel bounds that lies in a tile, relative to it: x0, y0, x1, y1.
pub(crate) fn clip_bounds(bounds: [u32; 4], origin: [usize; 2]) -> [usize; 4] {
    let clip = |edge: u32, axis: usize| (edge as usize).saturating_sub(origin[axis]).min(TILE);
    [
        clip(bounds[0], 0),
        clip(bounds[1], 1),
        clip(bounds[2], 0),
        clip(bounds[3], 1),
    ]
}

/// A triangle seen from the corner of a tile, in single precision.
///
/// Each edge function is divided by the sum of the magnitudes of its two factors. Both triangles
/// at an edge divide by the same number, so their functions stay exactly opposite.
pub(crate) struct Scan<const N: usize> {
    /// The pixels of the tile that it may touch: x0, y0, x1, y1.
    pub area: [usize; 4],
    /// Edge functions: factors of column and row, value at the corner of the tile.
    pub edges: [[f32; 3]; 3],
    /// What the value of each sample adds to that at the corner of its pixel.
    pub edge_offsets: [[f32; N]; 3],
    /// Depth, in the same form.
    pub depth: [f32; 3],
    /// One over the factors of the column.
    inverses: [f32; 3],
    /// What the depth of each sample adds to that at the corner of its pixel.
    pub depth_offsets: [f32; N],
}

impl<const N: usize> Scan<N> {
    /// `None` if the triangle does not touch the tile.
    #[inline]
    pub fn new(triangle: &Triangle, origin: [usize; 2]) -> Option<Self> {
        let area = clip_bounds(triangle.bounds, origin);
        let [x0, y0, x1, y1] = area;
        if x0 >= x1 || y0 >= y1 {
            return None;
        }
        let [column, row] = origin.map(|place| place as f64);
        let places = sample_places::<N>();
        let edges = triangle.edges.map(|[across, along, fixed]| {
            let size = across.abs() + along.abs();
            let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
            [
                (across * scale) as f32,
                (along * scale) as f32,
                ((across * column + along * row + fixed) * scale) as f32,
            ]
        });
        for [across, along, fixed] in edges {
            let x = if across > 0.0 { x1 } else { x0 } as f32;
            let y = if along > 0.0 { y1 } else { y0 } as f32;
            if across * x + along * y + fixed < 0.0 {
                return None;
            }
        }
        let [across, along, fixed] = triangle.depth;
        let depth = [
            across as f32,
            along as f32,
            (across * column + along * row + fixed) as f32,
        ];
        Some(Self {
            area,
            edges,
            inverses: edges.map(|[across, ..]| 1.0 / across),
            edge_offsets: edges
                .map(|[across, along, _]| places.map(|[dx, dy]| across * dx + along * dy)),
            depth,
            depth_offsets: places.map(|[dx, dy]| depth[0] * dx + depth[1] * dy),
        })
    }

    /// Depth at the upper left corner of a pixel of the tile.
    pub fn depth_at(&self, x: usize, y: usize) -> f32 {
        self.depth[0] * x as f32 + self.depth[1] * y as f32 + self.depth[2]
    }

    /// First and last pixel of a row that the triangle may touch, given the values of its edge functions at the
    /// beginning of the row.
    #[inline(always)]
    pub fn span(&self, starts: [f32; 3]) -> Option<[usize; 2]> {
        let (mut first, mut last) = (self.area[0] as f32, self.area[2] as f32 - 1.0);
        for edge in 0..3 {
            let [across, along, _] = self.edges[edge];
            // Samples lie at most one pixel further inside than the corner of their pixel.
            let slack = across.max(0.0) + along.max(0.0) + 1e-3;
            let zero = -(starts[edge] + slack) * self.inverses[edge];
            if across > 0.0 {
                first = first.max(zero);
            } else if across < 0.0 {
                last = last.min(zero + 1.0);
            }
        }
        // Casts cut off the fraction: a little too many pixels never harm.
        (first <= last).then_some([first as usize, last as usize])
    }

    /// Calls `visit` with the column and row (in the tile) of each pixel that the triangle may
    /// touch and, for each of its samples, a number that is not negative inside.
    pub fn each_pixel(&self, mut visit: impl FnMut(usize, usize, [f32; N])) {
        for y in self.area[1]..self.area[3] {
            let starts = self.edges.map(|[_, along, fixed]| along * y as f32 + fixed);
            let Some([first, last]) = self.span(starts) else {
                continue;
            };
            for x in first..=last {
                let mut insides = [0.0; N];
                let values: [f32; 3] =
                    std::array::from_fn(|edge| self.edges[edge][0] * x as f32 + starts[edge]);
                for sample in 0..N {
                    insides[sample] = (values[0] + self.edge_offsets[0][sample])
                        .min(values[1] + self.edge_offsets[1][sample])
                        .min(values[2] + self.edge_offsets[2][sample]);
                }
                visit(x, y, insides);
            }
        }
    }
}

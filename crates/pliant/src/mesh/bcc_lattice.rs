//! The body-centred cubic lattice over a box: the corners and the centres of cubes, and the
//! tetrahedra between them, all of one shape with dihedral angles of 60 and 90 degrees.
//!
//! A tetrahedron has two long edges, as long as a cube, between two centres and between two
//! corners, and four short ones, √3/2 as long, between a centre and a corner.

use super::boundary::connected;
use super::make_error::positive;
use super::{ImplicitShape, MeshMakeError};
use glam::DVec3;
use rayon::prelude::*;

/// A lattice may have this many points: values and node numbers then take about half a gigabyte.
pub const LATTICE_POINT_LIMIT: usize = 40_000_000;

/// Bytes a lattice point takes while a mesh is made.
const BYTES_A_POINT: f64 = 12.0;

/// The corners of a cube's face across an axis, in order round it, along the two axes after that.
const FACE: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// Cubes of a lattice; its points are the corners of all cubes, then the centres.
#[derive(Clone, Debug)]
pub(super) struct BccLattice {
    origin: DVec3,
    pub spacing: f64,
    cells: [usize; 3],
}

impl BccLattice {
    /// A lattice with at least half a cube to spare about the shape.
    pub fn around(shape: &dyn ImplicitShape, spacing: f64) -> Result<Self, MeshMakeError> {
        positive("the spacing of a mesh", spacing)?;
        let (lowest, highest) = shape.bounds();
        let extent = highest - lowest;
        for edge in extent.to_array() {
            if !edge.is_finite() || edge < 0.0 {
                return Err(MeshMakeError::NothingInside { lowest, highest });
            }
        }
        let cells = (extent / spacing).ceil().to_array().map(|n| n + 2.0);
        let cubes: f64 = cells.iter().product();
        let corners: f64 = cells.iter().map(|n| n + 1.0).product();
        let points = cubes + corners;
        if points > LATTICE_POINT_LIMIT as f64 {
            let factor = (points / LATTICE_POINT_LIMIT as f64).cbrt();
            return Err(MeshMakeError::TooLarge {
                spacing,
                points,
                megabytes: (points * BYTES_A_POINT / 1e6).ceil(),
                limit: LATTICE_POINT_LIMIT,
                try_spacing: two_digits(1.1 * factor * spacing),
            });
        }
        Ok(Self {
            origin: 0.5 * (lowest + highest) - 0.5 * spacing * DVec3::from_array(cells),
            spacing,
            cells: cells.map(|n| n as usize),
        })
    }

    fn corner_count(&self) -> usize {
        self.cells.iter().map(|n| n + 1).product()
    }

    /// Number of corners and centres.
    pub fn point_count(&self) -> usize {
        self.corner_count() + self.cells.iter().product::<usize>()
    }

    /// The point in half cubes from the origin: even numbers for corners, odd ones for centres.
    pub fn half_cubes(&self, point: usize) -> [usize; 3] {
        let corners = self.corner_count();
        let (n, [nx, ny, _], odd) = if point < corners {
            (point, self.cells.map(|n| n + 1), 0)
        } else {
            (point - corners, self.cells, 1)
        };
        [n % nx, n / nx % ny, n / (nx * ny)].map(|i| 2 * i + odd)
    }

    /// Position of a point, in metres.
    pub fn position(&self, point: usize) -> DVec3 {
        let [i, j, k] = self.half_cubes(point).map(|i| i as f64);
        self.origin + 0.5 * self.spacing * DVec3::new(i, j, k)
    }

    fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.cells;
        (i + (nx + 1) * (j + (ny + 1) * k)) as u32
    }

    fn centre(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.cells;
        (self.corner_count() + i + nx * (j + ny * k)) as u32
    }

    fn cubes(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nx * ny * nz).map(move |n| [n % nx, n / nx % ny, n / (nx * ny)])
    }

    /// Values of a shape at all points. No point on the outside of the lattice may be inside the
    /// shape.
    pub fn sample(&self, shape: &dyn ImplicitShape) -> Result<Vec<f64>, MeshMakeError> {
        let points = 0..self.point_count();
        let values: Vec<f64> = points
            .into_par_iter()
            .with_min_len(1024)
            .map(|point| shape.value(self.position(point)))
            .collect();
        for (point, &value) in values.iter().enumerate() {
            if !value.is_finite() {
                let place = self.position(point);
                return Err(MeshMakeError::NotFinite { place });
            }
            if value < 0.0 {
                let half_cubes = self.half_cubes(point);
                if (0..3).any(|i| half_cubes[i] < 2 || half_cubes[i] + 2 > 2 * self.cells[i]) {
                    let place = self.position(point);
                    return Err(MeshMakeError::OutOfBounds { place });
                }
            }
        }
        if values.iter().all(|&value| value >= 0.0) {
            return Err(nothing_found(shape, self.spacing));
        }
        Ok(values)
    }

    /// Edges with values of opposite sign at their ends, each once, lower point first.
    pub fn crossings(&self, values: &[f64]) -> Vec<[u32; 2]> {
        self.edges(|a, b| {
            let [fa, fb] = [a, b].map(|point| values[point as usize]);
            (fa < 0.0 && fb > 0.0) || (fa > 0.0 && fb < 0.0)
        })
    }

    /// Pieces of a shape that edges between inside points hold together.
    pub fn piece_count(&self, values: &[f64]) -> usize {
        let inside = |point: u32| values[point as usize] < 0.0;
        let joined = self.edges(|a, b| inside(a) && inside(b));
        let groups = joined.iter().map(|edge| &edge[..]);
        connected(self.point_count(), groups).count
    }

    /// The wanted edges, each once, lower point first. Edges on the far sides of the lattice lie
    /// outside every shape and are left out.
    fn edges(&self, wanted: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
        let mut edges = Vec::new();
        let mut consider = |a: u32, b: u32| {
            if wanted(a, b) {
                edges.push([a.min(b), a.max(b)]);
            }
        };
        for cube in self.cubes() {
            let centre = self.centre(cube);
            for bits in 0..8 {
                let offset = std::array::from_fn(|axis| cube[axis] + (bits >> axis & 1));
                consider(centre, self.corner(offset));
            }
            for axis in 0..3 {
                let mut next = cube;
                next[axis] += 1;
                if next[axis] < self.cells[axis] {
                    consider(centre, self.centre(next));
                }
                consider(self.corner(cube), self.corner(next));
            }
        }
        edges
    }

    /// Where the values of a shape change sign along an edge: a fraction of the way from its first
    /// to its second point.
    pub fn cut(&self, shape: &dyn ImplicitShape, edge: [u32; 2], values: &[f64]) -> f64 {
        let [a, b] = edge.map(|point| self.position(point as usize));
        let [fa, fb] = edge.map(|point| values[point as usize]);
        let goal = 1e-9 * self.spacing;
        zero_between(|t| shape.value(a.lerp(b, t)), fa, fb, goal)
    }

    /// Calls `visit` with every tetrahedron that `wanted` some corner of: two centres, then two
    /// corners.
    pub fn tetrahedra(&self, wanted: impl Fn(u32) -> bool, mut visit: impl FnMut([u32; 4])) {
        for cube in self.cubes() {
            let centre = self.centre(cube);
            for axis in 0..3 {
                let mut next = cube;
                next[axis] += 1;
                if next[axis] == self.cells[axis] {
                    continue;
                }
                let across = self.centre(next);
                let rim = FACE.map(|[u, v]| {
                    let mut corner = next;
                    corner[(axis + 1) % 3] += u;
                    corner[(axis + 2) % 3] += v;
                    self.corner(corner)
                });
                for turn in 0..4 {
                    let points = [centre, across, rim[turn], rim[(turn + 1) % 4]];
                    if points.iter().any(|&point| wanted(point)) {
                        visit(points);
                    }
                }
            }
        }
    }
}

/// The zero of a function between 0 and 1 with values of opposite sign there: false position that
/// halves the value of an end that stays.
fn zero_between(f: impl Fn(f64) -> f64, f0: f64, f1: f64, goal: f64) -> f64 {
    let (mut a, mut fa, mut b, mut fb) = (0.0, f0, 1.0, f1);
    let mut t = 0.5;
    for _ in 0..50 {
        t = (a * fb - b * fa) / (fb - fa);
        let ft = f(t);
        if ft.abs() <= goal || (b - a).abs() < 1e-12 {
            break;
        }
        if ft * fb < 0.0 {
            (a, fa) = (b, fb);
        } else {
            fa *= 0.5;
        }
        (b, fb) = (t, ft);
    }
    t.clamp(0.0, 1.0)
}

/// Whether a shape of which no lattice point is inside is empty or only thin.
fn nothing_found(shape: &dyn ImplicitShape, spacing: f64) -> MeshMakeError {
    const SAMPLES: i32 = 60;
    let (lowest, highest) = shape.bounds();
    let mut deepest = 0.0f64;
    for k in 0..=SAMPLES {
        for j in 0..=SAMPLES {
            for i in 0..=SAMPLES {
                let u = DVec3::new(i.into(), j.into(), k.into()) / f64::from(SAMPLES);
                deepest = deepest.min(shape.value(lowest + u * (highest - lowest)));
            }
        }
    }
    if deepest < 0.0 {
        let try_spacing = two_digits(-deepest);
        return MeshMakeError::TooCoarse {
            spacing,
            try_spacing,
        };
    }
    MeshMakeError::NothingInside { lowest, highest }
}

/// A positive number to two digits, for a person to read.
fn two_digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

//! Triangles and planes drawn into a tile, several samples at a time.
//!
//! The samples of a row of a tile lie side by side. They are gone through in groups of [`LANES`],
//! which always begin at the same places: both triangles at an edge then compute exactly opposite
//! numbers at each sample, and neighbours leave no gap.

use super::tile::{Scan, TILE, sample_places};
use crate::processor::for_this_processor;

/// Samples that are worked out together.
pub(super) const LANES: usize = 16;

/// The samples of a tile, row by row.
pub(super) struct Samples<'a> {
    /// Depth of the nearest thing, larger is nearer.
    pub depth: &'a mut [f32],
    /// Which thing it is.
    pub id: &'a mut [u32],
}

/// What is drawn.
#[derive(Clone, Copy)]
pub(super) struct Ink {
    /// Its number.
    pub id: u32,
    /// Least and greatest depth that it has.
    pub range: [f32; 2],
    /// By what its depth is multiplied before it is compared.
    pub nearer: f32,
    /// Where it is nearer than this, nothing is drawn.
    pub nearest: f32,
}

for_this_processor! {
    /// Draws the part of a triangle that lies in a tile with `N` samples a pixel.
    pub(super) fn fill<const N: usize>(scan: &Scan<N>, ink: Ink, samples: Samples<'_>) {
        let pixels = LANES / N;
        let mut edge_offsets = [[0.0_f32; LANES]; 3];
        let mut depth_offsets = [0.0_f32; LANES];
        for lane in 0..LANES {
            let (pixel, sample) = ((lane / N) as f32, lane % N);
            for edge in 0..3 {
                edge_offsets[edge][lane] =
                    scan.edges[edge][0] * pixel + scan.edge_offsets[edge][sample];
            }
            depth_offsets[lane] = scan.depth[0] * pixel + scan.depth_offsets[sample];
        }
        let [least, greatest] = ink.range;
        for y in scan.area[1]..scan.area[3] {
            let starts = scan.edges.map(|[_, along, fixed]| along * y as f32 + fixed);
            let Some([first, last]) = scan.span(starts) else {
                continue;
            };
            let row_depth = scan.depth[1] * y as f32 + scan.depth[2];
            for group in first / pixels..=last / pixels {
                let x = (group * pixels) as f32;
                let [a, b, c]: [f32; 3] =
                    std::array::from_fn(|edge| scan.edges[edge][0] * x + starts[edge]);
                let corner = scan.depth[0] * x + row_depth;
                let start = y * TILE * N + group * LANES;
                let (Some(depths), Some(ids)) = (
                    samples.depth[start..].first_chunk_mut::<LANES>(),
                    samples.id[start..].first_chunk_mut::<LANES>(),
                ) else {
                    continue;
                };
                // Masks of all ones or zeros, without a branch: so the compiler makes vectors of it.
                let before = *depths;
                let (mut after, mut masks) = ([0.0_f32; LANES], [0_u32; LANES]);
                for lane in 0..LANES {
                    let plain = corner + depth_offsets[lane];
                    let above = if plain > least { plain } else { least };
                    after[lane] = (if above < greatest { above } else { greatest }) * ink.nearer;
                    masks[lane] = mask(a + edge_offsets[0][lane] >= 0.0)
                        & mask(b + edge_offsets[1][lane] >= 0.0)
                        & mask(c + edge_offsets[2][lane] >= 0.0)
                        & mask(plain <= ink.nearest)
                        & mask(after[lane] > before[lane]);
                }
                *depths = chosen(masks, after, before);
                *ids = chosen_ids(masks, ink.id, *ids);
            }
        }
    }
}

for_this_processor! {
    /// Draws an endless plane into a tile that begins at `origin`: its depth is a linear function of column and
    /// row, and it is not seen where that is below `farthest`.
    pub(super) fn fill_plane<const N: usize>(
        plane: [f64; 3],
        origin: [usize; 2],
        farthest: f32,
        id: u32,
        samples: Samples<'_>,
    ) {
        let pixels = LANES / N;
        let [across, along, _] = plane.map(|part| part as f32);
        let places = sample_places::<N>();
        let mut offsets = [0.0_f32; LANES];
        for lane in 0..LANES {
            let [dx, dy] = places[lane % N];
            offsets[lane] = across * ((lane / N) as f32 + dx) + along * dy;
        }
        let depths = samples.depth.chunks_exact_mut(TILE * N);
        let rows = depths.zip(samples.id.chunks_exact_mut(TILE * N));
        for (y, (depths, ids)) in rows.enumerate() {
            let row = (plane[2] + plane[0] * origin[0] as f64 + plane[1] * (origin[1] + y) as f64) as f32;
            let groups = depths.as_chunks_mut::<LANES>().0;
            for (group, (depths, ids)) in groups.iter_mut().zip(ids.as_chunks_mut::<LANES>().0).enumerate() {
                let corner = row + across * (group * pixels) as f32;
                let before = *depths;
                let (mut after, mut masks) = ([0.0_f32; LANES], [0_u32; LANES]);
                for lane in 0..LANES {
                    after[lane] = corner + offsets[lane];
                    masks[lane] = mask(after[lane] > farthest) & mask(after[lane] > before[lane]);
                }
                *depths = chosen(masks, after, before);
                *ids = chosen_ids(masks, id, *ids);
            }
        }
    }
}

/// All ones where something holds, else all zeros.
#[inline(always)]
fn mask(holds: bool) -> u32 {
    u32::from(holds).wrapping_neg()
}

/// The first numbers where the masks are ones, the second where they are zeros.
#[inline(always)]
fn chosen(masks: [u32; LANES], ones: [f32; LANES], zeros: [f32; LANES]) -> [f32; LANES] {
    let mut result = [0.0; LANES];
    for lane in 0..LANES {
        let bits = (ones[lane].to_bits() & masks[lane]) | (zeros[lane].to_bits() & !masks[lane]);
        result[lane] = f32::from_bits(bits);
    }
    result
}

/// One number where the masks are ones, others where they are zeros.
#[inline(always)]
fn chosen_ids(masks: [u32; LANES], one: u32, zeros: [u32; LANES]) -> [u32; LANES] {
    let mut result = [0; LANES];
    for lane in 0..LANES {
        result[lane] = (one & masks[lane]) | (zeros[lane] & !masks[lane]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::tile::{EMPTY, Tile};
    use crate::raster::triangle::Triangle;
    use crate::raster::view::View;
    use glam::DVec3;

    fn view(perspective: bool) -> View {
        View {
            eye: DVec3::ZERO,
            axes: [DVec3::X, DVec3::Y, DVec3::Z],
            perspective,
            pixel: if perspective { 0.02 } else { 0.05 },
            size: [2 * TILE, 2 * TILE],
            near: 0.05,
            middles_alone: false,
        }
    }

    /// Triangles of all sizes about the picture, the same every time.
    fn triangles(view: &View, count: u32) -> Vec<Triangle> {
        let mut state: u64 = 11;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        };
        (0..count)
            .filter_map(|index| {
                let size = [2.0, 0.4, 0.05][index as usize % 3];
                let middle = DVec3::new(next(), next(), next() + 1.6);
                let points = [0; 3].map(|_| middle + size * DVec3::new(next(), next(), next()));
                Triangle::new(view, points, [0, 1, 2], 0, false)
            })
            .collect()
    }

    /// Draws sample by sample what `fill` draws in groups.
    fn check<const N: usize>(perspective: bool) {
        let view = view(perspective);
        let triangles = triangles(&view, 300);
        for origin in [[0, 0], [TILE, 0], [0, TILE], [TILE, TILE]] {
            let mut tile = Tile::<N>::new();
            tile.clear(origin);
            let mut plain = Tile::<N>::new();
            plain.clear(origin);
            let mut differences = 0;
            for (id, triangle) in triangles.iter().enumerate() {
                tile.draw_triangle(&view, triangle, id as u32, 0.01);
                let Some(scan) = Scan::<N>::new(triangle, origin) else {
                    continue;
                };
                let [least, greatest] = triangle.depth_range;
                scan.each_pixel(|x, y, insides| {
                    for sample in 0..N {
                        let depth = scan.depth_at(x, y) + scan.depth_offsets[sample];
                        let shown = depth.max(least).min(greatest) * 1.01;
                        let index = y * TILE + x;
                        if insides[sample] >= 0.0
                            && f64::from(depth) <= view.nearest_depth()
                            && shown > plain.depth[index][sample]
                        {
                            plain.depth[index][sample] = shown;
                            plain.id[index][sample] = id as u32;
                        }
                    }
                });
            }
            for (one, other) in tile.id.iter().flatten().zip(plain.id.iter().flatten()) {
                differences += usize::from(one != other);
            }
            let drawn = plain.id.iter().flatten().filter(|id| **id != EMPTY).count();
            assert!(drawn > TILE * TILE * N / 4, "{drawn}");
            // Numbers are rounded otherwise, which may tell at an edge.
            assert!(differences * 1000 <= TILE * TILE * N, "{differences}");
        }
    }

    #[test]
    fn groups_of_samples_are_drawn_as_single_ones() {
        check::<1>(true);
        check::<4>(true);
        check::<8>(true);
        check::<1>(false);
    }

    #[test]
    fn neighbours_leave_no_gap() {
        let view = view(true);
        let corners = [[-0.7, -0.6], [0.8, -0.65], [0.75, 0.9], [-0.8, 0.7]];
        let [a, b, c, d] = corners.map(|[x, y]| DVec3::new(x, y, 1.0));
        let mut tile = Tile::<4>::new();
        for origin in [[0, 0], [TILE, 0], [0, TILE], [TILE, TILE]] {
            let mut counts = vec![0; TILE * TILE * 4];
            for points in [[a, b, c], [a, c, d]] {
                let triangle = Triangle::new(&view, points, [0, 1, 2], 0, false).unwrap();
                tile.clear(origin);
                tile.draw_triangle(&view, &triangle, 7, 0.0);
                for (count, id) in counts.iter_mut().zip(tile.id.iter().flatten()) {
                    *count += usize::from(*id == 7);
                }
            }
            // The diagonal runs through all tiles but one; no sample beside it is missed.
            let triangle = |points| Triangle::new(&view, points, [0, 1, 2], 0, false).unwrap();
            let quad = [[a, b, c], [a, c, d], [a, b, d], [b, c, d]].map(triangle);
            tile.clear(origin);
            for part in &quad {
                tile.draw_triangle(&view, part, 7, 0.0);
            }
            for (count, id) in counts.iter().zip(tile.id.iter().flatten()) {
                assert_eq!(*count > 0, *id == 7);
            }
        }
    }

    #[test]
    fn a_plane_is_behind_what_is_nearer() {
        let mut tile = Tile::<4>::new();
        tile.clear([TILE, 0]);
        tile.depth[5] = [2.0; 4];
        tile.draw_plane([0.01, 0.02, -0.5], 0.0, 9);
        for (index, (ids, depths)) in tile.id.iter().zip(&tile.depth).enumerate() {
            let [x, y] = [TILE + index % TILE, index / TILE].map(|place| place as f32);
            for (sample, [dx, dy]) in sample_places::<4>().into_iter().enumerate() {
                let depth = 0.01 * (x + dx) + 0.02 * (y + dy) - 0.5;
                let seen = depth > 0.0 && index != 5;
                if depth.abs() > 1e-4 {
                    assert_eq!(ids[sample] == 9, seen, "{x} {y}");
                }
                if seen {
                    assert!((depths[sample] - depth).abs() < 1e-5);
                }
            }
        }
    }
}

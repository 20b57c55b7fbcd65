//! The few colours that serve a whole film best.
//!
//! A histogram of all pictures (cells of 4 x 4 x 4 colours, each with its mean) is cut in boxes:
//! the box with the largest sum of squared deviations is cut at its mean across its longest
//! axis, until there are enough. Some rounds of k-means then move each colour to the mean of
//! those it serves. A cell counts with the square root of its pixels: otherwise a wide background
//! takes all colours and a small body in front of it gets none.

/// Bits of a channel that choose the cell.
const CELL_BITS: u32 = 6;
/// Cells a channel.
pub(super) const CELLS: usize = 1 << CELL_BITS;
/// How much differences in red, green and blue count to the eye.
const CHANNEL_WEIGHTS: [f32; 3] = [3.0, 5.0, 2.0];
/// Rounds of k-means.
const ROUNDS: usize = 6;

/// The cell of a colour.
pub(super) fn cell_of(colour: [u8; 3]) -> usize {
    colour.iter().fold(0, |cell, channel| {
        cell << CELL_BITS | usize::from(*channel >> (8 - CELL_BITS))
    })
}

/// A colour in the middle of a cell.
pub(super) fn cell_centre(cell: usize) -> [f32; 3] {
    [2, 1, 0].map(|channel: u32| {
        let step = (cell >> (channel * CELL_BITS)) & (CELLS - 1);
        let width = 256 / CELLS;
        (step * width) as f32 + (width - 1) as f32 / 2.0
    })
}

/// Squared distance of two colours as the eye sees it, roughly.
pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3)
        .map(|channel| CHANNEL_WEIGHTS[channel] * (a[channel] - b[channel]).powi(2))
        .sum()
}

#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sums: [u64; 3],
}

/// How often colours occur.
pub(super) struct Histogram {
    cells: Vec<Cell>,
}

/// A colour and how much it counts.
#[derive(Clone, Copy)]
struct Weighted {
    colour: [f32; 3],
    weight: f32,
}

impl Histogram {
    pub fn new() -> Self {
        Self {
            cells: vec![Cell::default(); CELLS * CELLS * CELLS],
        }
    }

    /// Counts the pixels of a picture (four bytes each).
    pub fn add(&mut self, rgba: &[u8]) {
        for pixel in rgba.chunks_exact(4) {
            let cell = &mut self.cells[cell_of([pixel[0], pixel[1], pixel[2]])];
            cell.count += 1;
            for (sum, channel) in cell.sums.iter_mut().zip(pixel) {
                *sum += u64::from(*channel);
            }
        }
    }

    /// At most `count` colours.
    pub fn palette(&self, count: usize) -> Vec<[u8; 3]> {
        let mut colours: Vec<Weighted> = self
            .cells
            .iter()
            .filter(|cell| cell.count > 0)
            .map(|cell| Weighted {
                colour: cell.sums.map(|sum| (sum as f64 / cell.count as f64) as f32),
                weight: (cell.count as f32).sqrt(),
            })
            .collect();
        let mut palette = cut(&mut colours, count);
        for _ in 0..ROUNDS {
            improve(&mut palette, &colours);
        }
        palette
            .iter()
            .map(|colour| colour.map(|channel| (channel + 0.5) as u8))
            .collect()
    }
}

/// Weighted mean, and for each channel the weighted sum of squared deviations from it.
fn moments(colours: &[Weighted]) -> ([f32; 3], [f32; 3]) {
    let mut weight = 0.0_f64;
    let mut sums = [0.0_f64; 3];
    for entry in colours {
        weight += f64::from(entry.weight);
        for (sum, channel) in sums.iter_mut().zip(entry.colour) {
            *sum += f64::from(entry.weight * channel);
        }
    }
    let mean = sums.map(|sum| (sum / weight.max(f64::MIN_POSITIVE)) as f32);
    let deviations = [0, 1, 2].map(|channel| {
        let sum: f32 = colours
            .iter()
            .map(|entry| entry.weight * (entry.colour[channel] - mean[channel]).powi(2))
            .sum();
        sum * CHANNEL_WEIGHTS[channel]
    });
    (mean, deviations)
}

/// A run of colours to be served by one.
struct Group {
    start: usize,
    end: usize,
    mean: [f32; 3],
    deviations: [f32; 3],
}

impl Group {
    fn new(colours: &[Weighted], start: usize, end: usize) -> Self {
        let (mean, deviations) = moments(&colours[start..end]);
        Self {
            start,
            end,
            mean,
            deviations,
        }
    }

    fn deviation(&self) -> f32 {
        self.deviations.iter().sum()
    }
}

/// Cuts the colours in groups; gives the mean of each.
fn cut(colours: &mut [Weighted], count: usize) -> Vec<[f32; 3]> {
    let mut groups = vec![Group::new(colours, 0, colours.len())];
    while groups.len() < count {
        let widest = groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.end - group.start > 1)
            .max_by(|(_, a), (_, b)| a.deviation().total_cmp(&b.deviation()));
        let Some((index, group)) = widest else {
            break;
        };
        let (start, end) = (group.start, group.end);
        let axis = (0..3)
            .max_by(|a, b| group.deviations[*a].total_cmp(&group.deviations[*b]))
            .unwrap_or(0);
        let threshold = group.mean[axis];
        let part = &mut colours[start..end];
        part.sort_unstable_by(|a, b| a.colour[axis].total_cmp(&b.colour[axis]));
        let below = part.partition_point(|entry| entry.colour[axis] < threshold);
        let middle = start + below.clamp(1, end - start - 1);
        groups[index] = Group::new(colours, start, middle);
        groups.push(Group::new(colours, middle, end));
    }
    groups.iter().map(|group| group.mean).collect()
}

/// Index of the colour nearest to a given one.
pub(super) fn nearest(palette: &[[f32; 3]], colour: [f32; 3]) -> usize {
    let mut best = (0, f32::INFINITY);
    for (index, candidate) in palette.iter().enumerate() {
        let found = distance(*candidate, colour);
        if found < best.1 {
            best = (index, found);
        }
    }
    best.0
}

/// A round of k-means.
fn improve(palette: &mut [[f32; 3]], colours: &[Weighted]) {
    let mut sums = vec![([0.0_f32; 3], 0.0_f32); palette.len()];
    for entry in colours {
        let (sum, weight) = &mut sums[nearest(palette, entry.colour)];
        for (sum, channel) in sum.iter_mut().zip(entry.colour) {
            *sum += entry.weight * channel;
        }
        *weight += entry.weight;
    }
    for (colour, (sum, weight)) in palette.iter_mut().zip(sums) {
        if weight > 0.0 {
            *colour = sum.map(|channel| channel / weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut histogram = Histogram::new();
        let colours = [[0, 0, 0], [255, 255, 255], [200, 30, 30], [31, 77, 200]];
        for [red, green, blue] in colours {
            histogram.add(&[red, green, blue, 255].repeat(100));
        }
        let mut palette = histogram.palette(255);
        palette.sort_unstable();
        let mut expected = colours.to_vec();
        expected.sort_unstable();
        assert_eq!(palette, expected);
    }

    #[test]
    fn a_small_body_before_a_wide_background_has_its_colour() {
        let mut histogram = Histogram::new();
        for grey in 0..=255 {
            histogram.add(&[grey, grey, 255 - grey / 2, 255].repeat(4000));
        }
        histogram.add(&[220, 40, 30, 255].repeat(50));
        let palette = histogram.palette(32);
        assert_eq!(palette.len(), 32);
        let floats: Vec<_> = palette.iter().map(|c| c.map(f32::from)).collect();
        let found = floats[nearest(&floats, [220.0, 40.0, 30.0])];
        assert!(distance(found, [220.0, 40.0, 30.0]) < 300.0, "{found:?}");
    }

    #[test]
    fn the_centre_of_a_cell_lies_in_it() {
        for cell in [0, 1, 4095, 262_143, 70_000] {
            assert_eq!(
                cell_of(cell_centre(cell).map(|channel| channel as u8)),
                cell
            );
        }
    }
}

//! Smooth windows over a map of depths.

use super::{SIDE, WIDEST};
use crate::processor::for_this_processor;

for_this_processor! {
    /// Share of a window from which the light is seen; it holds at most `LANES` pixels per row. The
    /// map has `side` pixels per row, and the query is in its pixels.
    pub(super) fn average<const LANES: usize>(
        map: &[f32],
        side: usize,
        query: &Query,
        radius: f32,
    ) -> f32 {
        // The first pixel whose middle may lie within, and the end of those.
        let first_row = (query.row + 0.5 - radius) as usize;
        let end_row = (query.row + 0.5 + radius) as usize;
        let first_column = (query.column + 0.5 - radius) as usize;
        let mut weights = [0.0_f32; LANES];
        let mut offsets = [0.0_f32; LANES];
        for lane in 0..LANES {
            let across = (first_column + lane) as f32 + 0.5 - query.column;
            weights[lane] = weight(across, radius);
            offsets[lane] = across * query.slopes[0];
        }
        let mut hidden = [0.0_f32; LANES];
        let mut row_total = 0.0;
        for row in first_row..end_row {
            let away = row as f32 + 0.5 - query.row;
            let level = query.depth + away * query.slopes[1];
            let row_weight = weight(away, radius);
            let Some(line) = map[row * side + first_column..].first_chunk::<LANES>() else {
                continue;
            };
            for lane in 0..LANES {
                let hides = line[lane] > level + offsets[lane];
                hidden[lane] += if hides { row_weight } else { 0.0 };
            }
            row_total += row_weight;
        }
        let total = row_total * weights.iter().sum::<f32>();
        let hidden: f32 = hidden
            .iter()
            .zip(weights)
            .map(|(hidden, weight)| hidden * weight)
            .sum();
        if total > 0.0 {
            (1.0 - hidden / total).clamp(0.0, 1.0)
        } else {
            1.0
        }
    }
}

for_this_processor! {
    /// Mean depth of what lies between the surface and the light, from the nearest depths of blocks of
    /// four by four pixels.
    pub(super) fn blocker(nearest: &[f32], query: &Query) -> Option<f32> {
        // Eight blocks hold all whose middles lie within the widest window.
        let first = |place: f32| ((place - 2.0 - WIDEST) * 0.25) as usize + 1;
        let (first_column, first_row) = (first(query.column), first(query.row));
        let mut weights = [0.0_f32; 8];
        let mut offsets = [0.0_f32; 8];
        for lane in 0..8 {
            let across = (4 * (first_column + lane)) as f32 + 2.0 - query.column;
            weights[lane] = weight(across, WIDEST);
            offsets[lane] = across * query.slopes[0];
        }
        let mut sums = [0.0_f32; 8];
        let mut totals = [0.0_f32; 8];
        for row in first_row..first_row + 8 {
            let away = (4 * row) as f32 + 2.0 - query.row;
            let row_weight = weight(away, WIDEST);
            let level = query.depth + away * query.slopes[1];
            let Some(line) = nearest[row * (SIDE / 4) + first_column..].first_chunk::<8>() else {
                continue;
            };
            for lane in 0..8 {
                let hides = line[lane] > level + offsets[lane];
                let weight = if hides { row_weight } else { 0.0 };
                let depth = if hides { line[lane] } else { 0.0 };
                totals[lane] += weight;
                sums[lane] += weight * depth;
            }
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for lane in 0..8 {
            sum += sums[lane] * weights[lane];
            total += totals[lane] * weights[lane];
        }
        (total > 1e-6).then(|| sum / total)
    }
}

/// A place of the map and the surface there.
pub(super) struct Query {
    pub(super) column: f32,
    pub(super) row: f32,
    pub(super) depth: f32,
    /// Change of depth of the surface with column and row.
    pub(super) slopes: [f32; 2],
}

/// A smooth bump that falls to zero at the radius.
#[inline(always)]
pub(super) fn weight(distance: f32, radius: f32) -> f32 {
    let share = distance / radius;
    let bump = (1.0 - share * share).max(0.0);
    bump * bump
}

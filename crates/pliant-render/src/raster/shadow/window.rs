//! Smooth windows over a map of depths.

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
        let line = &map[row * side + first_column..][..LANES];
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

/// A place of the map and the surface there.
pub(super) struct Query {
    pub(super) column: f32,
    pub(super) row: f32,
    pub(super) depth: f32,
    /// Change of depth of the surface with column and row.
    pub(super) slopes: [f32; 2],
}

/// A smooth bump that falls to zero at the radius.
pub(super) fn weight(distance: f32, radius: f32) -> f32 {
    let share = distance / radius;
    let bump = (1.0 - share * share).max(0.0);
    bump * bump
}

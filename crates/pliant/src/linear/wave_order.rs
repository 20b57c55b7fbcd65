//! An order of rows for sweeps over a triangular matrix, in which rows that follow each other do not wait for each
//! other.

/// Where in an order each row is that keeps it after the rows it waits for, `before(row)`, and those apart that
/// wait for each other.
pub(super) fn wave_order<I: Iterator<Item = usize>>(
    count: usize,
    before: impl Fn(usize) -> I,
) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(count);
    for row in 0..count {
        let last = before(row).map(|other| levels[other] + 1).max();
        levels.push(last.unwrap_or(0));
    }
    let mut rows: Vec<usize> = (0..count).collect();
    rows.sort_by_key(|&row| levels[row]);
    let mut order = vec![0; count];
    for (place, row) in rows.into_iter().enumerate() {
        order[row] = place as u32;
    }
    order
}

/// The rows in an order.
pub(super) fn in_order(order: &[u32]) -> Vec<usize> {
    let mut rows = vec![0; order.len()];
    for (row, &place) in order.iter().enumerate() {
        rows[place as usize] = row;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_after_those_they_wait_for_and_apart_from_them() {
        // A grid with rows of nine nodes, each of which waits for the one before it and those in the row above.
        let width = 9;
        let before = |row: usize| {
            let along = (!row.is_multiple_of(width)).then(|| row - 1);
            let above = row.checked_sub(width);
            let aside = above
                .filter(|_| row % width + 1 < width)
                .map(|above| above + 1);
            [along, above, aside].into_iter().flatten()
        };
        let order = wave_order(8 * width, before);
        let rows = in_order(&order);
        assert!(
            rows.iter()
                .enumerate()
                .all(|(place, &row)| order[row] as usize == place)
        );
        for row in 0..order.len() {
            assert!(before(row).all(|other| order[other] < order[row]));
        }
        let waits = |pair: &[usize]| before(pair[1]).any(|other| other == pair[0]);
        // In the order of the nodes all but the first of each row wait for the last.
        let waiting = rows.windows(2).filter(|pair| waits(pair)).count();
        assert!(waiting <= 2 * width, "{waiting}");
    }
}

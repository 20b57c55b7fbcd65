//! Segments joined to polylines.

use std::collections::HashMap;

/// Joins segments at the nodes that exactly two of them share. A closed line ends with the node it
/// began with; where three or more segments meet, lines end.
pub(crate) fn polylines(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut at_node: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, ends) in segments.iter().enumerate() {
        for end in ends {
            at_node.entry(*end).or_default().push(index);
        }
    }
    let mut used = vec![false; segments.len()];
    let mut lines = Vec::new();
    let is_end = |node: &u32| at_node[node].len() != 2;
    // Open lines first, from their ends; what is left then is closed.
    for closed in [false, true] {
        for index in 0..segments.len() {
            let [a, b] = segments[index];
            if used[index] || !(closed || is_end(&a) || is_end(&b)) {
                continue;
            }
            used[index] = true;
            let mut line = if closed || is_end(&a) {
                vec![a, b]
            } else {
                vec![b, a]
            };
            while let Some(last) = line.last().copied()
                && !is_end(&last)
                && let Some(&next) = at_node[&last].iter().find(|&&other| !used[other])
            {
                used[next] = true;
                let [c, d] = segments[next];
                line.push(if c == last { d } else { c });
            }
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_joined() {
        assert_eq!(polylines(&[[1, 2], [0, 1], [2, 3]]), [[0, 1, 2, 3]]);
        assert_eq!(polylines(&[[0, 1], [1, 2], [2, 0]]), [[0, 1, 2, 0]]);
        let star = polylines(&[[0, 1], [0, 2], [0, 3], [4, 3]]);
        assert_eq!(star, [vec![0, 1], vec![0, 2], vec![0, 3, 4]]);
        let two = polylines(&[[5, 6], [0, 1]]);
        assert_eq!(two, [[5, 6], [0, 1]]);
        assert_eq!(polylines(&[]), Vec::<Vec<u32>>::new());
    }
}

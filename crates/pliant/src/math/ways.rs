//! How far points have come, and whether at all: passes over many points at once.

use crate::math::processor::for_this_processor;
use glam::DVec3;

for_this_processor! {
    /// Clears `within` if a coordinate is not a number or larger than `size`.
    pub(crate) fn keep_within(points: &[DVec3], size: f64, within: &mut bool) {
        let mut all = true;
        for p in points {
            all &= (p.x.abs() <= size) & (p.y.abs() <= size) & (p.z.abs() <= size);
        }
        *within &= all;
    }
}

for_this_processor! {
    /// Raises `longest` to the longest squared way from `before` to `now`. What is not a number counts
    /// as longer than anything.
    pub(crate) fn raise_to_longest(now: &[DVec3], before: &[DVec3], longest: &mut f64) {
        // The bits of numbers that are not negative are in their order.
        let mut bits = longest.to_bits();
        for (now, before) in now.iter().zip(before) {
            bits = bits.max(now.distance_squared(*before).to_bits());
        }
        *longest = f64::from_bits(bits);
    }
}

for_this_processor! {
    /// Sets `found` if some way is longer than its distance and than `slack`, and ends no deeper.
    pub(crate) fn find_far_ways(
        now: &[DVec3],
        before: &[DVec3],
        distances: &[f64],
        slack: f64,
        found: &mut bool,
    ) {
        let mut any = false;
        for ((now, before), &distance) in now.iter().zip(before).zip(distances) {
            let reach = if distance > slack { distance } else { slack };
            any |= (now.distance_squared(*before) > reach * reach) & (distance >= -slack);
        }
        *found |= any;
    }
}

for_this_processor! {
    /// Clears `same` if a coordinate has other bits.
    pub(crate) fn keep_same(points: &[DVec3], others: &[DVec3], same: &mut bool) {
        let mut different = u64::from(points.len() != others.len());
        for (p, q) in points.iter().zip(others) {
            different |= p.x.to_bits() ^ q.x.to_bits();
            different |= p.y.to_bits() ^ q.y.to_bits();
            different |= p.z.to_bits() ^ q.z.to_bits();
        }
        *same &= different == 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: usize) -> Vec<DVec3> {
        let value = |i: usize| (1.7 * i as f64).sin();
        (0..count)
            .map(|i| DVec3::new(value(i), value(3 * i + 1), value(5 * i + 2)))
            .collect()
    }

    #[test]
    fn points_are_the_same_bit_by_bit() {
        let all = points(37);
        let is_same = |others: &[DVec3]| {
            let mut same = true;
            keep_same(&all, others, &mut same);
            same
        };
        assert!(is_same(&all) && !is_same(&all[..36]));
        for node in [0, 17, 36] {
            let mut others = all.clone();
            others[node].y = others[node].y.next_up();
            assert!(!is_same(&others), "{node}");
        }
    }

    #[test]
    fn sizes_are_kept_and_what_is_no_number_is_not() {
        let mut places = points(37);
        let within = |places: &[DVec3]| {
            let mut within = true;
            keep_within(places, 1.0, &mut within);
            within
        };
        assert!(within(&places));
        for bad in [1.5, -2.0, f64::NAN, f64::INFINITY] {
            places[31].y = bad;
            assert!(!within(&places), "{bad}");
        }
    }

    #[test]
    fn the_longest_way_is_found_and_a_nan_is_longer() {
        let (now, before) = (points(41), points(82).split_off(41));
        let ways = now.iter().zip(&before).map(|(a, b)| a.distance_squared(*b));
        let expected = ways.fold(0.0, f64::max);
        let mut longest = 0.0;
        raise_to_longest(&now, &before, &mut longest);
        assert_eq!(longest, expected);
        let mut broken = now.clone();
        broken[7].z = f64::NAN;
        raise_to_longest(&broken, &before, &mut longest);
        assert!(longest.is_nan());
    }

    #[test]
    fn far_ways_are_those_beyond_distance_and_slack_that_end_outside() {
        let before = points(19);
        let mut now = before.clone();
        now[11].x += 0.5;
        let found = |distance: f64, slack: f64| {
            let mut distances = vec![1.0; 19];
            distances[11] = distance;
            let mut found = false;
            find_far_ways(&now, &before, &distances, slack, &mut found);
            found
        };
        assert!(found(0.4, 0.01));
        assert!(!found(0.6, 0.01), "nothing is nearer than the way is long");
        assert!(!found(0.1, 0.7), "shorter than the slack");
        assert!(!found(-0.1, 0.01), "it ends inside");
    }
}

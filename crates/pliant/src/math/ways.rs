//! How far points have come, and whether at all: passes over many points at once.

use crate::math::processor::for_this_processor;
use crate::math::vector::PACK;
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
    /// Adds the bits of all coordinates, those along x, y and z apart.
    pub(crate) fn add_bits(points: &[DVec3], sums: &mut [u64; 3]) {
        let [mut x, mut y, mut z] = *sums;
        for p in points {
            x = x.wrapping_add(p.x.to_bits());
            y = y.wrapping_add(p.y.to_bits());
            z = z.wrapping_add(p.z.to_bits());
        }
        *sums = [x, y, z];
    }
}

for_this_processor! {
    /// Adds Σ f·(x - x⁰), in eight parts.
    pub(crate) fn add_work(forces: &[DVec3], now: &[DVec3], before: &[DVec3], sum: &mut f64) {
        let mut parts = [0.0; PACK];
        let ways = now.iter().zip(before);
        for (index, (force, (now, before))) in forces.iter().zip(ways).enumerate() {
            parts[index % PACK] += force.dot(*now - *before);
        }
        *sum += parts.iter().sum::<f64>();
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
    fn every_bit_counts() {
        let all = points(37);
        let sums_of = |points: &[DVec3]| {
            let mut sums = [0; 3];
            add_bits(points, &mut sums);
            sums
        };
        assert!(sums_of(&all) == sums_of(&all.clone()) && sums_of(&all) != sums_of(&all[..36]));
        for node in [0, 17, 36] {
            let mut others = all.clone();
            others[node].y = others[node].y.next_up();
            assert_ne!(sums_of(&others), sums_of(&all), "{node}");
        }
    }

    #[test]
    fn work_is_force_times_way() {
        let (forces, before) = (points(21), vec![DVec3::X; 21]);
        let now: Vec<DVec3> = before
            .iter()
            .zip(&forces)
            .map(|(x, f)| *x + 2.0 * *f)
            .collect();
        let mut work = 1.0;
        add_work(&forces, &now, &before, &mut work);
        let expected = 1.0 + forces.iter().map(|f| 2.0 * f.length_squared()).sum::<f64>();
        assert!((work - expected).abs() < 1e-12, "{work} {expected}");
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

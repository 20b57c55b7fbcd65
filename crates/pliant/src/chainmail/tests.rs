use super::*;
use glam::DVec3;

const LIMITS: LinkLimits = LinkLimits {
    least: 0.7,
    most: 1.3,
    shear: 0.4,
};

/// Numbers from 0 to 1 that look like chance, from a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count - 1)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        size * (2.0 * DVec3::new(self.next(), self.next(), self.next()) - DVec3::ONE)
    }
}

fn varied(mail: &mut Mail, chance: &mut Chance) {
    for limits in mail.limits_mut() {
        *limits = LIMITS.stiffened(0.5 + 4.0 * chance.next());
    }
}

/// Whatever is moved, held, cut and relaxed, limits are kept; what is held stays.
#[test]
fn limits_are_never_violated() {
    for seed in 0..40 {
        let mut chance = Chance(seed);
        let counts = [
            2 + chance.below(7),
            1 + chance.below(6),
            1 + chance.below(5),
        ];
        let spacing = DVec3::new(1.0, 0.5, 2.0);
        let mut mail = Mail::new(counts, DVec3::ZERO, spacing, LIMITS);
        if seed % 2 == 1 {
            varied(&mut mail, &mut chance);
        }
        let held: Vec<usize> = (0..seed as usize % 3)
            .map(|_| chance.below(mail.len()))
            .collect();
        held.iter().for_each(|&element| mail.hold(element, true));
        let held: Vec<(usize, DVec3)> = held.iter().map(|&e| (e, mail.place(e))).collect();
        for _ in 0..60 {
            let element = chance.below(mail.len());
            match chance.below(8) {
                0 => mail.relax(0.7),
                1 => mail.cut(element, chance.below(3)),
                _ => {
                    let to = mail.place(element) + chance.vector(6.0);
                    mail.move_to(element, to);
                }
            }
            let violation = mail.largest_violation();
            assert!(violation < 1e-11, "seed {seed}: {violation}");
        }
        for (element, place) in held {
            assert_eq!(mail.place(element), place, "seed {seed}");
        }
    }
}

/// What moved because it had to lies at a limit: with any less it would violate one. Checked against
/// the solution by rounds of projection onto single limits, which share nothing with the queue.
#[test]
fn elements_move_as_little_as_they_must() {
    for seed in 0..20 {
        let mut chance = Chance(1000 + seed);
        let counts = [5, 4, 3];
        let mut mail = Mail::new(counts, DVec3::ZERO, DVec3::ONE, LIMITS);
        varied(&mut mail, &mut chance);
        for _ in 0..5 {
            let element = chance.below(mail.len());
            let to = mail.place(element) + chance.vector(3.0);
            let expected = by_rounds(&mail, element, to);
            mail.move_to(element, to);
            for (element, expected) in expected.iter().enumerate() {
                let miss = mail.place(element).distance(*expected);
                assert!(miss < 1e-9, "seed {seed}, element {element}: {miss}");
            }
        }
    }
}

/// Bellman-Ford: every link pushes its ends until nothing changes. An element moves only if a link to
/// one that has moved is beyond its limit, and then to the limit.
fn by_rounds(mail: &Mail, element: usize, to: DVec3) -> Vec<DVec3> {
    let mut places: Vec<DVec3> = (0..mail.len()).map(|e| mail.place(e)).collect();
    let mut limits = mail.clone();
    let limits: Vec<LinkLimits> = limits.limits_mut().to_vec();
    places[element] = to;
    let counts = [5, 4, 3];
    loop {
        let mut changed = false;
        for a in 0..places.len() {
            let at = [a % 5, a / 5 % 4, a / 20];
            for d in 0..3 {
                if at[d] + 1 == counts[d] {
                    continue;
                }
                let b = a + [1, 5, 20][d];
                let mean =
                    |pick: fn(&LinkLimits) -> f64| 0.5 * (pick(&limits[a]) + pick(&limits[b]));
                for (c, is_along) in [0, 1, 2].map(|c| c == d).into_iter().enumerate() {
                    let [low, high] = match is_along {
                        true => [mean(|l| l.least), mean(|l| l.most)],
                        false => [-mean(|l| l.shear), mean(|l| l.shear)],
                    };
                    // The difference of the moved element's side counts: push the one farther from it.
                    let difference = places[b][c] - places[a][c];
                    let wrong = difference - difference.clamp(low, high);
                    if wrong.abs() < 1e-13 {
                        continue;
                    }
                    changed = true;
                    // Which end follows: the one that is not on the side of the pull.
                    let pull = (to - mail.place(element))[c].signum();
                    // A pull ahead moves elements ahead only.
                    if (wrong < 0.0) == (pull > 0.0) {
                        places[b][c] -= wrong;
                    } else {
                        places[a][c] += wrong;
                    }
                }
            }
        }
        if !changed {
            return places;
        }
    }
}

/// Moves along different coordinates do not depend on their order, and a mirror image gives a mirror
/// image.
#[test]
fn the_result_depends_on_no_order() {
    let counts = [6, 6, 6];
    let make = || Mail::new(counts, DVec3::ZERO, DVec3::ONE, LIMITS);
    let corner = make().index([0, 2, 3]);
    let by = DVec3::new(-2.0, 1.1, 0.6);
    let mut at_once = make();
    at_once.move_to(corner, at_once.place(corner) + by);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut mail = make();
        for c in order {
            let mut to = mail.place(corner);
            to[c] += by[c];
            mail.move_to(corner, to);
        }
        for element in 0..mail.len() {
            assert!(mail.place(element).distance(at_once.place(element)) < 1e-12);
        }
    }
    let mirrored = make().index([5, 2, 3]);
    let mut mirror = make();
    mirror.move_to(
        mirrored,
        mirror.place(mirrored) + by * DVec3::new(-1.0, 1.0, 1.0),
    );
    for i in 0..6 {
        let (a, b) = (make().index([i, 2, 3]), make().index([5 - i, 2, 3]));
        assert!((at_once.place(a).x + mirror.place(b).x - 5.0).abs() < 1e-12);
    }
}

#[test]
fn held_elements_stop_a_drag_where_the_chain_is_tight_and_cuts_let_go() {
    let mut mail = Mail::new([4, 1, 1], DVec3::ZERO, DVec3::ONE, LIMITS);
    mail.hold(0, true);
    mail.move_to(3, 100.0 * DVec3::X);
    // Three links of 1.3.
    assert!((mail.place(3).x - 3.9).abs() < 1e-12);
    assert!((mail.place(1).x - 1.3).abs() < 1e-12);
    mail.relax(1.0);
    assert!(mail.largest_violation() < 1e-12);
    mail.cut(1, 0);
    mail.move_to(3, 100.0 * DVec3::X);
    assert_eq!(mail.place(3).x, 100.0);
    assert!(mail.place(1).x <= 1.3);
}

#[test]
fn relaxation_brings_it_back_to_rest() {
    let mut mail = Mail::new([5, 5, 1], DVec3::ZERO, DVec3::ONE, LIMITS);
    mail.hold(0, true);
    mail.move_to(24, DVec3::new(6.0, 5.5, 1.0));
    for _ in 0..2000 {
        mail.relax(1.0);
    }
    assert!(mail.place(24).distance(DVec3::new(4.0, 4.0, 0.0)) < 1e-6);
}

//! Tests of membranes in lanes; `membrane_tests.rs` holds them to the formulas for single triangles.

use super::*;
use crate::math::processor::Level;

#[test]
fn blocks_have_the_same_bits_on_every_processor() {
    let places = |i: u32| DVec3::new(f64::from(i % 4), f64::from(i / 4), f64::from(i * i % 5));
    let places: Vec<DVec3> = (0..15).map(|i| 0.1 * places(i)).collect();
    let triangles: Vec<[u32; 3]> = (0..11).map(|i| [i + 1, i, i + 4]).collect();
    let rest = Rest {
        area: 0.005,
        gradients: [DVec2::new(9.0, -2.0), DVec2::new(0.5, 11.0)],
    };
    let mut lanes = MembraneLanes::new(&triangles, &[rest; 11], 300.0, 200.0);
    let pairs = triangles.iter().flat_map(|nodes| {
        let [a, b, c] = nodes.map(|node| node as usize);
        [(a, b), (b, c), (c, a)]
    });
    let pattern = HalfBlocks::new(&BlockMatrix::new(15, pairs));
    lanes.attach_half(&pattern);
    let run = |level: Level| {
        let mut half = pattern.clone();
        lanes.by_blocks.over_lines(&mut half, |packs, window| {
            let all = (&lanes.packs[..], &lanes.by_blocks.slots[..]);
            add_blocks_at(level, packs, lanes.lame, all, &places, window);
        });
        half.blocks().iter().map(|line| line.0).collect::<Vec<_>>()
    };
    let levels = Level::all_of_this_processor();
    let wanted = run(levels[0]);
    assert!(wanted.iter().all(|block| block[0] != 0.0));
    for level in levels {
        assert_eq!(run(level), wanted, "{level:?}");
    }
}

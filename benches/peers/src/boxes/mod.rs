//! Rigid boxes: a stack of n x n x n, in which each layer stands a quarter of a box aside from the one
//! below, falls on a plane layer by layer.

mod in_pliant;
mod in_rapier;

use crate::Failure;
use crate::race::{Contestant, Course, race};
use crate::referee::{Overlap, overlap_of_boxes};
use glam::DVec3;

/// Side of a box, in metres.
const SIDE: f64 = 0.15;

const DENSITY: f64 = 1000.0;
const FRICTION: f64 = 0.5;

/// Gaps between boxes of a layer and between layers, and how far layers are aside, in metres.
const GAP: f64 = 0.02;
const STAGGER: f64 = 0.25 * SIDE;

/// Two seconds.
const FRAMES: usize = 120;

/// Processor time after which an engine stops, in seconds.
const LIMIT: f64 = 300.0;

/// Measures and prints stacks of the given numbers of boxes.
pub fn compare(counts: &[usize]) -> Result<(), Failure> {
    println!("rigid boxes on a plane, {FRAMES} frames of 1/60 s or {LIMIT} s of processor time");
    println!("the last two columns: after the last frame that was taken");
    println!(
        "boxes  engine                  frames  CPU ms per frame  edges through triangles         boxes in each other      below the floor"
    );
    for &count in counts {
        let centres = centres(count)?;
        let mut contestants = vec![in_pliant::contestant(&centres)?];
        contestants.push(in_rapier::contestant(&centres, &contestants[0].shape));
        let course = Course {
            frames: FRAMES,
            limit: LIMIT,
            crossings: true,
        };
        race(&mut contestants, course);
        for one in &contestants {
            println!("{}", line(one, count));
        }
    }
    Ok(())
}

fn line(one: &Contestant, count: usize) -> String {
    let Overlap {
        pairs,
        depth,
        below_floor,
    } = overlap_of_boxes(&one.positions());
    let overlap = format!("{pairs} pairs by up to {:.2} mm", 1e3 * depth);
    format!(
        "{count:5}  {:22} {:>7} {:>17.2}  {:30}  {overlap:26}  {:.2} mm{}",
        one.name,
        one.frames,
        one.milliseconds(),
        one.crossings,
        1e3 * below_floor,
        one.complaints()
    )
}

/// Where the centres of the boxes of a cubic stack start.
fn centres(count: usize) -> Result<Vec<DVec3>, Failure> {
    let side = (1..=count).find(|n| n * n * n >= count).unwrap_or(0);
    if side * side * side != count || count == 0 {
        return Err("stacks are cubes: 8, 27, 125, 1000 boxes".into());
    }
    let pitch = SIDE + GAP;
    let place = |index: usize| {
        let [i, j, layer] = [index % side, index / side % side, index / (side * side)];
        let aside = STAGGER * (layer % 2) as f64;
        let height = GAP + 0.5 * SIDE + pitch * layer as f64;
        DVec3::new(pitch * i as f64 + aside, pitch * j as f64 + aside, height)
    };
    Ok((0..count).map(place).collect())
}

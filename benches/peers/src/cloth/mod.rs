//! The cloth of `pliant bench cloth`: 2 x 2 m, held at two corners, falls on a ball; and that of
//! `pliant bench contact`, which also meets itself.

mod in_pliant;
mod in_rapier;

use crate::Failure;
use crate::race::{Contestant, Course, race};
use crate::referee::{Stretch, stretch_of_sheet};
use glam::DVec3;

/// Length of a side, in metres, and mass in all, in kilograms.
const SIDE: f64 = 2.0;
const MASS: f64 = 0.8;

/// Young's modulus times thickness, in N/m, and flexural rigidity, in N m.
const STRETCHING: f64 = 2500.0;
const RIGIDITY: f64 = 1e-5;

const FRICTION: f64 = 0.1;

/// Distance that parts of the cloth keep from each other where it meets itself, in metres.
const THICKNESS: f64 = 0.005;

const BALL_CENTRE: DVec3 = DVec3::new(0.0, 0.0, -0.6);
const BALL_RADIUS: f64 = 0.5;

/// Five seconds.
const FRAMES: usize = 300;

/// Measures and prints cloths of the given numbers of nodes along a side.
pub fn compare(sides: &[usize], meets_itself: bool) -> Result<(), Failure> {
    let with = if meets_itself { ", meets itself" } else { "" };
    println!("cloth of {SIDE} x {SIDE} m on a ball{with}, {FRAMES} frames of 1/60 s");
    println!("stretch: lengths of edges by those at rest, after the last frame");
    println!(
        "nodes       engine                                CPU ms per frame  stretch mean  99 %    largest  edges through triangles"
    );
    for &side in sides {
        if side < 2 {
            return Err("a cloth has at least 2 x 2 nodes".into());
        }
        let mut contestants = in_pliant::contestants(side, meets_itself)?;
        contestants.extend(in_rapier::contestants(side, meets_itself));
        let course = Course {
            frames: FRAMES,
            limit: f64::INFINITY,
            crossings: meets_itself,
        };
        race(&mut contestants, course);
        for one in &contestants {
            println!("{}", line(one, side));
        }
    }
    Ok(())
}

fn line(one: &Contestant, side: usize) -> String {
    let spacing = SIDE / (side - 1) as f64;
    let Stretch {
        mean,
        most,
        largest,
    } = stretch_of_sheet(&one.positions(), side, spacing);
    format!(
        "{side:3} x {side:<4}  {:38} {:>15.2}  {mean:>12.4}  {most:<6.4}  {largest:>7.4}  {}{}",
        one.name,
        one.milliseconds(),
        one.crossings,
        one.complaints()
    )
}

//! The bar of `pliant bench fem` in Pliant and in Rapier: processor time per frame, and where the tip
//! is on average, beside where it rests.

mod beam;
mod in_pliant;
mod in_rapier;

use crate::Failure;
use beam::Bar;

/// Frames of 1/60 s: three seconds.
const FRAMES: usize = 180;

/// What an engine made of the bar.
struct Run {
    milliseconds: f64,
    heights: Vec<f64>,
}

impl Run {
    /// The mean height of the tip over whole swings, from the first lowest point to the last.
    fn mean(&self) -> f64 {
        let h = &self.heights;
        let lows: Vec<usize> = (1..h.len().saturating_sub(1))
            .filter(|&i| h[i] <= h[i - 1] && h[i] < h[i + 1])
            .collect();
        let swings = match (lows.first(), lows.last()) {
            (Some(&first), Some(&last)) if last > first => &h[first..last],
            _ => &h[h.len() / 2..],
        };
        swings.iter().sum::<f64>() / swings.len().max(1) as f64
    }
}

/// Takes frames and measures the processor time of all threads; the first frame is not counted.
fn take_frames(mut frame: impl FnMut() -> f64) -> Run {
    let mut heights = vec![frame()];
    let start = cpu_time::ProcessTime::now();
    for _ in 1..FRAMES {
        heights.push(frame());
    }
    let spent = start.elapsed().as_secs_f64();
    Run {
        milliseconds: 1e3 * spent / (FRAMES - 1) as f64,
        heights,
    }
}

/// Measures and prints the given sizes, and writes their meshes to `bar-SIZE.txt`.
pub fn compare(sizes: &[usize]) -> Result<(), Failure> {
    println!("tetrahedra  engine                         CPU ms per frame   tip's mean    error");
    for &size in sizes {
        let bar = Bar::new(size)?;
        bar.write(&format!("bar-{size}.txt"))?;
        let (ours, rest) = in_pliant::run(&bar)?;
        let show = |engine: &str, run: &Run| {
            let mean = run.mean();
            let error = 100.0 * (mean - rest).abs() / rest.abs();
            println!(
                "{:>10}  {engine:30} {:>16.2} {mean:>12.5} {error:>6.2} %",
                bar.tetrahedra.len(),
                run.milliseconds
            );
        };
        show("Pliant, residual 1e-6", &ours);
        for (name, settings) in in_rapier::SETTINGS {
            show(name, &in_rapier::run(&bar, settings));
        }
        println!("{:>10}  the tip rests at {rest:.5}", bar.tetrahedra.len());
    }
    Ok(())
}

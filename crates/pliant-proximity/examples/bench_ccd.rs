//! Microseconds per query of `free_fraction` and `closest`.
//!
//! `cargo run --release -p pliant-proximity --example bench_ccd [FOLDER]`
//!
//! Generated: pairs of a cloth over another as contact meets them, most of them free, and random
//! pairs, many of which collide. FOLDER: public queries, in the format that
//! `tests/geometry/public_queries.rs` describes. The best of several rounds counts.

use glam::DVec3;
use pliant_proximity::{PairKind, closest, free_fraction};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

type Query = (PairKind, [DVec3; 4], [DVec3; 4]);

/// Numbers in [-1, 1) from a seed.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

fn kind_of(index: usize) -> PairKind {
    match index % 4 {
        0 => PairKind::PointTriangle,
        _ => PairKind::EdgeEdge,
    }
}

/// Features of about the same size beside each other, with a gap and a motion of some hundredths of it.
fn resting(random: &mut Random, count: usize) -> Vec<Query> {
    let query = |index| {
        let kind = kind_of(index);
        let first = kind.first_count();
        let drift = 0.05 * random.vector();
        let shift = 2.0 * random.vector();
        let from: [DVec3; 4] = std::array::from_fn(|k| {
            let mut point = random.vector();
            point.z *= 0.2;
            if k < first {
                point += DVec3::new(shift.x, shift.y, 0.5);
            }
            point
        });
        let to = from.map(|point| point + drift + 0.02 * random.vector());
        (kind, from, to)
    };
    (0..count).map(query).collect()
}

fn random_pairs(random: &mut Random, count: usize) -> Vec<Query> {
    let query = |index| {
        let [from, to] = [(); 2].map(|()| [(); 4].map(|()| random.vector()));
        (kind_of(index), from, to)
    };
    (0..count).map(query).collect()
}

fn read(path: &Path, kind: PairKind, queries: &mut Vec<Query>) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let row = |line: &str| -> Result<DVec3, Box<dyn Error>> {
        let cells = line.split(',').map(|cell| cell.trim().parse::<f64>());
        match cells.collect::<Result<Vec<f64>, _>>()?[..] {
            [a, b, c, d, e, f, ..] => Ok(DVec3::new(a / b, c / d, e / f)),
            _ => Err(format!("{}: expected six numbers, found {line:?}", path.display()).into()),
        }
    };
    let rows: Vec<DVec3> = text.lines().map(row).collect::<Result<_, _>>()?;
    for rows in rows.chunks_exact(8) {
        let points = |first: usize| std::array::from_fn(|k| rows[first + k]);
        queries.push((kind, points(0), points(4)));
    }
    Ok(())
}

fn read_folder(folder: &Path) -> Result<Vec<Query>, Box<dyn Error>> {
    let mut queries = Vec::new();
    for set in fs::read_dir(folder)? {
        let set = set?.path();
        for (name, kind) in [
            ("edge-edge", PairKind::EdgeEdge),
            ("vertex-face", PairKind::PointTriangle),
        ] {
            for file in fs::read_dir(set.join(name)).into_iter().flatten() {
                read(&file?.path(), kind, &mut queries)?;
            }
        }
    }
    Ok(queries)
}

fn microseconds(queries: &[Query], mut work: impl FnMut(&Query)) -> f64 {
    let round = |_| {
        let start = Instant::now();
        queries.iter().for_each(&mut work);
        start.elapsed().as_secs_f64() * 1e6 / queries.len() as f64
    };
    (0..20).map(round).fold(f64::INFINITY, f64::min)
}

fn report(name: &str, queries: &[Query]) {
    let mut free = 0;
    for (kind, from, to) in queries {
        free += usize::from(free_fraction(*kind, from, to, 0.0, 0.1) >= 1.0);
    }
    let motion = microseconds(queries, |(kind, from, to)| {
        std::hint::black_box(free_fraction(*kind, from, to, 0.0, 0.1));
    });
    let distance = microseconds(queries, |(kind, from, _)| {
        std::hint::black_box(closest(*kind, from));
    });
    let count = queries.len();
    println!(
        "{name}: {count} queries, {free} free; free_fraction {motion:.3} us, closest {distance:.3} us"
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    report("cloth over cloth", &resting(&mut random, 20_000));
    report("random", &random_pairs(&mut random, 20_000));
    if let Some(folder) = std::env::args().nth(1) {
        report("public", &read_folder(Path::new(&folder))?);
    }
    Ok(())
}

//! Public queries with known truth: `free_fraction` misses no collision, and raises no more false
//! alarms than the additive method of ipctk 1.6.1 on the same queries.
//!
//! The queries are not part of this repository. They are looked for in `../shared/ccd` beside it,
//! or where `PLIANT_CCD_QUERIES` says: folders with one file `SET/edge-edge/*.csv` or
//! `SET/vertex-face/*.csv` each, eight rows per query (four points at the start, four at the end),
//! seven integers per row: x, y, z as numerator and denominator, and whether the pair collides.

use glam::DVec3;
use pliant_proximity::{PairKind, free_fraction};
use std::fs;
use std::path::{Path, PathBuf};

/// Sets with their false alarms in ipctk: edge against edge, vertex against face.
const SETS: [(&str, usize, usize); 5] = [
    ("erleben-cube-internal-edges", 36, 39),
    ("erleben-sliding-spike", 0, 0),
    ("erleben-spike-wedge", 10, 4),
    ("erleben-spikes", 42, 18),
    ("erleben-wedges", 59, 36),
];

struct Query {
    from: [DVec3; 4],
    to: [DVec3; 4],
    collides: bool,
}

fn folder() -> PathBuf {
    match std::env::var_os("PLIANT_CCD_QUERIES") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/ccd"),
    }
}

/// A quotient of two integers that is a double.
fn number(numerator: &str, denominator: &str) -> f64 {
    let parse = |text: &str| text.trim().parse::<f64>().expect("a number");
    parse(numerator) / parse(denominator)
}

fn read(folder: &Path) -> Vec<Query> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of queries") {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), 7, "{line}");
            let coordinate = |axis: usize| number(cells[2 * axis], cells[2 * axis + 1]);
            let point = DVec3::new(coordinate(0), coordinate(1), coordinate(2));
            rows.push((point, cells[6].trim() == "1"));
        }
    }
    assert!(rows.len() % 8 == 0 && !rows.is_empty());
    rows.chunks_exact(8)
        .map(|rows| Query {
            from: std::array::from_fn(|k| rows[k].0),
            to: std::array::from_fn(|k| rows[k + 4].0),
            collides: rows[0].1,
        })
        .collect()
}

#[test]
fn no_public_query_is_missed_and_false_alarms_stay_below_those_of_ipctk() {
    let folder = folder();
    if !folder.is_dir() {
        println!("skipped: there are no queries in {}", folder.display());
        return;
    }
    for (set, edge_alarms, face_alarms) in SETS {
        for (name, kind, most) in [
            ("edge-edge", PairKind::EdgeEdge, edge_alarms),
            ("vertex-face", PairKind::PointTriangle, face_alarms),
        ] {
            let queries = read(&folder.join(set).join(name));
            for (keep, strict) in [(0.1, true), (0.0, false)] {
                let mut alarms = 0;
                for (index, query) in queries.iter().enumerate() {
                    let fraction = free_fraction(kind, &query.from, &query.to, 0.0, keep);
                    let missed = query.collides && fraction >= 1.0;
                    assert!(!missed, "{set}, {name}, query {index} is missed");
                    alarms += usize::from(!query.collides && fraction < 1.0);
                }
                let count = queries.len();
                println!("{set} {name}: {alarms} false alarms of {count}, keep {keep}");
                // ipctk keeps a tenth of the distance, so only that figure can be compared.
                assert!(alarms <= most || !strict, "{set} {name}: {alarms} > {most}");
            }
        }
    }
}

//! `pliant bench`: what the engine costs, beside what others cost. One file a benchmark.

mod bandwidth;
mod chainmail;
mod cloth;
mod contact;
mod draping;
mod fem;
mod figures;
mod fixed_iterations;
mod gallery;
mod hybrid;
mod inelastic;
mod precomputed;
mod render;
mod scale;
mod scene_costs;
mod sticks;
mod stopwatch;
mod table_5_1;
mod warping;

use crate::arguments::BenchOptions;
use crate::console::print;
use crate::output::{Files, prepare_file};
use crate::plot::{self, Run};
use pliant_io::AtomicFile;
use pliant_session::Failure;
use pliant_session::use_threads;
use serde_json::{Value, json};

/// What is said beside figures of other programs that were measured before.
const RACE: &str = "(measured before; another machine of this kind took half as long: `benches/peers` races \
                    Rapier against Pliant in one run)";

/// A benchmark.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    /// Whether `--plot` has something to show.
    has_plot: bool,
    /// Measures, prints and returns what it printed; the argument is whether to be quick.
    run: fn(quick: bool) -> Result<Measured, Failure>,
}

/// What a benchmark has measured.
struct Measured {
    /// What it printed.
    results: Value,
    /// Runs that can be plotted.
    runs: Vec<Run>,
}

impl From<Value> for Measured {
    fn from(results: Value) -> Self {
        let runs = Vec::new();
        Self { results, runs }
    }
}

/// All benchmarks. A new one is one line here.
const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "table-5.1",
        about: "cloth falling on two spheres and a plane, 8 x 8 to 128 x 128, beside [Thesis2004]",
        has_plot: false,
        run: |quick| table_5_1::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "cloth",
        about: "cloth over a ball, as a grid and as a mesh, 32 x 32 to 128 x 128, beside others",
        has_plot: false,
        run: |quick| draping::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "contact",
        about: "piles of soft cubes and cloth that meets itself: stages, growth, crossings, beside others",
        has_plot: false,
        run: |quick| contact::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "gallery",
        about: "every scene of the gallery: simulated time by processor time, steps, iterations",
        has_plot: false,
        run: |quick| gallery::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "hybrid",
        about: "steps of hybrid bodies beside their triangular solves, and the scenes that use them",
        has_plot: false,
        run: |quick| hybrid::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "inelastic",
        about: "scenes that flow, yield, tear and melt, also with finer grids",
        has_plot: false,
        run: |quick| inelastic::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "fem",
        about: "bars of 540 to 98,260 tetrahedra with every strain, beside VegaFEM, MuJoCo and Rapier",
        has_plot: false,
        run: |quick| fem::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "scale",
        about: "solids of 10,000 to 1 million tetrahedra and grids: set-up, step, memory, growth, error",
        has_plot: false,
        run: |quick| scale::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "scale-largest",
        about: "the same up to 2 million tetrahedra and 64 x 64 x 64 nodes",
        has_plot: false,
        run: |quick| scale::run_largest(quick).map(Measured::from),
    },
    Benchmark {
        name: "warping",
        about: "volume of three bars against time and largest stable steps, beside [Mueller2002]",
        has_plot: true,
        run: warping::run,
    },
    Benchmark {
        name: "chainmail",
        about: "ChainMail of 125,000 to 10 million elements: one of them dragged through the volume",
        has_plot: false,
        run: |quick| chainmail::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "precomputed",
        about: "a linear solid of 2,000 surface nodes that a tool pushes: updates per second, set-up, error",
        has_plot: false,
        run: |quick| precomputed::run(quick).map(Measured::from),
    },
    Benchmark {
        name: "render",
        about: "pictures of six scenes at 1280 x 720, and the share of each part of the drawing",
        has_plot: false,
        run: |quick| render::run(quick).map(Measured::from),
    },
];

/// Runs a benchmark, or lists them.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    let Some(name) = &options.name else {
        for benchmark in BENCHMARKS {
            print(&format!("{}  {}", benchmark.name, benchmark.about));
        }
        return Ok(());
    };
    let benchmark = BENCHMARKS
        .iter()
        .find(|benchmark| benchmark.name == name)
        .ok_or_else(|| unknown(name))?;
    if let Some(path) = &options.json {
        prepare_file(path)?;
    }
    if !options.plot.is_empty() && !benchmark.has_plot {
        return Err(Failure::Input(format!(
            "the benchmark `{name}` has nothing to plot"
        )));
    }
    let mut files = Files::default();
    for plot in &options.plot {
        files.write("--plot", &plot.path);
    }
    if let Some(path) = &options.json {
        files.write("--json", path);
    }
    files.check()?;
    plot::prepare(&options.plot, true)?;
    let threads = use_threads(Some(options.threads))?;
    let Measured { results, runs } = (benchmark.run)(options.quick)?;
    for file in plot::write(&options.plot, benchmark.about, &runs)? {
        print(&format!("wrote {}", file.display()));
    }
    if let Some(path) = &options.json {
        let measured = json!({
            "benchmark": benchmark.name,
            "quick": options.quick,
            "threads": threads,
            "results": results,
        });
        AtomicFile::save(path, format!("{measured:#}\n").as_bytes())
            .map_err(|error| Failure::Simulation(error.to_string()))?;
        print(&format!("\nwrote {}", path.display()));
    }
    Ok(())
}

fn unknown(name: &str) -> Failure {
    let names = BENCHMARKS.iter().map(|benchmark| benchmark.name);
    let hint = pliant_scene::nearest(name, names.clone()).map_or_else(
        || format!("known are {}", names.collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::Input(format!(
        "there is no benchmark named `{name}`\n  hint: {hint}"
    ))
}

//! `pliant bench`: what the engine costs, beside what others cost. One file a benchmark.

mod bandwidth;
mod cloth;
mod fem;
mod figures;
mod fixed_iterations;
mod hybrid;
mod inelastic;
mod render;
mod scene_costs;
mod stopwatch;
mod table_5_1;
mod warping;

use crate::arguments::BenchOptions;
use crate::console::print;
use crate::failure::Failure;
use crate::json::Json;
use crate::output::prepare_file;
use crate::threads::use_threads;
use pliant_io::AtomicFile;

/// A benchmark.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    /// Measures, prints and returns what it printed; the argument is whether to be quick.
    run: fn(quick: bool) -> Result<Json, Failure>,
}

/// All benchmarks. A new one is one line here.
const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "table-5.1",
        about: "cloth falling on two spheres and a plane, 8 x 8 to 128 x 128, beside [Thesis2004]",
        run: table_5_1::run,
    },
    Benchmark {
        name: "hybrid",
        about: "steps of hybrid bodies beside their triangular solves, and the scenes that use them",
        run: hybrid::run,
    },
    Benchmark {
        name: "inelastic",
        about: "scenes that flow, yield, tear and melt, also with finer grids",
        run: inelastic::run,
    },
    Benchmark {
        name: "fem",
        about: "bars of 540 to 98,260 tetrahedra with every strain, beside VegaFEM, MuJoCo and Rapier",
        run: fem::run,
    },
    Benchmark {
        name: "warping",
        about: "volume of three bars against time and largest stable steps, beside [Mueller2002]",
        run: warping::run,
    },
    Benchmark {
        name: "render",
        about: "pictures of six scenes at 1280 x 720, and the share of each part of the drawing",
        run: render::run,
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
    let threads = use_threads(Some(options.threads))?;
    let measured = (benchmark.run)(options.quick)?;
    if let Some(path) = &options.json {
        let all = Json::Object(vec![
            ("benchmark", benchmark.name.into()),
            ("quick", options.quick.into()),
            ("threads", threads.into()),
            ("results", measured),
        ]);
        AtomicFile::save(path, format!("{all}\n").as_bytes())
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

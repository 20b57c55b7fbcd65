//! What a run says at its end: how long it took, what it wrote, how to look at it.

use crate::console::{counted, print, readable_seconds};
use crate::output::Written;
use pliant::World;
use pliant_session::Statistics;
use std::path::Path;

/// Says how a run went.
pub fn simulated(name: &str, world: &World, statistics: &Statistics) {
    print(&format!(
        "{name}: {:.2} s simulated in {} ({}, {:.3} ms a step, {})",
        world.time,
        readable_seconds(statistics.wall_seconds),
        counted(statistics.steps, "step", "steps"),
        statistics.milliseconds_per_step(),
        counted(statistics.frames, "frame", "frames"),
    ));
}

/// Lists what was written.
pub fn written(outputs: &[Written]) {
    for Written { output, files } in outputs {
        match files.as_slice() {
            [only] => print(&format!("wrote {}", only.display())),
            _ => print(&format!(
                "wrote {} ({})",
                output.display(),
                counted(files.len(), "file", "files")
            )),
        }
    }
    let first = |extension: &str| {
        let mut files = outputs.iter().flat_map(|written| &written.files);
        files.find(|file| file.extension().is_some_and(|ending| ending == extension))
    };
    if let Some(series) = first("pvd") {
        print(&format!(
            "watch it with ParaView (https://www.paraview.org): paraview {}",
            series.display()
        ));
    }
    if let Some(mesh) = first("obj") {
        print(&format!(
            "the OBJ sequence begins with {} (Blender and most mesh viewers)",
            mesh.display()
        ));
    }
}

/// Says where the cache is and what it is good for.
pub fn cached(path: &Path) {
    print(&format!(
        "wrote {0} (`pliant render {0} --out other.mp4` makes pictures again)",
        path.display()
    ));
}

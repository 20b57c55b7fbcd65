//! Memory: what a scene takes is known before it is taken.

use crate::folder::Folder;
use std::fs;
use std::process::Command;

fn scene(body: &str) -> String {
    format!(
        r#"<EDMConfig id="M"><Simulation duration="0.02" /><MaterialContainer />
<ExternalForces><Force id="G" type="Gravity"><Properties g="[0, 0, -9]" /></Force></ExternalForces>
<RigidObjects /><DeformableBodies>{body}</DeformableBodies></EDMConfig>"#
    )
}

fn block(cells: usize, solver: &str) -> String {
    scene(&format!(
        r#"<Body id="A" model="Solid" type="Mesh">
  <Properties timestep="0.01" solver="{solver}" />
  <Mesh cells="[{cells}, {cells}, {cells}]"><Box size="[1, 1, 1]" /></Mesh>
  <Elastic young="1e5" /><Fixed box="[[-1, -1, -0.51], [1, 1, -0.49]]" />
  <Bind type="Force" ref="G" /></Body>"#
    ))
}

fn ball(resolution: f64) -> String {
    scene(&format!(
        r#"<Body id="A" model="Solid" type="Mesh"><Properties timestep="0.01" />
  <Mesh resolution="{resolution}"><Sphere r="1" /></Mesh><Elastic young="1e5" />
  <Bind type="Force" ref="G" /></Body>"#
    ))
}

fn grid(side: usize) -> String {
    scene(&format!(
        r#"<Body id="A" model="Solid" type="FormulaSolid">
  <Properties timestep="0.01" x="u" y="v" z="w" /><NaturalShape />
  <Particles grid="[{side}, {side}, {side}]"><All mass="0.001" tension="[[40, 10, 10], [10, 40, 10], [10, 10, 40]]" />
    <Single particle="[0, 0, 0]" fixed="Yes" /></Particles>
  <Bind type="Force" ref="G" /></Body>"#
    ))
}

const MAXWELL: &str = r#"<Process type="Maxwell" time="0.1" />"#;

/// A body over a grid of formulas, of one to three directions.
fn grid_body(model: &str, counts: &str, weights: &str, properties: &str, process: &str) -> String {
    scene(&format!(
        r#"<Body id="A" model="{model}" type="Formula{}"><Properties timestep="0.01" x="u" y="v" z="w"
  {properties} /><NaturalShape /><Particles grid="[{counts}]"><All mass="0.001" {weights} />
  <Single particle="[{}]" fixed="Yes" /></Particles>{process}<Bind type="Force" ref="G" /></Body>"#,
        if model == "Surface" { "Patch" } else { model },
        match model {
            "Curve" => "0",
            "Surface" => "0, 0",
            _ => "0, 0, 0",
        }
    ))
}

fn sheet(side: usize, properties: &str, process: &str) -> String {
    let weights = r#"tension="[[10, 1], [1, 10]]" rigidity="[[0.001, 0.001], [0.001, 0.001]]""#;
    let text = grid_body(
        "Surface",
        &format!("{side}, {side}"),
        weights,
        properties,
        process,
    );
    text.replace(r#"z="w""#, r#"z="0""#)
}

fn solid(side: usize, properties: &str, process: &str) -> String {
    let weights = r#"tension="[[40, 10, 10], [10, 40, 10], [10, 10, 40]]""#;
    let counts = format!("{side}, {side}, {side}");
    grid_body("Solid", &counts, weights, properties, process)
}

fn cloth(side: usize, properties: &str) -> String {
    scene(&format!(
        r#"<Body id="A" model="Surface" type="Mesh"><Properties timestep="0.01" {properties} />
  <Mesh cells="[{side}, {side}]"><Rectangle width="1" height="1" /></Mesh>
  <Elastic young="1e5" density="1000" thickness="0.001" /><Bind type="Force" ref="G" /></Body>"#
    ))
}

/// Two sheets, one of which falls on the other.
fn meeting(side: usize) -> String {
    let lower = cloth(side, "");
    let body = &lower[lower.find("<Body").unwrap()..lower.find("</DeformableBodies>").unwrap()];
    let moved = |id: &str, z: f64| {
        let place = format!("<Mesh position=\"[{z}, 0.003, {z}]\" ");
        body.replace("id=\"A\"", &format!("id=\"{id}\""))
            .replace("<Mesh ", &place)
    };
    let text = scene(&(moved("A", 0.0) + &moved("B", 0.003)));
    text.replace(
        "<MaterialContainer />",
        r#"<Contact thickness="0.004" friction="0.3" /><MaterialContainer />"#,
    )
}

fn fluid(side: usize, spacing: f64) -> String {
    scene(&format!(
        r#"<Body id="A" model="Surface" type="FormulaPatch">
  <Properties timestep="0.01" x="u" y="v" z="0" /><NaturalShape />
  <Particles grid="[{side}, {side}]"><All mass="0.001" tension="[[1, 0], [0, 1]]" /></Particles>
  <Process type="Fluid" spacing="{spacing}" repulsion="1" molten="Yes" /></Body>"#
    ))
}

/// The estimate of `check`, in megabytes.
fn estimate(folder: &Folder, text: &str) -> f64 {
    fs::write(folder.path("s.xml"), text).unwrap();
    let ran = folder.pliant(&["check", "s.xml"]).exits(0);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "about").unwrap();
    let number: f64 = words[at + 1].parse().unwrap();
    number * if words[at + 2] == "GB" { 1000.0 } else { 1.0 }
}

/// The largest resident memory of a run, in megabytes.
#[cfg(target_os = "linux")]
fn measured(folder: &Folder) -> f64 {
    let script = format!(
        "{} run s.xml --quiet --threads 1 --overwrite --out o.pliant & child=$!; peak=0; \
         while status=$(grep VmHWM /proc/$child/status 2>/dev/null); do \
         peak=$(echo $status | tr -dc 0-9); sleep 0.01; done; wait $child; echo $peak",
        env!("CARGO_BIN_EXE_pliant")
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.trim().parse::<f64>().unwrap() / 1000.0
}

#[cfg(target_os = "linux")]
#[test]
fn estimates_are_near_what_runs_take() {
    let folder = Folder::new("estimates");
    for (name, text) in [
        ("mesh, Cholesky", block(16, "Cholesky")),
        ("mesh, conjugate gradients", block(20, "ConjugateGradient")),
        ("ball", ball(0.12)),
        ("grid", grid(24)),
        ("fluid", fluid(60, 0.2)),
        ("fluid, all near", fluid(40, 2.0)),
        ("sheet", sheet(64, "", "")),
        ("sheet, flow", sheet(64, "", MAXWELL)),
        (
            "sheet, semi-implicit",
            sheet(100, r#"integrator="SemiImplicit" solver="Cholesky""#, ""),
        ),
        ("hybrid sheet", sheet(80, r#"formulation="Hybrid""#, "")),
        ("solid, flow", solid(14, "", MAXWELL)),
        (
            "hybrid solid, flow",
            solid(14, r#"formulation="Hybrid""#, MAXWELL),
        ),
        ("cloth", cloth(60, "")),
        ("two sheets that meet", meeting(40)),
        ("cloth, Cholesky", cloth(50, r#"solver="Cholesky""#)),
    ] {
        let estimate = estimate(&folder, &text);
        // A glance from outside may miss the peak of a short run, never see more than it.
        let mut most: f64 = 0.0;
        for _ in 0..5 {
            most = most.max(measured(&folder));
            if estimate < 2.0 * most {
                break;
            }
        }
        let (measured, ratio) = (most, estimate / most);
        assert!(
            (0.8..2.0).contains(&ratio),
            "{name}: estimated {estimate} MB, measured {measured} MB"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_size_and_a_remedy() {
    let folder = Folder::new("refused-memory");
    let check = |text: &str, more: &[&str]| {
        fs::write(folder.path("s.xml"), text).unwrap();
        folder.pliant(&[&["check", "s.xml"], more].concat())
    };
    // Each of these once took more than it was said to take, or aborted.
    for (text, remedy) in [
        (block(59, "Cholesky"), "solver=\"ConjugateGradient\""),
        (ball(0.0081), "resolution=\""),
        (grid(271), "fewer particles"),
        (fluid(155, 2.0), "spacing"),
        (meeting(300), "surfaces that meet"),
    ] {
        let ran = check(&text, &["--memory", "2GB"]).exits(2);
        assert!(ran.err.contains("GB"), "{}", ran.err);
        assert!(ran.err.contains(remedy), "{}", ran.err);
        assert!(ran.err.contains("--memory"), "{}", ran.err);
    }
    check(&block(10, "Cholesky"), &["--memory", "2GB"]).exits(0);
    check(&block(10, "Cholesky"), &["--memory", "20MB"])
        .exits(2)
        .complains_of("more than the 20.0 MB that --memory allows");
    folder
        .pliant(&["run", "s.xml", "--memory", "20MB", "--out", "x.obj"])
        .exits(2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_shell_is_respected_without_an_abort() {
    let folder = Folder::new("ulimit");
    for text in [ball(0.0081), grid(271), block(59, "Cholesky")] {
        fs::write(folder.path("s.xml"), text).unwrap();
        let script = format!(
            "ulimit -v 3000000; exec {} check s.xml",
            env!("CARGO_BIN_EXE_pliant")
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(!message.contains("backtrace"), "{message}");
    }
}

#[test]
fn memory_that_was_not_foreseen_ends_in_a_message() {
    let folder = Folder::new("allocator");
    // A surface from a file is measured only when it is filled.
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    fs::write(folder.path("t.obj"), tetrahedron).unwrap();
    let text = scene(
        r#"<Body id="A" model="Solid" type="Mesh"><Properties timestep="0.01" />
  <Mesh file="t.obj" resolution="0.006" /><Elastic young="1e5" /></Body>"#,
    );
    fs::write(folder.path("s.xml"), text).unwrap();
    folder
        .pliant(&["check", "s.xml", "--memory", "60MB"])
        .exits(1)
        .complains_of("out of memory");
}

#[test]
fn counts_are_never_hundreds_of_digits_long() {
    let folder = Folder::new("digits");
    fs::write(folder.path("s.xml"), ball(1e-90)).unwrap();
    let ran = folder.pliant(&["check", "s.xml"]).exits(2);
    let longest = ran
        .err
        .split(|c: char| !c.is_ascii_digit())
        .map(str::len)
        .max();
    assert!(longest < Some(20), "{}", ran.err);
}

#[test]
fn a_body_may_melt_without_softening_before() {
    let folder = Folder::new("melts");
    let text = scene(
        r#"<Body id="A" model="Solid" type="FormulaSolid">
  <Properties timestep="0.02" x="u" y="v" z="w" /><NaturalShape />
  <Particles grid="[3, 3, 3]"><All tension="[[5, 1, 1], [1, 5, 1], [1, 1, 5]]" /></Particles>
  <Process type="Heat" conductivity="1" melts="380" /></Body>"#,
    );
    fs::write(folder.path("s.xml"), &text).unwrap();
    folder.pliant(&["check", "s.xml"]).exits(0);
    let wrong = text.replace("melts=\"380\"", "softens=\"400\" melts=\"380\"");
    fs::write(folder.path("s.xml"), wrong).unwrap();
    folder
        .pliant(&["check", "s.xml"])
        .exits(2)
        .complains_of("it softens at 400 K, above its melting point of 380 K");
}

#[test]
fn a_folder_in_place_of_a_file_is_called_a_folder() {
    let folder = Folder::new("a-folder");
    fs::create_dir(folder.path("m.obj")).unwrap();
    let text = scene(
        r#"<Body id="A" model="Surface" type="Mesh"><Properties timestep="0.01" />
  <Mesh file="m.obj" /><Elastic young="1e5" density="1" thickness="0.01" /></Body>"#,
    );
    fs::write(folder.path("s.xml"), text).unwrap();
    folder
        .pliant(&["check", "s.xml"])
        .exits(2)
        .complains_of("the mesh `m.obj` is a folder, and a file is needed");
}

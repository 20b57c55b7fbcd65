//! Every built-in scene: simulated to its end with the values it expects checked, for a while with
//! ten times its step, at which it may be coarse but never breaks, and interrupted, after which it
//! goes on as if it had not been.

use pliant::Workspace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scenes are tested next to each other, so one thread is enough for each.
const THREADS: &str = "1";

/// How long a scene runs at ten times its step, in seconds of its own time.
const COARSE_SECONDS: f64 = 0.5;

/// The fewest steps it takes then, for scenes whose steps are long already.
const COARSE_STEPS: usize = 5;

/// How many steps a scene takes before and after it is interrupted.
const INTERRUPTED_STEPS: usize = 8;

macro_rules! scenes {
    ($($test:ident: $name:literal,)*) => {
        const TESTED: &[&str] = &[$($name),*];

        mod expected {
            $(#[test]
            fn $test() {
                super::simulate($name);
            })*
        }

        mod interrupted {
            $(#[test]
            fn $test() {
                super::interrupt($name);
            })*
        }

        mod ten_times_the_step {
            $(#[test]
            fn $test() {
                super::simulate_coarsely($name);
            })*
        }
    };
}

scenes! {
    flag: "flag",
    carpet: "carpet",
    shrink_wrap: "shrink-wrap",
    lifted_plate: "lifted-plate",
    lifted_membrane: "lifted-membrane",
    tension: "tension",
    rigidity: "rigidity",
    crumple: "crumple",
    heavy_curtain: "heavy-curtain",
    tablecloth: "tablecloth",
    rubber_flap: "rubber-flap",
    membrane_jack: "membrane-jack",
    sea_cucumber: "sea-cucumber",
    metal_plate: "metal-plate",
    sphere_on_solid: "sphere-on-solid",
    cloth_on_cloth: "cloth-on-cloth",
    cube_pile: "cube-pile",
    cloth_pile: "cloth-pile",
    cloth_twist: "cloth-twist",
    soft_and_rigid: "soft-and-rigid",
    trampoline: "trampoline",
    squeeze: "squeeze",
    noodles: "noodles",
    needles: "needles",
    puppet: "puppet",
    card_house: "card-house",
    arch_25: "arch-25",
    tablecloth_pull: "tablecloth-pull",
    reef_knot: "reef-knot",
    woven_pull: "woven-pull",
    robe: "robe",
    pudding: "pudding",
    rubber_balls: "rubber-balls",
    three_corners: "three-corners",
    falling_on_ellipsoid: "falling-on-ellipsoid",
    hanging_cable: "hanging-cable",
    coil_spring: "coil-spring",
    flatland_elastic: "flatland-elastic",
    flatland_viscoelastic: "flatland-viscoelastic",
    flatland_putty: "flatland-putty",
    flatland_mould: "flatland-mould",
    flatland_bounce: "flatland-bounce",
    ball_on_solid: "ball-on-solid",
    vegetables: "vegetables",
    plasticine_bust: "plasticine-bust",
    sheared_sheet: "sheared-sheet",
    net_tear: "net-tear",
    woven_tear: "woven-tear",
    hot_spheres: "hot-spheres",
    goop: "goop",
    goop_1988: "goop-1988",
    melting_block: "melting-block",
    putty_ball: "putty-ball",
    bars: "bars",
    long_bars: "long-bars",
    cantilever: "cantilever",
    spread_loads: "spread-loads",
    table_of_elements: "table-of-elements",
    pressure_vessel: "pressure-vessel",
    twisted_bar: "twisted-bar",
    tube_bend: "tube-bend",
    tube_swing: "tube-swing",
    tube_drop: "tube-drop",
    tube_drop_stiff: "tube-drop-stiff",
    free_floating: "free-floating",
    pulled_sheet: "pulled-sheet",
    pushed_plate: "pushed-plate",
    rabbit: "rabbit",
    hound: "hound",
    jelly_stack: "jelly-stack",
    sculpture_garden: "sculpture-garden",
    sticks: "sticks",
    chainmail: "chainmail",
    modal: "modal",
    surgery: "surgery",
    snake: "snake",
    active_surface: "active-surface",
    soap_film: "soap-film",
    sculpt: "sculpt",
    least_energy: "least-energy",
    fish: "fish",
    face: "face",
    spring_cloth: "spring-cloth",
    rod: "rod",
    fit_superquadric: "fit-superquadric",
    global_deformations: "global-deformations",
}

/// Runs the command on a built-in scene as a user would, and checks what the scene expects.
fn simulate(name: &str) {
    let folder = Folder::new(name);
    let ran = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args([
            "run",
            name,
            "--quiet",
            "--check-expected",
            "--threads",
            THREADS,
        ])
        .arg("--out")
        .arg(folder.0.join("frames.vtu"))
        .output()
        .expect("the command starts");
    assert_eq!(
        ran.status.code(),
        Some(0),
        "{name}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// Steps from a snapshot, with scratch memory that has seen nothing, give the same bits.
fn interrupt(name: &str) {
    let built_in = pliant_scene::find(name).expect("a built-in scene");
    let scene = pliant_scene::parse(built_in.text, name).expect("a good scene");
    let build = || pliant_scene::build(&scene, name, Path::new("")).expect("a good scene");
    let mut world = build();
    let mut workspace = Workspace::new(&world);
    for _ in 0..INTERRUPTED_STEPS {
        world.step(&mut workspace);
    }
    let mut restored = build();
    restored.restore(&world.snapshot()).expect("the same scene");
    let mut fresh = Workspace::new(&restored);
    for step in 1..=INTERRUPTED_STEPS {
        world.step(&mut workspace);
        restored.step(&mut fresh);
        assert_eq!(world.state_hash(), restored.state_hash(), "{name}: {step}");
    }
}

/// Steps a scene with ten times its step: nothing becomes infinite, no body is given up.
/// Whether the elastic force of a body is that of the paper to the letter, which can explode: that is what
/// it is shown for.
fn is_printed(body: &pliant_scene::scene::Body) -> bool {
    body.properties.word("energy") == Some("AsPrinted")
}

fn simulate_coarsely(name: &str) {
    let built_in = pliant_scene::find(name).expect("a built-in scene");
    let fine = pliant_scene::parse(built_in.text, name).expect("a good scene");
    let coarse = fine.bodies.iter().map(|body| {
        let step = 10.0 * body.properties.number("timestep");
        (body.id.clone(), "timestep".to_owned(), step.to_string())
    });
    let coarse: Vec<pliant_scene::Override> = coarse.collect();
    let scene = pliant_scene::parse_with_overrides(built_in.text, name, &coarse);
    let scene = scene.expect("a good scene");
    let mut world = pliant_scene::build(&scene, name, Path::new("")).expect("a good scene");
    let mut workspace = Workspace::new(&world);
    workspace.bounds = scene.simulation.bounds;
    let steps = (COARSE_SECONDS / world.time_step()).ceil() as usize;
    for step in 1..=steps.max(COARSE_STEPS) {
        let report = world.step(&mut workspace);
        assert!(
            report.non_finite == 0 || scene.bodies.iter().any(is_printed),
            "{name}: step {step}"
        );
        for (body, described) in world.bodies.iter().zip(&scene.bodies) {
            if is_printed(described) {
                continue;
            }
            assert_eq!(body.quarantine, None, "{name}: step {step}");
            let is_finite = body
                .state
                .positions
                .iter()
                .all(|position| position.is_finite());
            assert!(is_finite, "{name}: step {step}");
        }
    }
}

#[test]
fn every_scene_of_the_folder_is_built_in_and_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let in_folder: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the folder of the scenes")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let built_in: BTreeSet<String> = pliant_scene::gallery()
        .iter()
        .map(|scene| scene.name.to_owned())
        .collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(in_folder, built_in);
    assert_eq!(tested, built_in);
}

#[test]
fn every_scene_expects_more_than_to_survive() {
    use pliant_scene::scene::Quantity;
    for built_in in pliant_scene::gallery() {
        let scene = pliant_scene::parse(built_in.text, built_in.name).expect("a good scene");
        let quantities: Vec<Quantity> = scene.expected.iter().map(|e| e.quantity).collect();
        for needed in [Quantity::Quarantined, Quantity::NonFinite] {
            assert!(quantities.contains(&needed), "{}", built_in.name);
        }
        let of_the_motion = scene
            .expected
            .iter()
            .filter(|expected| expected.body.is_some())
            .count();
        assert!(of_the_motion >= 2, "{}", built_in.name);
        for line in built_in
            .text
            .lines()
            .filter(|line| line.contains("<Expected"))
        {
            assert!(line.contains("origin=\""), "{}: {line}", built_in.name);
        }
        assert!(scene.camera.is_some(), "{}", built_in.name);
        assert!(!scene.lights.is_empty(), "{}", built_in.name);
        assert_eq!(scene.id, built_in.name);
    }
}

/// A folder for the frames of one scene, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind in the folder for temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

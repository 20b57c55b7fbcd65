//! The schema and the reference in `docs/` are what the language table says, and every example in
//! the reference is a scene. `PLIANT_BLESS=1` writes them anew.

use pliant_scene::language::elements;
use pliant_scene::{example_scene, parse, reference, schema};
use std::path::PathBuf;

fn docs() -> PathBuf {
    // Canonical, so that it also works where the crate is reached through a link.
    let crate_folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .canonicalize()
        .unwrap();
    crate_folder.join("../../docs")
}

fn is_current(name: &str, generated: &str) {
    let path = docs().join(name);
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::write(&path, generated).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let first_difference = kept
        .lines()
        .zip(generated.lines())
        .position(|(kept, generated)| kept != generated)
        .map_or(0, |line| line + 1);
    assert!(
        kept.replace("\r\n", "\n") == generated,
        "docs/{name} is not current (line {first_difference}): run the test with PLIANT_BLESS=1"
    );
}

#[test]
fn docs_are_current() {
    is_current("scene.xsd", &schema());
    is_current("scene-language.md", &reference());
}

fn must_parse(fragment: &str) {
    let scene = example_scene(fragment).unwrap_or_else(|| panic!("no scene round {fragment}"));
    let parsed = parse(&scene, "example.xml").unwrap_or_else(|errors| panic!("{errors}\n{scene}"));
    assert_eq!(parsed.warnings, [], "{scene}");
}

#[test]
fn every_example_of_the_reference_is_parsed() {
    let text = reference();
    let mut count = 0;
    for block in text.split("```xml\n").skip(1) {
        must_parse(block.split("```").next().unwrap());
        count += 1;
    }
    // The complete scene, and one of each element and type that is not shown by another.
    let examples: usize = elements()
        .iter()
        .map(|element| {
            let types = element.variants.iter().filter(|v| !v.example.is_empty());
            let types = if element.name == "Part" {
                0
            } else {
                types.count()
            };
            usize::from(!element.example.is_empty()) + types
        })
        .sum();
    assert_eq!(count, examples + 1);
}

#[test]
fn every_element_has_an_example() {
    for element in elements() {
        let is_shown = !element.example.is_empty()
            || element.variants.iter().all(|v| !v.example.is_empty())
                && !element.variants.is_empty();
        assert!(is_shown || element.name == "Properties", "{}", element.name);
    }
}

#[test]
fn the_error_shown_in_the_introduction_is_real() {
    let text = reference();
    let scene = text.split("```xml\n").nth(1).unwrap();
    let scene = scene.split("```").next().unwrap();
    let broken = scene.replace("[0, 0, -9.81]", "[0, -9.81]");
    let errors = parse(&broken, "scene.xml").unwrap_err().to_string();
    let shown = text.split("```text\n").nth(1).unwrap();
    assert_eq!(errors, shown.split("\n```").next().unwrap());
}

#[test]
fn every_type_of_object_and_force_is_read_as_itself() {
    use pliant_scene::language::{FORCE, OBJECT};
    let parsed = |example: &str| parse(&example_scene(example).unwrap(), "example.xml").unwrap();
    // The names that differ from those of the engine.
    let engine_name = |name: &'static str| match name {
        "Box" => "Cuboid",
        "Jack" => "Union",
        name => name,
    };
    for variant in OBJECT.variants {
        let scene = parsed(variant.example);
        let surface = format!("{:?}", scene.objects[0].obstacle.surface);
        assert!(surface.starts_with(engine_name(variant.name)), "{surface}");
    }
    for variant in FORCE.variants {
        let force = format!("{:?}", parsed(variant.example).forces[0].force);
        assert!(force.contains(variant.name), "{force}");
    }
}

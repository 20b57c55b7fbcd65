//! The scenes in `scenes/refused/` are refused with exactly the mistakes their first comment
//! lists: `expect: line:column: part of the message`. Some are found only when the scene is built.

use pliant_scene::{build, read};
use std::path::PathBuf;

fn expectations(text: &str) -> Vec<(String, String)> {
    let comment = text.split("-->").next().unwrap();
    comment
        .split("expect: ")
        .skip(1)
        .map(|line| {
            let (place, message) = line.trim().split_once(": ").unwrap();
            (place.to_owned(), message.to_owned())
        })
        .collect()
}

#[test]
fn refused_scenes_give_the_mistakes_they_list() {
    let crate_folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .canonicalize()
        .unwrap();
    let folder = crate_folder.join("../../scenes/refused");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "xml") {
            continue;
        }
        let expected = expectations(&std::fs::read_to_string(&path).unwrap());
        assert!(!expected.is_empty(), "{name} does not say what to expect");
        let built = read(&path).and_then(|scene| build(&scene, &name, &folder));
        let errors = match built {
            Ok(_) => panic!("{name} is accepted"),
            Err(errors) => errors,
        };
        assert_eq!(errors.errors.len(), expected.len(), "{errors}");
        for (error, (place, message)) in errors.errors.iter().zip(&expected) {
            assert_eq!(&error.location().to_string(), place, "{name}: {error}");
            assert!(
                error.to_string().contains(message.as_str()),
                "{name}: expected {message}\nfound {error}"
            );
        }
        count += 1;
    }
    assert!(count >= 25, "only {count} scenes in {}", folder.display());
}

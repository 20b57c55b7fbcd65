//! The modules of the engine import each other one way: no ring of `crate::` paths.
//!
//! Every `crate::name` in the source is a line from the module it stands in to `name`; what only
//! tests import does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From each module of the crate to those that it uses.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module of the crate that a file belongs to: its folder, or the file itself.
fn module_of(file: &Path, source: &Path) -> String {
    let relative = file.strip_prefix(source).unwrap();
    let first = relative.components().next().unwrap();
    let name = first.as_os_str().to_str().unwrap();
    name.trim_end_matches(".rs").to_owned()
}

/// The names of files that are compiled for tests only: those after `#[cfg(test)]` in a list of
/// modules.
fn test_files(text: &str, file: &Path) -> Vec<PathBuf> {
    let folder = if file.ends_with("mod.rs") || file.ends_with("lib.rs") {
        file.parent().unwrap().to_owned()
    } else {
        file.with_extension("")
    };
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]"
            && let Some(next) = lines.next()
            && let Some((_, name)) = next.split_once("mod ")
            && let Some(name) = name.strip_suffix(';')
        {
            found.push(folder.join(format!("{name}.rs")));
        }
    }
    found
}

/// What stands before the tests of a file, without comments.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            match lines.peek() {
                // A block of tests comes last.
                Some(next) if next.contains("mod ") && next.contains('{') => break,
                _ => {
                    lines.next();
                    continue;
                }
            }
        }
        let code = line.split("//").next().unwrap_or_default();
        kept.push_str(code);
        kept.push('\n');
    }
    kept
}

fn imports() -> Imports {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&source, &mut files);
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|file| (file.clone(), fs::read_to_string(&file).unwrap()))
        .collect();
    let tests: BTreeSet<PathBuf> = texts
        .iter()
        .flat_map(|(file, text)| test_files(text, file))
        .collect();
    let modules: BTreeSet<String> = texts
        .iter()
        .map(|(file, _)| module_of(file, &source))
        .collect();
    let mut imports = Imports::new();
    for (file, text) in &texts {
        let module = module_of(file, &source);
        if module == "lib" || tests.contains(file) {
            continue;
        }
        let imported = imports.entry(module.clone()).or_default();
        for rest in code(text).split("crate::").skip(1) {
            let name: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if modules.contains(&name) {
                if name != module {
                    imported.insert(name);
                }
            } else {
                // Names at the root of the crate hide where they come from.
                let is_macro = rest[name.len()..].starts_with('!');
                assert!(
                    is_macro || rest.starts_with('$') || rest.starts_with(')'),
                    "{}: `crate::{name}` does not name a module",
                    file.display()
                );
            }
        }
    }
    imports
}

/// A ring of modules, if there is one.
fn ring(imports: &Imports) -> Option<Vec<String>> {
    let mut left = imports.clone();
    // Modules that import nothing of what is left cannot be part of a ring.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let done: Vec<String> = left
            .iter()
            .filter(|(_, imported)| imported.is_disjoint(&names))
            .map(|(name, _)| name.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|name| {
            left.remove(name);
        });
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[way.last()?]
            .iter()
            .find(|name| left.contains_key(*name))?;
        if let Some(start) = way.iter().position(|name| name == next) {
            return Some(way.split_off(start));
        }
        way.push(next.clone());
    }
}

#[test]
fn no_modules_import_each_other_in_a_ring() {
    let imports = imports();
    // The reader sees what is there.
    assert!(imports["step"].contains("body"), "{imports:#?}");
    assert!(imports["linear"].contains("math"), "{imports:#?}");
    assert_eq!(ring(&imports), None, "{imports:#?}");
}

#[test]
fn a_ring_is_found() {
    let lines = [
        ("a", vec!["b"]),
        ("b", vec!["c"]),
        ("c", vec!["b"]),
        ("d", vec!["a"]),
    ];
    let imports: Imports = lines
        .into_iter()
        .map(|(name, imported)| {
            (
                name.to_owned(),
                imported.into_iter().map(str::to_owned).collect(),
            )
        })
        .collect();
    assert_eq!(ring(&imports), Some(vec!["b".to_owned(), "c".to_owned()]));
}

//! Files stay readable in one sitting, functions on one screen: none is longer than 450 and 80 lines.

use std::fs;
use std::path::{Path, PathBuf};

const MOST: usize = 450;

const MOST_OF_A_FUNCTION: usize = 80;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    while let Some((word, after)) = rest.split_once(' ') {
        let is_prefix = word.starts_with("pub")
            || ["const", "unsafe", "async", "extern", "\"C\""].contains(&word);
        match word {
            "fn" => return after.split(['(', '<']).next(),
            _ if is_prefix => rest = after,
            _ => return None,
        }
    }
    None
}

/// Names and lengths of the functions of a formatted file: each ends with a brace below its first
/// letter.
fn function_lengths(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let ends = |line: &&str| line.ends_with(['{', ';', '}']);
        let Some(signature) = lines[first..].iter().position(ends) else {
            continue;
        };
        if !lines[first + signature].ends_with('{') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let closes = |line: &&str| line.trim_start() == "}" && line.len() == indent + 1;
        let length = lines[first..].iter().position(closes);
        found.push((name, length.map_or(0, |last| last + 1)));
    }
    found
}

#[test]
fn no_function_is_too_long_to_see_at_once() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    rust_files(crates, &mut files);
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files {
        let path = file.strip_prefix(crates).unwrap().to_str().unwrap();
        let path = path.replace('\\', "/");
        if !path.contains("/src/") {
            continue;
        }
        for (name, length) in function_lengths(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            if length > MOST_OF_A_FUNCTION {
                wrong.push(format!("{path}: {name} has {length} lines"));
            }
        }
    }
    assert!(count > 3000, "{count} functions found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_are_measured() {
    let text = "impl A {\n    pub(super) const fn one<T>(\n        a: T,\n    ) -> T {\n        a\n    }\n\n    fn two(&self);\n}\nfn three() {}\nfn four() {\n}\n";
    assert_eq!(function_lengths(text), [("one", 5), ("four", 2)]);
}

#[test]
fn no_file_is_too_long_to_read_in_one_sitting() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    rust_files(crates, &mut files);
    assert!(files.len() > 300, "{} files found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(crates).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        let length = fs::read_to_string(&file).unwrap().lines().count();
        if length > MOST {
            wrong.push(format!(
                "{name} has {length} lines: take its second idea out"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

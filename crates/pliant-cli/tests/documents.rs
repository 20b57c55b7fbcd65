//! The documents tell the truth: paths and functions exist, equations are all there, works that
//! are cited are listed, the gallery is complete, the example of the README is one that compiles.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Documents whose paths are checked.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "ARCHITECTURE.md",
    "EQUATIONS.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];

/// Folder that paths of the engine may be relative to.
const ENGINE: &str = "crates/pliant/src";

/// Equations of [Terzopoulos1988].
const EQUATION_COUNT: usize = 52;

fn root() -> PathBuf {
    let crate_folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    crate_folder.join("../..").canonicalize().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a document outside code blocks.
fn prose(document: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    document.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// What stands between backticks in a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of links to files of the repository.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

/// Whether a code span is meant as a path: no command, no pattern, nothing that a run writes.
fn looks_like_a_path(span: &str) -> bool {
    let has_shape =
        span.contains('/') || [".rs", ".md", ".xml"].iter().any(|end| span.ends_with(end));
    let is_other = span.contains(|c: char| c.is_whitespace() || "<>*=(){}".contains(c))
        || span.contains("://")
        || span.starts_with('-')
        || ["out/", "target/"]
            .iter()
            .any(|folder| span.starts_with(folder));
    has_shape && !is_other
}

fn locate(path: &str) -> Option<PathBuf> {
    [root(), root().join(ENGINE)]
        .iter()
        .map(|base| base.join(path))
        .find(|full| full.exists())
}

#[test]
fn every_path_in_the_documents_exists() {
    let mut missing = Vec::new();
    let mut count = 0;
    for name in DOCUMENTS {
        let text = read(name);
        for line in prose(&text) {
            let spans = code_spans(line).filter(|span| looks_like_a_path(span));
            for path in spans.chain(link_targets(line)) {
                count += 1;
                if locate(path).is_none() {
                    missing.push(format!("{name}: {path}"));
                }
            }
        }
    }
    assert!(count > 100, "only {count} paths found: is the scan right?");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The rows of the tables of a document, as cells, without heads and rulers.
fn table_rows(document: &str) -> impl Iterator<Item = Vec<&str>> {
    prose(document)
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

/// The part of a document from a heading of the second level to the next.
fn section<'a>(document: &'a str, heading: &str) -> &'a str {
    let start = document
        .find(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &document[start + 4..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// The numbers of a cell such as `3`, `11-14` or `26, 35`; nothing if it is not made of numbers.
fn equation_numbers(cell: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for part in cell.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse(), last.trim().parse::<usize>()) {
            (Ok(first), Ok(last)) => numbers.extend(first..=last),
            _ => return Vec::new(),
        }
    }
    numbers
}

#[test]
fn every_equation_of_the_paper_is_listed_once_with_its_place_or_its_state() {
    let text = read("EQUATIONS.md");
    let mut listed = Vec::new();
    for row in table_rows(section(&text, "[Terzopoulos1988]")) {
        let numbers = equation_numbers(row[0]);
        if numbers.is_empty() {
            continue;
        }
        assert_eq!(row.len(), 4, "{row:?}");
        let built = row[2].contains(".rs`");
        assert!(
            built != row[3].contains("not yet built"),
            "a row names a function or says `not yet built`: {row:?}"
        );
        listed.extend(numbers);
    }
    let all: Vec<usize> = (1..=EQUATION_COUNT).collect();
    assert_eq!(listed, all, "listed in order, each once");
}

/// Whether a file defines a function or type of this name.
fn defines(source: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    ["fn ", "struct ", "enum ", "trait "].iter().any(|keyword| {
        let definition = format!("{keyword}{name}");
        source
            .match_indices(&definition)
            .any(|(at, found)| !source[at + found.len()..].starts_with(is_word))
    })
}

#[test]
fn every_function_named_beside_an_equation_exists_in_its_file() {
    let text = read("EQUATIONS.md");
    let mut missing = Vec::new();
    let mut count = 0;
    for row in table_rows(&text) {
        let mut file: Option<(&str, String)> = None;
        for span in row.get(2).into_iter().flat_map(|cell| code_spans(cell)) {
            if span.ends_with(".rs") {
                let path = locate(span).unwrap_or_else(|| panic!("no file {span}"));
                file = Some((span, read(path)));
                continue;
            }
            let (path, source) = file
                .as_ref()
                .unwrap_or_else(|| panic!("no file before `{span}` in {row:?}"));
            count += 1;
            if !defines(source, span) {
                missing.push(format!("{path}: {span}"));
            }
        }
    }
    assert!(count > 80, "only {count} functions found");
    assert!(missing.is_empty(), "{missing:#?}");
}

fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_under(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The keys such as `[Author1999]`, with or without escaped brackets. In scenes, where brackets
/// hold nothing but numbers otherwise, a key may lack the year.
fn citation_keys(text: &str, year_needed: bool) -> Vec<String> {
    text.split('[')
        .skip(1)
        .filter_map(|rest| {
            let inside = rest.split(']').next()?.trim_end_matches('\\');
            let name = inside.trim_end_matches(|c: char| c.is_ascii_digit());
            let year_length = inside.len() - name.len();
            let is_name = name.len() > 2
                && name.starts_with(char::is_uppercase)
                && name.chars().all(char::is_alphabetic);
            let has_year = year_length == 4 || (year_length == 0 && !year_needed);
            (is_name && has_year).then(|| inside.to_owned())
        })
        .collect()
}

#[test]
fn every_work_that_is_cited_is_in_the_bibliography() {
    let equations = read("EQUATIONS.md");
    let bibliography: BTreeSet<String> = section(&equations, "Bibliography")
        .lines()
        .filter_map(|line| line.strip_prefix("- **[")?.split(']').next())
        .map(str::to_owned)
        .collect();
    let mut files: Vec<PathBuf> = DOCUMENTS.iter().map(|name| root().join(name)).collect();
    for folder in ["crates", "scenes", "docs"] {
        files_under(&root().join(folder), &mut files);
    }
    // This file holds keys that are no works.
    files.retain(|path| !path.ends_with("pliant-cli/tests/documents.rs"));
    let mut cited = BTreeSet::new();
    for path in files {
        let extension = path.extension().unwrap_or_default().to_owned();
        if ["rs", "xml", "md"].iter().any(|known| extension == *known) {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let is_scene = extension == "xml" && path.parent() == Some(&root().join("scenes"));
            cited.extend(citation_keys(&text, !is_scene));
        }
    }
    let unknown: Vec<_> = cited.difference(&bibliography).collect();
    assert!(unknown.is_empty(), "not in the bibliography: {unknown:?}");
    let uncited: Vec<_> = bibliography.difference(&cited).collect();
    assert!(uncited.is_empty(), "listed but never cited: {uncited:?}");
}

#[test]
fn keys_are_recognised() {
    assert_eq!(
        citation_keys(
            "see \\[Author1999\\] and [Writer2000], not [World] or [0, 1]",
            true
        ),
        ["Author1999", "Writer2000"]
    );
    assert_eq!(
        citation_keys("([Author] fig. 5), [-1, 0]", false),
        ["Author"]
    );
}

#[test]
fn the_gallery_of_the_readme_is_the_gallery() {
    let readme = read("README.md");
    let listed: Vec<String> = table_rows(section(&readme, "Gallery"))
        .skip(1)
        .filter_map(|row| code_spans(row[0]).next().map(str::to_owned))
        .collect();
    let built_in: Vec<&str> = pliant_scene::gallery()
        .iter()
        .map(|scene| scene.name)
        .collect();
    assert_eq!(listed, built_in, "the same scenes in the same order");
}

#[test]
fn the_example_of_the_readme_is_the_one_that_is_compiled() {
    let example = read("crates/pliant/examples/hanging_cloth.rs");
    assert!(read("README.md").contains(&format!("```rust\n{example}```\n")));
}

#[test]
fn the_commands_of_the_readme_are_those_that_are_tested() {
    let readme = read("README.md");
    assert!(readme.contains("cargo run --release -- run flag\n"));
    let tests = "cargo test --release --workspace\n";
    assert!(readme.contains(tests) && read(".ci/run").contains(tests));
}

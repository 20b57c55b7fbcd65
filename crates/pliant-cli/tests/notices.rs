//! The notices that binaries come with: every library in them, its licence and the text of that.
//!
//! `PLIANT_BLESS=1` writes `THIRD-PARTY-NOTICES.md` anew.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The binaries that the notices are for.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Licences whose conditions are kept by these notices.
const ACCEPTED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Zlib",
    "ISC",
    "0BSD",
    "Unlicense",
    "BSL-1.0",
    "CC0-1.0",
    "MIT-0",
    "Unicode-3.0",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What cargo knows of all packages; `None` where it cannot find out, as without a network.
fn metadata() -> Option<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", PLATFORM])
        .current_dir(root())
        .output()
        .ok()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        eprintln!("SKIPPED: the notices were NOT checked: {reason}");
        return None;
    }
    serde_json::from_slice(&output.stdout).ok()
}

/// The packages of others that the command is linked with.
fn linked(metadata: &Value) -> Vec<&Value> {
    let list = |value: &'static str| metadata[value].as_array().unwrap();
    let packages: BTreeMap<&str, &Value> = list("packages")
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package))
        .collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let start = packages
        .iter()
        .find(|(_, package)| package["name"] == "pliant-cli");
    let mut open = vec![*start.unwrap().0];
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    let mut linked: Vec<&Value> = found.iter().map(|id| packages[id]).collect();
    linked.retain(|package| !package["source"].is_null());
    linked.sort_by_key(|package| package["name"].as_str().unwrap().to_owned());
    linked
}

fn licence(package: &Value) -> String {
    let licence = package["license"].as_str().unwrap_or("none stated");
    licence.replace('/', " OR ").replace("  ", " ")
}

/// Whether one of the choices that a licence expression leaves consists of accepted licences.
fn is_accepted(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "");
    // An expression of ours to judge is a list of choices, or of parts that all hold.
    let is_known = |name: &str| ACCEPTED.contains(&name.trim());
    match expression.contains(" AND ") {
        true => expression
            .split(" AND ")
            .all(|part| part.replace(['(', ')'], "").split(" OR ").any(is_known)),
        false => plain.split(" OR ").any(is_known),
    }
}

/// The texts of the licences of a package, or those of another package of the same project if it
/// comes without.
fn texts_of_project(package: &Value, all: &[&Value]) -> Vec<String> {
    let is_sibling = |other: &&&Value| {
        let repository = &package["repository"];
        !repository.is_null() && other["repository"] == *repository
    };
    let siblings = all.iter().filter(is_sibling).map(|other| texts(other));
    let of_package = texts(package);
    match of_package.is_empty() {
        true => siblings
            .into_iter()
            .find(|texts| !texts.is_empty())
            .unwrap_or_default(),
        false => of_package,
    }
}

/// The texts of the licences of a package; of MIT and Apache, that of MIT is enough.
fn texts(package: &Value) -> Vec<String> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let entries = fs::read_dir(manifest.parent().unwrap()).unwrap().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().to_uppercase();
            let is_text = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
            path.is_file() && is_text.iter().any(|start| name.starts_with(start))
        })
        .collect();
    files.sort();
    let is_apache = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().to_uppercase();
        name.contains("APACHE")
    };
    if licence(package).contains("MIT") && files.iter().any(|path| !is_apache(path)) {
        files.retain(|path| !is_apache(path));
    }
    let read = |path: PathBuf| fs::read_to_string(path).ok();
    let lines = |text: String| {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        lines.join("\n").trim().to_owned()
    };
    files.into_iter().filter_map(read).map(lines).collect()
}

fn notices(packages: &[&Value]) -> String {
    let mut text = String::from(
        "# Third-party notices\n\nThe `pliant` command contains these libraries. This file is \
         written by `PLIANT_BLESS=1 cargo test -p pliant-cli --test notices` and checked by the \
         same test.\n\n| library | version | licence |\n|---|---|---|\n",
    );
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let (name, version) = (package["name"].as_str(), package["version"].as_str());
        let (name, version) = (name.unwrap(), version.unwrap());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {name} | {version} | {} |", licence(package));
        for licence in texts_of_project(package, packages) {
            users
                .entry(licence)
                .or_default()
                .push(format!("{name} {version}"));
        }
    }
    let mut groups: Vec<(String, Vec<String>)> = users.into_iter().collect();
    groups.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
    for (licence, users) in groups {
        let _ = write!(
            text,
            "\n## {}\n\n```text\n{licence}\n```\n",
            users.join(", ")
        );
    }
    text
}

#[test]
fn every_library_of_the_command_is_named_with_its_licence() {
    let Some(metadata) = metadata() else {
        return;
    };
    let packages = linked(&metadata);
    assert!(packages.len() > 20, "{} packages", packages.len());
    for package in &packages {
        let licence = licence(package);
        assert!(is_accepted(&licence), "{}: {licence}", package["name"]);
    }
    let path = root().join("THIRD-PARTY-NOTICES.md");
    let expected = notices(&packages);
    if std::env::var_os("PLIANT_BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "THIRD-PARTY-NOTICES.md is not up to date: PLIANT_BLESS=1 writes it anew"
    );
}

#[test]
fn licence_expressions_are_judged() {
    for accepted in [
        "MIT",
        "MIT OR Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-2.0) AND Zlib",
    ] {
        assert!(is_accepted(accepted), "{accepted}");
    }
    for refused in ["GPL-3.0", "MIT AND GPL-3.0", "none stated", ""] {
        assert!(!is_accepted(refused), "{refused}");
    }
}

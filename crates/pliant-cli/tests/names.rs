//! Names say what they name: no code has the identifier `own`, and only the engine has a `Pose` and a `Frame`.

use std::fs;
use std::path::{Path, PathBuf};

/// A name that says nothing of what it names.
const EMPTY_NAME: &str = "own";

/// Types that the other crates must not have too.
const ENGINE_TYPES: [(&str, &str); 2] = [
    ("Pose", "pliant/src/obstacle/pose.rs"),
    ("Frame", "pliant/src/frame.rs"),
];

/// Adds the files of a folder that have Rust in them.
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

/// The length of a string at the start of a text, whose quote is escaped by a backslash.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string at the start of a text, if one is there.
fn raw_string_length(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inside = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end)? + end.len();
    Some(text.len() - inside.len() + length)
}

/// The length of a character at the start of a text, if it is no lifetime.
fn character_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    let shortest = match first {
        '\\' => 2,
        _ => first.len_utf8(),
    };
    let rest = inside.get(shortest..)?;
    let end = match first {
        '\\' => rest.find('\'')?,
        _ if rest.starts_with('\'') => 0,
        _ => return None,
    };
    Some(1 + shortest + end + 1)
}

/// The length of a comment at the start of a text, if one is there. A block may hold others.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let (mut at, mut depth) = (text.strip_prefix("/*").map(|_| 2)?, 1);
    while depth > 0 {
        let next = at + text[at..].find(['/', '*'])?;
        let pair = text.as_bytes().get(next..next + 2)?;
        (at, depth) = match pair {
            b"/*" => (next + 2, depth + 1),
            b"*/" => (next + 2, depth - 1),
            _ => (next + 1, depth),
        };
    }
    Some(at)
}

/// A source without what is no code: comments, strings and characters leave only their line ends.
fn code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let string = || rest.starts_with('"').then(|| string_length(rest));
        let other = comment_length(rest)
            .or_else(|| raw_string_length(rest))
            .or_else(string)
            .or_else(|| character_length(rest));
        let length = other.unwrap_or(c.len_utf8());
        let (part, after) = rest.split_at(length);
        match other {
            Some(_) => {
                code.push(' ');
                code.extend(part.chars().filter(|c| *c == '\n'));
            }
            None => code.push(c),
        }
        rest = after;
    }
    code
}

/// Keywords and identifiers of a line of code.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// The numbers of the lines whose code has a name that says nothing.
fn empty_names(source: &str) -> Vec<usize> {
    let code = code(source);
    let lines = (1..).zip(code.lines());
    lines
        .filter(|(_, line)| words(line).any(|word| word == EMPTY_NAME))
        .map(|(number, _)| number)
        .collect()
}

/// Whether code defines a structure of this name.
fn defines_structure(code: &str, name: &str) -> bool {
    let mut pairs = words(code).zip(words(code).skip(1));
    pairs.any(|pair| pair == ("struct", name))
}

/// Paths below `crates`, and the texts of the files.
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    rust_files(crates, &mut files);
    assert!(files.len() > 300, "{} files found", files.len());
    let read = |file: PathBuf| {
        let path = file.strip_prefix(crates).unwrap().to_str().unwrap();
        (path.replace('\\', "/"), fs::read_to_string(&file).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn no_identifier_says_nothing_of_what_it_names() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines = empty_names(&text).into_iter();
        wrong.extend(lines.map(|line| format!("crates/{path}:{line}")));
    }
    assert!(
        wrong.is_empty(),
        "call it what it is instead of `{EMPTY_NAME}`:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn only_the_engine_has_a_pose_and_a_frame() {
    let codes = sources()
        .into_iter()
        .map(|(path, text)| (path, code(&text)));
    let codes: Vec<_> = codes.collect();
    for (name, place) in ENGINE_TYPES {
        let defining = codes
            .iter()
            .filter(|(_, code)| defines_structure(code, name));
        let paths: Vec<_> = defining.map(|(path, _)| path).collect();
        assert_eq!(paths, [place], "`struct {name}`");
    }
}

#[test]
fn names_are_found_in_code_and_nowhere_else() {
    assert_eq!(empty_names("fn a() {\n    let own = 1;\n}\n"), [2]);
    assert_eq!(
        empty_names("a(|own| own.b);\n'\\''; x::<'a>(c.own); /* */"),
        [1, 2]
    );
    let elsewhere = [
        "// Its own matrix.\nlet own_type = of_its_own;",
        "/* own /* own */\nown */ let owned = to_own;",
        r#"let text = "own \" own"; let c = '"'; let d = "own";"#,
        "let text = r#\"own \" own\"#; let quote = b'\"'; \"own\";",
        "fn f<'a>(x: &'a str) -> char { '\\'' } // own",
    ];
    for source in elsewhere {
        assert!(empty_names(source).is_empty(), "{source}");
    }
    let code = code("pub struct Pose<T> {}\nstruct\n Frame;\nstruct CorePose; // struct Wave\n");
    assert!(defines_structure(&code, "Pose") && defines_structure(&code, "Frame"));
    assert!(!defines_structure(&code, "Core") && !defines_structure(&code, "Wave"));
}

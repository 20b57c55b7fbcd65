//! Random damage to scenes: the parser never panics, and every mistake has a place.
//!
//! The mutations follow a seeded generator, so that a failure can be repeated: the message of a
//! failure names the number of the input. `PLIANT_FUZZ=full` tries more than a million inputs.

use pliant_scene::language::{Variant, elements};
use pliant_scene::{example_scene, parse_with_overrides};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const VALUES: &[&str] = &[
    "",
    " ",
    "0",
    "-1",
    "1e308",
    "-1e400",
    "nan",
    "inf",
    "1e-320",
    "4294967295",
    "4294967296",
    "0,5",
    "[0, 0, 0]",
    "[1]",
    "[",
    "]",
    "[]",
    "[[]]",
    "[[1]]",
    "[[1,2],[3,4]]",
    "[[1,2,3],[4,5,6],[7,8,9]]",
    "[1,2",
    "[0,0,1e-200]",
    "[20000000]",
    "[4294967295,4294967295]",
    "[65536,65536,65536]",
    "[2,2]",
    "[3,3,3]",
    "Yes",
    "No",
    "é[漢]",
    "u^v^w",
    "1/(u-u)",
    "((((((u))))))",
    "-----1",
    "min(u",
    "&#0;",
    "&amp;",
    "&x;",
    "Sheet",
    "Gravity",
    "a.png",
    "..\\b.bmp",
    "\u{0}",
    "\u{feff}",
];

const FRAGMENTS: &[&str] = &[
    "<",
    ">",
    "/>",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "?>",
    "<!DOCTYPE a [",
    "]>",
    "\"",
    "'",
    "=",
    "&",
    "xmlns:a=\"b\"",
    "a:b=\"c\"",
    "<EDMConfig id=\"x\">",
    "</EDMConfig>",
    "\r\n",
    "<Body ",
    "<Properties />",
    "<Particles grid=\"[2,2]\" />",
];

fn tokens() -> Vec<String> {
    let mut tokens: Vec<String> = VALUES
        .iter()
        .chain(FRAGMENTS)
        .map(|t| t.to_string())
        .collect();
    for element in elements() {
        tokens.push(element.name.to_owned());
        tokens.push(format!("<{} ", element.name));
        tokens.push(element.example.to_owned());
        let properties = element.variants.iter().flat_map(Variant::properties);
        for attribute in element.own_attributes().chain(properties) {
            tokens.push(attribute.name.to_owned());
            tokens.extend(attribute.kind.words().iter().map(|w| w.to_string()));
            for value in ["1", "[1, 2, 3]", "Yes"] {
                tokens.push(format!(" {}=\"{value}\"", attribute.name));
            }
        }
        tokens.extend(element.variants.iter().map(|v| v.name.to_owned()));
    }
    tokens.sort();
    tokens.dedup();
    tokens
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<String> = vec![
        include_str!("published_objects.xml").to_owned(),
        include_str!("published_cloth.xml").to_owned(),
        include_str!("published_solids.xml").to_owned(),
    ];
    for element in elements() {
        let types = element.variants.iter().map(|variant| variant.example);
        for example in std::iter::once(element.example).chain(types) {
            // Types of Part are shown as objects, which example_scene takes as such.
            seeds.extend(example_scene(example));
        }
    }
    seeds.into_iter().map(String::into_bytes).collect()
}

/// The ranges between quotes.
fn values(bytes: &[u8]) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b'"').collect();
    quotes.chunks_exact(2).map(|q| (q[0] + 1, q[1])).collect()
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random, tokens: &[String]) {
    let at = random.below(bytes.len() + 1);
    let to = (at + random.below(120)).min(bytes.len());
    match random.below(24) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.next() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..to)),
        4 => {
            let chunk = bytes[at..to].to_vec();
            let target = random.below(bytes.len() + 1);
            bytes.splice(target..target, chunk);
        }
        5 => {
            let token = random.pick(tokens).clone();
            bytes.splice(at..at, token.into_bytes());
        }
        6 if random.below(20) == 0 => {
            let depth = 1 + random.below(400);
            bytes.splice(at..at, b"<a>".repeat(depth));
        }
        7..=10 => {
            // A whole element or line, again or away.
            let start = bytes[..at].iter().rposition(|&b| b == b'<').unwrap_or(0);
            let length = bytes[start..]
                .iter()
                .position(|&b| b == b'>')
                .map_or(0, |i| i + 1);
            let line = bytes[start..start + length].to_vec();
            if random.below(2) == 0 {
                bytes.splice(start..start, line);
            } else if line.ends_with(b"/>") {
                bytes.drain(start..start + length);
            }
        }
        11..=13 => {
            // An attribute away or in.
            let ranges = values(bytes);
            if let Some(&(_, end)) = ranges.get(random.below(ranges.len())) {
                let name = random.pick(tokens).clone();
                if name.starts_with(' ') {
                    bytes.splice(end + 1..end + 1, name.into_bytes());
                }
            }
        }
        _ => {
            let ranges = values(bytes);
            if let Some(&(start, end)) = ranges.get(random.below(ranges.len())) {
                let value = if random.below(3) == 0 {
                    random.pick(tokens).clone()
                } else {
                    random.pick(VALUES).to_string()
                };
                let value = value.replace(['"', '<'], "");
                bytes.splice(start..end, value.into_bytes());
            }
        }
    }
    bytes.truncate(100_000);
}

/// What came of an input.
enum Outcome {
    Accepted,
    Refused { understood: bool },
}

fn try_input(text: &str, overrides: &[(String, String, String)]) -> Outcome {
    match parse_with_overrides(text, "fuzz.xml", overrides) {
        Ok(scene) => {
            for body in scene.bodies.iter().filter(|body| body.mesh.is_none()) {
                assert!(body.particle_count() >= 2);
                if body.particle_count() < 2000 {
                    let _ = body.resolve_particles(&mut |_, _| 0.5);
                }
            }
            Outcome::Accepted
        }
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                assert!(error.line >= 1 && error.column >= 1, "{error}");
                assert!(error.line as usize <= text.split('\n').count(), "{error}");
            }
            assert!(!errors.to_string().is_empty());
            let understood = errors.errors.iter().any(|e| !e.element.is_empty());
            Outcome::Refused { understood }
        }
    }
}

#[test]
fn damaged_scenes_never_panic() {
    let count: u64 = match std::env::var("PLIANT_FUZZ").as_deref() {
        Ok("full") => 1_200_000,
        _ => 60_000,
    };
    let seeds = seeds();
    let tokens = tokens();
    let (mut accepted, mut understood) = (0, 0);
    for input in 0..count {
        let mut random = Random(input.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut bytes = random.pick(&seeds).clone();
        for _ in 0..1 + random.below(5) {
            mutate(&mut bytes, &mut random, &tokens);
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut overrides = Vec::new();
        if random.below(8) == 0 {
            let target = *random.pick(&["Sheet", "Gravity", "Simulation", "Camera", "Floor"]);
            let attribute = random.pick(&tokens).clone();
            let value = random.pick(VALUES).to_string();
            overrides.push((target.to_owned(), attribute, value));
        }
        match catch_unwind(AssertUnwindSafe(|| try_input(&text, &overrides))) {
            Ok(Outcome::Accepted) => accepted += 1,
            Ok(Outcome::Refused { understood: true }) => understood += 1,
            Ok(Outcome::Refused { understood: false }) => {}
            Err(_) => panic!("input {input}, overrides {overrides:?}:\n{text}"),
        }
    }
    println!("{count} inputs: {accepted} accepted, {understood} refused for what they say");
    // The damage must reach behind the XML reader, or it tests little.
    assert!(accepted > count / 50 && understood > count / 4);
}

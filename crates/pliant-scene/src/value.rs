//! The text of an attribute as a value: numbers, vectors, matrices, words.

use crate::diagnostics::{Problem, quote};
use crate::expression::Expression;
use crate::language::{Kind, Range};
use crate::nearest::did_you_mean;
use glam::DVec3;

/// The largest number a scene may hold; squares and products of such numbers stay finite.
pub const LARGEST_NUMBER: f64 = 1e100;

/// A value of an attribute, by kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Count(u32),
    Boolean(bool),
    /// One of the words of the language.
    Word(&'static str),
    Text(String),
    Vector(DVec3),
    Indices(Vec<u32>),
    Matrix(Vec<Vec<f64>>),
    Rule(Expression),
}

/// What a setter takes from a value. The kind of its attribute says which of these it has; a wrong
/// one would be a mistake in the table, which gives what no engine accepts.
impl Value {
    pub(crate) fn number(&self) -> f64 {
        match *self {
            Self::Number(number) => number,
            _ => f64::NAN,
        }
    }

    pub(crate) fn count(&self) -> usize {
        match *self {
            Self::Count(count) => count as usize,
            _ => 0,
        }
    }

    pub(crate) fn is_yes(&self) -> bool {
        *self == Self::Boolean(true)
    }

    pub(crate) fn word(&self) -> &'static str {
        match *self {
            Self::Word(word) => word,
            _ => "",
        }
    }
}

/// Reads the text of an attribute.
pub(crate) fn parse_value(kind: Kind, text: &str) -> Result<Value, Problem> {
    let trimmed = text.trim();
    match kind {
        Kind::Identifier | Kind::Reference => identifier(kind, text),
        Kind::Variant => Ok(Value::Text(trimmed.to_owned())),
        Kind::File(extensions) => file(kind, extensions, trimmed),
        Kind::Number(range) => number(trimmed, range).map(Value::Number),
        Kind::Count { least, most } => match trimmed.parse::<u32>() {
            Ok(value) if (least..=most).contains(&value) => Ok(Value::Count(value)),
            _ => Err(mismatch(kind, text)),
        },
        Kind::Boolean | Kind::Choice(_) | Kind::Named(_) => word(kind, trimmed),
        Kind::Vector => vector(kind, trimmed).map(Value::Vector),
        Kind::Direction => direction(kind, trimmed),
        Kind::Extent => match vector(kind, trimmed)? {
            extent if extent.min_element() > 0.0 => Ok(Value::Vector(extent)),
            _ => Err(mismatch(kind, text)),
        },
        Kind::Colour => colour(kind, trimmed),
        Kind::Grid | Kind::Particle => indices(kind, trimmed),
        Kind::Tensor => matrix(kind, trimmed).map(Value::Matrix),
        Kind::Corners => corners(kind, trimmed).map(Value::Matrix),
        Kind::Ramp => ramp(kind, trimmed).map(Value::Matrix),
        Kind::Rule | Kind::Flow => match kind {
            Kind::Flow => Expression::parse_in_space(text),
            _ => Expression::parse(text),
        }
        .map(Value::Rule)
        .map_err(|error| {
            let message = format!("the formula {} is wrong {error}", quote(text));
            Problem::new(message).with_optional_hint(error.hint)
        }),
    }
}

fn mismatch(kind: Kind, found: &str) -> Problem {
    Problem::new(format!(
        "expected {}, found {}",
        kind.expectation(),
        quote(found)
    ))
}

/// A finite number of moderate size.
fn real(text: &str) -> Result<f64, Option<String>> {
    let text = text.trim();
    let value: f64 = text.parse().map_err(|_| number_hint(text))?;
    if value.is_nan() {
        return Err(Some("not a number (NaN) is not a value".to_owned()));
    }
    if value.is_infinite() && !text.contains(|c: char| c.is_ascii_digit()) {
        return Err(Some("an infinite number is not a value".to_owned()));
    }
    if value.abs() > LARGEST_NUMBER {
        return Err(Some(format!(
            "the largest number accepted is {LARGEST_NUMBER:e}"
        )));
    }
    Ok(value)
}

fn number_hint(text: &str) -> Option<String> {
    let with_point = text.replace(',', ".");
    if text.contains(',') && with_point.parse::<f64>().is_ok() {
        return Some(format!("write the decimal point as a point: {with_point}"));
    }
    let cut = text.trim_end_matches(|c: char| c.is_alphabetic() || "²³/%°".contains(c));
    (cut.len() < text.len() && cut.trim().parse::<f64>().is_ok())
        .then(|| format!("write the number without a unit: {}", cut.trim()))
}

fn number(text: &str, range: Range) -> Result<f64, Problem> {
    let kind = Kind::Number(range);
    let value = real(text).map_err(|hint| mismatch(kind, text).with_optional_hint(hint))?;
    if range.contains(value) {
        Ok(value)
    } else {
        Err(mismatch(kind, text))
    }
}

fn identifier(kind: Kind, text: &str) -> Result<Value, Problem> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.chars().all(is_plain) {
        return Ok(Value::Text(text.to_owned()));
    }
    if kind == Kind::Reference && !text.trim().is_empty() {
        // What it refers to is looked up later, with a better hint.
        return Ok(Value::Text(text.to_owned()));
    }
    let plain: String = text.chars().filter(|&c| is_plain(c)).collect();
    let problem = mismatch(kind, text);
    Err(if plain.is_empty() {
        problem
    } else {
        problem.with_hint(format!("for example {}", quote(&plain)))
    })
}

fn file(kind: Kind, extensions: &[&str], text: &str) -> Result<Value, Problem> {
    if text.contains('\\') {
        let hint = format!("write {}", quote(&text.replace('\\', "/")));
        return Err(
            Problem::new("expected a path with forward slashes, found a backslash").with_hint(hint),
        );
    }
    let extension = text
        .rsplit_once('.')
        .map_or(String::new(), |(_, ext)| ext.to_ascii_lowercase());
    if extensions.contains(&extension.as_str()) {
        Ok(Value::Text(text.to_owned()))
    } else {
        Err(mismatch(kind, text))
    }
}

fn word(kind: Kind, text: &str) -> Result<Value, Problem> {
    let words = kind.words();
    let Some(&word) = words.iter().find(|&&word| word == text) else {
        let hint = match (kind, text.to_ascii_lowercase().as_str()) {
            (Kind::Boolean, "true" | "1" | "on") => Some("write \"Yes\"".to_owned()),
            (Kind::Boolean, "false" | "0" | "off") => Some("write \"No\"".to_owned()),
            _ => did_you_mean(text, words.iter().copied()),
        };
        return Err(mismatch(kind, text).with_optional_hint(hint));
    };
    Ok(match kind {
        Kind::Boolean => Value::Boolean(word == "Yes"),
        _ => Value::Word(word),
    })
}

/// The parts between the brackets of `[a, b, c]`.
fn bracketed(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.split(',').map(str::trim).collect())
}

fn vector(kind: Kind, text: &str) -> Result<DVec3, Problem> {
    let Some(parts) = bracketed(text) else {
        let without = text.split(',').count() == 3 && !text.contains(['[', ']']);
        let problem = mismatch(kind, text);
        return Err(if without {
            problem.with_hint(format!("put it in brackets: \"[{text}]\""))
        } else {
            problem
        });
    };
    let mut components = [0.0; 3];
    if parts.len() != 3 {
        let problem = mismatch(kind, text);
        return Err(
            if parts.len() == 1 && parts[0].split_whitespace().count() == 3 {
                problem.with_hint("separate the numbers by commas")
            } else {
                problem
            },
        );
    }
    for (component, part) in components.iter_mut().zip(&parts) {
        *component = real(part).map_err(|hint| mismatch(kind, text).with_optional_hint(hint))?;
    }
    Ok(DVec3::from_array(components))
}

fn direction(kind: Kind, text: &str) -> Result<Value, Problem> {
    let vector = vector(kind, text)?;
    let largest = vector.abs().max_element();
    // Divided by its largest component first, a vector of any size has a finite length.
    let scaled = vector / largest;
    if largest > 0.0 && scaled.is_finite() {
        Ok(Value::Vector(scaled.normalize()))
    } else {
        Err(mismatch(kind, text))
    }
}

fn colour(kind: Kind, text: &str) -> Result<Value, Problem> {
    if text.contains(['[', ']']) {
        return Err(mismatch(kind, text).with_hint("a colour is written without brackets"));
    }
    let parts: Vec<&str> = text.split(',').collect();
    let mut channels = [0.0; 3];
    if parts.len() != 3 {
        return Err(mismatch(kind, text));
    }
    for (channel, part) in channels.iter_mut().zip(&parts) {
        *channel = real(part).map_err(|hint| mismatch(kind, text).with_optional_hint(hint))?;
        if !(0.0..=1.0).contains(channel) {
            let problem = mismatch(kind, text);
            let large = (1.0..=255.0).contains(channel);
            return Err(if large {
                problem.with_hint("divide values from 0 to 255 by 255")
            } else {
                problem
            });
        }
    }
    Ok(Value::Vector(DVec3::from_array(channels)))
}

fn indices(kind: Kind, text: &str) -> Result<Value, Problem> {
    // A curve has one direction, so its brackets may be left out.
    let parts = bracketed(text).unwrap_or_else(|| vec![text]);
    let parsed: Option<Vec<u32>> = parts.iter().map(|part| part.parse().ok()).collect();
    match parsed {
        Some(indices) if (1..=3).contains(&indices.len()) => Ok(Value::Indices(indices)),
        _ => Err(mismatch(kind, text)),
    }
}

fn matrix(kind: Kind, text: &str) -> Result<Vec<Vec<f64>>, Problem> {
    if !text.starts_with('[') {
        // A curve's weights are numbers.
        let weight = real(text).map_err(|hint| mismatch(kind, text).with_optional_hint(hint))?;
        return Ok(vec![vec![weight]]);
    }
    let rows = rows(kind, text)?;
    if rows.iter().all(|row| row.len() == rows.len()) {
        Ok(rows)
    } else {
        Err(mismatch(kind, text).with_hint("give as many rows as columns"))
    }
}

fn corners(kind: Kind, text: &str) -> Result<Vec<Vec<f64>>, Problem> {
    let corners = rows(kind, text)?;
    match corners.as_slice() {
        [low, high] if low.len() == 3 && high.len() == 3 => {
            if low.iter().zip(high).all(|(low, high)| low <= high) {
                return Ok(corners);
            }
            let hint = "the first corner has the lowest x, y and z";
            Err(mismatch(kind, text).with_hint(hint))
        }
        _ => Err(mismatch(kind, text)),
    }
}

/// The most points of a ramp.
const MOST_POINTS: usize = 10_000;

fn ramp(kind: Kind, text: &str) -> Result<Vec<Vec<f64>>, Problem> {
    let points = rows_up_to(MOST_POINTS, kind, text)?;
    let wrong = |hint: &str| mismatch(kind, text).with_hint(hint);
    if points.iter().any(|point| point.len() != 2) {
        return Err(wrong("each point is a time in seconds and a factor"));
    }
    if points.iter().any(|point| point[1] < 0.0) {
        return Err(wrong("factors are zero or positive"));
    }
    if points.windows(2).any(|pair| pair[1][0] <= pair[0][0]) {
        return Err(wrong("each time is later than the one before"));
    }
    Ok(points)
}

/// At most three rows of numbers.
fn rows(kind: Kind, text: &str) -> Result<Vec<Vec<f64>>, Problem> {
    rows_up_to(3, kind, text)
}

fn rows_up_to(most: usize, kind: Kind, text: &str) -> Result<Vec<Vec<f64>>, Problem> {
    let wrong = |hint: Option<String>| mismatch(kind, text).with_optional_hint(hint);
    let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else {
        return Err(wrong(None));
    };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut rest = inner.trim();
    loop {
        let Some((row, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) else {
            return Err(wrong(None));
        };
        let row: Result<Vec<f64>, _> = row.split(',').map(real).collect();
        rows.push(row.map_err(wrong)?);
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(rows);
        }
        let Some(next) = after.strip_prefix(',') else {
            return Err(wrong(None));
        };
        rest = next.trim_start();
        if rows.len() >= most {
            return Err(wrong(None));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(kind: Kind, text: &str) -> String {
        parse_value(kind, text)
            .unwrap_err()
            .hint
            .unwrap_or_default()
    }

    #[test]
    fn numbers() {
        let any = Kind::Number(Range::ANY);
        assert_eq!(parse_value(any, " -1.5e2 "), Ok(Value::Number(-150.0)));
        for refused in ["", "nan", "NaN", "inf", "-Infinity", "1e999", "1e101", "x"] {
            assert!(parse_value(any, refused).is_err(), "{refused}");
        }
        assert!(hint(any, "0,5").contains("0.5"));
        assert!(hint(any, "5 m/s").contains("without a unit: 5"));
        let positive = Kind::Number(Range::POSITIVE);
        assert!(parse_value(positive, "0").is_err());
        assert!(parse_value(positive, "-1").is_err());
        let count = Kind::Count { least: 1, most: 5 };
        assert_eq!(parse_value(count, "5"), Ok(Value::Count(5)));
        for refused in ["0", "6", "-1", "1.0", "99999999999999"] {
            assert!(parse_value(count, refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn vectors() {
        let found = parse_value(Kind::Vector, "[0, 0, -9.82]");
        assert_eq!(found, Ok(Value::Vector(DVec3::new(0.0, 0.0, -9.82))));
        let problem = parse_value(Kind::Vector, "[0, 0]").unwrap_err();
        assert_eq!(
            problem.message,
            "expected a vector of 3 numbers such as \"[0, 0, -9.82]\", found \"[0, 0]\""
        );
        assert!(hint(Kind::Vector, "0, 0, 1").contains("\"[0, 0, 1]\""));
        assert!(hint(Kind::Vector, "[0 0 1]").contains("commas"));
        assert!(parse_value(Kind::Vector, "[0, 0, nan]").is_err());
        assert!(parse_value(Kind::Direction, "[0, 0, 0]").is_err());
        for long in ["[0, 0, 1e99]", "[0, 0, 1e-300]"] {
            assert_eq!(
                parse_value(Kind::Direction, long),
                Ok(Value::Vector(DVec3::Z))
            );
        }
        assert!(parse_value(Kind::Extent, "[1, 0, 1]").is_err());
    }

    #[test]
    fn matrices() {
        let found = parse_value(Kind::Tensor, "[[1, 2] , [3,4]]");
        let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        assert_eq!(found, Ok(Value::Matrix(rows)));
        let one = Ok(Value::Matrix(vec![vec![2.0]]));
        assert_eq!(parse_value(Kind::Tensor, "2.0"), one);
        assert_eq!(parse_value(Kind::Tensor, "[[2.0]]"), one);
        for refused in [
            "[]",
            "[[]]",
            "[[1,2],[3]]",
            "[[1,2][3,4]]",
            "[1,2]",
            "[[1,2],[3,4],]",
        ] {
            assert!(parse_value(Kind::Tensor, refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn boxes() {
        let found = parse_value(Kind::Corners, "[[0, 0, 0], [1, 2, 3]]");
        let rows = vec![vec![0.0; 3], vec![1.0, 2.0, 3.0]];
        assert_eq!(found, Ok(Value::Matrix(rows)));
        assert!(hint(Kind::Corners, "[[0, 0, 0], [1, -2, 3]]").contains("lowest"));
        for refused in ["", "1", "[0, 0, 0]", "[[0, 0], [1, 1]]", "[[0, 0, 0]]"] {
            assert!(parse_value(Kind::Corners, refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn ramps() {
        let found = parse_value(Kind::Ramp, "[[0, 0], [1, 2], [3, 2], [4, 0]]");
        assert!(matches!(found, Ok(Value::Matrix(rows)) if rows.len() == 4));
        assert!(hint(Kind::Ramp, "[[0, 0], [0, 1]]").contains("later"));
        assert!(hint(Kind::Ramp, "[[0, -1]]").contains("positive"));
        assert!(hint(Kind::Ramp, "[[0, 1, 2]]").contains("time"));
        for refused in ["", "1", "[0, 1]", "[]", "[[]]"] {
            assert!(parse_value(Kind::Ramp, refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn words_colours_files_and_names() {
        assert_eq!(parse_value(Kind::Boolean, "Yes"), Ok(Value::Boolean(true)));
        assert!(hint(Kind::Boolean, "yes").contains("`Yes`"));
        assert!(hint(Kind::Colour, "[1, 0, 0]").contains("without brackets"));
        assert!(hint(Kind::Colour, "255, 0, 0").contains("255"));
        assert!(parse_value(Kind::Colour, "0.1, 0.2").is_err());
        let file = Kind::File(&["bmp"]);
        assert!(parse_value(file, "a/b.BMP").is_ok());
        assert!(hint(file, "a\\b.bmp").contains("a/b.bmp"));
        assert!(parse_value(file, "a/b.gif").is_err());
        assert!(parse_value(Kind::Identifier, "Ball-2").is_ok());
        assert!(hint(Kind::Identifier, "my ball").contains("myball"));
    }
}

//! The known name nearest to a mistyped one, by edit distance.

/// The number of single-character insertions, deletions, replacements and swaps of neighbours
/// that turn `a` into `b`, ignoring case.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The known name most like `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long name cannot be a slip of a short one, and the distance costs length squared.
    const LONGEST: usize = 64;
    // Among very many names a search would take longer than the hint is worth.
    const MOST: usize = 5_000;
    let length = name.chars().count();
    if length == 0 || length > LONGEST {
        return None;
    }
    known
        .into_iter()
        .take(MOST)
        .filter(|candidate| candidate.len() <= 2 * LONGEST)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= 1 + length.max(candidate.chars().count()) / 4 && distance < length.max(2)
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?", if a known name is near enough.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, known).map(|known| format!("did you mean `{known}`?"))
}

/// "did you mean …?", or the list of what is known.
pub(crate) fn meant_or_known<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
    what: &str,
) -> String {
    did_you_mean(name, known.clone()).unwrap_or_else(|| {
        let list: Vec<&str> = known.into_iter().take(24).collect();
        if list.is_empty() {
            format!("there is no {what} here")
        } else {
            format!("known {what}: {}", list.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("mass", "mass"), 0);
        assert_eq!(edit_distance("Mass", "mass"), 0);
        assert_eq!(edit_distance("mas", "mass"), 1);
        assert_eq!(edit_distance("amss", "mass"), 1);
        assert_eq!(edit_distance("", "mass"), 4);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_near_names_are_offered() {
        let known = ["damping", "mass", "fixed"];
        assert_eq!(nearest("dampnig", known), Some("damping"));
        assert_eq!(nearest("Mass", known), Some("mass"));
        assert_eq!(nearest("temperature", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }
}

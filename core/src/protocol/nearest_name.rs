//! Finds the name that a writer probably meant: for the "did you mean" of a message.

/// `; did you mean "NAME"?`, or nothing when no candidate is near.
pub fn did_you_mean<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, candidates).map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

/// The candidate that resembles `written` most, if one is near enough to be worth naming. Letter case, `_`
/// and `-` count for nothing, so that `max_length` finds `maxLength`.
fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Before folding, which costs as much as the text is long.
    if written.len() > LONGEST {
        return None;
    }
    let wanted = folded(written);
    if wanted.is_empty() {
        return None;
    }
    let allowed = match wanted.len() {
        1..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != written)
        .take(MOST)
        .map(|candidate| (folded(candidate), candidate))
        .filter(|(folded, _)| folded.len().abs_diff(wanted.len()) <= allowed)
        .map(|(folded, candidate)| (distance(&wanted, &folded), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Longer names, in bytes, are not compared: the cost grows with the square of the length, and names come from
/// peers.
const LONGEST: usize = 64;
/// Most candidates that are compared.
const MOST: usize = 500;

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_that_was_meant() {
        let names = ["readOnlyHint", "days", "city", "x", "inputSchema"];
        for (written, meant) in [
            ("readOnlyHin", Some("readOnlyHint")),
            ("read_only_hint", Some("readOnlyHint")),
            ("input_schema", Some("inputSchema")),
            ("dayz", Some("days")),
            ("dasy", Some("days")),
            ("CITY", Some("city")),
            ("country", None),
            ("y", None),
            ("X", Some("x")),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
        assert_eq!(did_you_mean("dayz", names), "; did you mean \"days\"?");
        assert_eq!(did_you_mean("weather", names), "");
    }

    #[test]
    fn gives_no_time_to_very_long_names() {
        let long = "a".repeat(100_000);
        assert_eq!(nearest(&long, [long.as_str(), "a"]), None);
        assert_eq!(nearest("abcdef", [long.as_str()]), None);
        let many: Vec<String> = (0..1_000).map(|n| format!("other{n}")).collect();
        let names = many.iter().map(String::as_str).chain(["days"]);
        assert_eq!(nearest("dayz", names), None);
    }
}

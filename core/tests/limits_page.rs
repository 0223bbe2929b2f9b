//! `docs/limits.md` is true: each option stands in it with its default and its range, each fixed bound with the value
//! of its constant.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use mcp_core::host_error::HostError;
use mcp_core::server::identity::Identity;
use mcp_core::server::settings::Settings;

/// Options whose default is that nothing is said.
const UNSAID: [&str; 5] =
    ["description", "website_url", "icons", "request_state_keys", "request_state_audience"];

#[test]
fn every_option_of_a_server_stands_there_with_its_default_and_range() {
    let rows = rows("Options of a server");
    let mut told: Vec<_> = rows.iter().map(|row| code(&row[0])).collect();
    let mut known: Vec<_> = Settings::option_names().collect();
    told.sort_unstable();
    known.sort_unstable();
    assert_eq!(told, known, "the page's keys and those of settings.rs");
    for row in &rows {
        let (key, default, range) = (code(&row[0]), code(&row[1]), &row[2]);
        if UNSAID.contains(&key) {
            assert_eq!(default, "none", "{key}");
            continue;
        }
        let mut settings = fresh();
        settings.set(key, default).unwrap();
        assert_eq!(format!("{settings:?}"), format!("{:?}", fresh()), "{key}: {default} is not the default");
        let refusal = fresh().set(key, "?").unwrap_err().to_string().replace("a whole number from ", "");
        assert!(refusal.contains(&format!(" takes {range}, not ")), "{key}: {range}, but: {refusal}");
    }
}

#[test]
fn every_fixed_bound_has_the_value_of_its_constant() {
    let rows = rows("Fixed bounds");
    assert!(rows.len() > 20, "found only {}", rows.len());
    for row in rows {
        let (name, file) = row[2].split_once(" in ").unwrap();
        let source = read(code(file));
        let start = format!("const {}: ", code(name));
        let (_, rest) = source.split_once(&start).unwrap_or_else(|| panic!("no {start}in {file}"));
        let (_, value) = rest.split_once(';').unwrap().0.split_once(" = ").unwrap();
        assert_eq!(told(&row[1]), Some(written(value)), "{} is {value}", row[2]);
    }
}

fn fresh() -> Settings {
    let identity: Result<Identity, HostError> = Identity::new("test", "1");
    Settings::new(identity.unwrap())
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}

/// The cells of the rows of all tables under the heading `title` of the page.
fn rows(title: &str) -> Vec<Vec<String>> {
    let page = read("docs/limits.md");
    let (_, section) = page.split_once(&format!("\n## {title}\n")).expect("the page has such a section");
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    lines.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().into()).collect()).collect()
}

/// The first word of a cell, without its code marks.
fn code(cell: &str) -> &str {
    cell.split(' ').next().unwrap_or_default().trim_matches('`')
}

/// A value as the page writes it, `4 MiB` or `10 ms`: in bytes, nanoseconds, or as it is.
fn told(cell: &str) -> Option<u64> {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let unit = match unit {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "µs" => 1_000,
        _ => return None,
    };
    Some(number.parse::<u64>().ok()? * unit)
}

/// A value as the source writes it, `4 << 20` or `Duration::from_millis(10)`.
fn written(source: &str) -> u64 {
    let number =
        |text: &str| text.replace('_', "").parse::<u64>().unwrap_or_else(|_| panic!("what is {source}?"));
    if let Some(duration) = source.strip_prefix("Duration::from_") {
        let (unit, amount) = duration.trim_end_matches(')').split_once('(').unwrap();
        let unit = match unit {
            "secs" => 1_000_000_000,
            "millis" => 1_000_000,
            "micros" => 1_000,
            _ => panic!("what is {source}?"),
        };
        return number(amount) * unit;
    }
    match source.split_once(" << ") {
        Some((left, right)) => number(left) << number(right),
        None => number(source.trim_matches('"')),
    }
}

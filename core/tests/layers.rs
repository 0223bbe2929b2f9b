//! The order of the house: a module uses only itself and the modules that stand above it in `lib.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_module_uses_only_what_stands_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = modules(&fs::read_to_string(source.join("lib.rs")).unwrap());
    assert!(order.len() > 5, "lib.rs lists {order:?}");
    let mut faults = Vec::new();
    for (place, module) in order.iter().enumerate() {
        for file in files_of(&source, module) {
            let text = fs::read_to_string(&file).unwrap();
            let code: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            for used in uses(&code.join("\n")) {
                let Some(used_place) = order.iter().position(|name| *name == used) else {
                    faults.push(format!("{}: uses crate::{used}, which is no module", file.display()));
                    continue;
                };
                if used_place > place {
                    faults.push(format!("{}: {module} uses {used}, which stands below it", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The modules that `lib.rs` declares, in its order.
fn modules(lib: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    lib.lines().filter_map(name).collect()
}

fn files_of(source: &Path, module: &str) -> Vec<PathBuf> {
    let single = source.join(format!("{module}.rs"));
    if single.exists() {
        return vec![single];
    }
    let mut folders = vec![source.join(module)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "{module} has no file");
    files
}

/// The modules that a file names as `crate::name`, in a `use` or elsewhere.
fn uses(text: &str) -> Vec<&str> {
    let after = text.split("crate::").skip(1);
    after
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            &rest[..end]
        })
        .filter(|name| !name.is_empty())
        .collect()
}

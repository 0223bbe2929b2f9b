//! The names of tools where a model provider's API allows less than the protocol does: no dots, or fewer characters.

use std::collections::{HashMap, HashSet};

/// Which names a provider takes: letters, digits, `_`, `-` and what stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRule {
    /// Most characters.
    pub longest: usize,
    /// Whether a dot may stand in a name.
    pub dots: bool,
    /// Whether a name begins with a letter or `_`, and nothing else.
    pub begins_with_letter: bool,
}

impl NameRule {
    /// The names by which a provider gets to know the tools called `names`, in their order. Each is allowed, and no
    /// two are equal as long as no two of `names` are. They depend on which names there are, not on their order.
    ///
    /// An allowed name stays as it is. In another, what is not allowed becomes `_`; if it is too long then, or what
    /// another tool is called too, it ends in a number that is computed from the whole name.
    pub fn exported_names(&self, names: &[&str]) -> Vec<String> {
        let mut taken: HashSet<String> =
            names.iter().filter(|name| self.allows(name)).map(|name| (*name).to_owned()).collect();
        let mut others: Vec<_> = names.iter().copied().filter(|name| !self.allows(name)).collect();
        others.sort_unstable();
        let mut rivals: HashMap<String, usize> = HashMap::new();
        for name in &others {
            *rivals.entry(self.replaced(name)).or_default() += 1;
        }
        let mut exported = HashMap::new();
        for name in others {
            let plain = self.replaced(name);
            let alone = rivals.get(&plain) == Some(&1) && !taken.contains(&plain);
            let chosen = if alone && self.allows(&plain) {
                plain
            } else {
                self.numbered(name).find(|candidate| !taken.contains(candidate)).unwrap_or(plain)
            };
            taken.insert(chosen.clone());
            exported.insert(name, chosen);
        }
        names.iter().map(|name| exported.get(name).cloned().unwrap_or_else(|| (*name).to_owned())).collect()
    }

    /// The tool among `names` that a provider knows as `exported`. One that had to be numbered while other tools
    /// were there is found by its number afterwards too.
    pub fn original_name<'a>(&self, exported: &str, names: &[&'a str]) -> Option<&'a str> {
        let as_it_is = names.iter().find(|name| **name == exported && self.allows(name));
        if let Some(name) = as_it_is {
            return Some(name);
        }
        let now = self.exported_names(names);
        let found = now.iter().position(|name| name == exported).or_else(|| {
            names.iter().position(|name| self.numbered(name).next().as_deref() == Some(exported))
        })?;
        Some(names[found])
    }

    fn allows(&self, name: &str) -> bool {
        let begins = name.chars().next().is_some_and(|first| self.may_begin(first));
        begins && name.len() <= self.longest && name.chars().all(|c| self.may_hold(c))
    }

    fn may_begin(&self, first: char) -> bool {
        !self.begins_with_letter || first.is_ascii_alphabetic() || first == '_'
    }

    fn may_hold(&self, character: char) -> bool {
        character.is_ascii_alphanumeric() || matches!(character, '_' | '-') || character == '.' && self.dots
    }

    /// `name` with `_` for what is not allowed, and before what must not begin it.
    fn replaced(&self, name: &str) -> String {
        let begins = name.chars().next().is_some_and(|first| self.may_begin(first));
        let lead = (!begins).then_some('_');
        lead.into_iter().chain(name.chars().map(|c| if self.may_hold(c) { c } else { '_' })).collect()
    }

    /// Allowed names for the tool `name`, the first of which is almost certainly its alone.
    fn numbered<'a>(&self, name: &'a str) -> impl Iterator<Item = String> + use<'a> {
        let mut lead = self.replaced(name);
        lead.truncate(self.longest - SUFFIX);
        (0_u32..).map(move |attempt| {
            let more = (attempt > 0).then(|| attempt.to_le_bytes()).into_iter().flatten();
            let number = digest(name.bytes().chain(more)) as u32;
            format!("{lead}_{number:08x}")
        })
    }
}

/// `_` and eight digits.
const SUFFIX: usize = 9;

/// FNV-1a: short and the same everywhere, for names that nobody chooses in order to deceive.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: NameRule = NameRule { longest: 64, dots: false, begins_with_letter: false };
    const LETTER: NameRule = NameRule { longest: 63, dots: true, begins_with_letter: true };

    #[test]
    fn keeps_what_is_allowed_and_replaces_the_rest() {
        for (rule, name, exported) in [
            (STRICT, "get_user-2", "get_user-2"),
            (STRICT, "2", "2"),
            (STRICT, "admin.tools.list", "admin_tools_list"),
            (STRICT, "caf\u{e9} x", "caf__x"),
            (LETTER, "admin.tools.list", "admin.tools.list"),
            (LETTER, "2fa", "_2fa"),
            (LETTER, "-a", "_-a"),
            (LETTER, ".a", "_.a"),
            (LETTER, "_a", "_a"),
        ] {
            assert_eq!(rule.exported_names(&[name]), [exported]);
            assert_eq!(rule.original_name(exported, &[name]), Some(name));
        }
    }

    #[test]
    fn tells_names_apart_whatever_their_order() {
        let names = ["a.b.c", "a_b.c", "x.y", "a.b_c", "x_y", "z.z"];
        let exported = STRICT.exported_names(&names);
        assert!(exported[0].starts_with("a_b_c_") && exported[0].len() == 14, "{exported:?}");
        assert!(exported[2].starts_with("x_y_"), "{exported:?}");
        assert_eq!((&*exported[4], &*exported[5]), ("x_y", "z_z"));
        let mut backwards = names;
        backwards.reverse();
        let mut again = STRICT.exported_names(&backwards);
        again.reverse();
        assert_eq!(exported, again);
    }

    #[test]
    fn shortens_long_names_and_keeps_them_apart() {
        let long = "x".repeat(70);
        let names = [format!("{long}1"), format!("{long}2"), format!("1{long}"), "x".repeat(64)];
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        for rule in [STRICT, LETTER] {
            let exported = rule.exported_names(&names);
            for (index, name) in exported.iter().enumerate() {
                assert!(rule.allows(name), "{name}");
                assert!(!exported[..index].contains(name), "{name}");
                assert_eq!(rule.original_name(name, &names), Some(names[index]));
            }
        }
        assert_eq!(STRICT.exported_names(&names)[3], names[3]);
    }

    /// Even where a tool has the very name that another would get.
    #[test]
    fn never_gives_one_name_twice() {
        let first = STRICT.exported_names(&["a.b", "a_b"])[0].clone();
        let second = STRICT.exported_names(&["a.b", "a_b", &first])[0].clone();
        let names = ["a.b", "a_b", &first, &second];
        let exported = STRICT.exported_names(&names);
        assert!(exported[0].starts_with("a_b_") && !names.contains(&&*exported[0]), "{exported:?}");
        assert_eq!(exported[1..], names[1..]);
    }

    #[test]
    fn finds_a_tool_by_the_number_it_had() {
        let before = ["a.b", "a_b"];
        let numbered = STRICT.exported_names(&before)[0].clone();
        assert_eq!(STRICT.original_name(&numbered, &before), Some("a.b"));
        assert_eq!(STRICT.original_name(&numbered, &["a.b"]), Some("a.b"));
        assert_eq!(STRICT.original_name("a_b", &before), Some("a_b"));
        assert_eq!(STRICT.original_name("a_b", &["a.b"]), Some("a.b"));
        assert_eq!(STRICT.original_name("a.b", &["a.b"]), None);
        assert_eq!(STRICT.original_name("b", &before), None);
    }
}

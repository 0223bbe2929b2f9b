//! The grammar of a template: literals and expressions (RFC 6570, section 2).

use super::super::document::cut;
use super::uri_character::{broken_encoding, is_foreign, percent_encoded};

/// A part of a template, as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Literal(&'a str),
    Expression(Expression<'a>),
}

/// An expression, as `{?x,y}`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expression<'a> {
    /// All of it, with its braces.
    pub text: &'a str,
    pub operator: Operator,
    /// One name at least.
    pub names: Vec<&'a str>,
}

/// How an expression stands for its variables (RFC 6570, section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `{x}`
    Simple,
    /// `{+x}`
    Reserved,
    /// `{#x}`
    Fragment,
    /// `{.x}`
    Label,
    /// `{/x}`
    Path,
    /// `{;x}`
    Parameter,
    /// `{?x}`
    Query,
    /// `{&x}`
    Continuation,
}

impl Operator {
    /// The character that the expression stands for before its first variable.
    pub fn prefix(self) -> Option<u8> {
        match self {
            Operator::Simple | Operator::Reserved => None,
            Operator::Fragment => Some(b'#'),
            Operator::Label => Some(b'.'),
            Operator::Path => Some(b'/'),
            Operator::Parameter => Some(b';'),
            Operator::Query => Some(b'?'),
            Operator::Continuation => Some(b'&'),
        }
    }

    /// The character between its variables.
    pub fn separator(self) -> u8 {
        match self {
            Operator::Simple | Operator::Reserved | Operator::Fragment => b',',
            Operator::Label => b'.',
            Operator::Path => b'/',
            Operator::Parameter => b';',
            Operator::Query | Operator::Continuation => b'&',
        }
    }

    fn of(character: char) -> Option<Self> {
        Some(match character {
            '+' => Operator::Reserved,
            '#' => Operator::Fragment,
            '.' => Operator::Label,
            '/' => Operator::Path,
            ';' => Operator::Parameter,
            '?' => Operator::Query,
            '&' => Operator::Continuation,
            _ => return None,
        })
    }
}

/// Cuts a template into its parts.
pub(super) fn parts(template: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = template;
    while !rest.is_empty() {
        let end = rest.find('{').unwrap_or(rest.len());
        if end > 0 {
            check_literal(&rest[..end])?;
            parts.push(Part::Literal(&rest[..end]));
            rest = &rest[end..];
            continue;
        }
        let Some(end) = rest.find('}') else {
            return Err(format!("\"{}\" has no end; close it with }}", cut(rest)));
        };
        parts.push(Part::Expression(expression(&rest[..=end])?));
        rest = &rest[end + 1..];
    }
    Ok(parts)
}

fn check_literal(literal: &str) -> Result<(), String> {
    match literal.chars().find(|c| is_foreign(*c)) {
        Some('}') => {
            Err(format!("\"{}\": there is no {{ to this }}; for the character write %7D", cut(literal)))
        }
        Some(foreign) => {
            let way_out = percent_encoded(foreign);
            Err(format!("\"{}\" must not contain {foreign:?}; write {way_out}", cut(literal)))
        }
        None => broken_encoding(literal).map_or(Ok(()), Err),
    }
}

/// Reads an expression, given with its braces.
fn expression(text: &str) -> Result<Expression<'_>, String> {
    let inner = &text[1..text.len() - 1];
    let operator = inner.chars().next().and_then(Operator::of);
    let names = if operator.is_some() { &inner[1..] } else { inner };
    if names.is_empty() {
        return Err(format!("\"{text}\" names no variable; write as \"{{name}}\""));
    }
    let names: Vec<_> = names.split(',').collect();
    for name in &names {
        check_name(name).map_err(|fault| format!("\"{}\": {fault}", cut(text)))?;
    }
    Ok(Expression { text, operator: operator.unwrap_or(Operator::Simple), names })
}

/// Checks a variable's name, and that nothing follows it.
fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.split('.').any(str::is_empty) {
        return Err("a variable's name, or a part of it between dots, is empty".into());
    }
    if let Some(name) = name.strip_suffix('*') {
        return Err(format!("the modifier * (a list) cannot be matched; write \"{name}\" without it"));
    }
    if let Some((name, length)) = name.split_once(':') {
        return Err(format!(
            "the modifier :{length} (a prefix) cannot be matched; write \"{name}\" without it"
        ));
    }
    let foreign = name.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '%'));
    if let Some(foreign) = foreign {
        let reserved = "=,!@|".contains(foreign) && name.starts_with(foreign);
        let what =
            if reserved { "there is no such operator" } else { "it must not stand in a variable's name" };
        return Err(format!("{foreign:?}: {what}; use letters, digits, '_' and '.'"));
    }
    broken_encoding(name).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn cuts_a_template_into_literals_and_expressions() {
        let expression = |text, operator, names| Part::Expression(Expression { text, operator, names });
        assert_eq!(
            parts("x://{a}/b{?c_1,d.e}{#%41}").unwrap(),
            [
                Part::Literal("x://"),
                expression("{a}", Operator::Simple, vec!["a"]),
                Part::Literal("/b"),
                expression("{?c_1,d.e}", Operator::Query, vec!["c_1", "d.e"]),
                expression("{#%41}", Operator::Fragment, vec!["%41"]),
            ]
        );
        assert_eq!(parts("").unwrap(), []);
    }

    #[test]
    fn refuses_what_the_grammar_does_not_know() {
        for (template, part) in [
            ("x://{a", "\"{a\" has no end; close it with }"),
            ("x://a}", "there is no { to this }; for the character write %7D"),
            ("x://{a{b}}", "'{': it must not stand in a variable's name"),
            ("x://{}", "\"{}\" names no variable; write as \"{name}\""),
            ("x://{+}", "\"{+}\" names no variable"),
            ("x://{a,}", "\"{a,}\": a variable's name, or a part of it between dots, is empty"),
            ("x://{a..b}", "is empty"),
            ("x://{..a}", "is empty"),
            ("x://{a*}", "\"{a*}\": the modifier * (a list) cannot be matched; write \"a\" without it"),
            ("x://{?a,b*}", "the modifier *"),
            ("x://{a:3}", "the modifier :3 (a prefix) cannot be matched; write \"a\" without it"),
            ("x://{a-b}", "'-': it must not stand in a variable's name; use letters, digits, '_' and '.'"),
            ("x://{ a }", "' ': it must not"),
            ("x://{caf\u{e9}}", "'é': it must not"),
            ("x://{=a}", "'=': there is no such operator"),
            ("x://{|a}", "'|': there is no such operator"),
            ("x://{%zz}", "\"%zz\" is no percent-encoding"),
            ("x://a b", "must not contain ' '; write %20"),
            ("x://a\\b", "write %5C"),
            ("x://100%", "for a percent sign write %25"),
        ] {
            let said = parts(template).unwrap_err();
            assert!(said.contains(part), "{template}: {said}");
        }
    }
}

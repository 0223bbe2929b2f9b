#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::expression::{Expression, Operator, Part, parts};
use super::octet::{is_reserved, is_unreserved};
use super::*;

fn template(text: &str) -> UriTemplate {
    UriTemplate::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// The values as `a=1 b=2`; `-` for no match.
fn values(text: &str, uri: &str) -> String {
    let template = template(text);
    let Some(values) = template.matches(uri) else { return "-".into() };
    values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn takes_a_uri_apart() {
    for (template, uri, wanted) in [
        ("test://template/{id}/data", "test://template/123/data", "id=123"),
        ("test://template/{id}/data", "test://template//data", "-"),
        ("test://template/{id}/data", "test://template/1/2/data", "-"),
        ("test://template/{id}/data", "test://template/1/data/", "-"),
        ("x://plain", "x://plain", ""),
        ("x://plain", "x://plain?", "-"),
        ("x://{a}/{b}", "x://1/2", "a=1 b=2"),
        ("x://{a}-{b}", "x://1-2-3", "a=1-2 b=3"),
        ("x://{a,b}", "x://1,2", "a=1 b=2"),
        ("x://{a,b}", "x://1,2,3", "-"),
        ("x://{a}", "x://1,2", "a=1,2"),
        ("x://{a}", "x://alice@example.test", "a=alice@example.test"),
        ("x://{a}", "x://1?b=2", "-"),
        ("x://{a}", "x://1#b", "-"),
        ("file:///{+path}", "file:///a/b/c.txt", "path=a/b/c.txt"),
        ("x://{+path}/{name}", "x://a/b/c", "path=a/b name=c"),
        ("x://{+a}/{+b}", "x://1/2/3", "a=1/2 b=3"),
        ("x://{+a,b}", "x://1,2,3", "a=1,2 b=3"),
        ("proxy:{+url}", "proxy:https://a.test/b?c=d#e", "url=https://a.test/b?c=d#e"),
        ("{+url}", "https://a.test/b", "url=https://a.test/b"),
        ("x://a{/b,c}", "x://a/1/2", "b=1 c=2"),
        ("x://a{/b}", "x://a", "-"),
        ("x://{name}{.ext}", "x://a.tar.gz", "name=a.tar ext=gz"),
        ("x://a{.b,c}", "x://a.1.2.3", "b=1.2 c=3"),
        ("x://a{.b,c}", "x://a.1", "-"),
        ("x://a{;b,c}/d", "x://a;b=1;c/d", "b=1 c="),
        ("x://a{;b,c}/d", "x://a;b=;c==2/d", "b= c==2"),
        ("x://a{;b,c}/d", "x://a;c=1;b=2/d", "-"),
        ("x://a{;b}", "x://a;bc=1", "-"),
        ("x://a{#b}", "x://a#1/2?3", "b=1/2?3"),
        ("x://a#b-{c}", "x://a#b-1", "c=1"),
    ] {
        assert_eq!(values(template, uri), wanted, "{template} {uri}");
    }
}

#[test]
fn takes_parameters_in_any_order_and_each_or_none_of_them() {
    for (template, uri, wanted) in [
        ("x://i{?q}", "x://i", ""),
        ("x://i{?q}", "x://i?q=1", "q=1"),
        ("x://i{?q}", "x://i?q=", "q="),
        ("x://i{?q}", "x://i?q", "q="),
        ("x://i{?q}", "x://i?q=a=b/c?d+e", "q=a=b/c?d+e"),
        ("x://i{?q,r}", "x://i?r=2&q=1", "q=1 r=2"),
        ("x://i{?q,r}", "x://i?r=%26%3D%23", "r=&=#"),
        ("x://i{?q}{&r}", "x://i?r=2&q=1", "q=1 r=2"),
        ("x://i?f=1{&q,r}", "x://i?f=1&r=2&q=1", "q=1 r=2"),
        ("x://i?f=1{&q}", "x://i?f=1", ""),
        ("x://i?f=1{&q}", "x://i?q=1&f=1", "-"),
        ("x://i?f={f}{&q}", "x://i?f=1&q=2", "f=1 q=2"),
        ("x://i?f={f}&g={g}", "x://i?f=1&g=2", "f=1 g=2"),
        ("x://{+p}{?q}", "x://a/b?q=1", "p=a/b q=1"),
        ("x://{p}{?q}{#f}", "x://a?q=1#2", "p=a q=1 f=2"),
        ("x://{p}{?q}{#f}", "x://a#2", "p=a f=2"),
        ("x://i{?q}#top", "x://i?q=1#top", "q=1"),
        ("x://i{?%71}", "x://i?q=1", "%71=1"),
        ("x://i{?q}", "x://i?", "-"),
        ("x://i{?q}", "x://i?q=1&", "-"),
        ("x://i{?q}", "x://i?q=1&q=2", "-"),
        ("x://i{?q}", "x://i?other=1", "-"),
        ("x://i{?q}", "x://i?Q=1", "-"),
        ("x://i{?q}", "x://i?q=1#f", "-"),
        ("x://i{?q}", "x://i&q=1", "-"),
    ] {
        assert_eq!(values(template, uri), wanted, "{template} {uri}");
    }
}

#[test]
fn decodes_values_once_and_compares_literals_in_any_spelling() {
    for (template, uri, wanted) in [
        ("x://{n}", "x://%C2%A7%20141", "n=\u{a7} 141"),
        ("x://{n}", "x://\u{a7} 141", "n=\u{a7} 141"),
        ("x://{n}", "x://a%252Fb", "n=a%2Fb"),
        ("x://{n}", "x://%252e%252e", "n=%2e%2e"),
        ("x://{n}", "x://a+b", "n=a+b"),
        ("x://{a,b}", "x://1%2C2,3", "a=1,2 b=3"),
        ("x://{n}", "x://%", "-"),
        ("x://{n}", "x://%ZZ", "-"),
        ("x://{n}", "x://a%2", "-"),
        ("x://{n}", "x://%FF", "-"),
        ("x://{n}", "x://a%00b", "-"),
        ("x://i{?q}", "x://i?q=%", "-"),
        ("file:///caf\u{e9}/{n}", "file:///caf\u{e9}/1", "n=1"),
        ("file:///caf\u{e9}/{n}", "file:///caf%c3%a9/1", "n=1"),
        ("file:///caf%C3%A9/{n}", "file:///caf\u{e9}/1", "n=1"),
        ("x://a%20b/{n}", "x://a%20b/1", "n=1"),
        ("x://ab/{n}", "x://%61b/1", "n=1"),
        ("x://a.b/{n}", "x://aXb/1", "-"),
        ("x://a*(b)+/{n}", "x://a*(b)+/1", "n=1"),
        ("x://a/{n}", "x://a%2F1", "-"),
        ("x://{n}2F", "x://a%2F", "-"),
        ("x://h/{n}", "X://h/1", "-"),
        ("x://h/{n}", "x://H/1", "-"),
    ] {
        assert_eq!(values(template, uri), wanted, "{template} {uri}");
    }
}

#[test]
fn refuses_values_that_lead_elsewhere_unless_allowed() {
    for (text, uri, allowed) in [
        ("file:///docs/{n}", "file:///docs/..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
        ("file:///docs/{n}", "file:///docs/%2e%2e", ".."),
        ("file:///docs/{n}", "file:///docs/.", "."),
        ("file:///docs/{n}", "file:///docs/a%2Fb", "a/b"),
        ("file:///docs/{n}", "file:///docs/a%5Cb", "a\\b"),
        ("x://a{/n}", "x://a/..", ".."),
        ("x://a{.n}", "x://a..", "."),
        ("x://{+n}", "x://a/%2E%2E/b", "a/../b"),
        ("x://{+n}", "x:///etc/passwd", "/etc/passwd"),
        ("x://{+n}", "x://%2Fetc/passwd", "/etc/passwd"),
        ("x://{+n}", "x://..\\..\\a", "..\\..\\a"),
        ("x://{+n}", "x://C:/Windows", "C:/Windows"),
        ("x://a{#n}", "x://a#../b", "../b"),
        ("x://a{?n}", "x://a?n=../b", "../b"),
        ("x://a{?n}", "x://a?n=%2Fb", "/b"),
        ("x://a?n={n}", "x://a?n=..", ".."),
        ("x://a{;n}", "x://a;n=..", ".."),
    ] {
        let mut template = template(text);
        assert_eq!(template.matches(uri), None, "{text} {uri}");
        assert_eq!(template.try_match(uri), Err(Mismatch::Traversal("n")), "{text} {uri}");
        template.allow_traversal("n").unwrap();
        assert_eq!(template.matches(uri), Some(vec![("n", allowed.to_owned())]), "{text} {uri}");
    }
    for (text, uri, wanted) in [
        ("x://a{?n}", "x://a?n=b%2Fc", "n=b/c"),
        ("x://a?n={n}", "x://a?n=b%2Fc", "n=b/c"),
        ("x://a{;n}", "x://a;n=b%2Fc", "n=b/c"),
        ("x://{+n}", "x://a/b%2Fc/...", "n=a/b/c/..."),
        ("x://{n}/{+m}", "x://a/b/..", "-"),
    ] {
        assert_eq!(values(text, uri), wanted, "{text} {uri}");
    }
}

#[test]
fn knows_its_variables() {
    let mut template = template("x://{a}/{+b}{?c.d}");
    assert_eq!(template.variables().collect::<Vec<_>>(), ["a", "b", "c.d"]);
    assert_eq!(template.as_str(), "x://{a}/{+b}{?c.d}");
    assert_eq!(template.literal_length(), 5);
    let said = template.allow_traversal("cd").unwrap_err();
    assert!(said.starts_with("the template \"x://{a}/{+b}{?c.d}\" has no variable \"cd\""), "{said}");
    assert!(template.allow_traversal("b").is_ok());
}

/// Each of these would keep a matcher that tries one way after the other busy for ages.
#[test]
fn takes_time_that_grows_with_the_uri_alone() {
    let letters: Vec<_> = (0..32).map(|n| format!("{{+v{n}}}")).collect();
    for (text, repeated, end) in [
        (format!("x://{}b", letters.join("a")), "a", "c"),
        (format!("x://{}b", letters.join("/a/")), "/a", "/c"),
        (format!("x://{}b", letters.join("a").replace('+', "")), "a", "c"),
        (format!("x://{}{{;z}}{{?q}}", letters[..30].join(",")), ",", "?r"),
        (format!("x://{{+a}}{}{{+b}}", "a".repeat(1000)), "a", "/.."),
    ] {
        let template = template(&text);
        let uri = format!("x://{}{end}", repeated.repeat((65_000 - 4) / repeated.len()));
        let start = Instant::now();
        assert_eq!(template.matches(&uri), None, "{text}");
        let spent = start.elapsed();
        assert!(spent < Duration::from_secs(5), "{text}: {spent:?}");
    }
    let template = template("x://{+a}");
    let longest = format!("x://{}", "a".repeat((64 << 10) - 4));
    assert!(template.matches(&longest).is_some());
    assert!(template.matches(&format!("{longest}a")).is_none());
}

/// RFC 6570, section 3.2.1, for values that are strings.
fn expand(text: &str, value_of: impl Fn(&str) -> Option<String>) -> String {
    let mut uri = String::new();
    for part in parts(text).unwrap() {
        match part {
            Part::Literal(literal) => uri.push_str(literal),
            Part::Expression(expression) => expand_expression(&mut uri, &expression, &value_of),
        }
    }
    uri
}

fn expand_expression(
    uri: &mut String,
    expression: &Expression<'_>,
    value_of: &impl Fn(&str) -> Option<String>,
) {
    let operator = expression.operator;
    let mut lead = operator.prefix();
    for name in &expression.names {
        let Some(value) = value_of(name) else { continue };
        uri.extend(lead.map(char::from));
        lead = Some(operator.separator());
        if let Operator::Parameter | Operator::Query | Operator::Continuation = operator {
            uri.push_str(name);
            if operator != Operator::Parameter || !value.is_empty() {
                uri.push('=');
            }
        }
        let keeps_reserved = matches!(operator, Operator::Reserved | Operator::Fragment);
        for byte in value.bytes() {
            if is_unreserved(byte) || keeps_reserved && is_reserved(byte) {
                uri.push(char::from(byte));
            } else {
                uri.push_str(&format!("%{byte:02X}"));
            }
        }
    }
}

fn free(text: &str) -> Option<UriTemplate> {
    let mut template = UriTemplate::parse(text).ok()?;
    let names: Vec<_> = template.variables().map(str::to_owned).collect();
    for name in names {
        template.allow_traversal(&name).unwrap();
    }
    Some(template)
}

fn decoded(uri: &str) -> Vec<u8> {
    octet::octets(uri).map(|octet| octet.unwrap().byte).collect()
}

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c./,;=~-]{1,4}", "[^\\x00]{1,6}"]
}

/// A value that keeps its reserved characters, without the two that end it in some templates.
fn any_reserved_value() -> impl Strategy<Value = String> {
    "[a-c./,;=:@!\u{e9} #-]{1,6}"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Where no value can hold what follows it, all values come back, whatever is in them.
    #[test]
    fn gives_back_the_values_of_an_expansion(
        values in prop::collection::vec(any_value(), 8),
        reserved in any_reserved_value(),
        absent in 0..8_usize,
    ) {
        let text = "x://h/{a}/s{/b}/{c,d}{;e}/{+r}{?f,g,h}";
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let value_of = |name: &str| {
            if name == "r" {
                return Some(reserved.clone());
            }
            let place = names.iter().position(|known| *known == name)?;
            (place < 5 || place != absent).then(|| values[place].clone())
        };
        let uri = expand(text, value_of);
        let template = free(text).unwrap();
        let wanted: Vec<_> =
            template.variables().filter_map(|name| Some((name, value_of(name)?))).collect();
        prop_assert_eq!(template.matches(&uri), Some(wanted), "{}", uri);
    }

    /// An expansion of any template matches it, and the values expand to it again.
    #[test]
    fn expands_to_the_uri_that_was_matched(
        parts in prop::collection::vec((0..16_usize, 1..3_usize), 1..7),
        values in prop::collection::vec(any_value(), 14),
        reserved in prop::collection::vec(any_reserved_value(), 14),
    ) {
        let mut text = String::from("x:");
        let mut plain = Vec::new();
        let mut count = 0;
        for (kind, variables) in parts {
            let literals = ["/", "a", "-", ".", "b/", ",", ";c", "?d=1"];
            let operators = ["", "+", "#", ".", "/", ";", "?", "&"];
            if let Some(literal) = literals.get(kind) {
                text.push_str(literal);
                continue;
            }
            let operator = operators[kind - literals.len()];
            let names: Vec<_> = (count..count + variables).map(|n| format!("v{n}")).collect();
            count += variables;
            plain.extend(vec![!matches!(operator, "+" | "#"); variables]);
            text.push_str(&format!("{{{operator}{}}}", names.join(",")));
        }
        let Some(template) = free(&text) else { return Ok(()) };
        let place = |name: &str| name[1..].parse::<usize>().unwrap();
        let given = |name: &str| Some(if plain[place(name)] { &values } else { &reserved }[place(name)].clone());
        let uri = expand(&text, given);
        let Some(found) = template.matches(&uri) else {
            return Err(TestCaseError::fail(format!("{text} does not match {uri}")));
        };
        let again = expand(&text, |name| found.iter().find(|(known, _)| *known == name).map(|(_, v)| v.clone()));
        prop_assert_eq!(decoded(&again), decoded(&uri), "{} {}: {:?}", text, uri, found);
    }

    #[test]
    fn takes_any_text_for_a_template_or_a_uri(
        text in "x:[a{}+?&;,./#%A-]{0,20}",
        uri in "x:[a=?&;,./#%A-]{0,20}",
    ) {
        if let Ok(template) = UriTemplate::parse(&text) {
            let _ = template.try_match(&uri);
        }
    }
}

//! From the parts of a template to the pieces that a URI is matched against; refused is what could not be told
//! apart again.

use super::super::document::cut;
use super::super::resource_uri;
use super::expression::{Expression, Operator, Part, parts};
use super::octet::{Octet, octets};
use super::{Piece, Stops, UriTemplate, Variable};

/// Reads a template.
pub(super) fn parse(text: &str) -> Result<UriTemplate, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("a template has at most {MAX_LENGTH} bytes, this one has {}", text.len()));
    }
    check_scheme(text)?;
    let parts = parts(text)?;
    let mut assembly = Assembly::default();
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Literal(literal) => assembly.literal(literal)?,
            Part::Expression(expression) => {
                assembly.check_place(expression, index.checked_sub(1).map(|before| &parts[before]))?;
                assembly.expression(expression, &parts[index + 1..])?;
            }
        }
    }
    Ok(UriTemplate { text: text.into(), variables: assembly.variables, pieces: assembly.pieces })
}

/// Longest template, in bytes.
const MAX_LENGTH: usize = 2 << 10;
/// Most variables of a template.
const MAX_VARIABLES: usize = 32;

/// A template stands for absolute URIs: it begins with a scheme, or with a variable that could hold one.
fn check_scheme(text: &str) -> Result<(), String> {
    let start = &text[..text.find(['{', '/', '?', '#']).unwrap_or(text.len())];
    if resource_uri::fault(start).is_none() || text[start.len()..].starts_with('{') && !start.contains(':') {
        return Ok(());
    }
    let way_out = "begin with a scheme and a colon, as \"file:///{+path}\" or \"notes://{id}\"";
    Err(format!("\"{}\" stands for no absolute URI; {way_out}", cut(text)))
}

#[derive(Default)]
struct Assembly {
    pieces: Vec<Piece>,
    variables: Vec<Variable>,
    place: Place,
}

/// The part of a URI that has been come to.
#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Path,
    /// Behind a literal `?`.
    Query,
    /// Behind `{?x}` or `{&x}`.
    Parameters,
    Fragment,
}

impl Assembly {
    fn literal(&mut self, text: &str) -> Result<(), String> {
        if self.place == Place::Parameters && !text.starts_with('#') {
            return Err(format!(
                "\"{}\" stands behind the parameters of a query, where only a fragment may follow; write \
                 it before them",
                cut(text)
            ));
        }
        let mark = text.find('#').or_else(|| text.find('?'));
        match mark.map(|at| text.as_bytes()[at]) {
            Some(b'#') => self.place = Place::Fragment,
            Some(_) if self.place == Place::Path => self.place = Place::Query,
            _ => {}
        }
        // A literal is well-formed, so that no octet is broken.
        self.pieces.push(Piece::Literal { octets: octets(text).flatten().collect(), written: true });
        Ok(())
    }

    /// Checks that an expression may stand where it does, behind the part `before`.
    fn check_place(&self, expression: &Expression<'_>, before: Option<&Part<'_>>) -> Result<(), String> {
        let text = cut(expression.text);
        if let (None, Some(Part::Expression(before))) = (expression.operator.prefix(), before) {
            return Err(format!(
                "nothing between \"{}\" and \"{text}\" tells where the one value ends and the other begins; \
                 write a character between them",
                cut(before.text)
            ));
        }
        let said = match (expression.operator, self.place) {
            (Operator::Query | Operator::Continuation | Operator::Fragment, Place::Fragment) => {
                "stands behind a #; let it stand before"
            }
            (Operator::Query, Place::Query) => "stands behind a ?; continue a query with & in place of ?",
            (Operator::Query, Place::Parameters) => {
                "stands behind the parameters of a query; name all parameters in one expression"
            }
            (Operator::Continuation, Place::Path) => {
                "continues a query that has not begun; begin it with ? in place of &"
            }
            (
                Operator::Simple
                | Operator::Reserved
                | Operator::Label
                | Operator::Path
                | Operator::Parameter,
                Place::Parameters,
            ) => {
                "stands behind the parameters of a query, where only a fragment may follow; write it before them"
            }
            _ => return Ok(()),
        };
        Err(format!("\"{text}\" {said}"))
    }

    fn expression(&mut self, expression: &Expression<'_>, behind: &[Part<'_>]) -> Result<(), String> {
        let operator = expression.operator;
        if operator == Operator::Fragment {
            self.place = Place::Fragment;
        }
        if let Operator::Query | Operator::Continuation = operator {
            return self.parameters(expression);
        }
        let stops = self.stops(expression, behind);
        for (index, name) in expression.names.iter().enumerate() {
            let separator = if index == 0 { operator.prefix() } else { Some(operator.separator()) };
            let mut lead: Vec<Octet> = separator.map(Octet::plain).into_iter().collect();
            let variable = self.variable(name, operator)?;
            if operator == Operator::Parameter {
                lead.extend(octets(name).flatten());
            }
            if !lead.is_empty() {
                self.pieces.push(Piece::Literal { octets: lead.into(), written: false });
            }
            self.pieces.push(match operator {
                Operator::Parameter => Piece::Assignment { variable, stops },
                _ => Piece::Value { variable, stops },
            });
        }
        Ok(())
    }

    /// Where the values of an expression end.
    fn stops(&self, expression: &Expression<'_>, behind: &[Part<'_>]) -> Stops {
        let later = |operator| {
            behind.iter().any(|part| matches!(part, Part::Expression(later) if later.operator == operator))
        };
        let operator = expression.operator;
        if let Operator::Reserved | Operator::Fragment = operator {
            let mut stops = Stops::new(b"");
            if later(Operator::Query) {
                stops = stops.with(b'?');
            }
            if later(Operator::Continuation) {
                stops = stops.with(b'&');
            }
            return stops;
        }
        let mut stops = Stops::new(b"/?#");
        // A dot is as good as a letter in a value; the other separators are encoded there.
        let separates = expression.names.len() > 1 && operator != Operator::Label;
        if separates || operator == Operator::Parameter {
            stops = stops.with(operator.separator());
        }
        if self.place == Place::Query {
            stops = stops.with(b'&');
        }
        stops
    }

    /// The parameters of `{?x}` or `{&x}`; those of adjacent expressions are one set.
    fn parameters(&mut self, expression: &Expression<'_>) -> Result<(), String> {
        let mut added = Vec::new();
        for name in &expression.names {
            added.push(self.variable(name, expression.operator)?);
        }
        self.place = Place::Parameters;
        match self.pieces.last_mut() {
            Some(Piece::Query { variables, .. }) => variables.extend(added),
            _ => {
                let mark = if expression.operator == Operator::Query { b'?' } else { b'&' };
                self.pieces.push(Piece::Query { mark, variables: added });
            }
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, operator: Operator) -> Result<usize, String> {
        if self.variables.iter().any(|known| *known.name == *name) {
            return Err(format!(
                "the variable \"{}\" stands twice; give each place a name of its own",
                cut(name)
            ));
        }
        let place = self.variables.len();
        if place == MAX_VARIABLES {
            return Err(format!("a template has at most {MAX_VARIABLES} variables"));
        }
        let one_segment = matches!(operator, Operator::Simple | Operator::Label | Operator::Path)
            && self.place == Place::Path;
        self.variables.push(Variable { name: name.into(), one_segment, free: false });
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn refuses_what_could_not_be_told_apart() {
        let long = format!("x://{}", "a".repeat(2045));
        let many: Vec<_> = (0..33).map(|n| format!("{{v{n}}}")).collect();
        let many = format!("x://{}", many.join("/"));
        for (template, part) in [
            ("", "stands for no absolute URI; begin with a scheme"),
            ("/users/{id}", "stands for no absolute URI"),
            ("users/{id}", "stands for no absolute URI"),
            ("1x:{id}", "stands for no absolute URI"),
            ("x://{a}{b}", "nothing between \"{a}\" and \"{b}\" tells where the one value ends"),
            ("x://{/a}{+b}", "nothing between \"{/a}\" and \"{+b}\""),
            ("x://{a}/{a}", "the variable \"a\" stands twice; give each place a name of its own"),
            ("x://{a,a}", "\"a\" stands twice"),
            ("x://y?a=1{?b}", "\"{?b}\" stands behind a ?; continue a query with &"),
            ("x://y{?a}{?b}", "\"{?b}\" stands behind the parameters of a query; name all parameters in one"),
            ("x://y{&a}", "\"{&a}\" continues a query that has not begun; begin it with ?"),
            ("x://y{?a}/b", "\"/b\" stands behind the parameters of a query, where only a fragment may"),
            ("x://y{?a}{/b}", "\"{/b}\" stands behind the parameters of a query, where only a fragment"),
            ("x://y#a{?b}", "\"{?b}\" stands behind a #; let it stand before"),
            ("x://y{#a}{&b}", "\"{&b}\" stands behind a #"),
            ("x://y#z{#a}", "\"{#a}\" stands behind a #"),
            (&long, "at most 2048 bytes, this one has 2049"),
            (&many, "at most 32 variables"),
        ] {
            let said = parse(template).unwrap_err();
            assert!(said.contains(part), "{template}: {said}");
        }
    }

    #[test]
    fn accepts_templates_of_many_kinds() {
        for template in [
            "x:{id}",
            "x{y}://z",
            "{+url}",
            "{scheme}://{host}/{+path}",
            "file:///{path}",
            "x://{a}{/b}{.c}{;d}{?e}{&f}{#g}",
            "x://y?a=1{&b}#c{d}",
            "x://y?a={a}&b={b}",
            "x://y#a?{b}",
            "x://plain",
        ] {
            assert!(parse(template).is_ok(), "{template}: {:?}", parse(template).err());
        }
    }

    #[test]
    fn counts_what_the_author_wrote_outside_of_braces() {
        for (template, length) in [
            ("x://{a}", 4),
            ("x://{a}/b{?c,d}{#e}", 6),
            ("x://caf%C3%A9{/a}", 9),
            ("x://caf\u{e9}", 9),
            ("{+u}", 0),
        ] {
            assert_eq!(parse(template).unwrap().literal_length(), length, "{template}");
        }
    }
}

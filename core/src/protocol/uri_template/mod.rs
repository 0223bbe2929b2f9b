//! URI templates of resources, read backwards: which values of its variables make a template into a given URI
//! (specification, server/resources, "Resource Templates"; RFC 6570, levels 1 to 3).
//!
//! A URI is told apart by the template's literals and by where a value must end:
//!
//! | expression | takes | a value ends at |
//! |---|---|---|
//! | `{x}`, `{.x}`, `{/x}`, `{;x}` | one octet or more, `{;x}` also none | `/`, `?`, `#` |
//! | `{+x}`, `{#x}` | one octet or more | the end of the URI |
//! | `{?x,y}`, `{&x,y}` | parameters in any order, each or all of them may be absent | `&`, `#` |
//!
//! Besides, the values of `{x,y}`, `{/x,y}` and `{;x,y}` end at the `,`, `/` or `;` between them; those of a query
//! without `{?x}` at `&`; and that of `{+x}` at the `?` of a later `{?y}` or the `&` of a later `{&y}`. Where several
//! ways of cutting a URI are left, the first variable takes as much as it can, then the second, and so on. All but
//! the parameters of a query must be there.
//!
//! Percent-encoding is decoded once, and only in values; `+` is a plus sign. Literals are compared after the
//! normalisation of RFC 3986, section 6.2.2.2, so that `café` and `caf%C3%A9` are one. Letter case counts
//! everywhere, in scheme and host too: a template matches as it is written.
//!
//! A value that could lead out of the place where the handler looks for it makes the match fail, see
//! [`UriTemplate::allow_traversal`].

mod assembly;
mod expression;
mod matching;
mod octet;
mod traversal;
mod uri_character;

#[cfg(test)]
mod tests;

use octet::Octet;

use super::nearest_name::did_you_mean;

/// A template that URIs are matched against.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    text: Box<str>,
    variables: Vec<Variable>,
    pieces: Vec<Piece>,
}

impl UriTemplate {
    /// Reads a template. Refused, with a reason and the way out, are the modifiers of level 4 (`{x*}`, `{x:3}`), a
    /// variable that stands twice, expressions with nothing between them to tell their values apart, a query that
    /// more than a fragment follows, and what breaks the grammar of RFC 6570.
    pub fn parse(text: &str) -> Result<Self, String> {
        assembly::parse(text)
    }

    /// The template as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the variables, in the order of the template.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| &*variable.name)
    }

    /// How many octets of a URI are literals of the template, a percent-encoding counted as one. Of several
    /// templates that match a URI, the one with the most is the closest.
    pub fn literal_length(&self) -> usize {
        self.pieces.iter().map(Piece::literal_length).sum()
    }

    /// Lets `variable` have any value. Without it, a match fails for the sake of a decoded value that
    ///
    /// - begins with `/`, or is an absolute path of Windows such as `C:/x`;
    /// - has a segment `..` or `.`;
    /// - has a `/` at all, where the variable stands in `{x}`, `{.x}` or `{/x}`, not behind a `?` or `#`.
    ///
    /// `\` is taken for `/` in all of this. A value with U+0000 or that is not UTF-8 never matches.
    pub fn allow_traversal(&mut self, variable: &str) -> Result<(), String> {
        match self.variables.iter_mut().find(|known| *known.name == *variable) {
            Some(known) => {
                known.free = true;
                Ok(())
            }
            None => {
                let hint = did_you_mean(variable, self.variables());
                Err(format!("the template \"{}\" has no variable \"{variable}\"{hint}", self.text))
            }
        }
    }

    /// The variables of `uri` with their decoded values, in the order of the template; those of a query that
    /// `uri` does not have are left out. `None` for a URI that is not one of the template's. The time that it takes
    /// grows with the length of the URI, whatever stands in it.
    pub fn matches(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        self.try_match(uri).ok()
    }

    /// The same, telling why a URI does not match.
    pub fn try_match(&self, uri: &str) -> Result<Vec<(&str, String)>, Mismatch<'_>> {
        matching::values(self, uri)
    }
}

/// Why a URI does not match a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch<'t> {
    /// It is not one of the template's URIs.
    Other,
    /// It would be, but for the value of this variable, which [`UriTemplate::allow_traversal`] would let in.
    Traversal(&'t str),
}

#[derive(Clone, Debug)]
struct Variable {
    name: Box<str>,
    /// Whether the value names one thing, and not a way to it: no `/` may be in it.
    one_segment: bool,
    /// Whether traversal is allowed.
    free: bool,
}

/// A part of a template. Variables are told by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// These octets. `written` tells those of the author from those that an expression stands for.
    Literal { octets: Box<[Octet]>, written: bool },
    /// One octet or more, up to one of `stops`.
    Value { variable: usize, stops: Stops },
    /// What stands behind the name in `{;x}`: `=` and such a value, or nothing.
    Assignment { variable: usize, stops: Stops },
    /// Parameters in any order, or nothing: `mark` and all up to a fragment or the end.
    Query { mark: u8, variables: Vec<usize> },
}

impl Piece {
    fn literal_length(&self) -> usize {
        match self {
            Piece::Literal { octets, written: true } => octets.len(),
            _ => 0,
        }
    }
}

/// Characters that end a value: a bit for each of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stops(u128);

impl Stops {
    fn new(characters: &[u8]) -> Self {
        Stops(characters.iter().fold(0, |bits, byte| bits | 1 << byte))
    }

    fn with(self, character: u8) -> Self {
        Stops(self.0 | 1 << character)
    }

    /// Whether a value may hold `octet`. What is encoded is data, whatever it stands for.
    fn admits(self, octet: Octet) -> bool {
        octet.encoded || self.0 >> octet.byte & 1 == 0
    }
}

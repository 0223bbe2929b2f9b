//! Matches a URI against the pieces of a template.
//!
//! Which pieces can be matched from which octet on is computed from the end of the URI backwards, each piece and
//! octet once. Then the values are cut forwards, and no way is tried that does not lead to the end.

use std::ops::Range;

use super::octet::{Octet, octets};
use super::{Mismatch, Piece, Stops, UriTemplate, Variable, traversal};

/// The values that make `template` into `uri`.
pub(super) fn values<'t>(
    template: &'t UriTemplate,
    uri: &str,
) -> Result<Vec<(&'t str, String)>, Mismatch<'t>> {
    let octets = read(template, uri).ok_or(Mismatch::Other)?;
    let places = places(template, &octets).ok_or(Mismatch::Other)?;
    let mut values = Vec::new();
    let mut dangerous = None;
    for (variable, place) in template.variables.iter().zip(places) {
        let Some(place) = place else { continue };
        let value = decoded(&octets[place]).ok_or(Mismatch::Other)?;
        if dangerous.is_none() && !variable.free && traversal::is_dangerous(&value, variable.one_segment) {
            dangerous = Some(&*variable.name);
        }
        values.push((&*variable.name, value));
    }
    match dangerous {
        None => Ok(values),
        Some(name) => Err(Mismatch::Traversal(name)),
    }
}

/// Longest URI that matches a template, in bytes.
const MAX_URI: usize = 64 << 10;

/// The octets of a URI; `None` where it is broken or cannot match, which its beginning often tells.
fn read(template: &UriTemplate, uri: &str) -> Option<Vec<Octet>> {
    if uri.len() > MAX_URI {
        return None;
    }
    if let Some(Piece::Literal { octets: wanted, .. }) = template.pieces.first() {
        let mut found = octets(uri);
        if !wanted.iter().all(|octet| found.next() == Some(Ok(*octet))) {
            return None;
        }
    }
    octets(uri).collect::<Result<_, _>>().ok()
}

/// Where in the URI the value of each variable lies, by the place of the variable.
fn places(template: &UriTemplate, uri: &[Octet]) -> Option<Vec<Option<Range<usize>>>> {
    let ways = Ways::through(&template.pieces, uri);
    if !ways.lead_on(0, 0) {
        return None;
    }
    let mut places = vec![None; template.variables.len()];
    let mut at = 0;
    for (index, piece) in template.pieces.iter().enumerate() {
        let longest = |start, least: usize, stops: Stops| {
            let run = uri[start..].iter().take_while(|octet| stops.admits(**octet)).count();
            (start + least..=start + run).rev().find(|end| ways.lead_on(index + 1, *end))
        };
        match piece {
            Piece::Literal { octets, .. } => at += octets.len(),
            Piece::Value { variable, stops } => {
                let end = longest(at, 1, *stops)?;
                places[*variable] = Some(at..end);
                at = end;
            }
            Piece::Assignment { variable, stops } => {
                let assigned = uri.get(at).is_some_and(|octet| octet.is(b'='));
                let place = match assigned.then(|| longest(at + 1, 0, *stops)).flatten() {
                    Some(end) => at + 1..end,
                    None => at..at,
                };
                at = place.end;
                places[*variable] = Some(place);
            }
            Piece::Query { mark, variables } if uri.get(at).is_some_and(|octet| octet.is(*mark)) => {
                let end = end_of_query(uri, at);
                read_parameters(at + 1..end, uri, variables, &template.variables, &mut places)?;
                at = end;
            }
            Piece::Query { .. } => {}
        }
    }
    Some(places)
}

/// From which octets on which pieces can be matched, to the end of both.
struct Ways {
    /// A row for each number of pieces done, a cell in it for each number of octets done.
    cells: Vec<bool>,
    width: usize,
}

impl Ways {
    fn through(pieces: &[Piece], uri: &[Octet]) -> Self {
        let width = uri.len() + 1;
        let mut ways = Ways { cells: vec![false; (pieces.len() + 1) * width], width };
        if let Some(end) = ways.cells.last_mut() {
            *end = true;
        }
        for (index, piece) in pieces.iter().enumerate().rev() {
            let (row, next) = ways.cells[index * width..].split_at_mut(width);
            fill(row, &next[..width], piece, uri);
        }
        ways
    }

    /// Whether the pieces from number `piece` on match the octets from `at` on.
    fn lead_on(&self, piece: usize, at: usize) -> bool {
        self.cells[piece * self.width + at]
    }
}

/// Fills the row of `piece`, given that of the piece behind it.
fn fill(row: &mut [bool], next: &[bool], piece: &Piece, uri: &[Octet]) {
    match piece {
        Piece::Literal { octets, .. } => {
            for at in 0..(uri.len() + 1).saturating_sub(octets.len()) {
                row[at] = next[at + octets.len()] && uri[at..].starts_with(octets);
            }
        }
        Piece::Value { stops, .. } => {
            for at in (0..uri.len()).rev() {
                row[at] = stops.admits(uri[at]) && (next[at + 1] || row[at + 1]);
            }
        }
        Piece::Assignment { stops, .. } => {
            // Whether a value, which may be empty, can begin behind the octet that is looked at.
            let mut value = false;
            for at in (0..=uri.len()).rev() {
                row[at] = next[at] || value && uri[at].is(b'=');
                value = next[at] || value && stops.admits(uri[at]);
            }
        }
        Piece::Query { mark, .. } => {
            let mut end = uri.len();
            for at in (0..=uri.len()).rev() {
                let octet = uri.get(at);
                if octet.is_some_and(|octet| octet.is(b'#')) {
                    end = at;
                }
                row[at] = next[at] || octet.is_some_and(|octet| octet.is(*mark)) && next[end];
            }
        }
    }
}

/// The end of a query that has an octet at `at`: the next fragment, or the end of the URI.
fn end_of_query(uri: &[Octet], at: usize) -> usize {
    uri[at..].iter().position(|octet| octet.is(b'#')).map_or(uri.len(), |length| at + length)
}

/// Notes where the values of the parameters in `query` lie. `None` for one that the template does not have, or
/// that stands twice.
fn read_parameters(
    query: Range<usize>,
    uri: &[Octet],
    variables: &[usize],
    names: &[Variable],
    places: &mut [Option<Range<usize>>],
) -> Option<()> {
    let mut start = query.start;
    for parameter in uri[query].split(|octet| octet.is(b'&')) {
        let end = start + parameter.len();
        let name = parameter.iter().position(|octet| octet.is(b'=')).unwrap_or(parameter.len());
        let variable = variables.iter().copied().find(|variable| {
            octets(&names[*variable].name).eq(parameter[..name].iter().map(|octet| Ok(*octet)))
        })?;
        let value = (start + name + 1).min(end)..end;
        if places[variable].replace(value).is_some() {
            return None;
        }
        start = end + 1;
    }
    Some(())
}

/// The text that `octets` encode; `None` where it is not UTF-8 or has U+0000.
fn decoded(octets: &[Octet]) -> Option<String> {
    let text = String::from_utf8(octets.iter().map(|octet| octet.byte).collect()).ok()?;
    (!text.contains('\0')).then_some(text)
}

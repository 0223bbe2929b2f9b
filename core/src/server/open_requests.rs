//! The requests of one client that have no answer yet, by their ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::protocol::request_id::RequestId;
use crate::server::in_flight::InFlight;

/// The open requests.
#[derive(Default)]
pub struct OpenRequests {
    table: HashMap<RequestId, Open>,
    next: u64,
}

/// Tells a request from an earlier one that had the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

struct Open {
    ticket: Ticket,
    /// Comes a moment after the request, when the server has taken it.
    in_flight: Option<InFlight>,
}

impl OpenRequests {
    /// Opens a request, before it is handed to the server; `None` if one of the same id has no answer yet.
    pub fn begin(&mut self, id: &RequestId) -> Option<Ticket> {
        let Entry::Vacant(place) = self.table.entry(id.clone()) else { return None };
        let ticket = Ticket(self.next);
        self.next += 1;
        place.insert(Open { ticket, in_flight: None });
        Some(ticket)
    }

    /// Keeps what the server made of a request; gives it back if the request is not open any more.
    pub fn attach(&mut self, id: &RequestId, ticket: Ticket, in_flight: InFlight) -> Option<InFlight> {
        match self.table.get_mut(id) {
            Some(open) if open.ticket == ticket => {
                open.in_flight = Some(in_flight);
                None
            }
            _ => Some(in_flight),
        }
    }

    /// Whether the request is open.
    pub fn has(&self, id: &RequestId, ticket: Ticket) -> bool {
        self.table.get(id).is_some_and(|open| open.ticket == ticket)
    }

    /// Ends the request with its answer; `None` if it was not open any more.
    pub fn answered(&mut self, id: &RequestId, ticket: Ticket) -> Option<Option<InFlight>> {
        let (id, open) = self.table.remove_entry(id)?;
        if open.ticket == ticket {
            return Some(open.in_flight);
        }
        self.table.insert(id, open);
        None
    }

    /// Ends whatever has this id.
    pub fn remove(&mut self, id: &RequestId) -> Option<InFlight> {
        self.table.remove(id)?.in_flight
    }

    /// Ends them all.
    pub fn take(&mut self) -> impl Iterator<Item = InFlight> + use<> {
        std::mem::take(&mut self.table).into_values().filter_map(|open| open.in_flight)
    }

    /// All that the server has taken.
    pub fn all(&self) -> Vec<(RequestId, InFlight)> {
        let taken = |(id, open): (&RequestId, &Open)| Some((id.clone(), open.in_flight.clone()?));
        self.table.iter().filter_map(taken).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.table.len()
    }
}

#![allow(clippy::unwrap_used, clippy::expect_used)]
//! The parts together: an I/O thread that answers each line through other threads.

use std::fs::File;
use std::io::{BufRead, BufReader, Write, pipe};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::runtime::lock::Mutex;

use super::line_reader::{Line, LineReader, Read};
use super::output_queue::{OutputQueue, Written};
use super::output_stream::OutputStream;
use super::owned_streams::OwnedStreams;
use super::readiness::{Interest, Ready, wait};
use super::*;
use crate::protocol::message::Message;
use crate::runtime::handler_pool::{HandlerPool, PoolLimits};
use crate::runtime::signal_mask::HostMask;

/// A terminal, and the other side of it: its keyboard and screen.
pub(super) fn terminal() -> (File, File) {
    // SAFETY: the descriptors are new and owned here, and `name` outlives the calls that fill and read it.
    unsafe {
        let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        assert!(master >= 0);
        assert_eq!((libc::grantpt(master), libc::unlockpt(master)), (0, 0));
        let name = std::ffi::CStr::from_ptr(libc::ptsname(master));
        let slave = libc::open(name.as_ptr(), libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        assert!(slave >= 0);
        (File::from_raw_fd(slave), File::from_raw_fd(master))
    }
}

struct Answers {
    queue: Mutex<OutputQueue>,
    wakeup: Wakeup,
    open: AtomicUsize,
}

/// Answers each line with itself, from a pool. Returns how often it waited.
fn echo(streams: &OwnedStreams, pool: &HandlerPool) -> usize {
    let answers = Arc::new(Answers {
        queue: Mutex::default(),
        wakeup: Wakeup::new().unwrap(),
        open: AtomicUsize::new(0),
    });
    let output = OutputStream::new(streams.output()).unwrap();
    let mut reader = LineReader::new(1 << 20);
    let (mut ended, mut blocked, mut waits) = (false, false, 0);
    let mut sending = OutputQueue::new();
    loop {
        answers.wakeup.about_to_wait();
        let open = answers.open.load(Ordering::Acquire);
        if sending.is_empty() {
            std::mem::swap(&mut sending, &mut answers.queue.lock());
        }
        if ended && open == 0 && sending.is_empty() {
            return waits;
        }
        if !sending.is_empty() && !blocked {
            answers.wakeup.awake();
            blocked = sending.write_to(&output).unwrap() == Written::Blocked;
            continue;
        }
        waits += 1;
        let interest = Interest {
            input: (!ended).then(|| streams.input()),
            output: output.descriptor(),
            writing: blocked,
            until: None,
        };
        let ready = wait(interest, &answers.wakeup).unwrap();
        blocked &= !ready.output;
        if ready.input {
            ended = reader.read_from(streams.input()).unwrap() == Read::End;
            while let Some(Line::Message(line)) = reader.next_line() {
                let answers = answers.clone();
                answers.open.fetch_add(1, Ordering::AcqRel);
                let job = move || {
                    answers.queue.lock().push(Message::whole(line.to_vec()));
                    answers.open.fetch_sub(1, Ordering::AcqRel);
                    answers.wakeup.wake();
                };
                assert!(pool.submit(Box::new(job)).is_ok());
            }
        }
    }
}

/// Sends `lines` lines and takes as many answers, with at most `in_flight` unanswered.
fn converse(client_in: OwnedFd, client_out: OwnedFd, lines: usize, in_flight: usize) {
    let mut requests = File::from(client_in);
    let mut answers = BufReader::new(File::from(client_out)).lines();
    let (mut sent, mut seen) = (0, vec![false; lines]);
    for answered in 0..lines {
        let mut burst = String::new();
        while sent < lines && sent - answered < in_flight {
            burst.push_str(&format!("{sent}\n"));
            sent += 1;
        }
        requests.write_all(burst.as_bytes()).unwrap();
        let number: usize = answers.next().unwrap().unwrap().parse().unwrap();
        assert!(!std::mem::replace(&mut seen[number], true));
    }
    drop(requests);
    assert!(answers.next().is_none());
}

#[test]
fn no_answer_and_no_wakeup_is_lost() {
    for in_flight in [1, 64] {
        let (client_in, server_in) = pipe().map(|(server, client)| (client, server)).unwrap();
        let (client_out, server_out) = pipe().unwrap();
        let server = thread::spawn(move || {
            let pool = HandlerPool::new(PoolLimits::default(), HostMask::current());
            echo(&OwnedStreams::from_descriptors(server_in.into(), server_out.into()), &pool);
            assert_eq!(pool.shutdown(Instant::now() + Duration::from_secs(5)), 0);
        });
        converse(client_in.into(), client_out.into(), 5_000, in_flight);
        server.join().unwrap();
    }
}

#[test]
fn a_pair_of_sockets_serves_as_well() {
    let (client_in, server_in) = UnixStream::pair().unwrap();
    let (client_out, server_out) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let pool = HandlerPool::new(PoolLimits::default(), HostMask::current());
        echo(&OwnedStreams::from_descriptors(server_in.into(), server_out.into()), &pool);
    });
    converse(client_in.into(), client_out.into(), 1_000, 16);
    server.join().unwrap();
}

#[test]
fn waiting_is_ended_by_a_wakeup_the_time_or_the_peer_and_costs_nothing() {
    let (input, client_in) = pipe().unwrap();
    let (client_out, output) = pipe().unwrap();
    let streams = OwnedStreams::from_descriptors(input.into(), output.into());
    let wakeup = Arc::new(Wakeup::new().unwrap());
    let interest = |milliseconds| Interest {
        input: Some(streams.input()),
        output: streams.output(),
        writing: false,
        until: Some(Instant::now() + Duration::from_millis(milliseconds)),
    };

    wakeup.about_to_wait();
    let begun = Instant::now();
    assert_eq!(wait(interest(20), &wakeup).unwrap(), Ready::default());
    assert!(begun.elapsed() >= Duration::from_millis(20));

    // Before the thread says that it will wait, a wake is no system call and is not remembered: it looks first.
    wakeup.wake();
    wakeup.about_to_wait();
    assert_eq!(wait(interest(0), &wakeup).unwrap(), Ready::default());

    for _ in 0..2 {
        wakeup.about_to_wait();
        let waker = wakeup.clone();
        let ringer = thread::spawn(move || (0..3).for_each(|_| waker.wake()));
        let begun = Instant::now();
        assert_eq!(wait(interest(20_000), &wakeup).unwrap(), Ready::default());
        assert!(begun.elapsed() < Duration::from_secs(10));
        ringer.join().unwrap();
    }

    drop(client_out);
    wakeup.about_to_wait();
    let ready = wait(interest(20_000), &wakeup).unwrap();
    assert!(ready.output_gone && !ready.input && !ready.output);
    drop(client_in);
    wakeup.about_to_wait();
    assert!(wait(interest(20_000), &wakeup).unwrap().input);
}

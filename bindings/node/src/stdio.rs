//! Serves standard input and output.

use std::io;
use std::os::fd::AsRawFd;
use std::sync::mpsc;

use mcp_core::runtime::library_log;
use mcp_core::transport::stdio::serve::serve_flushing;
use napi_derive::napi;

use crate::fault::Result;
use crate::server::NativeServer;

#[napi]
impl NativeServer {
    /// Serves the standard streams; `promise` is settled when their input has ended, or the server was closed.
    ///
    /// When this returns, the streams have been taken over: what the program prints next lands on stderr already.
    #[napi]
    pub fn serve_stdio(&self, promise: u32) -> Result<()> {
        let core = self.core.clone();
        let (tell, taken) = mpsc::channel();
        let begun = self.wait("mcp-stdio-wait", promise, move || {
            let flush = || {
                let_input_be_polled();
                // The second time, at the end, nobody listens.
                let _ = tell.send(());
            };
            let served = serve_flushing(&core, &flush);
            drop(tell);
            served
        });
        begun?;
        // An error instead: the streams could not be taken, which the promise will say.
        let _ = taken.recv();
        Ok(())
    }
}

/// Puts a pipe that is at its end in place of /dev/null, which is descriptor 0 while the library serves: the event loop
/// of Node ends the process if it is to poll /dev/null, as it is for a `process.stdin` that was opened before. The
/// library puts the descriptor back to what it was.
///
/// Node keeps no buffer for standard output that had to be flushed.
fn let_input_be_polled() {
    if let Err(error) = replace_input() {
        library_log::warning(format_args!("process.stdin must not be read while libmcp serves: {error}"));
    }
}

fn replace_input() -> io::Result<()> {
    let (reader, _) = io::pipe()?;
    // SAFETY: both are descriptors; the reader is open.
    if unsafe { libc::dup2(reader.as_raw_fd(), libc::STDIN_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

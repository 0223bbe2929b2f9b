//! The Node addon of libmcp.
//!
//! JavaScript runs on one thread, and the core on others. What the core has for JavaScript waits in the `queue` of the
//! environment (a main thread or a worker thread has one each), and one threadsafe function, the `wakeup`, brings the
//! thread of the environment to `deliver` it: many items for one wake-up, and no thread of the core ever waits for
//! JavaScript. What JavaScript has for the core, it calls directly.
//!
//! The package around it is JavaScript, in `lib/`: the public classes stand there.

mod answering;
mod asking;
mod calls;
mod deliver;
mod environment;
mod exchange;
mod fault;
mod handler;
mod hooks;
mod in_process;
mod javascript;
mod listener;
mod log;
mod pinned_image;
mod queue;
mod registration;
mod requests;
mod server;
mod session;
mod stdio;
mod wakeup;

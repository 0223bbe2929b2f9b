//! What the library has to say, told to the host.

use std::ffi::{c_char, c_int, c_void};

use mcp_core::protocol::log_level::LogLevel;
use mcp_core::runtime::library_log::{self, LogSeverity};

use crate::boundary;
use crate::status::{Fault, Status};
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// How grave a message is (specification, server/utilities/logging, "Log Levels").
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum Level {
    /// Detailed debugging information.
    McpLogDebug = 0,
    /// General information.
    McpLogInfo = 1,
    /// Normal but significant events.
    McpLogNotice = 2,
    /// Warnings.
    McpLogWarning = 3,
    /// Errors.
    McpLogError = 4,
    /// Critical conditions.
    McpLogCritical = 5,
    /// Action must be taken at once.
    McpLogAlert = 6,
    /// The system is unusable.
    McpLogEmergency = 7,
}

/// Takes a line of the library's own log. `level` is an mcp_log_level; `message` has no line break at its
/// end, and lives until the function returns.
///
/// Called on any thread, also from several at once. It must not wait for a server; lines that it causes
/// itself are dropped.
pub type LogHandler =
    Option<unsafe extern "C" fn(level: c_int, message: *const c_char, user_data: *mut c_void)>;

/// Sends the log of the library to `handler`, for the whole process; NULL sends warnings and errors to
/// stderr again, which is the default.
///
/// `user_data_free` (may be NULL) is called with `user_data` once the handler was replaced and its last
/// call has ended; at once if `handler` is NULL. Any thread.
///
/// # Safety
/// `handler` and `user_data_free` may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_set_log_handler(
    handler: LogHandler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        let Some(handler) = handler else {
            library_log::set_log_handler(None);
            return Ok(());
        };
        library_log::set_log_handler(Some(Box::new(move |severity, line| {
            let line = text::c_string(line);
            let level = level_of(severity) as c_int;
            // SAFETY: the host registered this function for this pointer, which lives with this closure.
            boundary::call_host(|| unsafe { handler(level, line.as_ptr(), user_data.pointer()) });
        })));
        Ok(())
    })
}

/// The level of the specification that a number of C stands for.
pub fn level_from(number: c_int) -> Result<LogLevel, Fault> {
    let known = LEVELS.iter().find(|(value, _)| *value as c_int == number);
    known.map(|(_, level)| *level).ok_or_else(|| {
        let message = format!("level {number} is none of MCP_LOG_DEBUG (0) to MCP_LOG_EMERGENCY (7)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}

const LEVELS: [(Level, LogLevel); 8] = [
    (Level::McpLogDebug, LogLevel::Debug),
    (Level::McpLogInfo, LogLevel::Info),
    (Level::McpLogNotice, LogLevel::Notice),
    (Level::McpLogWarning, LogLevel::Warning),
    (Level::McpLogError, LogLevel::Error),
    (Level::McpLogCritical, LogLevel::Critical),
    (Level::McpLogAlert, LogLevel::Alert),
    (Level::McpLogEmergency, LogLevel::Emergency),
];

fn level_of(severity: LogSeverity) -> Level {
    match severity {
        LogSeverity::Debug => Level::McpLogDebug,
        LogSeverity::Info => Level::McpLogInfo,
        LogSeverity::Warning => Level::McpLogWarning,
        LogSeverity::Error => Level::McpLogError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_the_levels_as_the_specification_orders_them() {
        for (number, level) in (0..).zip(LogLevel::ALL) {
            assert_eq!(level_from(number).ok(), Some(level));
        }
        assert!(level_from(8).is_err() && level_from(-1).is_err());
    }
}

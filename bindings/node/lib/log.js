// @ts-check
'use strict';

// The library's own log, and the errors that handlers throw.

const fs = require('node:fs');
const { inspect } = require('node:util');
const { listenToLog } = require('./environment');

/** @type {((record: import('../index.js').LogRecord) => void) | undefined} */
let handler;

/** @param {((record: import('../index.js').LogRecord) => void) | undefined} listener */
function setLogHandler(listener) {
    if (listener !== undefined && typeof listener !== 'function') {
        throw new TypeError('setLogHandler(handler): handler must be a function of a record, or undefined for stderr');
    }
    handler = listener;
    listenToLog(listener && ((level, message) => listener({ level, message })));
}

/**
 * Reports what a handler threw.
 *
 * @param {string} subject as `tool "add"`
 * @param {unknown} error
 */
function logThrown(subject, error) {
    report({ level: 'error', message: `${subject} threw ${shown(error)}`, error });
}

/**
 * Reports a mistake of the program's.
 *
 * @param {string} message
 */
function logError(message) {
    report({ level: 'error', message });
}

/** @param {import('../index.js').LogRecord} record */
function report(record) {
    if (handler !== undefined) {
        handler(record);
        return;
    }
    try {
        fs.writeSync(2, `libmcp: ${record.level}: ${record.message}\n`);
    } catch {
        // a stderr that is closed or full takes no line
    }
}

/** @param {unknown} error */
function shown(error) {
    try {
        return inspect(error);
    } catch {
        return 'something that cannot be shown';
    }
}

module.exports = { logError, logThrown, setLogHandler };

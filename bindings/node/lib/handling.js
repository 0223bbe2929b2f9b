// @ts-check
'use strict';

// One call of a handler, from its arguments to its end.

const { environment, signals } = require('./environment');
const { InputRequired, McpError, NotFoundError, ProtocolError, ToolError } = require('./errors');
const { jsonText } = require('./json_text');
const { logThrown } = require('./log');

/**
 * @typedef {import('./environment').Attachment} Attachment
 *
 * @callback Handle
 * @param {number} call
 * @param {string} args their JSON text
 * @param {Attachment | undefined} attachment
 * @returns {string | PromiseLike<string>} the end of the call, see result.js
 */

/** A handler as the environment runs it. */
class Handling {
    /** @param {Handle} handle */
    constructor(handle) {
        this.handle = handle;
    }

    /**
     * @param {number} call
     * @param {string} args
     * @param {Attachment | undefined} attachment
     * @returns {string | undefined}
     */
    run(call, args, attachment) {
        // A handler that was reached through a web server runs in the asynchronous context of its request.
        if (attachment === undefined) return this.begin(call, args, attachment);
        return attachment.scope.runInAsyncScope(this.begin, this, call, args, attachment);
    }

    /**
     * @param {number} call
     * @param {string} args
     * @param {Attachment | undefined} attachment
     * @returns {string | undefined}
     */
    begin(call, args, attachment) {
        try {
            const end = this.handle(call, args, attachment);
            if (typeof end === 'string') {
                signals.delete(call);
                return end;
            }
            end.then(text => {
                signals.delete(call);
                environment.finish(call, text);
            }, thrown => fail(call, thrown));
        } catch (thrown) {
            fail(call, thrown);
        }
        return undefined;
    }
}

/**
 * Ends a call whose handler threw, or rejected. What an error says is for the log, unless its author made it for the peer.
 *
 * @param {number} call
 * @param {unknown} thrown
 */
function fail(call, thrown) {
    signals.delete(call);
    try {
        if (isQuestion(thrown) && environment.finishInputRequired(call)) return;
        if (thrown instanceof ToolError) return environment.finishToolError(call, thrown.message);
        if (thrown instanceof ProtocolError) return finishProtocolError(call, thrown);
        if (thrown instanceof NotFoundError && !environment.isTool(call)) return environment.finishNotFound(call);
    } catch (worse) {
        thrown = worse;
    }
    // Nobody waits for the answer, and the handler most likely stopped for that reason.
    if (environment.isCancelled(call)) return environment.finishToolError(call, 'cancelled');
    const subject = environment.subject(call);
    logThrown(subject, thrown);
    environment.finishToolError(call, `${subject} failed`);
}

/** @param {unknown} thrown */
function isQuestion(thrown) {
    return thrown instanceof InputRequired || (thrown instanceof McpError && thrown.code === 'MISSING_CAPABILITY');
}

/**
 * @param {number} call
 * @param {ProtocolError} error
 */
function finishProtocolError(call, { code, message, data }) {
    if (!Number.isInteger(code)) throw new TypeError(`ProtocolError: the code is ${code}; it must be a whole number`);
    environment.finishError(call, code, message, data === undefined ? undefined : jsonText(data, 'the data of a ProtocolError'));
}

/**
 * @template T
 * @param {T | PromiseLike<T>} value
 * @returns {value is PromiseLike<T>}
 */
function isThenable(value) {
    return value !== null && typeof value === 'object' && typeof (/** @type {any} */ (value).then) === 'function';
}

exports.Handling = Handling;
exports.isThenable = isThenable;

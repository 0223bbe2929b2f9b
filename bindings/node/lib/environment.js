// @ts-check
'use strict';

// This thread as the core sees it: one queue brings it everything. What the core knows by a number stands here.

const { McpError } = require('./errors');
const { native } = require('./native');

/**
 * @typedef Handler
 * @property {(call: number, args: string, request: Attachment | undefined) => string | undefined} run
 *     Begins to handle a call: the end of it, where that is known at once.
 *
 * @typedef Attachment
 * @property {unknown} request what a web server gave
 * @property {import('node:async_hooks').AsyncResource} scope in which its handler was called
 *
 * @typedef Response Told what becomes of a request.
 * @property {(status: number, headers: string[]) => void} head
 * @property {(piece: Buffer) => void} body
 * @property {() => void} end
 *
 * @typedef Pending
 * @property {(text: string) => void} resolve
 * @property {(error: Error) => void} reject
 */

/** The numbered things of one kind. */
class Numbered {
    /** @type {Map<number, any>} */
    #things = new Map();
    #last = 0;

    /** @param {unknown} thing */
    add(thing) {
        do this.#last = (this.#last + 1) >>> 0 || 1;
        while (this.#things.has(this.#last));
        this.#things.set(this.#last, thing);
        return this.#last;
    }

    /** @param {number} number */
    get(number) {
        return this.#things.get(number);
    }

    /** @param {number} number */
    take(number) {
        const thing = this.#things.get(number);
        this.#things.delete(number);
        return thing;
    }
}

/** Handlers. Their servers hold them: a server that nobody uses any more can go, and its handlers with it. */
const handlers = new Numbered();
/** What web servers attached to requests that are in flight. */
const attachments = new Numbered();
/** Responses that are being written. */
const responses = new Numbered();
/** The send functions of clients over transports of the program's own. */
const senders = new Numbered();
/** What was begun and has not ended. */
const promises = new Numbered();
/** The abort controllers of the calls whose handlers wanted one. @type {Map<number, AbortController>} */
const signals = new Map();
/** @type {((level: any, text: string) => void) | undefined} */
let logListener;

/** Things for which the event loop has to run. */
let holds = 0;

const environment = new native.Environment({
    run: guarded((/** @type {number} */ handler, /** @type {number} */ call, /** @type {string} */ args, /** @type {number} */ attachment) => {
        const found = /** @type {Handler | undefined} */ (handlers.get(handler)?.deref());
        if (found !== undefined) return found.run(call, args, attachment === 0 ? undefined : attachments.get(attachment));
        environment.finishError(call, -32603, 'its server is gone');
        return undefined;
    }),
    cancelled: guarded((/** @type {number} */ call) => signals.get(call)?.abort(new McpError('CANCELLED', 'the call was cancelled'))),
    settled: guarded((/** @type {number} */ promise, /** @type {string} */ code, /** @type {string} */ text) => {
        const { resolve, reject } = /** @type {Pending} */ (promises.take(promise));
        release();
        if (code === '') resolve(text);
        else reject(new McpError(code, text));
    }),
    forgetHandler: guarded((/** @type {number} */ handler) => handlers.take(handler)),
    forgetAttachment: guarded((/** @type {number} */ attachment) => attachments.take(attachment)),
    head: guarded((/** @type {number} */ response, /** @type {number} */ status, /** @type {string[]} */ headers) => responses.get(response)?.head(status, headers)),
    body: guarded((/** @type {number} */ response, /** @type {Buffer} */ piece) => responses.get(response)?.body(piece)),
    end: guarded((/** @type {number} */ response) => {
        release();
        responses.take(response)?.end();
    }),
    message: guarded((/** @type {number} */ sender, /** @type {string} */ text) => senders.get(sender)?.(text)),
    log: guarded((/** @type {string} */ level, /** @type {string} */ text) => logListener?.(level, text)),
});

/**
 * What the program's own code throws in a hook goes where Node reports such things, and not into the core.
 *
 * @template {any[]} A
 * @template R
 * @param {(...args: A) => R} hook
 * @returns {(...args: A) => R | undefined}
 */
function guarded(hook) {
    return (...args) => {
        try {
            return hook(...args);
        } catch (thrown) {
            process.nextTick(() => {
                throw thrown;
            });
            return undefined;
        }
    };
}

/** Keeps the event loop running. */
function hold() {
    if (holds++ === 0) environment.hold();
}

/** Ends what {@link hold} began. */
function release() {
    if (--holds === 0) environment.letGo();
}

/**
 * Begins something that the core ends: a promise of the JSON text that it gives.
 *
 * @param {(promise: number) => void} start
 * @returns {Promise<string>}
 */
function begun(start) {
    return new Promise((resolve, reject) => {
        const promise = promises.add({ resolve, reject });
        try {
            start(promise);
        } catch (thrown) {
            promises.take(promise);
            reject(asMcpError(thrown));
            return;
        }
        hold();
    });
}

/**
 * Calls the addon: what it refuses is an McpError.
 *
 * @template T
 * @param {() => T} call
 * @returns {T}
 */
function checked(call) {
    try {
        return call();
    } catch (thrown) {
        throw asMcpError(thrown);
    }
}

/** @param {unknown} thrown by the addon */
function asMcpError(thrown) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (thrown);
    return new McpError(code ?? 'GENERIC_FAILURE', message);
}

/** @param {Handler} handler which its server holds */
function addHandler(handler) {
    return handlers.add(new WeakRef(handler));
}

/** @param {((level: any, text: string) => void) | undefined} listener */
function listenToLog(listener) {
    logListener = listener;
    environment.takeLog(listener !== undefined);
}

module.exports = {
    addHandler, attachments, begun, checked, environment, handlers, hold, listenToLog, release, responses, senders, signals,
};

// @ts-check
'use strict';

// A client that reads slower than the server writes. Nothing in the core holds a response back, so what the client has not read
// waits here, and the client is given up where too much does.

/** As many bytes may wait when a further event comes. One event may be larger: an answer is not cut off for its own size. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;

class SlowReader {
    #betweenEvents = true;

    /**
     * Whether the client is to be given up instead of being sent `piece`.
     *
     * @param {Buffer} piece of the body
     * @param {number} waiting bytes that it has not read yet
     */
    isGivenUp(piece, waiting) {
        const begins = this.#betweenEvents;
        this.#betweenEvents = piece.at(-1) === NEWLINE && piece.at(-2) === NEWLINE;
        return begins && waiting > MAX_WAITING_BYTES;
    }
}

exports.SlowReader = SlowReader;
exports.MAX_WAITING_BYTES = MAX_WAITING_BYTES;

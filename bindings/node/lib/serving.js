// @ts-check
'use strict';

// The transports on which a server serves. As long as there is one, the event loop runs, and the server lives on even where
// the program has let go of it.

const { hold, release } = require('./environment');

/** @type {Set<Serving>} */
const all = new Set();

class Serving {
    /** @type {Set<() => void>} */
    #open = new Set();

    /** @param {import('./server').Server} server */
    constructor(server) {
        this.server = server;
    }

    /** Counts a transport. Returns what is to be called when it has ended; more than once does no harm. */
    begin() {
        const ended = () => {
            if (!this.#open.delete(ended)) return;
            release();
            if (this.#open.size === 0) all.delete(this);
        };
        this.#open.add(ended);
        all.add(this);
        hold();
        return ended;
    }

    /** All of them have ended. */
    end() {
        for (const ended of this.#open) ended();
    }
}

exports.Serving = Serving;

// @ts-check
'use strict';

// An open port.

const { begun } = require('./environment');

class Listener {
    #native;
    #path;
    #scheme;
    #closed;
    /** @type {Promise<void> | undefined} */
    #closing;

    /**
     * @param {import('../native').NativeListener} native
     * @param {{ path?: string, tls?: unknown }} options
     * @param {() => void} closed called when nothing runs on the port any more
     */
    constructor(native, { path = '/mcp', tls }, closed) {
        this.#native = native;
        this.#path = path;
        this.#scheme = tls === undefined ? 'http' : 'https';
        this.#closed = closed;
    }

    get port() {
        return this.#native.port;
    }

    get url() {
        return `${this.#scheme}://${this.#native.address}${this.#path}`;
    }

    /** @param {number} [drainMs] */
    close(drainMs) {
        return this.#closing ??= begun(promise => this.#native.close(drainMs, promise)).then(() => this.#closed());
    }

    /** @returns {Promise<void>} */
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
        return this.close();
    }
}

exports.Listener = Listener;

// @ts-check
'use strict';

// What a server offers, by its kind and name: the handlers that are held for it, and what completes arguments.

const { addHandler, checked } = require('./environment');
const { Completions } = require('./completions');
const { Context } = require('./context');
const { McpError } = require('./errors');
const { Handling, isThenable } = require('./handling');
const { completionResult } = require('./result_completion');

/** @typedef {import('../native').NativeServer} NativeServer */

class Offer {
    #native;
    /** The environment holds handlers weakly. @type {Map<string, Handling>} */
    #handlers = new Map();
    /** @type {Handling | undefined} */
    #completing;
    completions = new Completions();

    /**
     * @param {import('./server').Server} server
     * @param {NativeServer} native
     */
    constructor(server, native) {
        this.server = server;
        this.#native = native;
    }

    /**
     * Whether there is something of this kind and name.
     *
     * @param {string} key
     */
    has(key) {
        return this.#handlers.has(key);
    }

    /**
     * Adds something, or replaces it.
     *
     * @param {string} key its kind and name
     * @param {import('./handling').Handle} handle
     * @param {(native: NativeServer, handler: number) => void} add
     */
    put(key, handle, add) {
        const handling = new Handling(handle);
        checked(() => add(this.#native, addHandler(handling)));
        this.#handlers.set(key, handling);
        return key;
    }

    /**
     * @param {string} key
     * @param {(native: NativeServer) => boolean} remove
     */
    remove(key, remove) {
        // What replaced it under the same name is another's.
        return this.#handlers.delete(key) && remove(this.#native);
    }

    /**
     * Fails where something was removed.
     *
     * @param {string} key
     * @param {string} what
     */
    demand(key, what) {
        if (!this.has(key)) throw new McpError('NOT_FOUND', `${what} was removed; register it again`);
    }

    /** Completes arguments, once there is anything that does. */
    complete() {
        if (this.#completing !== undefined || !this.completions.any) return;
        this.#completing = new Handling((call, text, attachment) => {
            const value = this.completions.complete(JSON.parse(text), new Context(call, this.server, attachment));
            return isThenable(value) ? Promise.resolve(value).then(completionResult) : completionResult(value);
        });
        this.#native.setCompletion(addHandler(this.#completing));
    }
}

exports.Offer = Offer;

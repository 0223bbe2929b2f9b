// @ts-check
'use strict';

// Requests that a web server of the program's hands over, and the responses that go back through it.

const { AsyncResource } = require('node:async_hooks');
const { attachments, checked, hold, responses } = require('./environment');

/**
 * @typedef Exchange
 * @property {string} method
 * @property {string} target the path, with or without a query
 * @property {string[]} headers names and values by turns
 * @property {Buffer} body
 * @property {string | undefined} [principal] on whose behalf it comes
 * @property {unknown} attachment what handlers see as `ctx.request`
 *
 * @typedef {import('./environment').Response} Response
 */

class Endpoint {
    #native;

    /**
     * @param {import('../native').NativeEndpoint} native
     * @param {import('./server').Server} server lives on with its endpoint
     */
    constructor(native, server) {
        this.#native = native;
        this.server = server;
    }

    /**
     * Begins to answer a request. `response.end` is called in any case, once, unless this throws.
     *
     * @param {Exchange} exchange
     * @param {Response} response
     * @returns {{ abort(): void }} breaks it off
     */
    startExchange({ method, target, headers, body, principal, attachment }, response) {
        const attached = attachments.add({ request: attachment, scope: new AsyncResource('MCPREQUEST') });
        const number = responses.add(response);
        try {
            // The addon says when what was attached is to be forgotten, also if this fails.
            const exchange = checked(() => this.#native.start(number, method, target, headers, body, principal, attached));
            hold(); // until the end of the response
            return exchange;
        } catch (thrown) {
            responses.take(number);
            throw thrown;
        }
    }
}

exports.Endpoint = Endpoint;

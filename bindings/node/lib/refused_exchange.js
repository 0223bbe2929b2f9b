// @ts-check
'use strict';

// A request that the core does not take.

const { McpError } = require('./errors');

/**
 * Answers for the core. A request that is no HTTP is the client's doing; without a head, the response is status 503.
 *
 * @param {unknown} thrown by `startExchange`
 * @param {import('./exchange').Response} response
 */
function refuseExchange(thrown, response) {
    if (!(thrown instanceof McpError)) throw thrown;
    if (thrown.code !== 'SHUT_DOWN') {
        const body = Buffer.from(`${thrown.message}\n`);
        response.head(400, ['content-type', 'text/plain; charset=utf-8', 'content-length', String(body.length)]);
        response.body(body);
    }
    response.end();
}

module.exports = { refuseExchange };

// @ts-check
'use strict';

// An MCP endpoint in a server of node:http, or in a framework over it.

const { logError, logThrown } = require('./log');
const { mountedTarget } = require('./mounted_target');
const { nodeBody } = require('./node_body');
const { refuseExchange } = require('./refused_exchange');
const { SlowReader } = require('./slow_reader');

/**
 * @typedef {import('../index.js').NodeRequest} NodeRequest
 * @typedef {import('node:http').ServerResponse} ServerResponse
 * @typedef {import('../index.js').MountOptions<NodeRequest>} MountOptions
 * @typedef {import('./exchange').Endpoint} Endpoint
 */

/**
 * @param {Endpoint} endpoint
 * @param {MountOptions} options
 * @param {number} maxMessageBytes the bound of a body, beyond which the endpoint refuses it
 * @returns {(req: NodeRequest, res: ServerResponse, next?: unknown) => void}
 */
function nodeHandler(endpoint, options, maxMessageBytes) {
    return (req, res, next) => {
        if (typeof req?.on !== 'function' || typeof res?.writeHead !== 'function') {
            throw new TypeError('the handler of nodeHandler() takes the request and response of node:http; in Fastify they are request.raw and reply.raw, in Koa ctx.req and ctx.res');
        }
        answer(endpoint, options, maxMessageBytes, req, res).catch(reason => {
            if (typeof next === 'function') return next(reason);
            logThrown('a request over HTTP', reason);
            if (!res.headersSent) res.writeHead(500, { 'content-type': 'text/plain' }).end('the server failed\n');
            else res.destroy();
        });
    };
}

/**
 * @param {Endpoint} endpoint
 * @param {MountOptions} options
 * @param {number} maxMessageBytes
 * @param {NodeRequest} req
 * @param {ServerResponse} res
 */
async function answer(endpoint, options, maxMessageBytes, req, res) {
    const body = await nodeBody(req, maxMessageBytes);
    if (body === undefined) return;
    const principal = await options.principal?.(req) ?? undefined;
    if (res.destroyed) return;
    if (!req.complete) res.shouldKeepAlive = false; // what is left of a body that is too long is not read
    /** @type {{ abort(): void } | undefined} */
    let exchange;
    const response = responseTo(res, () => exchange?.abort());
    try {
        exchange = endpoint.startExchange({
            method: req.method ?? 'GET',
            target: mountedTarget(req.originalUrl ?? req.url ?? '/', options),
            headers: headerLines(req),
            body,
            principal,
            attachment: req,
        }, response);
    } catch (thrown) {
        return refuseExchange(thrown, response);
    }
    res.once('close', () => exchange?.abort());
}

/**
 * Names and values by turns. HTTP/2 has the host elsewhere.
 *
 * @param {NodeRequest} req
 */
function headerLines(req) {
    const lines = req.rawHeaders;
    if (req.httpVersionMajor < 2) return lines;
    const out = [];
    for (let index = 0; index < lines.length; index += 2) {
        if (lines[index] === ':authority') out.push('host', lines[index + 1]);
        else if (!lines[index].startsWith(':')) out.push(lines[index], lines[index + 1]);
    }
    return out;
}

/**
 * Writes the response.
 *
 * @param {ServerResponse} res
 * @param {() => void} abort
 * @returns {import('./exchange').Response}
 */
function responseTo(res, abort) {
    const reader = new SlowReader();
    let begun = false;
    /** Whether nothing of this answer can be written any more: a response that the program took over is left to it. */
    const isLost = () => {
        if (res.destroyed) return true;
        if (!res.writableEnded && (begun || !res.headersSent)) return false;
        abort();
        return true;
    };
    return {
        head(status, headers) {
            if (isLost()) {
                if (!res.destroyed) logError('the answer to a request over HTTP was dropped: its response was begun by the program itself');
                return;
            }
            begun = true;
            res.writeHead(status, headers);
            res.flushHeaders();
        },
        body(piece) {
            if (isLost()) return;
            if (reader.isGivenUp(piece, res.writableLength)) {
                abort();
                res.destroy();
                return;
            }
            res.write(piece);
        },
        end() {
            if (isLost()) return;
            if (!begun) res.writeHead(503, { 'content-type': 'text/plain', 'content-length': 0 });
            res.end();
        },
    };
}

module.exports = { nodeHandler };

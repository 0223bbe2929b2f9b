// @ts-check
'use strict';

// The body of a request of node:http, whether or not something in front has read it.

/** @typedef {import('../index.js').NodeRequest & { rawBody?: unknown }} NodeRequest */

/**
 * Reads the body, and not much more than `bound` bytes of it: what is cut off is too long in any case.
 *
 * @param {NodeRequest} req
 * @param {number} bound in bytes
 * @returns {Promise<Buffer | undefined>} undefined where the client has gone
 */
async function nodeBody(req, bound) {
    if (req.readableDidRead || req.readableEnded) return bodyThatWasRead(req);
    const pieces = /** @type {Buffer[]} */ ([]);
    let length = 0;
    return new Promise(resolve => {
        const done = (/** @type {Buffer | undefined} */ body) => {
            req.off('data', take);
            req.off('end', end);
            req.off('error', gone);
            req.off('close', gone);
            resolve(body);
        };
        const take = (/** @type {Buffer} */ piece) => {
            pieces.push(piece);
            length += piece.length;
            if (length > bound) {
                done(Buffer.concat(pieces));
                req.resume(); // nobody keeps the rest
            }
        };
        const end = () => done(Buffer.concat(pieces));
        const gone = () => done(undefined);
        req.on('data', take);
        req.on('end', end);
        req.on('error', gone);
        req.on('close', gone);
        if (req.destroyed) gone();
    });
}

/**
 * What a parser of the framework has left: the bytes, or the value that express.json() made of them.
 *
 * @param {NodeRequest} req
 * @returns {Buffer}
 */
function bodyThatWasRead({ rawBody, body }) {
    if (rawBody instanceof Uint8Array) return Buffer.from(rawBody);
    if (body instanceof Uint8Array) return Buffer.from(body);
    if (typeof body === 'string') return Buffer.from(body);
    if (body !== undefined) return Buffer.from(JSON.stringify(body));
    throw new Error('the body of the request was read before it came to libmcp, and is not in request.body; mount the handler in front of what reads it');
}

module.exports = { nodeBody };

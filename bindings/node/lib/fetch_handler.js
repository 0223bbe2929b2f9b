// @ts-check
'use strict';

// An MCP endpoint as a function from Request to Response.

const { mountedTarget } = require('./mounted_target');
const { refuseExchange } = require('./refused_exchange');
const { MAX_WAITING_BYTES, SlowReader } = require('./slow_reader');

/**
 * @typedef {import('../index.js').MountOptions<Request>} MountOptions
 * @typedef {import('./exchange').Endpoint} Endpoint
 */

/** Statuses whose responses have no body. */
const EMPTY = new Set([101, 204, 205, 304]);

/**
 * @param {Endpoint} endpoint
 * @param {MountOptions} options
 * @param {number} maxMessageBytes the bound of a body, beyond which the endpoint refuses it
 * @returns {(request: Request) => Promise<Response>}
 */
function fetchHandler(endpoint, options, maxMessageBytes) {
    return async request => {
        if (typeof request?.url !== 'string' || typeof request.headers?.get !== 'function') {
            throw new TypeError('the handler of fetchHandler() takes a Request; in Hono: app.all(\'/mcp\', c => handler(c.req.raw))');
        }
        const body = await fetchBody(request, maxMessageBytes);
        const principal = await options.principal?.(request) ?? undefined;
        request.signal.throwIfAborted();
        const url = new URL(request.url);
        const exchange = {
            method: request.method,
            target: mountedTarget(url.pathname + url.search, options),
            headers: headerLines(request, url),
            body,
            principal,
            attachment: request,
        };
        return new Promise((resolve, reject) => {
            /** @type {{ abort(): void } | undefined} */
            let running;
            const leave = () => {
                running?.abort();
                reject(request.signal.reason);
            };
            const response = new Answer(resolve, () => running?.abort(), () => request.signal.removeEventListener('abort', leave));
            request.signal.addEventListener('abort', leave, { once: true });
            try {
                running = endpoint.startExchange(exchange, response);
            } catch (thrown) {
                refuseExchange(thrown, response);
            }
        });
    };
}

/**
 * Reads the body, and not much more than `bound` bytes of it: what is cut off is too long in any case.
 *
 * @param {Request} request
 * @param {number} bound
 */
async function fetchBody(request, bound) {
    if (request.bodyUsed) {
        throw new Error('the body of the request was read before it came to libmcp; read a clone: request.clone().json()');
    }
    if (request.body === null) return Buffer.alloc(0);
    const pieces = [];
    let length = 0;
    for await (const piece of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (request.body))) {
        pieces.push(piece);
        length += piece.length;
        if (length > bound) break;
    }
    return Buffer.concat(pieces);
}

/**
 * Names and values by turns. A Request may have its host in its URL alone.
 *
 * @param {Request} request
 * @param {URL} url
 */
function headerLines(request, url) {
    const lines = request.headers.has('host') ? [] : ['host', url.host];
    for (const [name, value] of request.headers) lines.push(name, value);
    return lines;
}

/** Makes the Response: of one piece where its length is known, a stream otherwise. */
class Answer {
    #resolve;
    #abort;
    #ended;
    #status = 503;
    /** @type {[string, string][]} */
    #headers = [];
    /** @type {Buffer[]} */
    #pieces = [];
    /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
    #stream;
    #reader = new SlowReader();
    #over = false;

    /**
     * @param {(response: Response) => void} resolve
     * @param {() => void} abort breaks the exchange off
     * @param {() => void} ended is called behind the last piece
     */
    constructor(resolve, abort, ended) {
        this.#resolve = resolve;
        this.#abort = abort;
        this.#ended = ended;
    }

    /**
     * @param {number} status
     * @param {string[]} headers
     */
    head(status, headers) {
        this.#status = status;
        let whole = EMPTY.has(status);
        for (let index = 0; index < headers.length; index += 2) {
            this.#headers.push([headers[index], headers[index + 1]]);
            whole ||= headers[index].toLowerCase() === 'content-length';
        }
        if (whole) return;
        const stream = new ReadableStream({
            start: controller => { this.#stream = controller; },
            cancel: () => {
                this.#over = true;
                this.#abort();
            },
        }, new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }));
        this.#resolve(new Response(stream, { status, headers: this.#headers }));
    }

    /** @param {Buffer} piece */
    body(piece) {
        if (this.#over) return;
        if (this.#stream === undefined) {
            this.#pieces.push(piece);
        } else if (this.#reader.isGivenUp(piece, MAX_WAITING_BYTES - (this.#stream.desiredSize ?? 0))) {
            this.#over = true;
            this.#stream.error(new Error('the client reads too slowly'));
            this.#abort();
        } else {
            this.#stream.enqueue(piece);
        }
    }

    end() {
        this.#ended();
        if (this.#stream !== undefined) {
            if (!this.#over) this.#stream.close();
            this.#over = true;
            return;
        }
        const body = EMPTY.has(this.#status) ? null : Buffer.concat(this.#pieces);
        this.#resolve(new Response(body, { status: this.#status, headers: this.#headers }));
    }
}

module.exports = { fetchHandler };

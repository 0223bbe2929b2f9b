// @ts-check
'use strict';

// What the handler of a resource returns: its contents, a text, or bytes.

const { encodedContents, isBytes } = require('./content_bytes');
const { jsonText } = require('./json_text');
const { text } = require('./result');
const { named } = require('./schema');

/**
 * @typedef Read
 * @property {string} [mimeType] that of the definition
 * @property {import('../index.js').CacheHint} [cacheHint] that of the registration
 */

/**
 * @param {string} uri that was asked for
 * @param {unknown} value what the handler returned
 * @param {Read} [registered]
 * @returns {string} the end of its call
 */
function resourceResult(uri, value, { mimeType, cacheHint } = {}) {
    if (typeof value === 'string' && cacheHint === undefined) return text(value);
    const what = `the result of resource "${uri}"`;
    const result = whole(value, what);
    const contents = result.contents.map((/** @type {any} */ one) => completed(one, uri, mimeType));
    const hint = result.ttlMs === undefined && result.cacheScope === undefined ? cacheHint : undefined;
    return jsonText({ ...result, ...hint, contents }, what);
}

/**
 * @param {any} value
 * @param {string} what
 */
function whole(value, what) {
    if (typeof value === 'string') return { contents: [{ text: value }] };
    if (isBytes(value)) return { contents: [{ blob: value }] };
    if (Array.isArray(value?.contents)) return value;
    const is = value === undefined ? 'undefined' : named(value);
    throw new TypeError(`${what} is ${is}; return { contents: […] }, a string or a Buffer, or throw a NotFoundError`);
}

/**
 * Contents with what the registration says of them. That of other URIs is their author's alone.
 *
 * @param {any} contents
 * @param {string} uri
 * @param {string | undefined} mimeType
 */
function completed(contents, uri, mimeType) {
    if (contents === null || typeof contents !== 'object') return contents;
    const own = contents.uri === undefined || contents.uri === uri;
    return encodedContents({ uri, ...(own && mimeType !== undefined && { mimeType }), ...contents });
}

module.exports = { resourceResult };

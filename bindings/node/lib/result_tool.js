// @ts-check
'use strict';

// What the handler of a tool returns: a CallToolResult, a text, or any other JSON value.

const { encodedBlock, isBytes } = require('./content_bytes');
const { jsonText } = require('./json_text');
const { structured, text } = require('./result');

const MEMBERS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);
const BLOCKS = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

/**
 * @param {string} tool its name
 * @param {unknown} value what its handler returned
 * @param {import('./tool_schemas').Checked | undefined} output its output schema
 * @returns {string | Promise<string>} the end of its call
 */
function toolResult(tool, value, output) {
    const what = `the result of tool "${tool}"`;
    if (output === undefined && typeof value === 'string') return text(value);
    refuse(value, what);
    if (!isCallToolResult(value, output !== undefined)) {
        return after(parsed(output, value), content => structured(jsonText(content, what)));
    }
    const result = /** @type {Record<string, any>} */ (value);
    const finish = (/** @type {unknown} */ content) => jsonText({
        ...result,
        ...(Array.isArray(result.content) && { content: result.content.map(encodedBlock) }),
        ...(content !== undefined && { structuredContent: content }),
    }, what);
    if (result.isError === true || result.structuredContent === undefined) return finish(result.structuredContent);
    return after(parsed(output, result.structuredContent), finish);
}

/**
 * @param {import('./tool_schemas').Checked | undefined} output
 * @param {unknown} value
 */
function parsed(output, value) {
    return output?.parse === undefined ? value : output.parse(value);
}

/**
 * @param {unknown} value perhaps a promise
 * @param {(value: unknown) => string} then
 */
function after(value, then) {
    return value instanceof Promise ? value.then(then) : then(value);
}

/**
 * Whether an object is a whole result: it has content blocks or structured content, and nothing beside. One with blocks and
 * something beside is taken for one that is misspelled, unless an output schema can have asked for just that.
 *
 * @param {unknown} value
 * @param {boolean} hasOutputSchema
 */
function isCallToolResult(value, hasOutputSchema) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    const { content, structuredContent } = /** @type {Record<string, unknown>} */ (value);
    const blocks = Array.isArray(content) && content.every(isBlock);
    if (!blocks && structuredContent === undefined) return false;
    const whole = Object.keys(value).every(key => MEMBERS.has(key));
    return whole || (!hasOutputSchema && blocks && content.length > 0);
}

/** @param {any} block */
function isBlock(block) {
    return block !== null && typeof block === 'object' && BLOCKS.has(block.type);
}

/**
 * Values that JSON would make something else of, without a word.
 *
 * @param {unknown} value
 * @param {string} what
 */
function refuse(value, what) {
    if (value === undefined) {
        throw new TypeError(`${what} is undefined; return a string, a CallToolResult or any other JSON value, null where there is nothing to say`);
    }
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${what} is ${value}; JSON has no such number`);
    if (isBytes(value)) {
        throw new TypeError(`${what} is bytes; return them in a content block: { content: [{ type: 'image', data, mimeType: 'image/png' }] }`);
    }
    if (value instanceof Error) throw new TypeError(`${what} is an Error; throw it`, { cause: value });
    if (typeof (/** @type {any} */ (value)?.next) === 'function' && Symbol.toStringTag in Object(value)) {
        throw new TypeError(`${what} is a generator; return the whole result, and use ctx.progress for its parts`);
    }
    if (value instanceof Map || value instanceof Set) {
        throw new TypeError(`${what} is a ${value.constructor.name}, of which JSON would keep nothing; return an object or an array`);
    }
}

module.exports = { toolResult };

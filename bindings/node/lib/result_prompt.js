// @ts-check
'use strict';

// What the handler of a prompt returns: its messages, or the text of one that the user says.

const { encodedBlock } = require('./content_bytes');
const { jsonText } = require('./json_text');
const { text } = require('./result');
const { named } = require('./schema');

/**
 * @param {string} prompt its name
 * @param {any} value what its handler returned
 * @returns {string} the end of its call
 */
function promptResult(prompt, value) {
    if (typeof value === 'string') return text(value);
    const what = `the result of prompt "${prompt}"`;
    if (!Array.isArray(value?.messages)) {
        throw new TypeError(`${what} is ${value === undefined ? 'undefined' : named(value)}; return { messages: […] } or a string`);
    }
    const messages = value.messages.map((/** @type {any} */ message) =>
        message !== null && typeof message === 'object' ? { ...message, content: encodedBlock(message.content) } : message);
    return jsonText({ ...value, messages }, what);
}

module.exports = { promptResult };

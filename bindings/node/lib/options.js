// @ts-check
'use strict';

// Options as JavaScript writes them, `drainMs`, and as docs/limits.md does, `drain_ms`.

const { checked } = require('./environment');
const { McpError } = require('./errors');

/** @param {string} key */
function snakeCase(key) {
    return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** @param {string} key */
function camelCase(key) {
    return key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * The text of an option's value.
 *
 * @param {unknown} value
 */
function optionText(value) {
    if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(',');
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Sets one option by `set`; an error names it as the author wrote it.
 *
 * @param {() => void} set
 */
function setOption(set) {
    try {
        checked(set);
    } catch (thrown) {
        if (!(thrown instanceof McpError)) throw thrown;
        throw new McpError(thrown.code, thrown.message.replace(/"[a-z]+(?:_[a-z]+)+"|^[a-z]+(?:_[a-z]+)+(?=:)/g, camelCase));
    }
}

module.exports = { optionText, setOption, snakeCase };

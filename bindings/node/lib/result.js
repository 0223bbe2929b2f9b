// @ts-check
'use strict';

// How the addon takes the end of a call: one text, whose first character says what it is. A whole result is its JSON, which
// begins with a brace.

/**
 * Ends with a text.
 *
 * @param {string} text
 */
function text(text) {
    return `t${text}`;
}

/**
 * Ends a tool with structured content.
 *
 * @param {string} json
 */
function structured(json) {
    return `s${json}`;
}

module.exports = { text, structured };

// @ts-check
'use strict';

// What a completion returns: its values, with or without how many there are in all.

const { jsonText } = require('./json_text');
const { named } = require('./schema');

/**
 * @param {any} value what the handler returned
 * @returns {string} the end of its call
 */
function completionResult(value) {
    const completion = Array.isArray(value) ? { values: value } : value;
    if (!Array.isArray(completion?.values)) {
        throw new TypeError(`the result of a completion is ${value === undefined ? 'undefined' : named(value)}; return an array of strings, or { values: […], total }`);
    }
    return jsonText({ completion }, 'the result of a completion');
}

module.exports = { completionResult };

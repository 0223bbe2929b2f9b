// @ts-check
'use strict';

// What a completion returns: its values, with or without how many there are in all.

const { jsonText } = require('./json_text');
const { finishWhole } = require('./result');
const { named } = require('./schema');

/**
 * @param {any} value what the handler returned
 * @returns {import('./result').Finish}
 */
function completionResult(value) {
    const completion = Array.isArray(value) ? { values: value } : value;
    if (!Array.isArray(completion?.values)) {
        throw new TypeError(`the result of a completion is ${value === undefined ? 'undefined' : named(value)}; return an array of strings, or { values: […], total }`);
    }
    return finishWhole(jsonText({ completion }, 'the result of a completion'));
}

module.exports = { completionResult };

// @ts-check
'use strict';

// The name of a question that its author did not name: the same in each round, as long as the question is.

/**
 * @param {string} method
 * @param {object | undefined} params
 */
function questionKey(method, params) {
    // Loaded where it is needed: it takes time and memory that most servers never need.
    const { createHash } = require('node:crypto');
    const digest = createHash('sha256').update(JSON.stringify([method, params])).digest('base64url');
    return `${method}-${digest.slice(0, 16)}`;
}

module.exports = { questionKey };

// @ts-check
'use strict';

// What handlers return, made into what the core finishes a call with.

/**
 * @typedef Finish
 * @property {0 | 1 | 2 | 3} kind one of those below
 * @property {string} text
 * @property {Uint8Array} [bytes] of BYTES
 */

/** One text. */
const TEXT = 0;
/** The structured content of a tool, as JSON. */
const STRUCTURED = 1;
/** A whole result of the specification, as JSON. */
const WHOLE = 2;
/** The bytes of a resource. */
const BYTES = 3;

/**
 * @param {string} text
 * @returns {Finish}
 */
function finishText(text) {
    return { kind: TEXT, text };
}

/**
 * @param {string} text
 * @returns {Finish}
 */
function finishWhole(text) {
    return { kind: WHOLE, text };
}

module.exports = { TEXT, STRUCTURED, WHOLE, BYTES, finishText, finishWhole };

// @ts-check
'use strict';

// The keys of an object that a program gives: one that is unknown would be without effect, and nobody would notice.

const { McpError } = require('./errors');

/** In letters that are other, missing or too many. */
const NEAR = 2;

/**
 * @param {string} what has the keys, as `tool "forecast"`
 * @param {object} given
 * @param {readonly string[]} known
 * @param {Record<string, string>} [advice] for keys that stand elsewhere, by the key
 */
function checkKeys(what, given, known, advice = {}) {
    const unknown = Object.keys(given).find(key => !known.includes(key));
    if (unknown === undefined) return;
    throw new McpError('INVALID_ARGUMENT', `${what}: unknown key "${unknown}"; ${Object.hasOwn(advice, unknown) ? advice[unknown] : wayOut(unknown, known)}`);
}

/**
 * @param {string} unknown
 * @param {readonly string[]} known
 */
function wayOut(unknown, known) {
    const [nearest, distance] = known
        .map(key => /** @type {[string, number]} */ ([key, distanceOf(unknown.toLowerCase(), key.toLowerCase())]))
        .reduce((a, b) => b[1] < a[1] ? b : a);
    return distance <= NEAR ? `did you mean "${nearest}"?` : `known are ${known.join(', ')}`;
}

/**
 * The Levenshtein distance.
 *
 * @param {string} a
 * @param {string} b
 */
function distanceOf(a, b) {
    if (Math.abs(a.length - b.length) > NEAR) return NEAR + 1;
    let row = Array.from({ length: b.length + 1 }, (_, index) => index);
    for (let at = 1; at <= a.length; at++) {
        const next = [at];
        for (let to = 1; to <= b.length; to++) {
            next.push(Math.min(row[to] + 1, next[to - 1] + 1, row[to - 1] + Number(a[at - 1] !== b[to - 1])));
        }
        row = next;
    }
    return row[b.length];
}

module.exports = { checkKeys };

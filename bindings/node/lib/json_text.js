// @ts-check
'use strict';

// Writes a value of an author's as JSON, and says what is wrong with one that cannot be.

/**
 * @param {unknown} value
 * @param {string} what as `the result of tool "add"`, for errors
 * @returns {string}
 */
function jsonText(value, what) {
    let text;
    try {
        text = JSON.stringify(value);
    } catch (reason) {
        const { at, fault } = faultOf(value, reason);
        throw new TypeError(`${what} cannot be written as JSON: ${at === '' ? 'it' : at} ${fault}`, { cause: reason });
    }
    // JSON.stringify writes half a surrogate pair as an escape, which strict readers refuse: it becomes U+FFFD, as in any text.
    if (text?.includes('\\ud')) text = JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? inner.replace(/\p{Surrogate}/gu, '\uFFFD') : inner));
    if (text === undefined) throw new TypeError(`${what} is ${typeof value === 'object' ? 'nothing, by its toJSON()' : article(value)}; JSON has no such value`);
    return text;
}

/** @param {unknown} value */
function article(value) {
    return value === undefined ? 'undefined' : `a ${typeof value}`;
}

/**
 * Where JSON.stringify failed, and why.
 *
 * @param {unknown} root
 * @param {unknown} reason
 * @returns {{ at: string, fault: string }}
 */
function faultOf(root, reason) {
    const parents = /** @type {unknown[]} */ ([]);
    /**
     * @param {unknown} value
     * @param {string} at
     * @returns {{ at: string, fault: string } | undefined}
     */
    const find = (value, at) => {
        if (typeof value === 'bigint') return { at, fault: 'is a BigInt; use a number, or a string where it is beyond 2^53' };
        if (value === null || typeof value !== 'object') return undefined;
        if (parents.includes(value)) return { at, fault: 'contains itself' };
        if (typeof (/** @type {any} */ (value).toJSON) === 'function') return undefined;
        parents.push(value);
        for (const [name, inner] of Object.entries(value)) {
            const found = find(inner, `${at}/${name}`);
            if (found !== undefined) return found;
        }
        parents.pop();
        return undefined;
    };
    let found;
    try {
        found = find(root, '');
    } catch {
        // a getter that throws, or a depth that no stack holds: the engine's own words do
    }
    return found ?? { at: '', fault: `fails (${reason instanceof Error ? reason.message : String(reason)})` };
}

module.exports = { jsonText };

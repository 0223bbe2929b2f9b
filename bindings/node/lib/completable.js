// @ts-check
'use strict';

// What completes an argument of a prompt, kept beside its schema.

/**
 * @typedef {import('../index.js').CompleteCallback} CompleteCallback
 * @typedef {import('../index.js').StandardSchema<any, any>} StandardSchema
 */

/** @type {WeakMap<object, CompleteCallback>} */
const callbacks = new WeakMap();

/**
 * @template {StandardSchema} S
 * @param {S} schema
 * @param {CompleteCallback} complete
 * @returns {S}
 */
function completable(schema, complete) {
    if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) {
        throw new TypeError('completable(schema, complete): schema must be a schema, as z.string()');
    }
    if (typeof complete !== 'function') {
        throw new TypeError('completable(schema, complete): complete must be a function of what was typed so far');
    }
    callbacks.set(schema, complete);
    return schema;
}

/**
 * What completes the arguments of a prompt, by their names.
 *
 * @param {any} argsSchema
 * @param {Iterable<string>} names
 * @returns {Map<string, CompleteCallback>}
 */
function completionsOf(argsSchema, names) {
    // zod has the fields of an object in `shape`; a raw shape is the fields.
    const fields = argsSchema?.shape ?? argsSchema ?? {};
    const found = new Map();
    for (const name of names) {
        const complete = Object.hasOwn(fields, name) ? callbackOf(fields[name]) : undefined;
        if (complete !== undefined) found.set(name, complete);
    }
    return found;
}

/**
 * That of a schema, or of the one of zod that it makes optional or describes.
 *
 * @param {any} schema
 * @returns {CompleteCallback | undefined}
 */
function callbackOf(schema) {
    for (let at = schema; at !== null && (typeof at === 'object' || typeof at === 'function');) {
        const complete = callbacks.get(at);
        if (complete !== undefined) return complete;
        at = at._zod?.def?.innerType ?? at._zod?.parent ?? null;
    }
    return undefined;
}

module.exports = { completable, completionsOf };

// @ts-check
'use strict';

// A schema as authors give it, turned into the JSON Schema that is published and the check that runs before a handler or
// behind it. No schema library is imported: each is used through what its schemas offer themselves.

const { rawShape } = require('./schema_raw_shape');

/**
 * @typedef {import('../index.js').StandardSchema<any, any>} StandardSchema
 * @typedef {import('../index.js').StandardResult<any>} StandardResult
 * @typedef {Record<string, any>} Json
 * @typedef {'input' | 'output'} Direction
 *
 * @typedef Compiled
 * @property {Json} json What is published.
 * @property {((value: unknown) => StandardResult | Promise<StandardResult>) | undefined} validate
 *     What the schema's own library says of a value; undefined for a JSON Schema, which the core checks.
 */

const TARGET = 'draft-2020-12';

/**
 * @param {unknown} schema
 * @param {string} what as `tool "add": inputSchema`, for errors
 * @param {Direction} direction whether a value goes in, or what becomes of it comes out
 * @returns {Compiled | undefined} undefined where there is no schema
 */
function compileSchema(schema, what, direction) {
    if (schema === undefined || schema === null) return undefined;
    if (isStandard(schema)) {
        return { json: withObjectRoot(jsonOf(schema, what, direction), direction), validate: validateOf(schema) };
    }
    if (typeof schema !== 'object' || Array.isArray(schema)) {
        throw new TypeError(`${what} is ${named(schema)}; it takes a JSON Schema, a Standard Schema, or an object of Standard Schemas`);
    }
    const fields = Object.entries(schema);
    const standard = fields.filter(([, field]) => isStandard(field));
    if (standard.length === 0 && !(fields.length === 0 && direction === 'input')) {
        return { json: /** @type {Json} */ (schema), validate: undefined };
    }
    const other = fields.find(([, field]) => !isStandard(field));
    if (other !== undefined) {
        throw new TypeError(`${what}: "${other[0]}" is ${named(other[1])}, beside "${standard[0]?.[0]}", which is a schema; either all are schemas or none`);
    }
    return rawShape(Object.fromEntries(standard), what, direction, { jsonOf, validateOf });
}

/**
 * @param {unknown} value
 * @returns {value is StandardSchema}
 */
function isStandard(value) {
    return value !== null && (typeof value === 'object' || typeof value === 'function')
        && typeof /** @type {any} */ (value)['~standard']?.validate === 'function';
}

/**
 * The JSON Schema that a Standard Schema has of itself.
 *
 * @param {any} schema
 * @param {string} what
 * @param {Direction} direction
 * @returns {Json}
 */
function jsonOf(schema, what, direction) {
    const standard = schema['~standard'];
    let json;
    try {
        if (typeof standard.jsonSchema?.[direction] === 'function') {
            json = standard.jsonSchema[direction]({ target: TARGET });
        } else if (standard.vendor === 'zod' && typeof schema.toJSONSchema === 'function') {
            json = schema.toJSONSchema({ target: TARGET, io: direction });
        }
    } catch (reason) {
        const said = reason instanceof Error ? reason.message : String(reason);
        throw new TypeError(`${what} has no JSON Schema (${standard.vendor} says: ${said}); change it, or give the JSON Schema itself`, { cause: reason });
    }
    if (json === null || typeof json !== 'object') {
        throw new TypeError(`${what} is a schema of ${standard.vendor} that cannot say its JSON Schema; ${wayOut(standard.vendor)}`);
    }
    return json;
}

/** @param {string} vendor */
function wayOut(vendor) {
    switch (vendor) {
        case 'zod':
            return 'use zod 4.2 or newer, or give z.toJSONSchema(schema)';
        case 'valibot':
            return 'wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema';
        default:
            return 'give the JSON Schema itself';
    }
}

/** @param {StandardSchema} schema */
function validateOf(schema) {
    return (/** @type {unknown} */ value) => schema['~standard'].validate(value);
}

/**
 * The arguments of a tool are an object. A union of objects does not say so at its root, and must.
 *
 * @param {Json} json
 * @param {Direction} direction
 */
function withObjectRoot(json, direction) {
    if (direction === 'output' || json.type !== undefined) return json;
    return { type: 'object', ...json };
}

/** @param {unknown} value */
function named(value) {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'an array';
    return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

module.exports = { compileSchema, isStandard, named };

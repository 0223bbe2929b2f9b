// @ts-check
'use strict';

// An object of schemas by the name of their argument, put together without the library that made them.

/**
 * @typedef {import('./schema').Json} Json
 * @typedef {import('./schema').Direction} Direction
 * @typedef {import('./schema').StandardSchema} StandardSchema
 * @typedef {import('./schema').StandardResult} StandardResult
 * @typedef Reading
 * @property {(schema: any, what: string, direction: Direction) => Json} jsonOf
 * @property {(schema: StandardSchema) => (value: unknown) => StandardResult | Promise<StandardResult>} validateOf
 */

/**
 * @param {Record<string, StandardSchema>} shape
 * @param {string} what
 * @param {Direction} direction
 * @param {Reading} reading
 * @returns {import('./schema').Compiled}
 */
function rawShape(shape, what, direction, { jsonOf, validateOf }) {
    /** @type {Json} */
    const properties = {};
    const required = [];
    const checks = /** @type {[string, ReturnType<Reading['validateOf']>][]} */ ([]);
    for (const [name, schema] of Object.entries(shape)) {
        const { $schema, ...json } = jsonOf(schema, `${what}: "${name}"`, direction);
        define(properties, name, moved(json, `#/properties/${pointerStep(name)}`));
        if (!takesUndefined(schema, direction)) required.push(name);
        checks.push([name, validateOf(schema)]);
    }
    const json = { type: 'object', properties, ...(required.length > 0 && { required }) };
    return { json, validate: value => validate(checks, value) };
}

/**
 * What is not in the shape is left out, as z.object leaves it out.
 *
 * @param {[string, (value: unknown) => StandardResult | Promise<StandardResult>][]} checks
 * @param {unknown} value
 * @returns {StandardResult | Promise<StandardResult>}
 */
function validate(checks, value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        return { issues: [{ message: 'must be an object' }] };
    }
    const given = /** @type {Record<string, unknown>} */ (value);
    const results = checks.map(([name, check]) => check(Object.hasOwn(given, name) ? given[name] : undefined));
    const joined = (/** @type {StandardResult[]} */ settled) => join(checks, given, settled);
    return results.some(result => result instanceof Promise)
        ? Promise.all(results).then(joined)
        : joined(/** @type {StandardResult[]} */ (results));
}

/**
 * @param {[string, unknown][]} checks
 * @param {Record<string, unknown>} given
 * @param {StandardResult[]} results
 * @returns {StandardResult}
 */
function join(checks, given, results) {
    /** @type {Record<string, unknown>} */
    const out = {};
    const issues = [];
    for (const [index, [name]] of checks.entries()) {
        const result = results[index];
        if (result.issues !== undefined) {
            issues.push(...result.issues.map(issue => ({ message: issue.message, path: [name, ...(issue.path ?? [])] })));
        } else if (result.value !== undefined || Object.hasOwn(given, name)) {
            define(out, name, result.value);
        }
    }
    return issues.length > 0 ? { issues } : { value: out };
}

/**
 * Whether an argument may be left out. A schema is asked by trying; one of zod must say so too, as those that take anything
 * still want to be given something.
 *
 * @param {any} schema
 * @param {Direction} direction
 */
function takesUndefined(schema, direction) {
    const zod = schema._zod;
    if (zod !== undefined && direction === 'output') return zod.optout === 'optional';
    if (zod !== undefined && zod.optin === undefined) return false;
    const result = schema['~standard'].validate(undefined);
    if (result instanceof Promise) {
        result.catch(() => {}); // a check that fails on undefined does not take it, however it says so
        return zod !== undefined;
    }
    if (result.issues !== undefined) return false;
    return direction === 'input' || result.value === undefined;
}

/** Keywords whose values are schemas by name, and those whose values are data and no schemas. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['const', 'default', 'enum', 'examples']);

/**
 * A schema that stood at the root and stands at `base` now: its references follow.
 *
 * @param {any} schema
 * @param {string} base
 * @returns {any}
 */
function moved(schema, base) {
    if (Array.isArray(schema)) return schema.map(item => moved(item, base));
    if (schema === null || typeof schema !== 'object') return schema;
    /** @type {Json} */
    const out = {};
    for (const [key, value] of Object.entries(schema)) {
        if (key === '$ref' && typeof value === 'string' && (value === '#' || value.startsWith('#/'))) {
            out[key] = base + value.slice(1);
        } else if (BY_NAME.has(key) && value !== null && typeof value === 'object') {
            out[key] = {};
            for (const [name, inner] of Object.entries(value)) define(out[key], name, moved(inner, base));
        } else {
            define(out, key, DATA.has(key) ? value : moved(value, base));
        }
    }
    return out;
}

/** @param {string} name */
function pointerStep(name) {
    return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/**
 * Sets a member of any name: `__proto__` too.
 *
 * @param {object} target
 * @param {string} name
 * @param {unknown} value
 */
function define(target, name, value) {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

module.exports = { rawShape };

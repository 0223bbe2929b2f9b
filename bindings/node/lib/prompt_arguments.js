// @ts-check
'use strict';

// The arguments of a prompt: strings, each with a name, a description, and whether it must be there.

const { completionsOf } = require('./completable');
const { ProtocolError } = require('./errors');
const { compileSchema, named } = require('./schema');
const { describeProblems } = require('./schema_problems');
const { checked } = require('./tool_schemas');

/**
 * @typedef PromptArguments
 * @property {{ name: string, title?: string, description?: string, required?: boolean }[]} list What is published.
 * @property {((value: unknown) => unknown) | undefined} parse
 *     The arguments with defaults and transformations, or a promise of them; fails with an error of JSON-RPC.
 * @property {Map<string, import('../index.js').CompleteCallback>} completions What completes them.
 */

/** What a JSON Schema may say of an argument: the protocol has words for no more, and nobody would check it. */
const TOLD = new Set(['type', 'title', 'description']);
const INVALID_PARAMS = -32602;

/**
 * @param {string} prompt its name
 * @param {unknown} argsSchema
 * @returns {PromptArguments}
 */
function promptArguments(prompt, argsSchema) {
    const what = `prompt "${prompt}": argsSchema`;
    const compiled = compileSchema(argsSchema, what, 'input');
    if (compiled === undefined) return { list: [], parse: undefined, completions: new Map() };
    const { type, properties, required = [] } = compiled.json;
    if (type !== 'object' || (properties !== undefined && (properties === null || typeof properties !== 'object'))) {
        throw new TypeError(`${what} must be an object of arguments: {"type": "object", "properties": {…}}`);
    }
    if (compiled.validate === undefined) checkJsonSchema(what, properties ?? {});
    const list = Object.entries(properties ?? {}).map(([name, property]) => ({
        name,
        ...(typeof property?.title === 'string' && { title: property.title }),
        ...(typeof property?.description === 'string' && { description: property.description }),
        ...(required.includes(name) && { required: true }),
    }));
    const { parse } = /** @type {import('./tool_schemas').Checked} */ (checked(compiled, issues =>
        new ProtocolError(INVALID_PARAMS, describeProblems(`Invalid arguments for prompt "${prompt}"`, issues, 'the arguments'))));
    return { list, parse, completions: completionsOf(argsSchema, list.map(({ name }) => name)) };
}

/**
 * @param {string} what
 * @param {Record<string, any>} properties
 */
function checkJsonSchema(what, properties) {
    for (const [name, property] of Object.entries(properties)) {
        if (property === null || typeof property !== 'object') {
            throw new TypeError(`${what}: "${name}" is ${named(property)}; an argument is an object, as {"type": "string"}`);
        }
        if ((property.type ?? 'string') !== 'string') {
            throw new TypeError(`${what}: "${name}" must be a string, as all arguments of prompts; a Standard Schema can make something else of it`);
        }
        const other = Object.keys(property).find(keyword => !TOLD.has(keyword));
        if (other !== undefined) {
            throw new TypeError(`${what}: "${name}" has "${other}", which nobody would check; a JSON Schema of a prompt has ${[...TOLD].join(', ')}, a Standard Schema anything`);
        }
    }
}

module.exports = { promptArguments };

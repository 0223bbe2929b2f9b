// @ts-check
'use strict';

// The two schemas of a tool: what its arguments must be before its handler runs, and its structured content behind it.

const { ToolError } = require('./errors');
const { compileSchema } = require('./schema');
const { describeProblems } = require('./schema_problems');

/**
 * @typedef Checked
 * @property {Record<string, any>} json What is published.
 * @property {((value: unknown) => unknown) | undefined} parse
 *     The value with defaults and transformations, or a promise of it; throws or rejects where the value is wrong.
 */

/**
 * @param {string} tool its name
 * @param {unknown} schema
 * @returns {Checked | undefined} Its `parse` fails with a ToolError that lists each problem for the model.
 */
function inputSchema(tool, schema) {
    return checked(compileSchema(schema, `tool "${tool}": inputSchema`, 'input'), issues =>
        new ToolError(describeProblems(`Invalid arguments for tool "${tool}"`, issues, 'the arguments')));
}

/**
 * @param {string} tool its name
 * @param {unknown} schema
 * @returns {Checked | undefined} Its `parse` fails with an error for the log: the model cannot mend what the tool returns.
 */
function outputSchema(tool, schema) {
    return checked(compileSchema(schema, `tool "${tool}": outputSchema`, 'output'), issues =>
        new TypeError(describeProblems(`The result of tool "${tool}" does not match its outputSchema`, issues, 'the whole')));
}

/**
 * @param {import('./schema').Compiled | undefined} compiled
 * @param {(issues: ReadonlyArray<import('../index.js').StandardIssue>) => Error} failure
 * @returns {Checked | undefined}
 */
function checked(compiled, failure) {
    if (compiled === undefined) return undefined;
    const { json, validate } = compiled;
    if (validate === undefined) return { json, parse: undefined };
    /** @param {import('./schema').StandardResult} result */
    const settle = result => {
        if (result.issues !== undefined) throw failure(result.issues);
        return result.value;
    };
    return {
        json,
        parse: value => {
            const result = validate(value);
            return result instanceof Promise ? result.then(settle) : settle(result);
        },
    };
}

module.exports = { inputSchema, outputSchema, checked };

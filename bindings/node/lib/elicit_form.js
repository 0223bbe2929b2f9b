// @ts-check
'use strict';

// The form of an elicitation, from a schema: forms know fewer keywords than schemas, and the schema checks the answer.

const { ToolError } = require('./errors');
const { compileSchema } = require('./schema');
const { describeProblems } = require('./schema_problems');
const { checked } = require('./tool_schemas');

/** Keywords that a form has no words for, and that the schema itself checks when the answer is there. */
const LEFT_OUT = new Set(['pattern', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);
const FORMATS = new Set(['email', 'uri', 'date', 'date-time']);

/**
 * @param {unknown} schema none asks for consent alone
 * @returns {import('./tool_schemas').Checked}
 */
function elicitForm(schema) {
    const compiled = compileSchema(schema ?? { type: 'object', properties: {} }, 'elicit(): requestedSchema', 'input');
    if (compiled === undefined) throw new TypeError('elicit(): requestedSchema is missing');
    const form = /** @type {import('./tool_schemas').Checked} */ (checked(compiled, issues =>
        new ToolError(describeProblems('The answer does not fit the question', issues, 'the answer'))));
    return form.parse === undefined ? form : { json: formOf(form.json), parse: form.parse };
}

/** @param {Record<string, any>} json */
function formOf({ $schema, additionalProperties, properties = {}, ...json }) {
    const fields = Object.entries(properties).map(([name, field]) => [name, fieldOf(/** @type {any} */ (field))]);
    return { ...json, properties: Object.fromEntries(fields) };
}

/** @param {Record<string, any>} field */
function fieldOf(field) {
    const told = Object.entries(field).filter(([keyword, value]) =>
        !LEFT_OUT.has(keyword) && (keyword !== 'format' || FORMATS.has(value)));
    return Object.fromEntries(told);
}

module.exports = { elicitForm };

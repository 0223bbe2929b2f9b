// @ts-check
'use strict';

// What the schema of an author's library says against a value, as a text with a line for each problem, like the core's.

/** @typedef {import('../index.js').StandardIssue} StandardIssue */

/** As many as the core tells. */
const MAX_PROBLEMS = 50;
/** Of one problem's text, in characters: what it quotes comes from peers. */
const MAX_MESSAGE = 1024;

/**
 * @param {string} head as `Invalid arguments for tool "add"`
 * @param {ReadonlyArray<StandardIssue>} issues
 * @param {string} whole what stands for the value itself, as "the arguments"
 */
function describeProblems(head, issues, whole) {
    const lines = issues.slice(0, MAX_PROBLEMS).map(issue => `- ${pointer(issue) || whole}: ${cut(oneLine(issue.message))}`);
    if (issues.length > MAX_PROBLEMS) lines.push(`- and ${issues.length - MAX_PROBLEMS} more`);
    return `${head} (${issues.length} problem${issues.length === 1 ? '' : 's'}):\n${lines.join('\n')}`;
}

/**
 * The JSON Pointer of a problem.
 *
 * @param {StandardIssue} issue
 */
function pointer(issue) {
    const steps = (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step));
    return cut(steps.map(step => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
}

/** @param {unknown} text */
function oneLine(text) {
    return String(text).replace(/\s*\n\s*/g, ' ');
}

/** @param {string} text */
function cut(text) {
    return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

module.exports = { describeProblems };

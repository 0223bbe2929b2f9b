// @ts-check
'use strict';

// The way of a call with named arguments, of a tool or a prompt: read, checked by the library of its schema, handled, ended.

const { Context } = require('./context');
const { isThenable } = require('./handling');

/**
 * @param {import('./server').Server} server
 * @param {((args: unknown) => unknown) | undefined} parse what the library of the schema does, or a promise of it
 * @param {(args: any, ctx: any) => unknown} handler
 * @param {(value: unknown) => string | Promise<string>} end makes the end of the call of what the handler returned
 * @returns {import('./handling').Handle}
 */
function handlingArguments(server, parse, handler, end) {
    return (call, text, attachment) => {
        const ctx = new Context(call, server, attachment);
        const args = JSON.parse(text);
        const parsed = parse === undefined ? args : parse(args);
        const value = isThenable(parsed) ? parsed.then(args => handler(args, ctx)) : handler(parsed, ctx);
        return isThenable(value) ? Promise.resolve(value).then(end) : end(value);
    };
}

exports.handlingArguments = handlingArguments;

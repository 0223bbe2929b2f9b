// @ts-check
'use strict';

// A tool of a server: what is published of it, and the way from its arguments to its result.

const { handlingArguments } = require('./argument_handling');
const { checkKeys } = require('./known_keys');
const { toolResult } = require('./result_tool');
const { inputSchema, outputSchema } = require('./tool_schemas');

/** What a tool without an input schema takes. */
const NOTHING = { type: 'object', additionalProperties: false };

const KEYS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta', 'requires', 'ui', 'visibility', 'execution'];
const ADVICE = {
    name: 'a name does not change: remove() the tool and register it again',
    callback: 'update() takes it as "handler"',
    paramsSchema: 'update() takes it as "inputSchema"',
};

class RegisteredTool {
    #offer;
    #config;
    #handler;
    #key = '';

    /**
     * @param {import('./offer').Offer} offer
     * @param {string} name
     * @param {Record<string, any>} config
     * @param {(args: any, ctx: any) => unknown} handler
     */
    constructor(offer, name, config, handler) {
        this.name = name;
        this.#offer = offer;
        this.#config = config;
        this.#handler = handler;
        this.#publish(config, handler);
    }

    /** @param {Record<string, any>} changes */
    update({ handler = this.#handler, ...changes } = {}) {
        this.#offer.demand(this.#key, `tool "${this.name}"`);
        const config = { ...this.#config, ...changes };
        this.#publish(config, handler);
        this.#config = config;
        this.#handler = handler;
    }

    remove() {
        return this.#offer.remove(this.#key, native => native.removeTool(this.name));
    }

    /**
     * @param {Record<string, any>} config
     * @param {(args: any, ctx: any) => unknown} handler
     */
    #publish(config, handler) {
        checkKeys(`tool "${this.name}"`, config, KEYS, ADVICE);
        const { inputSchema: takes, outputSchema: gives, requires = [], ui, visibility, _meta, ...rest } = config;
        const { name } = this;
        const input = inputSchema(name, takes);
        const output = outputSchema(name, gives);
        const handle = handlingArguments(this.#offer.server, input?.parse, handler, value => toolResult(name, value, output));
        const definition = {
            name,
            ...rest,
            inputSchema: input?.json ?? NOTHING,
            outputSchema: output?.json,
            _meta: withUi(_meta, ui, visibility),
        };
        this.#key = this.#offer.put(`tool ${name}`, handle, (native, handler) =>
            native.addTool(JSON.stringify(definition), handler, requires));
    }
}

/**
 * @param {Record<string, any> | undefined} meta
 * @param {string | undefined} resourceUri
 * @param {string[] | undefined} visibility
 */
function withUi(meta, resourceUri, visibility) {
    if (resourceUri === undefined && visibility === undefined) return meta;
    const ui = { ...meta?.ui, ...(resourceUri !== undefined && { resourceUri }), ...(visibility !== undefined && { visibility }) };
    return { ...meta, ui };
}

exports.RegisteredTool = RegisteredTool;

// @ts-check
'use strict';

// A prompt of a server: what is published of it, and the way from its arguments to its messages.

const { handlingArguments } = require('./argument_handling');
const { checkKeys } = require('./known_keys');
const { promptArguments } = require('./prompt_arguments');
const { promptResult } = require('./result_prompt');

const KEYS = ['title', 'description', 'argsSchema', 'icons', '_meta', 'requires'];
const ADVICE = {
    name: 'a name does not change: remove() the prompt and register it again',
    callback: 'update() takes it as "handler"',
    arguments: 'say them by "argsSchema"',
    inputSchema: 'a prompt has "argsSchema"',
};

class RegisteredPrompt {
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
        this.#offer.demand(this.#key, `prompt "${this.name}"`);
        const config = { ...this.#config, ...changes };
        this.#publish(config, handler);
        this.#config = config;
        this.#handler = handler;
    }

    remove() {
        const removed = this.#offer.remove(this.#key, native => native.removePrompt(this.name));
        if (removed) this.#offer.completions.setPrompt(this.name, undefined);
        return removed;
    }

    /**
     * @param {Record<string, any>} config
     * @param {(args: any, ctx: any) => unknown} handler
     */
    #publish(config, handler) {
        checkKeys(`prompt "${this.name}"`, config, KEYS, ADVICE);
        const { argsSchema, requires = [], ...rest } = config;
        const { name } = this;
        const { list, parse, completions } = promptArguments(name, argsSchema);
        const handle = handlingArguments(this.#offer.server, parse, handler, value => promptResult(name, value));
        const definition = { name, ...rest, ...(list.length > 0 && { arguments: list }) };
        this.#key = this.#offer.put(`prompt ${name}`, handle, (native, handler) =>
            native.addPrompt(JSON.stringify(definition), handler, requires));
        this.#offer.completions.setPrompt(name, completions);
        this.#offer.complete();
    }
}

exports.RegisteredPrompt = RegisteredPrompt;

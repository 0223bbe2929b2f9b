// @ts-check
'use strict';

// What completes what: the callbacks of templates and of prompts' arguments first, the handler of the server for the rest.

/**
 * @typedef {import('../index.js').CompletionRequest} CompletionRequest
 * @typedef {import('../index.js').CompleteCallback} CompleteCallback
 */

class Completions {
    /** @type {Map<string, Map<string, CompleteCallback>>} */
    #prompts = new Map();
    /** @type {Map<string, (variable: string) => CompleteCallback | undefined>} */
    #templates = new Map();
    /** @type {import('../index.js').CompletionHandler | undefined} The handler for the rest. */
    handler;

    /**
     * @param {string} name
     * @param {Map<string, CompleteCallback> | undefined} callbacks undefined or empty where there are none any more
     */
    setPrompt(name, callbacks) {
        if (callbacks === undefined || callbacks.size === 0) this.#prompts.delete(name);
        else this.#prompts.set(name, callbacks);
    }

    /**
     * @param {string} uriTemplate
     * @param {import('./resource_template').ResourceTemplate | undefined} template
     */
    setTemplate(uriTemplate, template) {
        if (template === undefined || template._completed().length === 0) this.#templates.delete(uriTemplate);
        else this.#templates.set(uriTemplate, variable => template.completeCallback(variable));
    }

    /** Whether anything can be completed. */
    get any() {
        return this.handler !== undefined || this.#prompts.size > 0 || this.#templates.size > 0;
    }

    /**
     * @param {CompletionRequest} request
     * @param {import('../index.js').Context} ctx
     */
    complete(request, ctx) {
        const { ref, argument, context } = request;
        const callback = ref.type === 'ref/prompt'
            ? this.#prompts.get(ref.name)?.get(argument.name)
            : this.#templates.get(ref.uri)?.(argument.name);
        if (callback !== undefined) return callback(argument.value, context);
        return this.handler === undefined ? [] : this.handler(request, ctx);
    }
}

exports.Completions = Completions;

// @ts-check
'use strict';

// A template of resources with what completes its variables, in the shape of the TypeScript SDK.

/**
 * @typedef {import('../index.js').CompleteCallback} CompleteCallback
 * @typedef {() => { resources: import('../index.js').ListedResource[] }} ListCallback
 */

class ResourceTemplate {
    /** @type {Map<string, CompleteCallback>} */
    #complete;

    /**
     * @param {string} uriTemplate
     * @param {{ list?: ListCallback | undefined, complete?: { [variable: string]: CompleteCallback } }} [callbacks]
     */
    constructor(uriTemplate, { list, complete = {} } = {}) {
        if (typeof uriTemplate !== 'string') {
            throw new TypeError('new ResourceTemplate(uriTemplate): uriTemplate must be a string, as "notes://{folder}/{name}"');
        }
        if (list !== undefined && typeof list !== 'function') {
            throw new TypeError(`resource template "${uriTemplate}": list must be a function`);
        }
        const wrong = Object.entries(complete).find(([, callback]) => typeof callback !== 'function');
        if (wrong !== undefined) {
            throw new TypeError(`resource template "${uriTemplate}": complete.${wrong[0]} must be a function of what was typed so far`);
        }
        this.uriTemplate = uriTemplate;
        this.listCallback = list;
        this.#complete = new Map(Object.entries(complete));
    }

    /**
     * @param {string} variable
     * @returns {CompleteCallback | undefined}
     */
    completeCallback(variable) {
        return this.#complete.get(variable);
    }

    /** The variables that have a callback. */
    _completed() {
        return [...this.#complete.keys()];
    }
}

exports.ResourceTemplate = ResourceTemplate;

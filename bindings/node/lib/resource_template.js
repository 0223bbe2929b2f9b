// @ts-check
'use strict';

// A template of resources with what completes its variables, in the shape of the TypeScript SDK.

const { checkKeys } = require('./known_keys');

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
    constructor(uriTemplate, callbacks = {}) {
        if (typeof uriTemplate !== 'string') {
            throw new TypeError('new ResourceTemplate(uriTemplate): uriTemplate must be a string, as "notes://{folder}/{name}"');
        }
        checkKeys(`resource template "${uriTemplate}"`, callbacks, ['list', 'complete']);
        const { list, complete = {} } = callbacks;
        if (list !== undefined && typeof list !== 'function') {
            throw new TypeError(`resource template "${uriTemplate}": list must be a function`);
        }
        const wrong = Object.entries(complete).find(([, callback]) => typeof callback !== 'function');
        if (wrong !== undefined) {
            throw new TypeError(`resource template "${uriTemplate}": complete.${wrong[0]} must be a function of what was typed so far`);
        }
        const variables = variablesOf(uriTemplate);
        const missed = Object.keys(complete).find(variable => !variables.includes(variable));
        if (missed !== undefined) {
            throw new TypeError(`resource template "${uriTemplate}": complete.${missed} completes nothing: there is no {${missed}}`);
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

/** @param {string} uriTemplate */
function variablesOf(uriTemplate) {
    return [...uriTemplate.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)]
        .flatMap(([, list]) => list.split(',').map(variable => variable.replace(/\*$|:\d+$/, '').trim()));
}

exports.ResourceTemplate = ResourceTemplate;

// @ts-check
'use strict';

// A resource of a server, or a template of resources: what is published of it, and the way from a URI to its contents.

const { Context } = require('./context');
const { isThenable } = require('./handling');
const { checkKeys } = require('./known_keys');
const { native } = require('./native');
const { resourceResult } = require('./result_resource');

/**
 * @typedef {import('./resource_template').ResourceTemplate} ResourceTemplate
 * @typedef {(uri: URL, ...rest: any[]) => unknown} ResourceHandler
 */

const KEYS = ['title', 'description', 'mimeType', 'annotations', 'icons', '_meta', 'requires', 'cacheHint'];
const RESOURCE_KEYS = [...KEYS, 'size', 'ui'];
const TEMPLATE_KEYS = [...KEYS, 'allowTraversal'];
const ADVICE = {
    name: 'a name does not change: remove() the resource and register it again',
    uri: 'a URI does not change: remove() the resource and register it again',
    template: 'a template does not change: remove() it and register it again',
    callback: 'update() takes it as "handler"',
    readCallback: 'update() takes it as "handler"',
    metadata: 'what it has stands beside the others, as { mimeType }',
};

class RegisteredResource {
    #offer;
    #template;
    #config;
    #handler;
    #key = '';
    /** Those that the template listed. @type {RegisteredResource[]} */
    #listed = [];

    /**
     * @param {import('./offer').Offer} offer
     * @param {string} name
     * @param {string | ResourceTemplate} where
     * @param {Record<string, any>} config
     * @param {ResourceHandler} handler
     */
    constructor(offer, name, where, config, handler) {
        this.name = name;
        this.uri = typeof where === 'string' ? where : where.uriTemplate;
        this.#offer = offer;
        this.#template = typeof where === 'string' ? undefined : where;
        this.#config = config;
        this.#handler = handler;
        this.#check(config);
        const listed = this.#list();
        this.#publish(config, handler);
        this.#listed = listed.map(register => register());
    }

    /** @param {Record<string, any>} changes */
    update({ handler = this.#handler, ...changes } = {}) {
        this.#offer.demand(this.#key, `resource "${this.uri}"`);
        const config = { ...this.#config, ...changes };
        this.#check(config);
        this.#publish(config, handler);
        this.#config = config;
        this.#handler = handler;
    }

    /** @param {Record<string, any>} config */
    #check(config) {
        if (this.#template !== undefined) return checkKeys(`resource template "${this.uri}"`, config, TEMPLATE_KEYS, ADVICE);
        checkKeys(`resource "${this.uri}"`, config, RESOURCE_KEYS, ADVICE);
    }

    remove() {
        for (const listed of this.#listed.splice(0)) listed.remove();
        const removed = this.#offer.remove(this.#key, native =>
            this.#template === undefined ? native.removeResource(this.uri) : native.removeResourceTemplate(this.uri));
        if (removed && this.#template !== undefined) this.#offer.completions.setTemplate(this.uri, undefined);
        return removed;
    }

    /**
     * @param {Record<string, any>} config
     * @param {ResourceHandler} handler
     */
    #publish(config, handler) {
        const { requires = [], cacheHint, ui, allowTraversal = [], ...rest } = config;
        const { name, uri } = this;
        const template = this.#template;
        const { server } = this.#offer;
        const registered = { mimeType: rest.mimeType ?? (ui === undefined ? undefined : 'text/html;profile=mcp-app'), cacheHint };
        /** @type {import('./handling').Handle} */
        const handle = (call, text, attachment) => {
            const ctx = new Context(call, server, attachment);
            const asked = ctx.name;
            const value = template === undefined
                ? handler(new URL(asked), ctx)
                : handler(new URL(asked), JSON.parse(text), ctx);
            /** @param {unknown} value */
            const end = value => resourceResult(asked, value, registered);
            return isThenable(value) ? Promise.resolve(value).then(end) : end(value);
        };
        if (template === undefined) {
            const page = ui === undefined ? undefined : JSON.stringify(ui === true ? {} : ui);
            this.#key = this.#offer.put(`resource ${uri}`, handle, (native, handler) =>
                native.addResource(JSON.stringify({ uri, name, ...rest }), page, handler, requires));
            return;
        }
        this.#key = this.#offer.put(`template ${uri}`, handle, (native, handler) =>
            native.addResourceTemplate(JSON.stringify({ uriTemplate: uri, name, ...rest }), allowTraversal, handler, requires));
        this.#offer.completions.setTemplate(uri, template);
        this.#offer.complete();
    }

    /**
     * What registers the resources that the template lists. They are read by its handler, with the variables of their URIs.
     *
     * @returns {(() => RegisteredResource)[]}
     */
    #list() {
        const { cacheHint, requires, mimeType, allowTraversal = [] } = this.#config;
        return listedBy(this.#template).map(({ uri, name, ...rest }) => {
            const lines = native.NativeServer.matchTemplate(this.uri, allowTraversal, uri);
            if (lines === null) {
                throw new TypeError(`resource template "${this.uri}": list() names "${uri}", which is none of its URIs`);
            }
            const variables = variablesOf(lines);
            const config = { ...(mimeType !== undefined && { mimeType }), ...rest, cacheHint, requires };
            const handler = (/** @type {URL} */ url, /** @type {unknown} */ ctx) => this.#handler(url, { ...variables }, ctx);
            return () => new RegisteredResource(this.#offer, name ?? this.name, uri, config, handler);
        });
    }
}

/**
 * @param {ResourceTemplate | undefined} template
 * @returns {import('../index.js').ListedResource[]}
 */
function listedBy(template) {
    if (template?.listCallback === undefined) return [];
    const listed = /** @type {any} */ (template.listCallback());
    if (Array.isArray(listed?.resources)) return listed.resources;
    const what = `resource template "${template.uriTemplate}": list()`;
    if (isThenable(listed)) {
        Promise.resolve(listed).catch(() => {}); // what it would give is of no use any more, nor why it does not
        throw new TypeError(`${what} is asynchronous; it is asked once, and must return { resources: […] } at once: await what they are before you register the template`);
    }
    throw new TypeError(`${what} must return { resources: […] }`);
}

/** @param {string[]} lines names and values by turns */
function variablesOf(lines) {
    /** @type {Record<string, string>} */
    const variables = {};
    for (let at = 0; at < lines.length; at += 2) variables[/** @type {string} */ (lines[at])] = /** @type {string} */ (lines[at + 1]);
    return variables;
}

exports.RegisteredResource = RegisteredResource;

// @ts-check
'use strict';

// A server: what it offers, and how it serves. What many servers never need is loaded where it is asked for: each file costs
// time at the start.

const { begun, checked, environment } = require('./environment');
const { McpError } = require('./errors');
const { jsonText } = require('./json_text');
const { native } = require('./native');
const { Offer } = require('./offer');
const { optionText, setOption, snakeCase } = require('./options');
const { RegisteredTool } = require('./registered_tool');
const { Serving } = require('./serving');
const { checkInputIsFree } = require('./stdio');

class Server {
    #native;
    #offer;
    #serving = new Serving(this);
    /** @type {Promise<void> | undefined} */
    #closing;

    /**
     * @param {import('../index.js').ServerInfo} info
     * @param {import('../index.js').ServerOptions} [options]
     */
    constructor(info, options = {}) {
        if (info === null || typeof info !== 'object' || typeof info.name !== 'string') {
            throw new TypeError("new Server(info): info says who the server is, as { name: 'weather', version: '1.0.0' }");
        }
        const { name, version = '0', ...rest } = info;
        this.#native = checked(() => new native.NativeServer(environment, name, String(version)));
        this.#offer = new Offer(this, this.#native);
        for (const [key, value] of Object.entries({ ...rest, ...options })) {
            if (key === 'capabilities') throw new McpError('INVALID_ARGUMENT', 'there is no option "capabilities": they are declared by what is registered, and logging by the option "logging"');
            if (value !== undefined) setOption(() => this.#native.configure(snakeCase(key), optionText(value)));
        }
    }

    /**
     * @param {string} name
     * @param {Record<string, any>} config
     * @param {(args: any, ctx: any) => unknown} handler
     */
    registerTool(name, config, handler) {
        this.#check('registerTool', name, config, handler);
        this.#refuseTwice(`tool ${name}`, `tool "${name}"`);
        return new RegisteredTool(this.#offer, name, config, handler);
    }

    /**
     * @param {string} name
     * @param {string | import('./resource_template').ResourceTemplate} where
     * @param {Record<string, any>} config
     * @param {(uri: URL, ...rest: any[]) => unknown} handler
     */
    registerResource(name, where, config, handler) {
        this.#check('registerResource', name, config, handler);
        if (typeof where === 'string' && /\{.*\}/.test(where)) {
            throw new TypeError(`registerResource("${name}", …): "${where}" is a template; say new ResourceTemplate("${where}")`);
        }
        if (typeof where === 'string') this.#refuseTwice(`resource ${where}`, `resource "${where}"`);
        else if (typeof where?.uriTemplate === 'string') this.#refuseTwice(`template ${where.uriTemplate}`, `resource template "${where.uriTemplate}"`);
        else throw new TypeError('registerResource(name, uri, config, handler): uri must be a string or a ResourceTemplate');
        const { RegisteredResource } = require('./registered_resource');
        return new RegisteredResource(this.#offer, name, where, config, handler);
    }

    /**
     * @param {string} name
     * @param {Record<string, any>} config
     * @param {(args: any, ctx: any) => unknown} handler
     */
    registerPrompt(name, config, handler) {
        this.#check('registerPrompt', name, config, handler);
        this.#refuseTwice(`prompt ${name}`, `prompt "${name}"`);
        const { RegisteredPrompt } = require('./registered_prompt');
        return new RegisteredPrompt(this.#offer, name, config, handler);
    }

    /** @param {import('../index.js').CompletionHandler} handler */
    registerCompletion(handler) {
        if (typeof handler !== 'function') throw new TypeError('registerCompletion(handler): handler must be a function');
        this.#offer.completions.handler = handler;
        this.#offer.complete();
    }

    async serveStdio() {
        checkInputIsFree();
        const ended = this.#serving.begin();
        try {
            await begun(promise => this.#native.serveStdio(promise));
        } finally {
            ended();
        }
    }

    /** @param {import('../index.js').ListenOptions} [options] */
    async listen(options = {}) {
        const { httpOptions } = require('./http_options');
        const { Listener } = require('./listener');
        const http = httpOptions(options);
        const listener = this.#configured(() => this.#native.listen(http));
        return new Listener(listener, options, this.#serving.begin());
    }

    /** @param {import('../index.js').MountOptions<import('../index.js').NodeRequest>} [options] */
    nodeHandler(options = {}) {
        const { nodeHandler } = require('./node_handler');
        return nodeHandler(this.#endpoint(options), options, this.#native.maxMessageBytes);
    }

    /** @param {import('../index.js').MountOptions<Request>} [options] */
    fetchHandler(options = {}) {
        const { fetchHandler } = require('./fetch_handler');
        return fetchHandler(this.#endpoint(options), options, this.#native.maxMessageBytes);
    }

    /** @param {(message: string) => void} send */
    connect(send) {
        if (typeof send !== 'function') throw new TypeError('connect(send): send must be a function of a message');
        const { Session } = require('./session');
        return new Session(this.#native, send, this.#serving.begin());
    }

    /**
     * @param {string} name
     * @param {object} [args]
     * @param {number} [caller]
     */
    async callTool(name, args = {}, caller) {
        if (typeof name !== 'string') throw new TypeError('callTool(name, args): name must be a string');
        const text = jsonText(args, `callTool("${name}"): the arguments`);
        return JSON.parse(await begun(promise => this.#native.callTool(name, text, caller, promise)));
    }

    /**
     * @param {string} name
     * @param {Record<string, string>} [args]
     * @param {number} [caller]
     */
    async getPrompt(name, args = {}, caller) {
        if (typeof name !== 'string') throw new TypeError('getPrompt(name, args): name must be a string');
        const text = jsonText(args, `getPrompt("${name}"): the arguments`);
        return JSON.parse(await begun(promise => this.#native.getPrompt(name, text, caller, promise)));
    }

    /**
     * @param {string} uri
     * @param {number} [caller]
     */
    async readResource(uri, caller) {
        return JSON.parse(await begun(promise => this.#native.readResource(String(uri), caller, promise)));
    }

    tools() {
        return JSON.parse(this.#native.tools());
    }

    prompts() {
        return JSON.parse(this.#native.prompts());
    }

    resources() {
        return JSON.parse(this.#native.resources());
    }

    resourceTemplates() {
        return JSON.parse(this.#native.resourceTemplates());
    }

    /** @param {string} name */
    findTool(name) {
        const found = this.#native.findTool(name);
        return found === null ? undefined : JSON.parse(found);
    }

    /** @param {import('../index.js').Provider} provider */
    exportTools(provider) {
        return JSON.parse(checked(() => this.#native.exportTools(provider)));
    }

    /**
     * @param {string} uri
     * @param {string} [principal]
     */
    resourceUpdated(uri, principal) {
        this.#native.resourceUpdated(uri, principal);
    }

    /** @param {string} id */
    completeElicitation(id) {
        return this.#native.completeElicitation(id);
    }

    /** @param {number} [drainMs] */
    close(drainMs) {
        return this.#closing ??= begun(promise => this.#native.close(drainMs, promise)).then(() => this.#serving.end());
    }

    /** @returns {Promise<void>} */
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
        return this.close();
    }

    /** @param {number} call */
    _onBehalfOf(call) {
        const { CallServer } = require('./call_server');
        return new CallServer(this, call);
    }

    /** @param {Record<string, any>} options */
    #endpoint({ principal, ...options }) {
        const { Endpoint } = require('./exchange');
        const { httpOptions } = require('./http_options');
        if (principal !== undefined && typeof principal !== 'function') throw new TypeError('principal must be a function of the request');
        const http = httpOptions(options);
        const endpoint = this.#configured(() => this.#native.endpoint(http));
        return new Endpoint(endpoint, this);
    }

    /**
     * @template T
     * @param {() => T} open
     */
    #configured(open) {
        /** @type {T | undefined} */
        let opened;
        setOption(() => {
            opened = open();
        });
        return /** @type {T} */ (opened);
    }

    /**
     * @param {string} method
     * @param {unknown} name
     * @param {unknown} config
     * @param {unknown} handler
     */
    #check(method, name, config, handler) {
        if (typeof name !== 'string') throw new TypeError(`${method}(name, …): name must be a string`);
        if (config === null || typeof config !== 'object') throw new TypeError(`${method}("${name}", …): config must be an object, as { description: '…' }`);
        const { requires = [] } = /** @type {{ requires?: unknown }} */ (config);
        if (!Array.isArray(requires)) throw new TypeError(`${method}("${name}", …): requires must be an array, as ["elicitation.form"]`);
        if (typeof handler !== 'function') throw new TypeError(`${method}("${name}", …): handler must be a function`);
    }

    /**
     * @param {string} key
     * @param {string} what
     */
    #refuseTwice(key, what) {
        if (this.#offer.has(key)) {
            throw new McpError('BUSY', `${what} is registered already; update() or remove() what its registration returned`);
        }
    }
}

exports.Server = Server;

// @ts-check
'use strict';

// What a handler knows of its call, and may say to its client. Everything is asked of the core when it is wanted.

const { checked, environment, signals } = require('./environment');
const { InputRequired, McpError } = require('./errors');
const { jsonText } = require('./json_text');
const { checkKeys } = require('./known_keys');
const { questionKey } = require('./question_key');

/**
 * @typedef {import('../index.js').Context} Types
 * @typedef {import('./environment').Attachment} Attachment
 */

const ELICIT_ADVICE = {
    schema: 'say it by "requestedSchema"',
    url: 'elicitUrl() sends the user to a page',
    elicitationId: 'elicitUrl() sends the user to a page',
};

class Context {
    #call;
    #server;
    #attachment;
    /** @type {AbortSignal | undefined} */
    #signal;

    /**
     * @param {number} call
     * @param {import('./server').Server} server
     * @param {Attachment | undefined} attachment
     */
    constructor(call, server, attachment) {
        this.#call = call;
        this.#server = server;
        this.#attachment = attachment;
    }

    get signal() {
        return this.#signal ??= signalOf(this.#call);
    }

    get name() {
        return checked(() => environment.callName(this.#call));
    }

    get server() {
        return this.#server._onBehalfOf(this.#call);
    }

    get headers() {
        /** @type {Record<string, string>} */
        const headers = Object.create(null);
        const lines = checked(() => environment.headers(this.#call));
        for (let at = 0; at < lines.length; at += 2) {
            const [name, value] = /** @type {[string, string]} */ (lines.slice(at, at + 2));
            headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
        }
        return headers;
    }

    get principal() {
        return checked(() => environment.principal(this.#call)) ?? undefined;
    }

    get meta() {
        return JSON.parse(checked(() => environment.meta(this.#call)));
    }

    get revision() {
        return checked(() => environment.revision(this.#call));
    }

    get clientInfo() {
        const info = checked(() => environment.clientInfo(this.#call));
        return typeof info === 'string' ? JSON.parse(info) : undefined;
    }

    get clientCapabilities() {
        return JSON.parse(checked(() => environment.clientCapabilities(this.#call)));
    }

    get request() {
        return this.#attachment?.request;
    }

    get argumentsJson() {
        return checked(() => environment.arguments(this.#call));
    }

    /**
     * @param {number} value
     * @param {number} [total]
     * @param {string} [message]
     */
    progress(value, total, message) {
        if (typeof value !== 'number' || (total !== undefined && typeof total !== 'number')) {
            throw new TypeError('progress(value, total, message): value and total must be numbers');
        }
        environment.progress(this.#call, value, total, message === undefined ? message : String(message));
    }

    /**
     * @param {import('../index.js').LogLevel} level
     * @param {unknown} data
     * @param {string} [logger]
     */
    log(level, data, logger) {
        const text = jsonText(data, 'the data of log()');
        checked(() => environment.log(this.#call, String(level), text, logger));
    }

    /** @param {{ message: string, requestedSchema?: any, key?: string }} form */
    elicit(form) {
        return asked(async () => {
            if (form === null || typeof form !== 'object') throw new TypeError('elicit(form): form is an object, as { message: \'Go on?\' }');
            checkKeys('elicit()', form, ['message', 'requestedSchema', 'key', 'mode'], ELICIT_ADVICE);
            const { message, requestedSchema, key, mode = 'form' } = /** @type {typeof form & { mode?: string }} */ (form);
            if (mode !== 'form') throw new TypeError(`elicit(): its mode is "form", not "${mode}"; elicitUrl() sends the user to a page`);
            const { elicitForm } = require('./elicit_form');
            const { json, parse } = elicitForm(requestedSchema);
            const result = this.#ask(key, 'elicitation/create', { message, requestedSchema: json });
            if (result.action !== 'accept') return { action: result.action };
            const content = result.content ?? {};
            return { action: result.action, content: parse === undefined ? content : await parse(content) };
        });
    }

    /** @param {{ message: string, url: string | ((elicitationId: string) => string), key?: string }} page */
    elicitUrl({ message, url, key }) {
        return asked(async () => {
            const named = key ?? questionKey('elicitation/create', { message, url: typeof url === 'string' ? url : '' });
            const address = typeof url === 'function' ? url(checked(() => environment.elicitationId(this.#call, named))) : url;
            const { action, content } = this.#ask(named, 'elicitation/create', { mode: 'url', message, url: String(address) });
            return content === undefined ? { action } : { action, content };
        });
    }

    /** @param {import('../index.js').SampleRequest} request */
    sample({ key, messages, ...params }) {
        const said = typeof messages === 'string' ? [{ role: 'user', content: { type: 'text', text: messages } }] : messages;
        return asked(async () => this.#ask(key, 'sampling/createMessage', { messages: said, ...params }));
    }

    /** @param {{ key?: string }} [options] */
    roots({ key } = {}) {
        return asked(async () => this.#ask(key, 'roots/list', undefined).roots);
    }

    /**
     * @template T
     * @param {string} key
     * @param {() => T | PromiseLike<T>} compute
     * @returns {Promise<T>}
     */
    async memo(key, compute) {
        checkKey('memo(key, compute)', key);
        if (typeof compute !== 'function') throw new TypeError('memo(key, compute): compute must be a function');
        const kept = checked(() => environment.memo(this.#call, key));
        if (typeof kept === 'string') return JSON.parse(kept);
        const text = jsonText(await compute() ?? null, `memo("${key}")`);
        checked(() => environment.setMemo(this.#call, key, text));
        // The same now as in the rounds to come.
        return JSON.parse(text);
    }

    /** @param {string} key */
    once(key) {
        checkKey('once(key)', key);
        return checked(() => environment.once(this.#call, key));
    }

    /** @param {number} [retryMs] */
    closeStream(retryMs) {
        environment.closeStream(this.#call, retryMs);
    }

    /**
     * @param {string | undefined} key
     * @param {string} method
     * @param {object | undefined} params
     */
    #ask(key, method, params) {
        const request = jsonText({ method, params }, `the question to the client (${method})`);
        try {
            return JSON.parse(checked(() => environment.requestInput(this.#call, key ?? questionKey(method, params), request)));
        } catch (thrown) {
            if (thrown instanceof McpError && thrown.code === 'INPUT_REQUIRED') throw new InputRequired(thrown.message);
            throw thrown;
        }
    }
}

/**
 * What a question gives. The outcome of the call is fixed once it was asked: a handler that does not await the promise must
 * not end the process by a rejection that nobody handles.
 *
 * @template T
 * @param {() => Promise<T>} ask
 */
function asked(ask) {
    const answer = ask();
    answer.catch(() => {});
    return answer;
}

/**
 * @param {string} what
 * @param {unknown} key
 */
function checkKey(what, key) {
    if (typeof key !== 'string') throw new TypeError(`${what}: key must be a string`);
}

/** @param {number} call */
function signalOf(call) {
    const controller = new AbortController();
    if (environment.isCancelled(call)) {
        controller.abort(new McpError('CANCELLED', 'the call was cancelled'));
        return controller.signal;
    }
    try {
        environment.watch(call);
        signals.set(call, controller);
    } catch {
        // The call is over: its signal never comes.
    }
    return controller.signal;
}

exports.Context = Context;

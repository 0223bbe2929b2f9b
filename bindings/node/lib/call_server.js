// @ts-check
'use strict';

// The server as the handler of a call has it: what it calls is on behalf of that call.

class CallServer {
    #server;
    #call;

    /**
     * @param {import('./server').Server} server
     * @param {number} call
     */
    constructor(server, call) {
        this.#server = server;
        this.#call = call;
    }

    /**
     * @param {string} name
     * @param {object} [args]
     */
    callTool(name, args) {
        return this.#server.callTool(name, args, this.#call);
    }

    /**
     * @param {string} name
     * @param {Record<string, string>} [args]
     */
    getPrompt(name, args) {
        return this.#server.getPrompt(name, args, this.#call);
    }

    /** @param {string} uri */
    readResource(uri) {
        return this.#server.readResource(uri, this.#call);
    }

    tools() {
        return this.#server.tools();
    }

    prompts() {
        return this.#server.prompts();
    }

    resources() {
        return this.#server.resources();
    }

    resourceTemplates() {
        return this.#server.resourceTemplates();
    }

    /** @param {string} name */
    findTool(name) {
        return this.#server.findTool(name);
    }

    /** @param {import('../index.js').Provider} provider */
    exportTools(provider) {
        return this.#server.exportTools(provider);
    }

    /**
     * @param {string} uri
     * @param {string} [principal]
     */
    resourceUpdated(uri, principal) {
        this.#server.resourceUpdated(uri, principal);
    }

    /** @param {string} id */
    completeElicitation(id) {
        return this.#server.completeElicitation(id);
    }
}

exports.CallServer = CallServer;

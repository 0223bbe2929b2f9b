// A client in the process of its server: what goes over a transport of one's own is all there is to it.

export const REVISION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

/** The `_meta` of a request of the newest revision. */
export function meta(capabilities = {}, more = {}) {
    return {
        [`${PREFIX}protocolVersion`]: REVISION,
        [`${PREFIX}clientInfo`]: { name: 'test', version: '1' },
        [`${PREFIX}clientCapabilities`]: capabilities,
        ...more,
    };
}

export class Client {
    #session;
    #waiting = new Map();
    #last = 0;
    /** What came beside the answers. */
    notifications = [];

    constructor(server, { capabilities = {}, principal } = {}) {
        this.capabilities = capabilities;
        this.#session = server.connect(text => this.#take(JSON.parse(text)));
        if (principal !== undefined) this.#session.setPrincipal(principal);
    }

    #take(message) {
        if (message.id === undefined || message.method !== undefined) {
            this.notifications.push(message);
            return;
        }
        this.#waiting.get(message.id)(message);
        this.#waiting.delete(message.id);
    }

    /** The whole answer. */
    ask(method, params = {}, more = {}) {
        const id = ++this.#last;
        const answer = new Promise(resolve => this.#waiting.set(id, resolve));
        const request = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta(this.capabilities, more) } };
        this.#session.receive(JSON.stringify(request));
        return answer;
    }

    /** The result; an error of JSON-RPC is thrown. */
    async request(method, params, more) {
        const { result, error } = await this.ask(method, params, more);
        if (error !== undefined) throw Object.assign(new Error(error.message), error);
        return result;
    }

    call(name, args = {}, rest = {}) {
        return this.request('tools/call', { name, arguments: args, ...rest });
    }

    cancel(id = this.#last) {
        this.#session.receive(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
    }

    close() {
        return this.#session.close();
    }
}

/** The texts of a result, joined. */
export function textOf(result) {
    return result.content.filter(block => block.type === 'text').map(block => block.text).join('\n');
}

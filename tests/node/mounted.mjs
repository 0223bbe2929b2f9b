// A server with tools that show how it is mounted, and requests to it over HTTP as clients make them.
import { Server } from 'libmcp';

import { meta, REVISION } from './joined_client.mjs';

/** A server, and what its handlers have seen: each `wait` call says that it began, and that it was aborted. */
export function showingServer(options) {
    const server = new Server({ name: 'mounted' }, options);
    const seen = [];
    const waiting = [];
    const tell = what => {
        seen.push(what);
        for (const wake of waiting.splice(0)) wake();
    };
    server.registerTool('echo', { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text = '' }) => text);
    server.registerTool('who', {}, (_, ctx) => ({
        principal: ctx.principal ?? null,
        header: ctx.headers['x-test'] ?? null,
        request: ctx.request?.constructor.name ?? null,
        url: ctx.request?.url ?? null,
    }));
    server.registerTool('wait', {}, (_, ctx) => new Promise((resolve, reject) => {
        ctx.signal.addEventListener('abort', () => {
            tell('aborted');
            reject(ctx.signal.reason);
        });
        tell('began');
    }));
    server.registerTool('steps', {}, async (_, ctx) => {
        for (let step = 1; step <= 3; step++) {
            ctx.progress(step, 3);
            await new Promise(resolve => setTimeout(resolve, 10));
        }
        return 'done';
    });
    /** Resolves when handlers have told `what` once more than `before` times. */
    const heard = async (what, before = 0) => {
        while (seen.filter(one => one === what).length <= before) {
            await new Promise(resolve => waiting.push(resolve));
        }
    };
    return { server, heard };
}

let lastId = 0;

/** A request of the newest revision, as `fetch` takes it. */
export function post(method, params = {}, headers = {}, more = {}) {
    const body = { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: meta({}, more) } };
    return {
        method: 'POST',
        headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': REVISION,
            'mcp-method': method,
            ...(params.name !== undefined && { 'mcp-name': params.name }),
            ...headers,
        },
        body: JSON.stringify(body),
    };
}

export function toolCall(name, args = {}, headers = {}, more = {}) {
    return post('tools/call', { name, arguments: args }, headers, more);
}

/** The messages of a response, of either kind. */
export async function messagesOf(response) {
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)];
    return text.split('\n').filter(line => /^data: *\S/.test(line)).map(line => JSON.parse(line.slice(5)));
}

/** The result of the last message. */
export async function resultOf(response) {
    return (await messagesOf(response)).at(-1).result;
}

/** The port of a server of node:http that listens for the time of the test. */
export async function listening(httpServer, context) {
    await new Promise((resolve, reject) => httpServer.once('error', reject).listen(0, '127.0.0.1', resolve));
    context.after(() => {
        httpServer.closeAllConnections();
        return new Promise(resolve => httpServer.close(resolve));
    });
    return httpServer.address().port;
}

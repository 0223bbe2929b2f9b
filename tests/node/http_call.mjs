// A call over HTTP, on a connection of its own: a port may be another server's a moment later.

import { request } from 'node:http';
import { REVISION, meta } from './joined_client.mjs';

/** The head and the whole text of the answer to a POST of `message`. */
export function post(url, message, headers = {}, signal = undefined) {
    return new Promise((resolve, reject) => {
        const sent = request(url, { method: 'POST', agent: false, signal, headers: {
            'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers,
        } }, answer => {
            let text = '';
            answer.setEncoding('utf8').on('data', piece => { text += piece; }).on('error', reject);
            answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
        });
        sent.on('error', reject).end(JSON.stringify(message));
    });
}

/** The JSON-RPC answer to a call of a tool, whether it came alone or at the end of a stream. */
export async function callTool(url, name, args = {}, { headers = {}, signal, more = {} } = {}) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta({}, more) } };
    const own = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': name };
    const { headers: got, text } = await post(url, message, { ...own, ...headers }, signal);
    if (!got['content-type']?.startsWith('text/event-stream')) return JSON.parse(text);
    const events = text.split('\n').filter(line => line.startsWith('data: ')).map(line => JSON.parse(line.slice(6)));
    return { ...events.at(-1), before: events.slice(0, -1) };
}

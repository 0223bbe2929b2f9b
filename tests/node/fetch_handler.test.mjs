// A server as a function from Request to Response.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Hono } from 'hono';

import { textOf } from './joined_client.mjs';
import { post, resultOf, showingServer, toolCall } from './mounted.mjs';

const URL_OF_MOUNT = 'http://localhost/api/mcp';

/** What a mount is asked by. */
const MOUNTS = {
    'by itself': handler => init => handler(new Request(URL_OF_MOUNT, init)),
    'in Hono': handler => {
        const app = new Hono().all('/api/mcp', context => handler(context.req.raw));
        return async init => app.fetch(new Request(URL_OF_MOUNT, init));
    },
};

for (const [name, mount] of Object.entries(MOUNTS)) {
    describe(name, () => {
        function mounted(context, mountOptions, serverOptions) {
            const showing = showingServer(serverOptions);
            context.after(() => showing.server.close(0));
            return { ...showing, ask: mount(showing.server.fetchHandler(mountOptions)) };
        }

        test('answers a call in one piece', async context => {
            const { ask } = mounted(context);
            const response = await ask(toolCall('echo', { text: 'Grüß Gott 🦀' }));
            assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
            assert.equal(textOf(await resultOf(response)), 'Grüß Gott 🦀');
        });

        test('streams what comes before the answer, each piece when it comes', async context => {
            const { ask, server } = mounted(context);
            let go;
            const may = new Promise(resolve => { go = resolve; });
            server.registerTool('slow', {}, async (_, ctx) => {
                ctx.progress(1, 2);
                await may;
                return 'done';
            });
            const response = await ask(toolCall('slow', {}, {}, { progressToken: 'p' }));
            assert.match(response.headers.get('content-type'), /^text\/event-stream/);
            const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
            let read = '';
            while (!read.includes('"progress"')) read += (await reader.read()).value;
            assert.doesNotMatch(read, /done/);
            go();
            for (let piece = await reader.read(); !piece.done; piece = await reader.read()) read += piece.value;
            assert.match(read, /"text":"done"/);
        });

        test('aborts a call whose signal is aborted', async context => {
            const { ask, heard } = mounted(context);
            const gone = new AbortController();
            const response = ask({ ...toolCall('wait'), signal: gone.signal });
            await heard('began');
            gone.abort();
            // Hono turns what its handler throws into a response.
            await response.then(({ status }) => assert.equal(status, 500), reason => assert.equal(reason.name, 'AbortError'));
            await heard('aborted');
        });

        test('aborts a call whose response is cancelled', async context => {
            const { ask, server, heard } = mounted(context);
            server.registerTool('talk', {}, (_, ctx) => {
                ctx.progress(1);
                return ctx.server.callTool('wait');
            });
            const response = await ask(toolCall('talk', {}, {}, { progressToken: 1 }));
            await heard('began');
            await response.body.cancel();
            await heard('aborted');
        });

        test('has the headers, the principal, and the request itself', async context => {
            const { ask } = mounted(context, { principal: async request => request.headers.get('authorization') });
            const { structuredContent } = await resultOf(await ask(toolCall('who', {}, { 'x-test': 'h', authorization: 'ann' })));
            assert.deepEqual(structuredContent, { principal: 'ann', header: 'h', request: 'Request', url: URL_OF_MOUNT });
        });

        test('answers other methods and what is no request as the listener does', async context => {
            const { ask, server } = mounted(context);
            const listener = await server.listen();
            for (const init of [
                { ...post('tools/list'), body: '[1' },
                { method: 'GET', headers: { accept: 'text/event-stream' } },
                { method: 'DELETE' },
                { ...post('tools/list'), headers: { 'content-type': 'text/plain' } },
                { method: 'OPTIONS', headers: { origin: 'http://localhost:5', 'access-control-request-method': 'POST' } },
                { ...post('tools/list', {}, { origin: 'http://evil.example.com' }) },
                { ...post('tools/list'), body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }) },
            ]) {
                const [here, there] = [await ask(init), await fetch(listener.url, init)];
                assert.equal(here.status, there.status, JSON.stringify(init));
                assert.equal(await here.text(), await there.text());
            }
        });

        test('a body beyond maxMessageBytes is status 413', async context => {
            const { ask } = mounted(context, {}, { maxMessageBytes: 2000 });
            assert.equal((await ask(toolCall('echo', { text: 'x'.repeat(10_000) }))).status, 413);
            const pieces = new ReadableStream({ pull: controller => controller.enqueue(Buffer.alloc(1000, ' ')) });
            const { body, ...init } = toolCall('echo');
            assert.equal((await ask({ ...init, body: pieces, duplex: 'half' })).status, 413);
        });

        test('only names of this machine, and those that are allowed, are let in', async context => {
            const { server } = mounted(context);
            const handler = server.fetchHandler({ allowedHosts: ['mcp.example.com'] });
            const status = async url => (await handler(new Request(url, toolCall('echo')))).status;
            assert.deepEqual([await status('http://localhost/mcp'), await status('http://mcp.example.com/mcp'), await status('http://evil.example.com/mcp')], [200, 200, 403]);
        });

        test('path is where the endpoint is, and nowhere else', async context => {
            const { server } = mounted(context);
            const handler = server.fetchHandler({ path: '/own' });
            const status = async path => (await handler(new Request(`http://localhost${path}`, toolCall('echo')))).status;
            assert.deepEqual([await status('/own?x=1'), await status('/mcp')], [200, 404]);
        });

        test('after the server was closed, a request is status 503', async context => {
            const { ask, server } = mounted(context);
            await server.close();
            assert.equal((await ask(toolCall('echo'))).status, 503);
        });
    });
}

test('a principal that fails rejects, so that the framework answers', async () => {
    const { server } = showingServer();
    const handler = server.fetchHandler({ principal: () => { throw new Error('who?'); } });
    await assert.rejects(handler(new Request(URL_OF_MOUNT, toolCall('echo'))), /who\?/);
    const app = new Hono().all('/api/mcp', context => handler(context.req.raw));
    app.onError((error, context) => context.text(error.message, 401));
    const response = await app.request(URL_OF_MOUNT, toolCall('echo'));
    assert.deepEqual([response.status, await response.text()], [401, 'who?']);
    await server.close(0);
});

test('a body that something else has read is an error that says so', async () => {
    const { server } = showingServer();
    const handler = server.fetchHandler();
    const request = new Request(URL_OF_MOUNT, toolCall('echo', { text: 'x' }));
    assert.equal((await request.clone().json()).method, 'tools/call');
    const again = request.clone();
    assert.equal((await handler(request)).status, 200);
    await again.text();
    await assert.rejects(handler(again), /was read before it came to libmcp/);
    await server.close(0);
});

test('a client that does not read is given up', async () => {
    const { server } = showingServer({ logsPerSecond: 0 });
    const piece = 'x'.repeat(1 << 20);
    let sent = 0;
    const aborted = new Promise(resolve => {
        server.registerTool('pour', {}, async (_, ctx) => {
            ctx.signal.addEventListener('abort', resolve);
            for (; !ctx.signal.aborted && sent < 200; sent++) {
                ctx.log('info', piece);
                await new Promise(done => setImmediate(done));
            }
            resolve();
            return 'all is out';
        });
    });
    const handler = server.fetchHandler();
    const response = await handler(new Request(URL_OF_MOUNT, toolCall('pour', {}, {}, { 'io.modelcontextprotocol/logLevel': 'info' })));
    await aborted;
    assert.ok(sent < 150, `${sent} MiB were taken for a client that reads nothing`);
    await assert.rejects(response.text(), /reads too slowly/);
    await server.close(0);
});

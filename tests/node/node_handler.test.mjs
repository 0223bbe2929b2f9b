// A server in the web servers of node:http and the frameworks over it.
import assert from 'node:assert/strict';
import { createServer, request as rawRequest } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2';
import { describe, test } from 'node:test';

import express from 'express';
import fastify from 'fastify';
import { setLogHandler } from 'libmcp';

import { textOf } from './joined_client.mjs';
import { listening, messagesOf, post, resultOf, showingServer, toolCall } from './mounted.mjs';

/** Everything that is to work wherever it is mounted. */
const MOUNTS = {
    'node:http': ({ server }, context) => listening(createServer(server.nodeHandler()), context),
    'Express by use()': ({ server }, context) =>
        listening(createServer(express().use('/api/mcp', server.nodeHandler())), context),
    'Express by all(), behind express.json()': ({ server }, context) =>
        listening(createServer(express().use(express.json()).all('/api/mcp', server.nodeHandler())), context),
    'Express behind express.text() and express.raw()': ({ server }, context) => {
        const app = express().use(express.text({ type: 'text/*' })).use(express.raw({ type: '*/*' }));
        return listening(createServer(app.use('/api/mcp', server.nodeHandler())), context);
    },
    'Fastify with a parser of its own': async ({ server }, context) => {
        const app = fastify({ forceCloseConnections: true });
        const handler = server.nodeHandler();
        app.all('/api/mcp', (request, reply) => {
            reply.hijack();
            handler(Object.assign(request.raw, { body: request.body }), reply.raw);
        });
        await app.listen({ port: 0, host: '127.0.0.1' });
        context.after(() => app.close());
        return app.server.address().port;
    },
    'Fastify without': async ({ server }, context) => {
        const app = fastify({ forceCloseConnections: true });
        const handler = server.nodeHandler();
        app.removeAllContentTypeParsers();
        app.addContentTypeParser('*', (_, __, done) => done(null)); // the body stays in the raw request
        app.all('/api/mcp', (request, reply) => {
            reply.hijack();
            handler(request.raw, reply.raw);
        });
        await app.listen({ port: 0, host: '127.0.0.1' });
        context.after(() => app.close());
        return app.server.address().port;
    },
};

for (const [name, mount] of Object.entries(MOUNTS)) {
    describe(name, () => {
        async function mounted(context, options) {
            const showing = showingServer(options);
            context.after(() => showing.server.close(0));
            const port = await mount(showing, context);
            return { ...showing, port, url: `http://127.0.0.1:${port}/api/mcp` };
        }

        test('answers a call, and passes what is not ASCII', async context => {
            const { url } = await mounted(context);
            const response = await fetch(url, toolCall('echo', { text: 'Grüß Gott 🦀 "x"' }));
            assert.equal(response.status, 200);
            assert.match(response.headers.get('content-type'), /^application\/json/);
            assert.equal(textOf(await resultOf(response)), 'Grüß Gott 🦀 "x"');
        });

        test('streams what comes before the answer', async context => {
            const { url } = await mounted(context);
            const response = await fetch(url, toolCall('steps', {}, {}, { progressToken: 7 }));
            assert.match(response.headers.get('content-type'), /^text\/event-stream/);
            const messages = await messagesOf(response);
            assert.deepEqual(messages.slice(0, -1).map(({ params }) => [params.progressToken, params.progress]), [[7, 1], [7, 2], [7, 3]]);
            assert.equal(textOf(messages.at(-1).result), 'done');
        });

        test('has the headers, and the request itself', async context => {
            const { url } = await mounted(context);
            const { structuredContent } = await resultOf(await fetch(url, toolCall('who', {}, { 'x-test': 'häder' })));
            assert.deepEqual([structuredContent.principal, structuredContent.header, structuredContent.request], [null, 'häder', 'IncomingMessage']);
        });

        test('aborts a call whose client goes away', async context => {
            const { url, heard } = await mounted(context);
            const gone = new AbortController();
            const response = fetch(url, { ...toolCall('wait'), signal: gone.signal });
            await heard('began');
            gone.abort();
            await assert.rejects(response, { name: 'AbortError' });
            await heard('aborted');
        });

        test('keeps the connection for the next request', async context => {
            const { port } = await mounted(context);
            const { headers, method, body } = toolCall('echo', { text: 'x' });
            const { Agent } = await import('node:http');
            const agent = new Agent({ keepAlive: true, maxSockets: 1 });
            context.after(() => agent.destroy());
            const ask = () => new Promise((resolve, reject) => {
                const request = rawRequest({ port, path: '/api/mcp', host: '127.0.0.1', method, headers, agent }, response => {
                    response.resume().on('end', () => resolve([response.statusCode, request.reusedSocket]));
                });
                request.on('error', reject).end(body);
            });
            assert.deepEqual([await ask(), await ask()], [[200, false], [200, true]]);
        });

        test('answers what is no JSON-RPC, GET and OPTIONS as the listener does', async context => {
            const { url, server } = await mounted(context);
            const listener = await server.listen();
            for (const init of [
                { ...post('tools/list'), body: '[1' },
                { method: 'GET', headers: { accept: 'text/event-stream' } },
                { method: 'DELETE' },
                { ...post('tools/list'), headers: { 'content-type': 'text/plain' } },
                { method: 'OPTIONS', headers: { origin: 'http://localhost:5', 'access-control-request-method': 'POST' } },
                { ...post('tools/list', {}, { origin: 'http://evil.example.com' }) },
            ]) {
                // A parser in front answers by itself what is no JSON.
                if (/express\.json\(\)|parser of its own/.test(name) && init.body === '[1') continue;
                const [here, there] = [await fetch(url, init), await fetch(listener.url, init)];
                assert.equal(here.status, there.status, JSON.stringify(init));
                assert.equal(await here.text(), await there.text());
            }
        });

        test('serves sessions of older clients', async context => {
            const { url } = await mounted(context);
            const said = (body, headers) => fetch(url, {
                method: 'POST',
                headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
                body: JSON.stringify({ jsonrpc: '2.0', ...body }),
            });
            const begun = await said({
                id: 1,
                method: 'initialize',
                params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
            });
            const session = { 'mcp-session-id': begun.headers.get('mcp-session-id'), 'mcp-protocol-version': '2025-06-18' };
            assert.equal((await messagesOf(begun)).at(-1).result.protocolVersion, '2025-06-18');
            assert.equal((await said({ method: 'notifications/initialized' }, session)).status, 202);
            const called = await said({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }, session);
            assert.equal(textOf(await resultOf(called)), 'x');
            assert.equal((await fetch(url, { method: 'DELETE', headers: session })).status, 204);
        });
    });
}

describe('options', () => {
    async function mounted(context, mountOptions, serverOptions) {
        const showing = showingServer(serverOptions);
        context.after(() => showing.server.close(0));
        const port = await listening(createServer(showing.server.nodeHandler(mountOptions)), context);
        return { ...showing, port, url: `http://127.0.0.1:${port}` };
    }

    test('principal says on whose behalf a request comes', async context => {
        const { url } = await mounted(context, {
            principal: async request => request.headers.authorization?.replace('Bearer ', ''),
        });
        const who = async headers => (await resultOf(await fetch(url, toolCall('who', {}, headers)))).structuredContent.principal;
        assert.equal(await who({ authorization: 'Bearer ann' }), 'ann');
        assert.equal(await who({}), null);
    });

    test('a principal that fails is status 500, and no handler runs', async context => {
        const logged = [];
        setLogHandler(record => logged.push(record));
        context.after(() => setLogHandler(undefined));
        const { url } = await mounted(context, { principal: () => { throw new Error('pw=hunter2'); } });
        const response = await fetch(url, toolCall('echo'));
        assert.equal(response.status, 500);
        assert.doesNotMatch(await response.text(), /hunter2/);
        assert.match(logged[0].message, /hunter2/);
    });

    test('a principal that fails is the error handler\'s in Express', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        const app = express().use(server.nodeHandler({ principal: async () => { throw new Error('who?'); } }));
        app.use((error, _, response, __) => response.status(401).send(error.message));
        const port = await listening(createServer(app), context);
        const response = await fetch(`http://127.0.0.1:${port}/mcp`, toolCall('echo'));
        assert.deepEqual([response.status, await response.text()], [401, 'who?']);
    });

    test('path is where the endpoint is, and nowhere else', async context => {
        const { url } = await mounted(context, { path: '/own' });
        assert.equal((await fetch(`${url}/own?x=1`, toolCall('echo'))).status, 200);
        assert.equal((await fetch(`${url}/mcp`, toolCall('echo'))).status, 404);
    });

    test('without a path, wherever a request comes is the endpoint', async context => {
        const { url } = await mounted(context, {});
        for (const path of ['', '/', '/mcp', '/a/b?c=d']) assert.equal((await fetch(url + path, toolCall('echo'))).status, 200);
    });

    test('ssePath is beside it', async context => {
        const { url } = await mounted(context, { ssePath: '/sse' });
        const response = await fetch(`${url}/sse`, { headers: { accept: 'text/event-stream' } });
        assert.equal(response.status, 200);
        const { value } = await response.body.getReader().read();
        assert.match(Buffer.from(value).toString(), /^event: endpoint\ndata: \/sse\?/);
    });

    test('allowed hosts and origins are let in, others are not', async context => {
        const { port } = await mounted(context, { allowedHosts: ['mcp.example.com'], allowedOrigins: ['https://app.example.com'] });
        const status = headers => new Promise((resolve, reject) => {
            const { body, ...init } = toolCall('echo', {}, headers);
            rawRequest({ port, host: '127.0.0.1', ...init }, response => resolve(response.resume().statusCode)).on('error', reject).end(body);
        });
        assert.equal(await status({ host: 'mcp.example.com' }), 200);
        assert.equal(await status({ host: 'evil.example.com' }), 403);
        assert.equal(await status({ origin: 'https://app.example.com' }), 200);
        assert.equal(await status({ origin: 'https://evil.example.com' }), 403);
    });

    test('options that are misspelled are refused by name', () => {
        const { server } = showingServer();
        assert.throws(() => server.nodeHandler({ keepAliveMS: 5 }), /keepAlive/);
        assert.throws(() => server.nodeHandler({ path: 'mcp' }), /path/);
    });

    test('a body beyond maxMessageBytes is status 413, and is not kept', async context => {
        const { url } = await mounted(context, {}, { maxMessageBytes: 2000 });
        const response = await fetch(url, toolCall('echo', { text: 'x'.repeat(100_000) })).catch(error => error);
        // The server may close while the client still writes: then that is what the client sees.
        if (response instanceof Error) assert.match(String(response.cause?.code), /ECONNRESET|EPIPE|UND_ERR_SOCKET/);
        else assert.equal(response.status, 413);
        assert.equal((await fetch(url, toolCall('echo', { text: 'x' }))).status, 200);
    });
});

describe('what else may happen', () => {
    test('a body that something else has read is an error that says so', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        const app = express();
        app.use((request, _, next) => request.resume().on('end', () => next()));
        app.use(server.nodeHandler());
        app.use((error, _, response, __) => response.status(500).send(error.message));
        const port = await listening(createServer(app), context);
        const response = await fetch(`http://127.0.0.1:${port}/`, toolCall('echo'));
        assert.match(await response.text(), /was read before it came to libmcp/);
    });

    test('a response that has ended does not abort a call that goes on', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        const port = await listening(createServer(server.nodeHandler()), context);
        const url = `http://127.0.0.1:${port}/`;
        for (let round = 0; round < 50; round++) {
            const responses = await Promise.all(Array.from({ length: 8 }, (_, index) => fetch(url, toolCall('echo', { text: `${round} ${index}` }))));
            const texts = await Promise.all(responses.map(async response => textOf(await resultOf(response))));
            assert.deepEqual(texts, responses.map((_, index) => `${round} ${index}`));
        }
    });

    test('a response that the program has begun or ended itself is the program\'s', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        const records = [];
        let open; // the response that the program ends once the log has said what became of the answer
        setLogHandler(record => {
            records.push(record);
            open.end();
        });
        context.after(() => setLogHandler(undefined));
        const uncaught = [];
        const caught = error => uncaught.push(error);
        process.on('uncaughtException', caught);
        context.after(() => process.off('uncaughtException', caught));
        const begun = (args, { request }) => { (open = request.own.writeHead(202)).write('mine'); return 'late'; };
        const ended = (args, { request }) => { request.own.end('mine'); return 'late'; };
        // A piece so large that the response is still being sent when the messages behind it come.
        const large = Buffer.alloc(32 << 20, 'x');
        const inTheMiddle = async (args, ctx) => {
            ctx.progress(1);
            while (!ctx.request.own.headersSent) await new Promise(setImmediate);
            ctx.request.own.end(large);
            ctx.progress(2);
            return 'late';
        };
        server.registerTool('begun', {}, begun);
        server.registerTool('ended', {}, ended);
        server.registerTool('in_the_middle', {}, inTheMiddle);
        const handler = server.nodeHandler();
        const port = await listening(createServer((req, res) => handler(Object.assign(req, { own: res }), res)), context);
        const url = `http://127.0.0.1:${port}/`;
        const call = name => fetch(url, toolCall(name, {}, {}, { progressToken: 1 }));
        for (const [name, status] of [['begun', 202], ['ended', 200]]) {
            const response = await call(name);
            assert.deepEqual([response.status, await response.text()], [status, 'mine'], name);
        }
        const text = await (await call('in_the_middle')).text();
        assert.ok(text.includes('"progress":1') && text.endsWith('xxx') && !text.includes('late'));
        assert.equal((await fetch(url, toolCall('echo', { text: 'on' }))).status, 200);
        assert.deepEqual(uncaught, []);
        assert.ok(records.some(({ message }) => /begun by the program itself/.test(message)), JSON.stringify(records));
    });

    test('after the server was closed, a request is status 503', async context => {
        const { server } = showingServer();
        const port = await listening(createServer(server.nodeHandler()), context);
        assert.equal((await fetch(`http://127.0.0.1:${port}/`, toolCall('echo'))).status, 200);
        await server.close();
        assert.equal((await fetch(`http://127.0.0.1:${port}/`, toolCall('echo'))).status, 503);
    });

    test('a client that does not read is given up', async context => {
        const { server } = showingServer({ logsPerSecond: 0 });
        context.after(() => server.close(0));
        const piece = 'x'.repeat(1 << 20);
        let sent = 0;
        const ended = new Promise(resolve => {
            server.registerTool('pour', {}, async (_, ctx) => {
                for (; !ctx.signal.aborted && sent < 200; sent++) {
                    ctx.log('info', piece);
                    await new Promise(done => setImmediate(done));
                }
                resolve();
                return 'all is out';
            });
        });
        const port = await listening(createServer(server.nodeHandler()), context);
        const { headers, method, body } = toolCall('pour', {}, {}, { 'io.modelcontextprotocol/logLevel': 'info' });
        const request = rawRequest({ port, host: '127.0.0.1', method, headers }, response => response.pause());
        request.on('error', () => {}).end(body); // however it ends
        context.after(() => request.destroy());
        await ended;
        assert.ok(sent < 150, `${sent} MiB were taken for a client that reads nothing`);
    });

    test('one answer may be as large as it is, behind other messages too', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        server.registerTool('large', {}, (_, ctx) => {
            ctx.progress(1);
            return 'y'.repeat(20 << 20);
        });
        const port = await listening(createServer(server.nodeHandler()), context);
        for (const more of [{}, { progressToken: 1 }]) {
            const response = await fetch(`http://127.0.0.1:${port}/`, toolCall('large', {}, {}, more));
            assert.equal(textOf(await resultOf(response)).length, 20 << 20);
        }
    });

    test('HTTP/2 is served by the compatibility API', async context => {
        const { server } = showingServer();
        context.after(() => server.close(0));
        const http2 = createHttp2(server.nodeHandler());
        await new Promise(resolve => http2.listen(0, '127.0.0.1', resolve));
        const client = connectHttp2(`http://127.0.0.1:${http2.address().port}`);
        context.after(() => {
            client.destroy();
            return new Promise(resolve => http2.close(resolve));
        });
        const { method, headers, body } = toolCall('echo', { text: 'x' });
        const stream = client.request({ ':method': method, ':path': '/', ...headers });
        stream.end(body);
        let text = '';
        for await (const piece of stream) text += piece;
        assert.equal(textOf(JSON.parse(text).result), 'x');
    });
});

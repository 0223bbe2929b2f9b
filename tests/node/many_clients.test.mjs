// Servers of one process, and the clients of one server: none sees what is another's.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { Server } from 'libmcp';

import { Client } from './joined_client.mjs';
import { listening, messagesOf, post, resultOf, toolCall } from './mounted.mjs';

/** A server whose tool says who asked, a little later. */
function named(name) {
    const server = new Server({ name });
    server.registerTool(`of_${name}`, { inputSchema: { type: 'object', properties: { token: { type: 'string' } } } }, async ({ token }, ctx) => {
        ctx.progress(1, 2, token);
        await new Promise(resolve => setTimeout(resolve, 5));
        return { server: name, token, principal: ctx.principal ?? null, header: ctx.headers['x-token'] ?? null };
    });
    return server;
}

test('two servers on all transports at once keep to themselves, with a hundred clients', async context => {
    const servers = ['a', 'b'].map(named);
    context.after(() => Promise.all(servers.map(server => server.close(0))));
    const doors = await Promise.all(servers.map(async (server, index) => {
        const listener = await server.listen();
        const principal = request => request.headers['x-token'];
        const port = await listening(createServer(server.nodeHandler({ principal })), context);
        const handler = server.fetchHandler({ principal: request => request.headers.get('x-token') });
        return {
            tool: `of_${'ab'[index]}`,
            listener: init => fetch(listener.url, init),
            mounted: init => fetch(`http://127.0.0.1:${port}/`, init),
            fetched: init => handler(new Request('http://localhost/', init)),
        };
    }));

    const asked = [];
    for (let number = 0; number < 100; number++) {
        const { tool, ...ways } = doors[number % 2];
        const [way, ask] = Object.entries(ways)[number % 3];
        const token = `token-${number}`;
        const init = toolCall(tool, { token }, { 'x-token': token }, { progressToken: token });
        asked.push(ask(init).then(messagesOf).then(messages => {
            const progress = messages.slice(0, -1).map(({ params }) => [params.progressToken, params.message]);
            assert.deepEqual(progress, [[token, token]]);
            assert.deepEqual(messages.at(-1).result.structuredContent, {
                server: tool.slice(3), token, principal: way === 'listener' ? null : token, header: token,
            });
        }));
    }
    await Promise.all(asked);
    for (const [index, { tool, listener }] of doors.entries()) {
        const { tools } = await resultOf(await listener(post('tools/list')));
        assert.deepEqual(tools.map(one => one.name), [tool]);
        const [{ error }] = await messagesOf(await listener(toolCall(doors[1 - index].tool)));
        assert.equal(error.code, -32602);
    }
});

test('sessions of one server have identities, log levels and changes of their own', async () => {
    const server = named('one');
    const heard = new Client(server, { principal: 'ann' });
    const deaf = new Client(server, { principal: 'bob' });
    const results = await Promise.all([heard.call('of_one', { token: 'x' }), deaf.call('of_one', { token: 'y' })]);
    assert.deepEqual(results.map(({ structuredContent: { token, principal } }) => [token, principal]), [['x', 'ann'], ['y', 'bob']]);
    server.registerTool('tell', {}, (_, ctx) => {
        ctx.log('info', ctx.principal);
        return 'told';
    });
    await heard.request('tools/call', { name: 'tell' }, { 'io.modelcontextprotocol/logLevel': 'info' });
    await deaf.request('tools/call', { name: 'tell' });
    assert.deepEqual(heard.notifications.map(({ params }) => params.data), ['ann']);
    assert.deepEqual(deaf.notifications, []);
    await Promise.all([heard.close(), deaf.close()]);
    await server.close();
});

test('a handler that blocks its thread holds up no list and no keep-alive over HTTP', async context => {
    // In a worker, as this thread is that of the client.
    const worker = new Worker(`
        import { parentPort } from 'node:worker_threads';
        import { Server } from 'libmcp';
        const server = new Server({ name: 'blocking' });
        const flag = new Int32Array(new SharedArrayBuffer(4));
        server.registerTool('block', {}, () => {
            parentPort.postMessage(flag);
            Atomics.wait(flag, 0, 0, 60_000);
            return 'free';
        });
        parentPort.postMessage((await server.listen({ keepAliveMs: 50 })).url);
    `, { eval: true, execArgv: ['--input-type=module'] });
    context.after(() => worker.terminate());
    const next = () => new Promise(resolve => worker.once('message', resolve));
    const url = await next();
    const begun = next();
    const response = await Promise.all([fetch(url, toolCall('block')), begun]).then(([response]) => response);
    const flag = await begun;

    const start = performance.now();
    for (const method of ['server/discover', 'tools/list']) assert.equal((await fetch(url, post(method))).status, 200);
    assert.ok(performance.now() - start < 1000);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let read = '';
    while (read.split('\n').filter(line => line.startsWith(':')).length < 3) read += (await reader.read()).value;
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) read += piece.value;
    assert.match(read, /"text":"free"/);
});

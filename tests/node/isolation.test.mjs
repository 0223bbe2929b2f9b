import assert from 'node:assert/strict';
import test from 'node:test';
import { Server } from 'libmcp';
import { callTool } from './http_call.mjs';
import { Client } from './joined_client.mjs';

test('servers, transports and clients of one process do not meet', async () => {
    const servers = ['a', 'b'].map(name => {
        const server = new Server({ name });
        server.registerTool(`of_${name}`, { inputSchema: { type: 'object', properties: { token: { type: 'string' } } } },
            async ({ token }, ctx) => {
                await new Promise(resolve => setTimeout(resolve, token.length % 5));
                return { name, token, principal: ctx.principal, header: ctx.headers['x-token'] };
            });
        return server;
    });
    assert.deepEqual(servers.map(server => server.tools().map(({ name }) => name)), [['of_a'], ['of_b']]);
    const listeners = await Promise.all(servers.flatMap(server => [server.listen(), server.listen()]));
    const clients = servers.flatMap(server => ['ann', 'bob'].map(principal => new Client(server, { principal })));
    const calls = Array.from({ length: 100 }, async (_, number) => {
        const token = `token ${'x'.repeat(number % 7)} ${number}`;
        const at = number % 4;
        const name = 'aabb'[at];
        const { result } = await callTool(listeners[at].url, `of_${name}`, { token }, { headers: { 'x-token': token } });
        assert.deepEqual(result.structuredContent, { name, token, header: token });
        const joined = await clients[at].call(`of_${name}`, { token });
        assert.deepEqual(joined.structuredContent, { name, token, principal: ['ann', 'bob'][at % 2] });
    });
    await Promise.all(calls);
    assert.equal((await callTool(listeners[0].url, 'of_b')).error.code, -32602);
    await servers[0].close();
    assert.deepEqual((await clients[2].call('of_b', { token: '' })).structuredContent.name, 'b', 'the other one serves on');
    await clients[2].close();
    await clients[3].close();
    await servers[1].close();
});

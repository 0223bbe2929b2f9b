// What a program gets wrong is said where it is written, in the words of the program.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { completable, ResourceTemplate, Server } from 'libmcp';
import { z } from 'zod';

const server = () => new Server({ name: 'wrong' });
const text = () => 'x';

describe('keys that are unknown', () => {
    test('a tool names the nearest, or all', () => {
        assert.throws(() => server().registerTool('t', { descripton: 'x' }, text),
            { code: 'INVALID_ARGUMENT', message: 'tool "t": unknown key "descripton"; did you mean "description"?' });
        assert.throws(() => server().registerTool('t', { parameters: {} }, text), /unknown key "parameters"; known are title, .*requires, ui, visibility/);
    });

    test('one whose value is a function is noticed too', () => {
        const tool = server().registerTool('t', {}, text);
        assert.throws(() => tool.update({ callback: text }), /tool "t": unknown key "callback"; update\(\) takes it as "handler"/);
        assert.throws(() => tool.update({ paramsSchema: {} }), /takes it as "inputSchema"/);
    });

    test('a name that update() is given makes no second tool', () => {
        const one = server();
        const tool = one.registerTool('t', {}, text);
        assert.throws(() => tool.update({ name: 'other' }), /a name does not change/);
        tool.update();
        assert.deepEqual(one.tools().map(({ name }) => name), ['t']);
        const resource = one.registerResource('r', 'r://a', {}, text);
        assert.throws(() => resource.update({ uri: 'r://b' }), /a URI does not change/);
        assert.deepEqual(one.resources().map(({ uri }) => uri), ['r://a']);
    });

    test('a prompt speaks of argsSchema', () => {
        assert.throws(() => server().registerPrompt('p', { inputSchema: {} }, text), /a prompt has "argsSchema"/);
        assert.throws(() => server().registerPrompt('p', { arguments: [] }, text), /say them by "argsSchema"/);
    });

    test('a template has list and complete, for variables that it has', () => {
        assert.throws(() => new ResourceTemplate('n://{a}', { complte: {} }), /did you mean "complete"\?/);
        assert.throws(() => new ResourceTemplate('n://{a}{?b,c}', { complete: { d: () => [] } }), /complete\.d completes nothing: there is no \{d\}/);
        new ResourceTemplate('n://{+a}{?b,c}', { complete: { a: () => [], c: () => [] } });
    });

    test('capabilities are declared by what is registered', () => {
        assert.throws(() => new Server({ name: 'x' }, { capabilities: { tools: {} } }), /declared by what is registered/);
    });

    test('elicit() drops no schema and no page', async () => {
        const one = server();
        const thrown = [];
        one.registerTool('t', {}, async (_, ctx) => {
            for (const form of ['Sure?', { message: 'x', schema: {} }, { mode: 'url', message: 'x' }, { message: 'x', url: 'https://x.example' }]) {
                await ctx.elicit(form).catch(({ message }) => thrown.push(message));
            }
            return 'done';
        });
        await one.callTool('t');
        assert.match(thrown[0], /form is an object/);
        assert.match(thrown[1], /"schema"; say it by "requestedSchema"/);
        assert.match(thrown[2], /elicitUrl\(\) sends/);
        assert.match(thrown[3], /elicitUrl\(\) sends/);
    });
});

describe('values of another kind', () => {
    const wrong = {
        'a template as a string': [() => server().registerResource('r', 'file:///{x}', {}, text), /"file:\/\/\/\{x\}" is a template; say new ResourceTemplate/],
        'requires as a string': [() => server().registerTool('t', { requires: 'sampling' }, text), /requires must be an array/],
        'completable without a schema': [() => completable('x', () => []), /schema must be a schema/],
        'a principal that is no function': [() => server().nodeHandler({ principal: 'ann' }), /principal must be a function/],
        'Koa in place of Node': [() => server().nodeHandler()({ req: {}, res: {} }, () => {}), /in Koa ctx\.req and ctx\.res/],
        'origins as a string': [() => server().nodeHandler({ allowedOrigins: '*' }), /allowedOrigins must be an array/],
        'no origin': [() => server().nodeHandler({ allowedOrigins: ['*'] }), /^McpError: allowedOrigins: /],
    };
    for (const [name, [use, said]] of Object.entries(wrong)) test(name, () => assert.throws(use, said));

    const rejected = {
        'a port alone': [() => server().listen(8080), /options must be an object/],
        'a port as a string': [() => server().listen({ port: '8080' }), /port is the string "8080"/],
        'the context of Hono': [() => server().fetchHandler()({ req: {} }), /c\.req\.raw/],
        'a call as one object': [() => server().callTool({ name: 't' }), /callTool\(name, args\): name must be a string/],
        'a prompt as one object': [() => server().getPrompt({ name: 'p' }), /getPrompt\(name, args\): name must be a string/],
    };
    for (const [name, [use, said]] of Object.entries(rejected)) test(name, () => assert.rejects(use, said));

    test('a message as an object', async () => {
        const session = server().connect(() => {});
        assert.throws(() => session.receive({ jsonrpc: '2.0' }), /JSON text of one message/);
        await session.close();
    });

    test('keys of memo and once', async () => {
        const one = server();
        const thrown = [];
        one.registerTool('t', {}, async (_, ctx) => {
            for (const use of [() => ctx.memo(() => 1), () => ctx.memo('x'), async () => ctx.once()]) await use().catch(({ message }) => thrown.push(message));
            return 'done';
        });
        await one.callTool('t');
        assert.deepEqual(thrown, ['memo(key, compute): key must be a string', 'memo(key, compute): compute must be a function', 'once(key): key must be a string']);
    });
});

test('what is described after it was made completable is completed', async () => {
    const one = server();
    one.registerPrompt('p', { argsSchema: { a: completable(z.string(), () => ['found']).describe('An argument') } }, text);
    const answer = new Promise(resolve => {
        one.connect(message => resolve(JSON.parse(message))).receive(JSON.stringify({
            jsonrpc: '2.0', id: 1, method: 'completion/complete', params: {
                ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' },
                _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
            },
        }));
    });
    assert.deepEqual((await answer).result.completion.values, ['found']);
    await one.close();
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { InputRequired, McpError, NotFoundError, ProtocolError, ResourceTemplate, Server, ToolError, setLogHandler } from 'libmcp';
import { Client, textOf } from './joined_client.mjs';
import { Program } from './program.mjs';

const SECRET = 'db=10.0.0.5 pw=hunter2';

/** Handlers that fail, each in its way. */
const FAILING = {
    'throws at once': () => { throw new Error(SECRET); },
    'rejects': async () => { throw new Error(SECRET, { cause: new Error(SECRET) }); },
    'rejects later': () => new Promise((_, reject) => setImmediate(() => reject(new TypeError(SECRET)))),
    'throws a string': () => { throw SECRET; },
    'throws undefined': () => { throw undefined; },
    'rejects with null': () => Promise.reject(null),
    'rejects with an object without a prototype': () => Promise.reject(Object.create(null)),
    'throws a proxy that throws': () => {
        throw new Proxy({}, { get() { throw new Error(SECRET); }, getPrototypeOf() { throw new Error(SECRET); } });
    },
    'returns undefined': () => undefined,
    'resolves to undefined': async () => {},
    'returns a function': () => () => {},
    'returns a symbol': () => Symbol(SECRET),
    'returns a BigInt': () => ({ big: 1n }),
    'returns what contains itself': () => { const it = { SECRET }; it.it = it; return it; },
    'has a getter that throws': () => ({ get it() { throw new Error(SECRET); } }),
    'has a toJSON that throws': async () => ({ toJSON() { throw new Error(SECRET); } }),
    'has a then that throws': () => ({ get then() { throw new Error(SECRET); } }),
    'returns a block that is none': () => ({ content: [{ type: 'text' }] }),
};

function listening() {
    const records = [];
    setLogHandler(record => records.push(record));
    return records;
}

test.afterEach(() => setLogHandler(undefined));

test('a handler that fails gets one answer, without its words, and the log has them', async () => {
    const server = new Server({ name: 'test' });
    for (const [name, handler] of Object.entries(FAILING)) server.registerTool(name.replaceAll(' ', '_'), {}, handler);
    server.registerTool('good', {}, () => 'fine');
    const client = new Client(server);
    for (const [name, handler] of Object.entries(FAILING)) {
        const records = listening();
        const answer = await client.ask('tools/call', { name: name.replaceAll(' ', '_'), arguments: {} });
        const text = JSON.stringify(answer);
        assert.ok(!/hunter2|\.mjs|\.js:|at /.test(text), `${name}: ${text}`);
        assert.ok(answer.error?.code === -32603 || answer.result?.isError === true, `${name}: ${text}`);
        assert.ok(records.some(({ level }) => level === 'error'), `${name}: nothing in the log`);
        const expectsSecret = /SECRET/.test(handler.toString()) && /^(throws at once|rejects$|rejects later|throws a string)/.test(name);
        if (expectsSecret) assert.match(records.map(({ message }) => message).join(), /hunter2/);
    }
    assert.equal(textOf(await client.call('good')), 'fine');
    await client.close();
    await server.close();
});

test('other kinds of handlers fail as plainly', async () => {
    const records = listening();
    const server = new Server({ name: 'test' });
    server.registerResource('r', 'test://r', {}, () => { throw new Error(SECRET); });
    server.registerResource('t', new ResourceTemplate('test://t/{v}', { complete: { v: () => { throw new Error(SECRET); } } }), {},
        async () => { throw new Error(SECRET); });
    server.registerPrompt('p', {}, () => { throw new Error(SECRET); });
    const client = new Client(server);
    for (const [method, params] of [
        ['resources/read', { uri: 'test://r' }],
        ['resources/read', { uri: 'test://t/1' }],
        ['prompts/get', { name: 'p' }],
        ['completion/complete', { ref: { type: 'ref/resource', uri: 'test://t/{v}' }, argument: { name: 'v', value: '' } }],
    ]) {
        const { error } = await client.ask(method, params);
        assert.equal(error.code, -32603);
        assert.ok(!JSON.stringify(error).includes('hunter2'));
        assert.match(records.at(-1).message, /hunter2/);
        assert.ok(records.at(-1).error instanceof Error);
    }
    await client.close();
    await server.close();
});

test('an error that its author made for the peer passes as it is', async () => {
    const records = listening();
    const server = new Server({ name: 'test' });
    server.registerTool('sync', {}, () => { throw new ToolError('no such city'); });
    server.registerTool('async', {}, async () => { throw new ToolError('no such city'); });
    server.registerTool('own', {}, () => { throw new (class Mine extends ToolError {})('mine'); });
    server.registerTool('protocol', {}, () => { throw new ProtocolError(4711, 'not today', { until: 'tomorrow' }); });
    server.registerTool('reserved', {}, () => { throw new ProtocolError(-32000, 'not this one'); });
    server.registerResource('gone', new ResourceTemplate('test://{v}'), {}, () => { throw new NotFoundError(); });
    const client = new Client(server);
    for (const name of ['sync', 'async']) {
        const result = await client.call(name);
        assert.deepEqual([result.isError, textOf(result)], [true, 'no such city']);
    }
    assert.equal(textOf(await client.call('own')), 'mine');
    const { error } = await client.ask('tools/call', { name: 'protocol', arguments: {} });
    assert.deepEqual(error, { code: 4711, message: 'not today', data: { until: 'tomorrow' } });
    const missing = await client.ask('resources/read', { uri: 'test://x' });
    assert.equal(missing.error.code, -32602);
    assert.deepEqual(missing.error.data, { uri: 'test://x' });
    assert.deepEqual(records, []);
    assert.equal((await client.ask('tools/call', { name: 'reserved', arguments: {} })).error.code, -32603);
    assert.match(records[0].message, /-32000 is reserved/);
    await client.close();
    await server.close();
});

test('misuse of the library is an error with a code', async () => {
    const server = new Server({ name: 'test' });
    assert.throws(() => new Server({ name: '' }), { name: 'McpError', code: 'INVALID_ARGUMENT' });
    assert.throws(() => new Server({ name: 'x' }, { drainMilliseconds: 1 }), { code: 'INVALID_ARGUMENT', message: /no option "drainMilliseconds"/ });
    assert.throws(() => new Server({ name: 'x' }, { maxDept: 1 }), { message: /did you mean "maxDepth"/ });
    assert.throws(() => server.registerTool('t', { inputSchema: { type: 'object', properties: { a: { type: 'nope' } } } }, () => ''), { code: 'INVALID_SCHEMA' });
    assert.throws(() => server.registerTool('t', { descripton: '' }, () => ''), { code: 'INVALID_ARGUMENT', message: /descripton/ });
    assert.throws(() => server.registerTool('t', { requires: ['telepathy'] }, () => ''), { message: /telepathy/ });
    assert.throws(() => server.registerTool('t', {}, 'handler'), TypeError);
    assert.throws(() => server.exportTools('acme'), { code: 'INVALID_ARGUMENT', message: /"anthropic"/ });
    await assert.rejects(server.callTool('t'), error => error instanceof McpError && error instanceof Error && error.code === 'NOT_FOUND');
    await assert.rejects(server.listen({ host: 'example' }), { code: 'INVALID_ARGUMENT', message: /IP address/ });
    await assert.rejects(server.listen({ keepaliveMs: 1 }), { message: /"keepaliveMs".*"keepAliveMs"/ });
    const tool = server.registerTool('t', {}, () => '');
    assert.throws(() => server.registerTool('t', {}, () => ''), { code: 'BUSY', message: /registered already/ });
    assert.equal(tool.remove(), true);
    assert.equal(tool.remove(), false);
    assert.throws(() => tool.update({}), { code: 'NOT_FOUND' });
    assert.ok(new InputRequired() instanceof Error);
    await server.close();
});

test('without a log handler, what a handler throws is on stderr with its stack', async () => {
    const program = new Program(`
        const server = new Server({ name: 'test' });
        server.registerTool('fail', {}, function fail() { throw new Error('${SECRET}'); });
        await server.serveStdio();
    `);
    const { result } = await program.call(1, 'fail');
    assert.equal(textOf(result), 'tool "fail" failed');
    const { code, stderr } = await program.end();
    assert.equal(code, 0);
    assert.match(stderr, /^libmcp: error: tool "fail" threw Error: db=10.0.0.5 pw=hunter2\n +at fail /);
});

test('a rejection that no handler awaits, and a throw in a timer, are the program\'s own as ever', async () => {
    const program = new Program(`
        const server = new Server({ name: 'test' });
        server.registerTool('stray', {}, () => {
            setTimeout(() => { throw new Error('stray'); });
            return 'fine';
        });
        await server.serveStdio();
    `);
    program.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stray', _meta: (await import('./joined_client.mjs')).meta() } });
    const { code, stderr } = await program.exit;
    assert.equal(code, 1);
    assert.match(stderr, /Error: stray/);
});

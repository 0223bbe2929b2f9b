import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import test from 'node:test';
import { Server, setLogHandler } from 'libmcp';
import { callTool } from './http_call.mjs';
import { Client, textOf } from './joined_client.mjs';

/** A server with one tool, `t`. */
function serving(handler, config = {}) {
    const server = new Server({ name: 'test' });
    server.registerTool('t', config, handler);
    return server;
}

/** Runs `use` with a client of such a server. */
async function withClient(handler, use, { config, ...client } = {}) {
    const server = serving(handler, config);
    const joined = new Client(server, client);
    try {
        return await use(joined, server);
    } finally {
        await joined.close();
        await server.close();
    }
}

test('says what the request says', async () => {
    const seen = (args, ctx) => ({
        name: ctx.name, revision: ctx.revision, principal: ctx.principal, clientInfo: ctx.clientInfo,
        capabilities: ctx.clientCapabilities, meta: ctx.meta.mine, headers: ctx.headers, request: ctx.request ?? null,
        text: ctx.argumentsJson, args,
    });
    await withClient(seen, async client => {
        const { structuredContent } = await client.call('t', { a: 1 }, {});
        assert.deepEqual(structuredContent, {
            name: 't', revision: '2026-07-28', principal: 'ann', clientInfo: { name: 'test', version: '1' },
            capabilities: { sampling: {} }, headers: {}, request: null, text: '{"a":1}', args: { a: 1 },
        });
    }, { config: { inputSchema: { type: 'object' } }, principal: 'ann', capabilities: { sampling: {} } });
});

test('has the arguments as they were written, where integers are too large for numbers', async () => {
    const server = serving((args, ctx) => ctx.argumentsJson, { inputSchema: { type: 'object' } });
    const sent = [];
    const session = server.connect(text => sent.push(text));
    const { meta } = await import('./joined_client.mjs');
    const params = `{"name":"t","arguments":{"n": 123456789012345678901234567890},"_meta":${JSON.stringify(meta())}}`;
    session.receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    while (sent.length === 0) await new Promise(resolve => setImmediate(resolve));
    assert.equal(textOf(JSON.parse(sent[0]).result), '{"n": 123456789012345678901234567890}');
    await session.close();
    await server.close();
});

test('has the headers of HTTP', async () => {
    const server = serving((args, ctx) => ctx.headers);
    const listener = await server.listen();
    const { result } = await callTool(listener.url, 't', {}, { headers: { 'X-Mine': 'a', 'x-several': ['b', 'c'] } });
    assert.deepEqual([result.structuredContent['x-mine'], result.structuredContent['x-several']], ['a', 'b, c']);
    await server.close();
});

test('tells progress and log messages', async () => {
    const talk = async (args, ctx) => {
        ctx.progress(1, 3, 'one');
        ctx.progress(1, 3, 'not more');
        await null;
        ctx.progress(2);
        ctx.log('info', { at: 2 }, 'mine');
        ctx.log('debug', 'unheard');
        assert.throws(() => ctx.log('loud', ''), { code: 'INVALID_ARGUMENT', message: /"loud".*debug/ });
        assert.throws(() => ctx.log('info', 1n), TypeError);
        assert.throws(() => ctx.progress('3'), TypeError);
        return 'done';
    };
    await withClient(talk, async client => {
        const more = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' };
        assert.equal(textOf(await client.request('tools/call', { name: 't', arguments: {} }, more)), 'done');
        const [one, two, log, ...none] = client.notifications.map(({ params }) => params);
        assert.deepEqual([one.progress, one.total, one.message], [1, 3, 'one']);
        assert.deepEqual([two.progress, two.total], [2, undefined]);
        assert.deepEqual([log.level, log.logger, log.data], ['info', 'mine', { at: 2 }]);
        assert.deepEqual(none, []);
    });
});

test('the signal is aborted when the client cancels, and nothing is answered', async () => {
    let reason;
    const wait = (args, ctx) => new Promise((resolve, reject) => {
        started();
        ctx.signal.addEventListener('abort', () => {
            reason = ctx.signal.reason;
            reject(reason);
            ended();
        });
    });
    let started, ended;
    const [running, over] = [new Promise(resolve => { started = resolve; }), new Promise(resolve => { ended = resolve; })];
    const records = [];
    setLogHandler(record => records.push(record));
    await withClient(wait, async client => {
        const never = client.ask('tools/call', { name: 't', arguments: {} });
        never.then(() => assert.fail('it was answered'));
        await running;
        client.cancel();
        await over;
        assert.equal(reason.code, 'CANCELLED');
        await client.request('tools/list');
        assert.deepEqual(records.filter(({ level }) => level === 'error'), []);
    });
    setLogHandler(undefined);
});

test('a signal that is first looked at after the cancellation is aborted already', async () => {
    let started, looked;
    const running = new Promise(resolve => { started = resolve; });
    const aborted = new Promise(resolve => { looked = resolve; });
    let go;
    const gate = new Promise(resolve => { go = resolve; });
    const handler = async (args, ctx) => {
        started();
        await gate;
        looked(ctx.signal.aborted);
        return '';
    };
    await withClient(handler, async client => {
        client.ask('tools/call', { name: 't', arguments: {} });
        await running;
        client.cancel();
        await client.request('tools/list');
        go();
        assert.equal(await aborted, true);
    });
});

test('the signal is aborted when the client of HTTP goes away, when time is over, and when the server closes', async () => {
    for (const [options, end] of [
        [{}, ({ leave }) => leave.abort()],
        [{ handlerTimeoutMs: 50 }, () => {}],
        [{}, ({ server }) => server.close(0)],
    ]) {
        const server = new Server({ name: 'test' }, options);
        let started;
        const running = new Promise(resolve => { started = resolve; });
        const aborted = new Promise(resolve => {
            server.registerTool('t', {}, (args, ctx) => new Promise(end => {
                ctx.signal.onabort = () => {
                    resolve(true);
                    end('late');
                };
                started();
            }));
        });
        const leave = new AbortController();
        const { url } = await server.listen();
        const call = callTool(url, 't', {}, { signal: leave.signal }).catch(() => {});
        await running;
        const ending = end({ leave, server });
        assert.equal(await aborted, true);
        await Promise.all([ending, call]);
        await server.close();
    }
});

test('a context of a call that is over does nothing and harms nothing', async () => {
    let kept;
    await withClient((args, ctx) => {
        kept = ctx;
        return '';
    }, async client => {
        await client.call('t');
        kept.progress(1);
        kept.log('info', 'late');
        kept.closeStream();
        assert.equal(kept.signal.aborted, false);
        assert.throws(() => kept.meta, { code: 'ALREADY_FINISHED' });
        await assert.rejects(kept.elicit({ message: 'late?' }), { code: 'ALREADY_FINISHED' });
        await assert.rejects(kept.server.callTool('t'), { code: 'ALREADY_FINISHED' });
    });
});

test('calls what its server offers, on behalf of its own call', async () => {
    const server = new Server({ name: 'test' });
    server.registerTool('who', {}, async (args, ctx) => ctx.principal);
    server.registerPrompt('p', {}, (args, ctx) => `for ${ctx.principal}`);
    server.registerResource('r', 'test://r', {}, (uri, ctx) => `${uri} for ${ctx.principal}`);
    server.registerTool('t', {}, async (args, { server }) => [
        (await server.callTool('who')).content[0].text,
        (await server.getPrompt('p')).messages[0].content.text,
        (await server.readResource('test://r')).contents[0].text,
        server.tools().length, server.findTool('who').name, server.findTool('nobody') ?? null,
        server.exportTools('anthropic')[0].name,
    ]);
    const client = new Client(server, { principal: 'ann' });
    assert.deepEqual((await client.call('t')).structuredContent,
        ['ann', 'for ann', 'test://r for ann', 2, 'who', null, 't']);
    await client.close();
    await server.close();
});

test('what a handler calls is cancelled with it', async () => {
    let started;
    const running = new Promise(resolve => { started = resolve; });
    const server = new Server({ name: 'test' });
    const inner = new Promise(resolve => {
        server.registerTool('inner', {}, (args, ctx) => new Promise(() => {
            ctx.signal.onabort = resolve;
            started();
        }));
    });
    let failed;
    const outer = new Promise(resolve => { failed = resolve; });
    server.registerTool('outer', {}, (args, ctx) => ctx.server.callTool('inner').catch(error => failed(error.code)));
    const client = new Client(server);
    client.ask('tools/call', { name: 'outer', arguments: {} });
    await running;
    client.cancel();
    await inner;
    assert.equal(await outer, 'CANCELLED');
    await client.close();
    await server.close();
});

test('what a web server attaches is there, and its asynchronous context', async () => {
    const storage = new AsyncLocalStorage();
    const handler = async (args, ctx) => {
        const before = storage.getStore();
        await new Promise(resolve => setImmediate(resolve));
        return { url: ctx.request.url, before, after: storage.getStore(), inner: textOf(await ctx.server.callTool('inner')) };
    };
    const server = serving(handler);
    server.registerTool('inner', {}, (args, ctx) => `${ctx.request.url} ${storage.getStore()}`);
    const handle = server.nodeHandler();
    let count = 0;
    const web = createServer((req, res) => storage.run(`request ${++count}`, () => handle(req, res)));
    await new Promise(resolve => web.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${web.address().port}/api/mcp`;
    for (const at of [1, 2]) {
        const { result } = await callTool(url, 't');
        assert.deepEqual(result.structuredContent,
            { url: '/api/mcp', before: `request ${at}`, after: `request ${at}`, inner: `/api/mcp request ${at}` });
    }
    web.close();
    await server.close();
});

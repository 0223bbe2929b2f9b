// What handlers return and throw, and what becomes of it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { NotFoundError, ProtocolError, ResourceTemplate, Server, setLogHandler, ToolError } from 'libmcp';

import { Client, textOf } from './joined_client.mjs';

/** What the log was told since the last look. */
let logged = [];
before(() => setLogHandler(record => logged.push(record)));
after(() => setLogHandler(undefined));

function takeLog() {
    const taken = logged;
    logged = [];
    return taken;
}

async function resultOf(handler, config = {}) {
    const server = new Server({ name: 'results' });
    server.registerTool('t', config, handler);
    const client = new Client(server);
    const answer = await client.ask('tools/call', { name: 't', arguments: {} });
    await client.close();
    return answer;
}

describe('a tool returns', () => {
    test('a string, which is a text and no structured content', async () => {
        const { result } = await resultOf(() => '{"a":1}');
        assert.deepEqual(result.content, [{ type: 'text', text: '{"a":1}' }]);
        assert.equal(result.structuredContent, undefined);
    });

    test('half of a surrogate pair as what stands for it, and the text of an escape as it is', async () => {
        const { result } = await resultOf(() => ({ half: 'a\ud800b', escape: '\\ud800', whole: '😀' }));
        const text = '{"half":"a\ufffdb","escape":"\\\\ud800","whole":"😀"}';
        assert.equal(textOf({ content: result.content }), text);
    });

    for (const value of [null, 0, -1.5, true, [], [1, 'b', null], {}, { a: { b: [1] } }, new Date(0), { toJSON: () => 'x' }]) {
        test(`${JSON.stringify(value)}, which is structured content`, async () => {
            const { result } = await resultOf(async () => value);
            assert.deepEqual(result.structuredContent, JSON.parse(JSON.stringify(value)));
            assert.equal(textOf(result), JSON.stringify(value));
        });
    }

    test('a whole result', async () => {
        const whole = {
            content: [{ type: 'text', text: 'a', annotations: { priority: 1 } }, { type: 'resource_link', uri: 'x:y', name: 'z' }],
            structuredContent: { a: 1 },
            isError: true,
            _meta: { 'example.com/x': [1] },
        };
        const { result } = await resultOf(() => whole);
        for (const [key, value] of Object.entries(whole)) {
            assert.deepEqual(key === '_meta' ? { 'example.com/x': result._meta['example.com/x'] } : result[key], value);
        }
    });

    test('bytes in content blocks, as Buffer or any other array of bytes', async () => {
        const bytes = new Uint8Array([9, 9, 0, 255, 1, 9]).subarray(2, 5);
        const { result } = await resultOf(() => ({
            content: [
                { type: 'image', data: bytes, mimeType: 'image/png' },
                { type: 'audio', data: Buffer.from(bytes).toString('base64'), mimeType: 'audio/wav' },
                { type: 'resource', resource: { uri: 'x:y', blob: bytes } },
            ],
        }));
        const [image, audio, { resource }] = result.content;
        assert.deepEqual([image.data, audio.data, resource.blob], ['AP8B', 'AP8B', 'AP8B']);
    });

    test('a result without blocks', async () => {
        const { result } = await resultOf(() => ({ content: [] }));
        assert.deepEqual(result.content, []);
        assert.equal(result.structuredContent, undefined);
    });

    test('a value that only looks like a result', async () => {
        for (const value of [{ content: 'x' }, { content: [{ type: 'paragraph' }] }, { content: [], title: 'x' }, { isError: true }]) {
            assert.deepEqual((await resultOf(() => value)).result.structuredContent, value);
        }
    });
});

describe('a tool that returns what is no result gets one error, and the log says why', () => {
    const cyclic = { a: { b: [] } };
    cyclic.a.b.push(cyclic);
    for (const [name, value, why] of [
        ['undefined', undefined, /is undefined; return a string/],
        ['a cycle', cyclic, /\/a\/b\/0 contains itself/],
        ['a BigInt', 5n, /it is a BigInt/],
        ['a BigInt within', { list: [1, { big: 2n }] }, /\/list\/1\/big is a BigInt/],
        ['a function', () => 1, /is a function/],
        ['a symbol', Symbol('x'), /is a symbol/],
        ['NaN', NaN, /is NaN/],
        ['bytes', Buffer.from('x'), /is bytes; return them in a content block/],
        ['an Error', new Error('pw=hunter2'), /is an Error; throw it/],
        ['a Map', new Map([[1, 2]]), /is a Map/],
        ['a generator', (function* () {})(), /is a generator/],
        ['an async generator', (async function* () {})(), /is a generator/],
        ['a toJSON that gives nothing', { toJSON() {} }, /is nothing, by its toJSON/],
        ['a getter that throws', { get a() { throw new Error('pw=hunter2'); } }, /cannot be written as JSON/],
        ['a block that is misspelled', { content: [{ type: 'image', data: 'AA==', mime: 'image/png' }] }, /mime/],
        ['a key that no result has', { content: [{ type: 'text', text: 'x' }], iserror: true }, /iserror/],
    ]) {
        for (const [how, handler] of [['at once', () => value], ['later', async () => value]]) {
            test(`${name}, ${how}`, async () => {
                takeLog();
                const { result, error } = await resultOf(handler);
                const said = JSON.stringify(result ?? error);
                assert.ok(result?.isError || error.code === -32603, said);
                assert.doesNotMatch(said, /hunter2|\.js:|BigInt|contains itself/);
                const log = takeLog();
                assert.equal(log.length, 1);
                assert.match(log[0].message, why);
            });
        }
    }
});

describe('a tool throws', () => {
    test('a ToolError, whose message is for the model', async () => {
        for (const handler of [() => { throw new ToolError('no such city'); }, async () => { throw new ToolError('no such city'); }]) {
            const { result } = await resultOf(handler);
            assert.deepEqual([result.isError, textOf(result)], [true, 'no such city']);
        }
    });

    test('anything else, which is for the log', async () => {
        class Own extends Error {}
        for (const thrown of [new Error('pw=hunter2'), new Own('pw=hunter2'), new TypeError('x', { cause: 'pw=hunter2' }), 'pw=hunter2', 5, null, undefined, { pw: 'hunter2' }, Symbol('hunter2')]) {
            for (const handler of [() => { throw thrown; }, async () => { throw thrown; }, () => ({ then: (_, reject) => reject(thrown) })]) {
                takeLog();
                const { result } = await resultOf(handler);
                assert.deepEqual([result.isError, textOf(result)], [true, 'tool "t" failed']);
                const [record, ...more] = takeLog();
                assert.deepEqual([record.level, record.error, more.length], ['error', thrown, 0]);
            }
        }
    });

    test('a ProtocolError, which ends the request', async () => {
        const { error } = await resultOf(() => { throw new ProtocolError(4242, 'quota', { left: 0 }); });
        assert.deepEqual([error.code, error.message, error.data], [4242, 'quota', { left: 0 }]);
    });

    test('a ProtocolError with a code of the protocol, which is a mistake of its author', async () => {
        for (const code of [-32000, -32700, 1.5, 'x']) {
            takeLog();
            const { result, error } = await resultOf(() => { throw new ProtocolError(code, 'x'); });
            assert.ok(result?.isError || error.code === -32603, JSON.stringify(result ?? error));
            assert.equal(takeLog().length, 1);
        }
    });

    test('twenty things one after the other, and the server goes on', async () => {
        const server = new Server({ name: 'results' });
        const cyclic = {};
        cyclic.self = cyclic;
        const ends = [
            () => { throw new Error('x'); },
            async () => { throw new Error('x'); },
            () => Promise.reject(5),
            () => undefined,
            async () => cyclic,
            () => 5n,
            () => { throw null; },
        ];
        for (const [index, end] of ends.entries()) server.registerTool(`t${index}`, {}, end);
        server.registerTool('good', {}, () => 'fine');
        const client = new Client(server);
        for (let round = 0; round < 21; round++) {
            assert.equal((await client.call(`t${round % ends.length}`)).isError, true);
        }
        assert.equal(textOf(await client.call('good')), 'fine');
        await client.close();
        await server.close();
    });
});

describe('a resource', () => {
    const server = new Server({ name: 'results' });
    const client = new Client(server);
    const read = uri => client.request('resources/read', { uri });
    after(() => client.close());

    test('returns a text or bytes, with its own URI and media type', async () => {
        server.registerResource('text', 'x://text', { mimeType: 'text/plain' }, () => 'Grüß Gott');
        server.registerResource('bytes', 'x://bytes', { mimeType: 'image/png' }, async () => Buffer.from([0, 255]));
        assert.deepEqual((await read('x://text')).contents, [{ uri: 'x://text', mimeType: 'text/plain', text: 'Grüß Gott' }]);
        assert.deepEqual((await read('x://bytes')).contents, [{ uri: 'x://bytes', mimeType: 'image/png', blob: 'AP8=' }]);
    });

    test('returns contents, of which it may leave out what is known', async () => {
        server.registerResource('contents', 'x://folder', { mimeType: 'text/plain' }, uri => ({
            contents: [{ text: 'a' }, { uri: `${uri}/b`, text: 'b' }, { mimeType: 'text/html', blob: Buffer.from('c') }],
        }));
        assert.deepEqual((await read('x://folder')).contents, [
            { uri: 'x://folder', mimeType: 'text/plain', text: 'a' },
            { uri: 'x://folder/b', text: 'b' },
            { uri: 'x://folder', mimeType: 'text/html', blob: 'Yw==' },
        ]);
    });

    test('says how long it may be kept, in its registration or its result', async () => {
        const cacheHint = { ttlMs: 5000, cacheScope: 'private' };
        server.registerResource('kept', 'x://kept', { cacheHint }, () => 'x');
        server.registerResource('own', 'x://own', { cacheHint }, () => ({ contents: [{ text: 'x' }], ttlMs: 1, cacheScope: 'public' }));
        const [kept, own] = [await read('x://kept'), await read('x://own')];
        assert.deepEqual([kept.ttlMs, kept.cacheScope, own.ttlMs, own.cacheScope], [5000, 'private', 1, 'public']);
    });

    test('gets the variables of its template', async () => {
        server.registerResource('note', new ResourceTemplate('note://{folder}/{name}{?lang}'), {}, (uri, variables, ctx) =>
            JSON.stringify([uri.href, variables, ctx.name]));
        const { contents } = await read('note://a/J%C3%BCrgen');
        assert.deepEqual(JSON.parse(contents[0].text), ['note://a/J%C3%BCrgen', { folder: 'a', name: 'Jürgen' }, 'note://a/J%C3%BCrgen']);
    });

    test('that is not there is not found, and one that fails says nothing', async () => {
        server.registerResource('gone', 'x://gone', {}, () => { throw new NotFoundError(); });
        server.registerResource('bad', 'x://bad', {}, () => { throw new Error('pw=hunter2'); });
        server.registerResource('nothing', 'x://nothing', {}, () => {});
        takeLog();
        await assert.rejects(read('x://gone'), { code: -32602, data: { uri: 'x://gone' } });
        for (const uri of ['x://bad', 'x://nothing']) {
            await assert.rejects(read(uri), error => error.code === -32603 && !/hunter2/.test(error.message));
        }
        assert.equal(takeLog().length, 2);
    });

    test('is listed by its template, and read by its handler', async () => {
        const own = new Server({ name: 'listing' });
        const resources = [{ uri: 'city://oslo', name: 'Oslo', mimeType: 'text/plain' }, { uri: 'city://rome', name: 'Rome' }];
        const template = new ResourceTemplate('city://{name}', { list: () => ({ resources }) });
        const handle = own.registerResource('city', template, {}, (_, { name }) => `The city of ${name}`);
        assert.deepEqual(own.resources().map(({ uri, name }) => [uri, name]), [['city://oslo', 'Oslo'], ['city://rome', 'Rome']]);
        const { contents } = await own.readResource('city://oslo');
        assert.deepEqual([contents[0].text, contents[0].mimeType], ['The city of oslo', 'text/plain']);
        assert.equal(handle.remove(), true);
        assert.deepEqual([own.resources(), own.resourceTemplates(), handle.remove()], [[], [], false]);
    });

    test('is refused with its template where the list is of no use, and nothing is registered', () => {
        const own = new Server({ name: 'listing' });
        for (const [list, wanted] of [
            [async () => ({ resources: [] }), /is asynchronous/],
            [() => [], /must return \{ resources/],
            [() => ({ resources: [{ uri: 'city://oslo', name: 'Oslo' }, { uri: 'x://y', name: 'y' }] }), /names "x:\/\/y", which is none of its URIs/],
            [() => { throw new Error('no list'); }, /no list/],
        ]) {
            assert.throws(() => own.registerResource('city', new ResourceTemplate('city://{name}', { list }), {}, () => 'x'), wanted);
        }
        assert.deepEqual([own.resources(), own.resourceTemplates()], [[], []]);
    });
});

describe('a prompt', () => {
    test('returns a text, or messages with bytes in them', async () => {
        const server = new Server({ name: 'results' });
        server.registerPrompt('text', {}, () => 'Say hello.');
        server.registerPrompt('image', { description: 'Shows' }, () => ({
            description: 'An image',
            messages: [{ role: 'assistant', content: { type: 'image', data: Buffer.from([0, 255]), mimeType: 'image/png' } }],
        }));
        assert.deepEqual((await server.getPrompt('text')).messages, [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }]);
        const { description, messages } = await server.getPrompt('image');
        assert.deepEqual([description, messages[0].role, messages[0].content.data], ['An image', 'assistant', 'AP8=']);
    });

    test('that returns something else is an error', async () => {
        const server = new Server({ name: 'results' });
        server.registerPrompt('p', {}, () => ({ text: 'x' }));
        takeLog();
        await assert.rejects(server.getPrompt('p'));
        assert.match(takeLog()[0].message, /the result of prompt "p" is an object; return \{ messages/);
    });
});

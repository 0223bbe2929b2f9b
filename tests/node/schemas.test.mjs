// The schemas that tools take, from each library: what is published, and what reaches a handler.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Server } from 'libmcp';
import * as v from 'valibot';
import { z } from 'zod';

import { textOf } from './joined_client.mjs';

function serverWith(inputSchema, handler = args => ({ args }), more = {}) {
    const server = new Server({ name: 'schemas' });
    server.registerTool('t', { inputSchema, ...more }, handler);
    return server;
}

async function passed(inputSchema, args) {
    const result = await serverWith(inputSchema).callTool('t', args);
    assert.ok(!result.isError, textOf(result));
    return result.structuredContent.args;
}

async function refused(inputSchema, args, handler) {
    const result = await serverWith(inputSchema, handler ?? assert.fail).callTool('t', args);
    assert.equal(result.isError, true);
    return textOf(result);
}

function published(inputSchema) {
    return serverWith(inputSchema).findTool('t').inputSchema;
}

describe('the libraries', () => {
    const forms = {
        'a zod object': z.object({ city: z.string().min(1).describe('Where'), days: z.int().default(3) }),
        'a raw shape of zod': { city: z.string().min(1).describe('Where'), days: z.int().default(3) },
        'valibot by its adapter': toStandardJsonSchema(v.object({
            city: v.pipe(v.string(), v.minLength(1), v.description('Where')),
            days: v.optional(v.pipe(v.number(), v.integer()), 3),
        })),
        'arktype': type({ city: type('string > 0').describe('Where'), days: 'number.integer = 3' }),
    };
    for (const [name, schema] of Object.entries(forms)) {
        test(`${name}: is published, and its defaults reach the handler`, async () => {
            const json = published(schema);
            assert.equal(json.type, 'object');
            assert.equal(json.properties.city.type, 'string');
            assert.equal(json.properties.days.type, 'integer');
            assert.deepEqual(json.required, ['city']);
            assert.deepEqual(await passed(schema, { city: 'Oslo' }), { city: 'Oslo', days: 3 });
        });
        test(`${name}: refuses what does not fit, all of it, before the handler`, async () => {
            const text = await refused(schema, { city: '', days: 'two' });
            assert.match(text, /\/city/);
            assert.match(text, /\/days/);
        });
    }

    test('a schema of zod that says its JSON Schema by a method of its own is asked by that', async () => {
        const { validate } = z.object({ a: z.string().default('x') })['~standard'];
        const older = {
            '~standard': { version: 1, vendor: 'zod', validate },
            toJSONSchema: ({ io, target }) => ({ type: 'object', properties: { a: { type: 'string' } }, title: `${io} ${target}` }),
        };
        assert.equal(published(older).title, 'input draft-2020-12');
        assert.deepEqual(await passed(older, {}), { a: 'x' });
    });

    test('a JSON Schema is published as it was written', async () => {
        const schema = {
            $schema: 'http://json-schema.org/draft-07/schema#',
            properties: { b: { $ref: '#/definitions/x' }, a: { default: null, 'x-own': 1 } },
            definitions: { x: { type: 'integer' } },
            type: 'object',
        };
        assert.equal(JSON.stringify(published(schema)), JSON.stringify(schema));
        assert.deepEqual(await passed(schema, { b: 1, c: 'kept' }), { b: 1, c: 'kept' });
    });

    test('no schema, an empty one, and undefined take no arguments', async () => {
        for (const schema of [undefined, {}, z.object({})]) {
            assert.deepEqual(await passed(schema, {}), {});
            assert.equal(published(schema).type, 'object');
        }
    });

    test('a union of objects says that it is an object', async () => {
        const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]);
        assert.equal(published(schema).type, 'object');
        assert.deepEqual(await passed(schema, { b: 1 }), { b: 1 });
    });

    test('a schema of several libraries at once is a raw shape too', async () => {
        const shape = { a: z.string(), b: type('number > 3'), c: toStandardJsonSchema(v.optional(v.boolean())) };
        assert.deepEqual(published(shape).required, ['a', 'b']);
        assert.deepEqual(await passed(shape, { a: 'x', b: 4, d: 'left out' }), { a: 'x', b: 4 });
        assert.match(await refused(shape, { a: 'x', b: 3 }), /\/b/);
    });

    test('a raw shape keeps the references of recursive schemas', async () => {
        const Node = z.object({ value: z.number(), get kids() { return z.array(Node); } });
        const shape = { 'a/b': Node, tree: Node };
        const deep = value => ({ value: 1, kids: [{ value: 2, kids: [{ value, kids: [] }] }] });
        assert.deepEqual(await passed(shape, { 'a/b': deep(3), tree: deep(4) }), { 'a/b': deep(3), tree: deep(4) });
        assert.match(await refused(shape, { 'a/b': deep(3), tree: deep('x') }), /\/tree\/kids\/0\/kids\/0\/value/);
    });

    test('an argument may have any name', async () => {
        const args = JSON.parse('{"__proto__": "a", "constructor": "b"}');
        const shape = Object.defineProperty({ constructor: z.string() }, '__proto__', { value: z.string(), enumerable: true });
        const got = await passed(shape, args);
        assert.deepEqual(Object.entries(got).sort(), Object.entries(args).sort());
    });
});

describe('what a JSON Schema cannot say', () => {
    test('transformations reach the handler', async () => {
        const schema = z.object({ date: z.string().transform(text => text.split('-').map(Number)) });
        assert.deepEqual(await passed(schema, { date: '2026-07-28' }), { date: [2026, 7, 28] });
    });

    test('refinements are told with their paths', async () => {
        const schema = z.object({
            range: z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from < to, 'ends before it begins'),
            'a/b': z.string().refine(text => text !== 'x', 'must not be x'),
        }).refine(({ range }) => range.from !== 7, 'nothing begins at 7');
        const text = await refused(schema, { range: { from: 2, to: 1 }, 'a/b': 'x' });
        assert.equal(text, 'Invalid arguments for tool "t" (2 problems):\n- /range: ends before it begins\n- /a~1b: must not be x');
        assert.equal(await refused(schema, { range: { from: 7, to: 8 }, 'a/b': 'y' }),
            'Invalid arguments for tool "t" (1 problem):\n- the arguments: nothing begins at 7');
    });

    test('asynchronous checks are waited for', async () => {
        const schema = z.object({ user: z.string().refine(async name => name === 'ann', 'is not known') });
        assert.deepEqual(await passed(schema, { user: 'ann' }), { user: 'ann' });
        assert.match(await refused(schema, { user: 'bob' }), /\/user: is not known/);
        assert.deepEqual(await passed({ user: schema.shape.user }, { user: 'ann' }), { user: 'ann' });
    });

    test('many problems are told up to a bound', async () => {
        const schema = z.object({ list: z.array(z.number().refine(() => false, 'no')) });
        const text = await refused(schema, { list: Array(80).fill(1) });
        assert.match(text, /\(80 problems\)/);
        assert.match(text, /- \/list\/49: no\n- and 30 more$/);
    });

    test('a check that throws is no answer for the peer', async () => {
        const schema = z.object({ a: z.string().refine(() => { throw new Error('db=10.0.0.5 pw=hunter2'); }) });
        assert.equal(await refused(schema, { a: 'x' }), 'tool "t" failed');
    });
});

describe('strings', () => {
    test('stay what they are, whatever they look like', async () => {
        for (const text of ['{"a":1}', '[1]', '007', '1e5', 'true', 'null', '"q"', '']) {
            for (const schema of [z.object({ s: z.string() }), z.object({ s: z.union([z.string(), z.number()]) }), { s: z.string().nullish() }]) {
                assert.deepEqual(await passed(schema, { s: text }), { s: text });
            }
        }
    });

    test('are not taken for numbers', async () => {
        assert.match(await refused(z.object({ n: z.number() }), { n: '3' }), /\/n/);
        assert.match(await refused(z.object({ n: z.coerce.number() }), { n: '3' }), /\/n/);
    });
});

describe('schemas that cannot be used are refused when the tool is registered', () => {
    for (const [name, schema, wanted] of [
        ['one without a JSON Schema', z.object({ a: z.date() }), /tool "t": inputSchema has no JSON Schema \(zod says: .*Date/],
        ['valibot without its adapter', v.object({ a: v.number() }), /toStandardJsonSchema/],
        ['a mixture', { a: z.string(), b: 5 }, /"b" is a number, beside "a", which is a schema/],
        ['a number', 5, /inputSchema is a number/],
        ['an array', [z.string()], /inputSchema is an array/],
        ['a string', z.string(), /"type": "object"/],
        ['an unknown type', { type: 'object', properties: { a: { type: 'any' } } }, /"any" is not a JSON Schema type/],
        ['a library that cannot say its JSON Schema', { '~standard': { version: 1, vendor: 'own', validate: value => ({ value }) } }, /a schema of own that cannot say its JSON Schema/],
    ]) {
        test(name, () => assert.throws(() => serverWith(schema), wanted));
    }
});

describe('output schemas', () => {
    const withOutput = (outputSchema, handler) => serverWith(undefined, handler, { outputSchema });

    for (const [name, schema] of Object.entries({
        zod: z.object({ sum: z.number() }),
        'a raw shape': { sum: z.number() },
        valibot: toStandardJsonSchema(v.object({ sum: v.number() })),
        arktype: type({ sum: 'number' }),
        'JSON Schema': { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    })) {
        test(`${name}: a value that fits is structured content, and the same as text`, async () => {
            const server = withOutput(schema, () => ({ sum: 3 }));
            assert.equal(server.findTool('t').outputSchema.properties.sum.type, 'number');
            const result = await server.callTool('t');
            assert.deepEqual(result.structuredContent, { sum: 3 });
            assert.deepEqual(JSON.parse(textOf(result)), { sum: 3 });
        });
        test(`${name}: one that does not is no result`, async () => {
            const server = withOutput(schema, () => ({ sum: 'three' }));
            const ended = await server.callTool('t').catch(error => error);
            assert.ok(ended instanceof Error || ended.isError);
            assert.doesNotMatch(JSON.stringify(ended) + ended.message, /three/);
        });
    }

    test('defaults are filled in, and what the schema does not have is left out', async () => {
        const server = withOutput(z.object({ a: z.number(), b: z.string().default('x') }), () => ({ a: 1, secret: 2 }));
        assert.deepEqual((await server.callTool('t')).structuredContent, { a: 1, b: 'x' });
    });

    test('a whole result has its structured content held against the schema', async () => {
        const server = withOutput(z.object({ a: z.number() }), () => ({
            content: [{ type: 'text', text: 'one' }],
            structuredContent: { a: 1 },
            _meta: { 'example.com/x': 1 },
        }));
        const result = await server.callTool('t');
        assert.deepEqual([result.structuredContent, textOf(result), result._meta['example.com/x']], [{ a: 1 }, 'one', 1]);
    });

    test('an error needs none', async () => {
        const server = withOutput(z.object({ a: z.number() }), () => ({ content: [{ type: 'text', text: 'no' }], isError: true }));
        const result = await server.callTool('t');
        assert.deepEqual([result.isError, textOf(result)], [true, 'no']);
    });

    test('a value that looks like a result is a value where the schema asks for it', async () => {
        const value = { content: [{ type: 'text', text: 'x' }], title: 'y' };
        const schema = z.object({ content: z.array(z.any()), title: z.string() });
        assert.deepEqual((await withOutput(schema, () => value).callTool('t')).structuredContent, value);
    });

    test('a string may be structured content', async () => {
        const result = await withOutput(z.string(), () => 'x').callTool('t');
        assert.equal(result.structuredContent, 'x');
    });

    test('one that cannot say what comes out is refused', () => {
        const schema = z.object({ a: z.string().transform(text => text.length) });
        assert.throws(() => withOutput(schema, () => 'x'), /tool "t": outputSchema has no JSON Schema \(zod says: Transforms/);
    });
});

// The arguments of prompts, and what completes them and the variables of templates.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { completable, ResourceTemplate, Server } from 'libmcp';
import * as v from 'valibot';
import { z } from 'zod';

import { Client } from './joined_client.mjs';

describe('arguments', () => {
    for (const [name, argsSchema] of Object.entries({
        'a raw shape': { who: z.string().describe('Whom'), tone: z.string().default('friendly') },
        'a zod object': z.object({ who: z.string().describe('Whom'), tone: z.string().default('friendly') }),
        valibot: toStandardJsonSchema(v.object({ who: v.pipe(v.string(), v.description('Whom')), tone: v.optional(v.string(), 'friendly') })),
    })) {
        test(`${name}: is listed, checked, and filled in`, async () => {
            const server = new Server({ name: 'prompts' });
            server.registerPrompt('greet', { title: 'Greeting', argsSchema }, ({ who, tone }) => `Greet ${who}, ${tone}`);
            const [{ title, arguments: listed }] = server.prompts();
            assert.deepEqual([title, listed], ['Greeting', [{ name: 'who', description: 'Whom', required: true }, { name: 'tone' }]]);
            const { messages } = await server.getPrompt('greet', { who: 'Ada' });
            assert.equal(messages[0].content.text, 'Greet Ada, friendly');
            await assert.rejects(server.getPrompt('greet', {}), /who/);
        });
    }

    test('a JSON Schema says names, titles, descriptions, and which are required', async () => {
        const server = new Server({ name: 'prompts' });
        const properties = { a: { type: 'string', title: 'A', description: 'The first' }, b: {} };
        server.registerPrompt('p', { argsSchema: { type: 'object', properties, required: ['a'] } }, args => JSON.stringify(args));
        assert.deepEqual(server.prompts()[0].arguments, [{ name: 'a', title: 'A', description: 'The first', required: true }, { name: 'b' }]);
        assert.equal((await server.getPrompt('p', { a: 'x' })).messages[0].content.text, '{"a":"x"}');
    });

    test('a JSON Schema that asks for more than anybody would check is refused', () => {
        const server = new Server({ name: 'prompts' });
        for (const [property, wanted] of [
            [{ type: 'number' }, /"a" must be a string/],
            [{ type: 'string', enum: ['x'] }, /"a" has "enum", which nobody would check/],
            [true, /"a" is a boolean/],
        ]) {
            assert.throws(() => server.registerPrompt('p', { argsSchema: { type: 'object', properties: { a: property } } }, () => 'x'), wanted);
        }
    });

    test('what a schema refuses is an error that says where', async () => {
        const server = new Server({ name: 'prompts' });
        server.registerPrompt('p', { argsSchema: { size: z.enum(['s', 'l']), count: z.coerce.number().int() } }, ({ count }) => `${typeof count} ${count}`);
        const client = new Client(server);
        const get = args => client.request('prompts/get', { name: 'p', arguments: args });
        assert.equal((await get({ size: 's', count: '3' })).messages[0].content.text, 'number 3');
        await assert.rejects(get({ size: 'm', count: 'x' }), error => {
            assert.equal(error.code, -32602);
            assert.match(error.message, /^Invalid arguments for prompt "p" \(2 problems\):\n- \/size: .*\n- \/count: /);
            return true;
        });
        await client.close();
    });

    test('an update changes them', async () => {
        const server = new Server({ name: 'prompts' });
        const prompt = server.registerPrompt('p', { argsSchema: { a: z.string() } }, ({ a }) => a);
        prompt.update({ argsSchema: { b: z.string() }, handler: ({ b }) => `now ${b}` });
        assert.deepEqual(server.prompts()[0].arguments, [{ name: 'b', required: true }]);
        assert.equal((await server.getPrompt('p', { b: 'x' })).messages[0].content.text, 'now x');
        prompt.remove();
        assert.deepEqual(server.prompts(), []);
    });
});

describe('completion', () => {
    const server = new Server({ name: 'completion' });
    const client = new Client(server);
    after(() => client.close());
    const complete = async (ref, name, value, context) =>
        (await client.request('completion/complete', { ref, argument: { name, value }, ...(context && { context }) })).completion;
    const prompt = name => ({ type: 'ref/prompt', name });
    const template = uri => ({ type: 'ref/resource', uri });
    const beginning = words => typed => words.filter(word => word.startsWith(typed));

    test('of an argument of a raw shape, of an object, and of one that is optional', async () => {
        const name = completable(z.string(), beginning(['Ada', 'Alan', 'Grace']));
        server.registerPrompt('raw', { argsSchema: { name } }, () => 'x');
        server.registerPrompt('object', { argsSchema: z.object({ name: name.optional() }) }, () => 'x');
        const own = completable(toStandardJsonSchema(v.string()), async typed => [`${typed}!`]);
        server.registerPrompt('valibot', { argsSchema: { name: own } }, () => 'x');
        assert.deepEqual((await complete(prompt('raw'), 'name', 'A')).values, ['Ada', 'Alan']);
        assert.deepEqual((await complete(prompt('object'), 'name', 'G')).values, ['Grace']);
        assert.deepEqual((await complete(prompt('valibot'), 'name', 'x')).values, ['x!']);
    });

    test('of a variable of a template, which sees the others', async () => {
        const notes = { garden: ['beans', 'compost'], kitchen: ['bread'] };
        server.registerResource('note', new ResourceTemplate('notes://{folder}/{name}', {
            complete: {
                folder: beginning(Object.keys(notes)),
                name: (typed, context) => beginning(notes[context?.arguments?.folder] ?? [])(typed),
            },
        }), {}, () => 'x');
        const ref = template('notes://{folder}/{name}');
        assert.deepEqual((await complete(ref, 'folder', '')).values, ['garden', 'kitchen']);
        assert.deepEqual((await complete(ref, 'name', 'b', { arguments: { folder: 'garden' } })).values, ['beans']);
        assert.deepEqual((await complete(ref, 'name', 'b')).values, []);
    });

    test('of the rest, by the handler of the server', async () => {
        server.registerPrompt('rest', { argsSchema: { a: z.string(), b: completable(z.string(), () => ['own']) } }, () => 'x');
        assert.deepEqual((await complete(prompt('rest'), 'a', '')).values, []);
        server.registerCompletion(({ ref, argument }, ctx) => ({ values: [`${ref.name} ${argument.name} ${ctx.revision}`], total: 7 }));
        const { values, total, hasMore } = await complete(prompt('rest'), 'a', '');
        assert.deepEqual([values, total, hasMore], [['rest a 2026-07-28'], 7, true]);
        assert.deepEqual((await complete(prompt('rest'), 'b', '')).values, ['own']);
    });

    test('sends the first hundred values', async () => {
        const many = Array.from({ length: 150 }, (_, index) => `v${index}`);
        server.registerPrompt('many', { argsSchema: { a: completable(z.string(), () => many) } }, () => 'x');
        const { values, hasMore } = await complete(prompt('many'), 'a', '');
        assert.deepEqual([values, hasMore], [many.slice(0, 100), true]);
    });

    test('that returns something else is an error', async () => {
        server.registerPrompt('wrong', { argsSchema: { a: completable(z.string(), () => 'x'), b: completable(z.string(), () => [5]) } }, () => 'x');
        for (const name of ['a', 'b']) {
            await assert.rejects(complete(prompt('wrong'), name, ''), { code: -32603 });
        }
    });

    test('callbacks that are no functions are refused', () => {
        assert.throws(() => completable(z.string(), ['a']), /complete must be a function/);
        assert.throws(() => new ResourceTemplate('x://{a}', { complete: { a: 5 } }), /complete\.a must be a function/);
        assert.throws(() => new ResourceTemplate(new URL('x://y')), /uriTemplate must be a string/);
        assert.throws(() => new ResourceTemplate('x://{a}', { list: [] }), /list must be a function/);
    });
});

// Forms made of schemas, and the rounds of a handler that asks.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { InputRequired, McpError, Server } from 'libmcp';
import * as v from 'valibot';
import { z } from 'zod';

import { Client, textOf } from './joined_client.mjs';

const CAN = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A client of a server with one tool, `t`. */
function clientOf(handler, capabilities = CAN) {
    const server = new Server({ name: 'forms' });
    server.registerTool('t', {}, handler);
    return new Client(server, { capabilities });
}

/** Calls `t` and answers what it asks by `answers`, until it is done: the questions of each round, and the result. */
async function converse(client, answers) {
    const rounds = [];
    let result = await client.call('t');
    while (result.resultType === 'input_required') {
        rounds.push(result.inputRequests);
        const inputResponses = Object.fromEntries(Object.entries(result.inputRequests).map(([key, request]) => [key, answers(request, key)]));
        result = await client.call('t', {}, { inputResponses, requestState: result.requestState });
    }
    return { rounds, result };
}

describe('forms', () => {
    for (const [name, schema] of Object.entries({
        'a zod object': z.object({ name: z.string(), age: z.int().min(18).optional() }),
        'a raw shape': { name: z.string(), age: z.int().min(18).optional() },
        valibot: toStandardJsonSchema(v.object({ name: v.string(), age: v.optional(v.pipe(v.number(), v.integer(), v.minValue(18))) })),
        arktype: type({ name: 'string', 'age?': 'number.integer >= 18' }),
        'JSON Schema': { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } }, required: ['name'] },
    })) {
        test(`${name} is asked, and its answer comes back`, async () => {
            const client = clientOf(async (_, ctx) => ctx.elicit({ message: 'Who?', requestedSchema: schema }));
            const { rounds, result } = await converse(client, () => ({ action: 'accept', content: { name: 'Ann', age: 20 } }));
            assert.deepEqual(result.structuredContent, { action: 'accept', content: { name: 'Ann', age: 20 } });
            const [{ method, params }] = Object.values(rounds[0]);
            assert.deepEqual([method, params.message, Object.keys(params.requestedSchema).sort()], ['elicitation/create', 'Who?', ['properties', 'required', 'type']]);
            assert.equal(params.requestedSchema.properties.age.minimum, 18);
            await client.close();
        });
    }

    test('what a form has no words for is checked when the answer comes', async () => {
        const requestedSchema = z.object({ mail: z.email(), even: z.int().multipleOf(2), plus: z.int().positive() });
        const client = clientOf(async (_, ctx) => (await ctx.elicit({ message: 'Mail?', requestedSchema })).content);
        const answer = content => converse(client, () => ({ action: 'accept', content }));
        const { rounds, result } = await answer({ mail: 'a@example.com', even: 2, plus: 1 });
        const [{ params }] = Object.values(rounds[0]);
        assert.deepEqual(Object.keys(params.requestedSchema.properties.mail).sort(), ['format', 'type']);
        assert.equal(params.requestedSchema.properties.even.multipleOf, undefined);
        assert.deepEqual(result.structuredContent, { mail: 'a@example.com', even: 2, plus: 1 });
        const wrong = (await answer({ mail: 'a@example.com', even: 3, plus: 0 })).result;
        assert.equal(wrong.isError, true);
        assert.match(textOf(wrong), /^The answer does not fit the question \(2 problems\):\n- \/even: .*\n- \/plus: /);
        await client.close();
    });

    test('a question without a form is one for consent, and a no is an answer', async () => {
        const client = clientOf(async (_, ctx) => ctx.elicit({ message: 'Go on?' }));
        for (const action of ['decline', 'cancel']) {
            assert.deepEqual((await converse(client, () => ({ action }))).result.structuredContent, { action });
        }
        await client.close();
    });

    test('one that cannot be a form fails, and the log says why', async () => {
        const requestedSchema = z.object({ deep: z.object({ a: z.string() }) });
        const client = clientOf((_, ctx) => ctx.elicit({ message: 'x', requestedSchema }).catch(error => `${error.code}: ${error.message}`));
        assert.match(textOf(await client.call('t')), /deep/);
        await client.close();
    });
});

describe('rounds', () => {
    test('several questions go out at once, whether or not they are awaited together', async () => {
        const client = clientOf(async (_, ctx) => {
            const name = ctx.elicit({ key: 'name', message: 'Name?', requestedSchema: { name: z.string() } });
            const said = ctx.sample({ key: 'said', messages: 'Say.', maxTokens: 5 });
            const roots = ctx.roots({ key: 'roots' });
            return [(await name).content.name, (await said).content.text, (await roots)[0].uri];
        });
        const { rounds, result } = await converse(client, ({ method }) => ({
            'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
            'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm' },
            'roots/list': { roots: [{ uri: 'file:///a' }] },
        })[method]);
        assert.deepEqual(rounds.map(round => Object.keys(round).sort()), [['name', 'roots', 'said']]);
        assert.deepEqual(result.structuredContent, ['Ann', 'hm', 'file:///a']);
        await client.close();
    });

    test('memo computes once, once is true once, and a page has an id', async () => {
        let computed = 0;
        let began = 0;
        const client = clientOf(async (_, ctx) => {
            began++;
            const price = await ctx.memo('price', async () => ++computed);
            const page = await ctx.elicitUrl({ key: 'page', message: 'Pay', url: id => `https://example.com/pay/${id}` });
            const sure = await ctx.elicit({ message: `${price}?` });
            return { price, page: page.action, sure: sure.action, first: ctx.once('pay'), second: ctx.once('pay') };
        });
        const { rounds, result } = await converse(client, () => ({ action: 'accept' }));
        assert.deepEqual(result.structuredContent, { price: 1, page: 'accept', sure: 'accept', first: true, second: false });
        assert.deepEqual([computed, began, rounds.length], [1, 3, 2]);
        assert.match(rounds[0].page.params.url, /^https:\/\/example\.com\/pay\/[\w-]{10,}$/);
        await client.close();
    });

    test('questions without a key are named by their text: the same is asked once, another one anew', async () => {
        const client = clientOf(async (_, ctx) => {
            const first = await ctx.elicit({ message: 'A?' });
            const again = await ctx.elicit({ message: 'A?' });
            const other = await ctx.elicit({ message: 'B?' });
            return [first.action, again.action, other.action];
        });
        const { rounds, result } = await converse(client, ({ params }) => ({ action: params.message === 'A?' ? 'accept' : 'decline' }));
        assert.deepEqual(rounds.map(round => Object.values(round)[0].params.message), ['A?', 'B?']);
        assert.deepEqual(result.structuredContent, ['accept', 'accept', 'decline']);
        await client.close();
    });

    test('what a handler returns that swallows the question is dropped', async () => {
        const client = clientOf(async (_, ctx) => {
            const answer = await ctx.elicit({ message: 'A?' }).catch(error => error);
            return answer instanceof InputRequired ? 'swallowed' : answer.action;
        });
        const { rounds, result } = await converse(client, () => ({ action: 'accept' }));
        assert.deepEqual([rounds.length, textOf(result)], [1, 'accept']);
        await client.close();
    });

    test('a client that cannot be asked is told what it lacks, unless the handler does without', async () => {
        const asks = clientOf((_, ctx) => ctx.sample({ messages: 'Say.', maxTokens: 5 }), {});
        await assert.rejects(asks.call('t'), { code: -32021, data: { requiredCapabilities: { sampling: {} } } });
        const doesWithout = clientOf((_, ctx) => ctx.sample({ messages: 'Say.', maxTokens: 5 }).catch(error => {
            assert.ok(error instanceof McpError);
            return error.code;
        }), {});
        assert.equal(textOf(await doesWithout.call('t')), 'MISSING_CAPABILITY');
        await asks.close();
        await doesWithout.close();
    });

    test('a question that nobody awaits does not end the process', async () => {
        const client = clientOf((_, ctx) => {
            ctx.elicit({ message: 'A?' });
            return 'done';
        });
        const { rounds, result } = await converse(client, () => ({ action: 'accept' }));
        assert.deepEqual([rounds.length, textOf(result)], [1, 'done']);
        await client.close();
    });
});

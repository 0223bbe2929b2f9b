import assert from 'node:assert/strict';
import test from 'node:test';
import { InputRequired, Server, setLogHandler } from 'libmcp';
import { z } from 'zod';
import { Client, textOf } from './joined_client.mjs';

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const SEAT = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };

/** Calls `t` until it ends; `answer` answers each question. Returns the last answer, and all questions. */
async function ask(handler, answer, { capabilities = CAPABILITIES, config = {} } = {}) {
    const server = new Server({ name: 'test' });
    server.registerTool('t', config, handler);
    const client = new Client(server, { capabilities });
    const asked = [];
    let params = { name: 't', arguments: {} };
    for (let round = 0; round < 10; round++) {
        const message = await client.ask('tools/call', params);
        if (message.result?.resultType !== 'input_required') {
            await client.close();
            await server.close();
            return { ...message, asked, rounds: round + 1 };
        }
        const questions = Object.entries(message.result.inputRequests ?? {});
        asked.push(...questions.map(([, question]) => question));
        const inputResponses = Object.fromEntries(questions.map(([key, question]) => [key, answer(question, key)]));
        params = { name: 't', arguments: {}, inputResponses, requestState: message.result.requestState };
    }
    throw new Error('it asks without end');
}

const accept = content => () => ({ action: 'accept', content });

test('a question ends the round, and the handler runs again with its answer', async () => {
    let runs = 0;
    const { result, asked, rounds } = await ask(async (args, ctx) => {
        runs++;
        const answer = await ctx.elicit({ message: 'Which seat?', requestedSchema: SEAT });
        return `${answer.action} ${answer.content.seat}`;
    }, accept({ seat: '12A' }));
    assert.deepEqual([textOf(result), rounds, runs], ['accept 12A', 2, 2]);
    assert.deepEqual([asked[0].method, asked[0].params.message, asked[0].params.requestedSchema], ['elicitation/create', 'Which seat?', SEAT]);
});

test('several questions may be asked at once, of every kind', async () => {
    const { result, asked, rounds } = await ask(async (args, ctx) => {
        const [seat, said, roots, page] = await Promise.all([
            ctx.elicit({ message: 'Which seat?', requestedSchema: SEAT, key: 'seat' }),
            ctx.sample({ messages: 'Say something', maxTokens: 10 }),
            ctx.roots(),
            ctx.elicitUrl({ message: 'Pay there', url: id => `https://pay.example/${id.length > 8}` }),
        ]);
        return [seat.content.seat, said.content.text, roots[0].uri, page.action];
    }, question => ({
        'elicitation/create': question.params?.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { seat: '1' } },
        'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm' },
        'roots/list': { roots: [{ uri: 'file:///a' }] },
    })[question.method]);
    assert.deepEqual([result.structuredContent, rounds], [['1', 'hello', 'file:///a', 'accept'], 2]);
    assert.equal(asked.find(({ params }) => params?.mode === 'url').params.url, 'https://pay.example/true');
    assert.deepEqual(asked.find(({ method }) => method === 'sampling/createMessage').params.messages,
        [{ role: 'user', content: { type: 'text', text: 'Say something' } }]);
});

test('a schema of a library types the answer, and checks what forms cannot say', async () => {
    const handler = async (args, ctx) => {
        const { content } = await ctx.elicit({ message: 'Code?', requestedSchema: z.object({ code: z.string().regex(/^[A-Z]+$/) }) });
        return content.code;
    };
    assert.equal(textOf((await ask(handler, accept({ code: 'ABC' }))).result), 'ABC');
    const { result } = await ask(handler, accept({ code: 'abc' }));
    assert.equal(result.isError, true);
    assert.match(textOf(result), /The answer does not fit the question/);
});

test('the user may say no', async () => {
    const { result } = await ask(async (args, ctx) => (await ctx.elicit({ message: 'Sure?' })).action, () => ({ action: 'decline' }));
    assert.equal(textOf(result), 'decline');
});

test('a handler that swallows the question is asked again all the same, and the log says so', async () => {
    const records = [];
    setLogHandler(record => records.push(record.message));
    const { result, rounds } = await ask(async (args, ctx) => {
        try {
            return (await ctx.elicit({ message: 'Which seat?', requestedSchema: SEAT })).content.seat;
        } catch (error) {
            assert.ok(error instanceof InputRequired && error instanceof Error);
            return 'swallowed';
        }
    }, accept({ seat: '2' }));
    setLogHandler(undefined);
    assert.deepEqual([textOf(result), rounds], ['2', 2]);
    assert.ok(records.some(line => /the result was dropped/.test(line)), records.join());
});

test('a handler that throws something else after its question, or awaits nothing, has asked too', async () => {
    for (const handler of [
        async (args, ctx) => {
            const answer = await ctx.elicit({ message: '?', requestedSchema: SEAT }).catch(() => { throw new Error('mine'); });
            return answer.content.seat;
        },
        (args, ctx) => {
            ctx.elicit({ message: '?', requestedSchema: SEAT }); // nobody handles its rejection
            return new Promise(resolve => setImmediate(() => resolve('3')));
        },
    ]) {
        setLogHandler(() => {});
        const { result, rounds } = await ask(handler, accept({ seat: '3' }));
        setLogHandler(undefined);
        assert.deepEqual([textOf(result), rounds], ['3', 2]);
    }
});

test('what is dear is done once, and so is what must not be repeated', async () => {
    let computed = 0;
    let effects = 0;
    const { result } = await ask(async (args, ctx) => {
        const price = await ctx.memo('price', async () => ({ amount: ++computed }));
        const nothing = await ctx.memo('nothing', () => undefined);
        if (ctx.once('effect')) effects++;
        await ctx.elicit({ message: `Pay ${price.amount}?` });
        return { price, nothing, again: ctx.once('effect') };
    }, accept({}));
    assert.deepEqual(result.structuredContent, { price: { amount: 1 }, nothing: null, again: false });
    assert.deepEqual([computed, effects], [1, 1]);
});

test('a client that cannot be asked is told what it lacks, unless the handler goes on without', async () => {
    const { error } = await ask((args, ctx) => ctx.elicit({ message: '?' }).then(() => ''), accept({}), { capabilities: {} });
    assert.equal(error.code, -32021);
    assert.deepEqual(error.data.requiredCapabilities, { elicitation: { form: {} } });
    const { result } = await ask(async (args, ctx) => {
        try {
            return (await ctx.elicit({ message: '?' })).action;
        } catch (error) {
            return error.code;
        }
    }, accept({}), { capabilities: {} });
    assert.equal(textOf(result), 'MISSING_CAPABILITY');
    const refused = await ask(() => 'never', accept({}), { capabilities: {}, config: { requires: ['sampling'] } });
    assert.equal(refused.error.code, -32021);
});

test('a client of an older revision is asked too', async () => {
    const server = new Server({ name: 'test' });
    server.registerTool('t', {}, async (args, ctx) => {
        const { content } = await ctx.elicit({ message: 'Which seat?', requestedSchema: SEAT });
        return `${content.seat} of ${ctx.clientInfo?.name} by ${ctx.revision}`;
    });
    const answered = new Promise(resolve => {
        const session = server.connect(text => {
            const message = JSON.parse(text);
            if (message.method === 'elicitation/create') {
                session.receive(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { action: 'accept', content: { seat: '4' } } }));
            } else if (message.id === 1) {
                session.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
                session.receive('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{}}}');
            } else if (message.id === 2) {
                session.close().then(() => resolve(message));
            }
        });
        const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'old', version: '1' } };
        session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    });
    assert.equal(textOf((await answered).result), '4 of old by 2025-11-25');
    await server.close();
});

test('whoever serves the page can say when the user is done there', async () => {
    const server = new Server({ name: 'test' });
    let id;
    server.registerTool('t', {}, async (args, ctx) => {
        await ctx.elicitUrl({ message: 'Pay', url: own => { id = own; return `https://pay.example/${own}`; }, key: 'pay' });
        return 'paid';
    });
    const client = new Client(server, { capabilities: CAPABILITIES });
    assert.equal((await client.call('t')).resultType, 'input_required');
    assert.ok(id.length > 8);
    assert.equal(server.completeElicitation(id), false, 'a client of this revision need not be told');
    assert.equal(server.completeElicitation('unknown'), false);
    await client.close();
    await server.close();
});

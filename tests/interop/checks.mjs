// What every client is to find at the server of this folder, as `checks.py` has it, for clients in JavaScript.
//
// A connection has: revision, serverName (undefined where the client has not asked), logs ([level, logger, data]...),
// and
//   tools(), resources(), templates(), prompts()   the names or URIs of all
//   call(name, arguments, onProgress)              { text, structured, isError }
//   read(uri)                                      the text, or the bytes as a Buffer
//   prompt(name, arguments)                        [role, text]...
//   complete({ prompt or template, argument, value })
//   askForLogs()                                   from level `info` on
//   watch({ tools or uri }, told)                  has `told` called with 'tools' or the URI; its value ends that
//   close(), and perhaps notFound                  the one code to which the client turns those of both eras

import assert from 'node:assert/strict';

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
const TOOLS = ['add', 'ask_model', 'ask_name', 'ask_roots', 'count', 'switch_tool', 'tell', 'touch'];
const PATIENCE = 30_000; // milliseconds, for any one check

// What a client answers when the server asks.
export const NAME = 'Ada';
export const SAID = 'Something.';
export const ROOT = 'file:///some/where';

let passed = 0;
let failed = 0;

/** Runs one named check. A failure is shown and counted, and the next check goes on. */
export async function check(name, body) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not done within ${PATIENCE} ms`)), PATIENCE);
    });
    try {
        await Promise.race([body(), late]);
        passed += 1;
        console.log(`  ok      ${name}`);
    } catch (reason) {
        failed += 1;
        console.log(`  FAILED  ${name}: ${reason.message}`);
    } finally {
        clearTimeout(timer);
    }
}

/** Prints the count and ends the program. */
export function end() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed > 0 ? 1 : 0);
}

/** Everything that one connection is asked, from the beginning to the end. */
export async function connection(label, connect, revision) {
    let client;
    await check(`${label}: connects at ${revision}`, async () => {
        client = await connect();
        assert.equal(client.revision, revision);
        assert.ok([undefined, 'interop'].includes(client.serverName), client.serverName);
    });
    if (client === undefined) return;
    for (const area of [useTools, useResources, usePrompts, answerQuestions, watchChanges]) {
        await area(client, label, revision);
    }
    await check(`${label}: goodbye`, () => client.close());
}

async function useTools(client, label) {
    await check(`${label}: lists the tools`, async () => {
        const names = await client.tools();
        assert.deepEqual(names.filter(name => !name.startsWith('extra-')), TOOLS);
    });
    await check(`${label}: a good call has structured content, and the same as text`, async () => {
        const { isError, structured, text } = await client.call('add', { a: 2, b: 40 });
        assert.ok(!isError);
        assert.deepEqual(structured, { sum: 42 });
        assert.deepEqual(JSON.parse(text), { sum: 42 });
    });
    await check(`${label}: bad arguments are a tool error that names each problem`, async () => {
        const { isError, text } = await client.call('add', { a: 2000 });
        assert.equal(isError, true);
        assert.match(text, /\/a/);
        assert.match(text, /b/);
    });
    await check(`${label}: an unknown tool is a protocol error`, () =>
        assert.rejects(client.call('no_such_tool', {}), { code: -32602 }));
    await check(`${label}: progress arrives in order`, async () => {
        const seen = [];
        const { text } = await client.call('count', {}, update => seen.push(update));
        assert.deepEqual(
            seen.map(({ progress, total, message }) => ({ progress, total, message })),
            [1, 2, 3, 4, 5].map(step => ({ progress: step, total: 5, message: `step ${step}` })),
        );
        assert.equal(text, 'counted to 5');
    });
    await check(`${label}: a log message arrives`, async () => {
        await client.askForLogs();
        const what = `I am ${label} — ≠ ascii`;
        assert.equal((await client.call('tell', { what })).text, 'told');
        await until(() => client.logs.length > 0);
        assert.deepEqual(client.logs[0], ['notice', 'teller', what]);
    });
}

async function useResources(client, label, revision) {
    const code = client.notFound ?? (revision === MODERN ? -32602 : -32002);
    await check(`${label}: lists resources and templates`, async () => {
        assert.deepEqual(await client.resources(), ['note://bytes', 'note://welcome']);
        assert.deepEqual(await client.templates(), ['note://of/{name}']);
    });
    await check(`${label}: reads a text`, async () => {
        assert.equal(await client.read('note://welcome'), 'Welcome. Grüß Gott. ようこそ。');
    });
    await check(`${label}: reads bytes`, async () => {
        assert.deepEqual(await client.read('note://bytes'), Buffer.from([0, 255, 1]));
    });
    await check(`${label}: reads by a template`, async () => {
        assert.equal(await client.read('note://of/J%C3%BCrgen'), 'A note of Jürgen.');
    });
    await check(`${label}: what is not there is not found`, async () => {
        await assert.rejects(client.read('note://nothing'), { code });
        await assert.rejects(client.read('note://of/nobody'), { code });
    });
}

async function usePrompts(client, label) {
    await check(`${label}: lists the prompts`, async () => {
        assert.deepEqual(await client.prompts(), ['greet']);
    });
    await check(`${label}: gets a prompt of two roles`, async () => {
        assert.deepEqual(await client.prompt('greet', { name: 'Zoë' }), [
            ['assistant', 'Whom shall I greet?'],
            ['user', 'Greet Zoë in a friendly tone.'],
        ]);
    });
    await check(`${label}: a prompt without a required argument is a protocol error`, () =>
        assert.rejects(client.prompt('greet', { tone: 'dry' }), { code: -32602 }));
    await check(`${label}: an unknown prompt is a protocol error`, () =>
        assert.rejects(client.prompt('no_such_prompt', {}), { code: -32602 }));
    await check(`${label}: completes an argument of a prompt`, async () => {
        assert.deepEqual(await client.complete({ prompt: 'greet', argument: 'name', value: 'A' }), ['Ada', 'Alan']);
    });
    await check(`${label}: completes a variable of a template`, async () => {
        const template = 'note://of/{name}';
        assert.deepEqual(await client.complete({ template, argument: 'name', value: 'G' }), ['Grace']);
    });
}

/** The client answers by itself, as its program told it at the beginning. */
async function answerQuestions(client, label) {
    for (const [what, tool, wanted] of [
        ['the user', 'ask_name', NAME],
        ['the model', 'ask_model', SAID],
        ['for roots', 'ask_roots', ROOT],
    ]) {
        await check(`${label}: a tool asks ${what}`, async () => {
            const { isError, text } = await client.call(tool, {});
            assert.ok(!isError && text.includes(wanted), text);
        });
    }
}

async function watchChanges(client, label) {
    const name = label.replaceAll(' ', '-');
    await check(`${label}: a change of a resource is told`, async () => {
        const uri = `note://of/${name}`;
        await during(client, { uri }, uri, async () => {
            assert.equal((await client.call('touch', { uri })).text, 'touched');
        });
    });
    await check(`${label}: a change of the tools is told`, async () => {
        const extra = `extra-${name}`;
        await during(client, { tools: true }, 'tools', async () => {
            assert.equal((await client.call('switch_tool', { name: extra, on: true })).text, 'switched');
        });
        assert.ok((await client.tools()).includes(extra), 'the new tool is not listed');
        assert.equal((await client.call(extra, {})).text, 'here I am');
        assert.equal((await client.call('switch_tool', { name: extra, on: false })).text, 'switched');
    });
}

/** `body` must have `wanted` told; what other clients change meanwhile is passed over. */
async function during(client, filter, wanted, body) {
    const told = new Set();
    const stop = await client.watch(filter, change => told.add(change));
    await body();
    await until(() => told.has(wanted));
    await stop();
}

/** Waits for what arrives beside the answer. */
async function until(condition) {
    for (let waited = 0; !condition(); waited += 10) {
        if (waited > 10_000) throw new Error('it has not come within 10 seconds');
        await new Promise(resolve => setTimeout(resolve, 10));
    }
}

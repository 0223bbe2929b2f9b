// The examples that no conversation over stdio can show: see tests/examples for the others.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { textOf } from './joined_client.mjs';
import { messagesOf, resultOf, toolCall } from './mounted.mjs';

const example = name => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

test('weather.mjs does all that the demo asks, over stdio and over HTTP', async () => {
    const { stdout } = await promisify(execFile)('python3', [example('demo.py'), example('node/weather.mjs')], { timeout: 60_000 });
    assert.match(stdout, /All steps were as they should be, over both transports\./);
});

test('express_app.mjs serves its pages and its tools to the same users', async context => {
    const app = spawn(process.execPath, [example('node/express_app.mjs'), '0'], { stdio: ['ignore', 'inherit', 'pipe'] });
    context.after(async () => {
        app.kill();
        if (app.exitCode === null && app.signalCode === null) await once(app, 'exit');
    });
    const [line] = await once(createInterface(app.stderr), 'line');
    const [base] = line.match(/http:\/\/127\.0\.0\.1:\d+/);

    const page = async headers => (await fetch(`${base}/notes`, { headers })).json();
    const call = async (name, args, headers) => resultOf(await fetch(`${base}/mcp`, toolCall(name, args, headers)));
    const ann = { authorization: 'Bearer ann' };
    const bob = { authorization: 'Bearer bob' };

    assert.deepEqual(await page(ann), ['Water the beans.']);
    assert.deepEqual((await call('list_notes', {}, ann)).structuredContent, ['Water the beans.']);
    assert.equal(textOf(await call('add_note', { text: 'Bake.' }, bob)), 'Noted.');
    assert.deepEqual([await page(bob), (await page(ann)).length], [['Bake.'], 1]);
    assert.deepEqual(await page({}), { error: 'who are you?' });
    const nobody = await call('list_notes', {}, { authorization: 'Bearer eve' });
    assert.deepEqual([nobody.isError, /Log in first/.test(textOf(nobody))], [true, true]);
    const empty = await call('add_note', { text: '' }, ann);
    assert.match(textOf(empty), /\/text/);
    const [{ error }] = await messagesOf(await fetch(`${base}/mcp`, toolCall('no_such_tool')));
    assert.equal(error.code, -32602);
});

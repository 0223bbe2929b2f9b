import assert from 'node:assert/strict';
import test from 'node:test';
import { Program } from './program.mjs';

test('the log goes to the handler, and to stderr again without one', async () => {
    const { code, stderr, lines } = await new Program(`
        const server = new Server({ name: 'test' });
        server.registerTool('bad', {}, () => ({ content: [{ type: 'nonsense' }], structuredContent: 1 }));
        const records = [];
        setLogHandler(record => records.push(record));
        await server.callTool('bad').catch(() => {});
        setLogHandler(undefined);
        console.log(JSON.stringify(records));
        await server.callTool('bad').catch(() => {});
        try { setLogHandler('stderr'); } catch (error) { console.log(error.message); }
    `).exit;
    assert.equal(code, 0);
    const records = JSON.parse(lines[0]);
    assert.equal(records.length, 1);
    assert.equal(records[0].level, 'error');
    assert.match(records[0].message, /^tool "bad"/);
    assert.match(stderr, /^libmcp: error: tool "bad"/);
    assert.equal(stderr.trim().split('\n').length, 1);
    assert.match(lines[1], /handler must be a function/);
});

test('a log handler keeps no program running', async () => {
    const { code, stderr } = await new Program(`
        setLogHandler(() => {});
        new Server({ name: 'test' });
    `).exit;
    assert.deepEqual([code, stderr], [0, '']);
});

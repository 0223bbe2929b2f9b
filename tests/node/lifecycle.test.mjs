import assert from 'node:assert/strict';
import test from 'node:test';
import { textOf } from './joined_client.mjs';
import { Program } from './program.mjs';

const SERVER = `
const server = new Server({ name: 'test', version: '1' });
server.registerTool('add', { inputSchema: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => String(a + 1));
server.registerTool('hang', {}, (_, ctx) => {
    console.error('hanging');
    return new Promise(() => {});
});
`;

/** A program that ends by itself, with nothing to complain of. */
async function endsWell(text) {
    const { code, signal, stderr, lines } = await new Program(text).exit;
    assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
    return lines;
}

test('a program that registers and does nothing ends', () => endsWell(SERVER));

test('a program that uses its server in process ends, with and without closing it', async () => {
    for (const close of ['', 'await server.close();']) {
        const [line] = await endsWell(`${SERVER}
            console.log(JSON.stringify(await server.callTool('add', { a: 1 })));
            ${close}
        `);
        assert.equal(textOf(JSON.parse(line)), '2');
    }
});

test('a program ends once its listener or its server is closed', async () => {
    for (const close of ['listener.close()', 'server.close()', 'Promise.all([listener.close(), server.close(), server.close()])']) {
        await endsWell(`${SERVER}
            const listener = await server.listen({ port: 0 });
            await ${close};
        `);
    }
});

test('a listener keeps the program running', async () => {
    const program = new Program(`${SERVER}
        const listener = await server.listen({ port: 0 });
        console.log(listener.url);
        globalThis.gc?.();
    `);
    const url = await program.line(() => true);
    assert.equal((await fetch(url, { method: 'PUT' })).status, 405);
    program.child.kill('SIGTERM');
    assert.equal((await program.exit).signal, 'SIGTERM');
});

test('a session keeps the program running until it is closed', async () => {
    const lines = await endsWell(`${SERVER}
        const session = server.connect(text => {
            console.log(text);
            session.close();
        });
        setImmediate(() => session.receive('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'));
    `);
    assert.match(lines[0], /"id":1/);
});

test('closing ends what hangs, within the time that it is given', async () => {
    const program = new Program(`${SERVER}
        const serving = server.serveStdio();
        process.once('SIGUSR2', async () => {
            await server.close(0);
            await serving;
            console.error('closed');
        });
    `);
    program.call(1, 'hang').catch(() => {});
    await program.says('hanging');
    program.child.kill('SIGUSR2');
    await program.says('closed');
    assert.equal((await program.exit).code, 0);
});

test('closing ends a call in process that hangs', async () => {
    const lines = await endsWell(`${SERVER.replace("console.error('hanging')", '')}
        const hanging = server.callTool('hang').catch(error => error.code);
        await server.close(0);
        console.log(await hanging);
    `);
    assert.deepEqual(lines, ['SHUT_DOWN']);
});

for (const code of [0, 7]) {
    test(`process.exit(${code}) inside a handler ends the program at once`, async () => {
        for (const handler of [`() => process.exit(${code})`, `async () => { await null; process.exit(${code}); }`]) {
            const program = new Program(`${SERVER}
                server.registerTool('leave', {}, ${handler});
                await server.serveStdio();
            `);
            program.call(1, 'hang').catch(() => {});
            program.call(2, 'leave').catch(() => {});
            const ended = await program.exit;
            assert.deepEqual([ended.code, ended.signal, ended.stderr], [code, null, 'hanging\n']);
        }
    });
}

test('process.exit() while HTTP is served ends the program at once', async () => {
    const program = new Program(`${SERVER}
        server.registerTool('leave', {}, () => process.exit(3));
        const listener = await server.listen({ port: 0 });
        const { callTool } = await import('./tests/node/http_call.mjs');
        await callTool(listener.url, 'leave');
    `);
    const { code, stderr } = await program.exit;
    assert.deepEqual([code, stderr], [3, '']);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`${signal} ends a program that serves, as it ends any, idle or with a call`, async () => {
        for (const busy of [false, true]) {
            const program = new Program(`${SERVER}
                const serving = server.serveStdio();
                console.error('serving');
                await serving;
            `);
            await program.says('serving');
            if (busy) {
                program.call(1, 'hang').catch(() => {});
                await program.says('hanging');
            }
            const begun = performance.now();
            program.child.kill(signal);
            const ended = await program.exit;
            assert.deepEqual([ended.signal, ended.stderr], [signal, busy ? 'serving\nhanging\n' : 'serving\n']);
            assert.ok(performance.now() - begun < 2000);
        }
    });
}

test('a server that nobody uses any more is collected, with its handlers', async () => {
    const { code, stderr } = await new Program(`
        import v8 from 'node:v8';
        import vm from 'node:vm';
        v8.setFlagsFromString('--expose-gc');
        const gc = vm.runInNewContext('gc');
        let left = 0;
        const registry = new FinalizationRegistry(() => left++);
        const made = 50;
        for (let round = 0; round < made; round++) {
            const server = new Server({ name: 'short' });
            registry.register(server, round);
            server.registerTool('mine', {}, () => server.tools().length.toString());
            await server.callTool('mine');
        }
        for (let turn = 0; left < made - 2 && turn < 200; turn++) {
            gc();
            await new Promise(resolve => setImmediate(resolve));
        }
        if (left < made - 2) throw new Error('only ' + left + ' went');
    `).exit;
    assert.deepEqual([code, stderr], [0, '']);
});

test('100,000 calls leave no memory behind', async () => {
    const { code, stderr } = await new Program(`${SERVER}
        import v8 from 'node:v8';
        import vm from 'node:vm';
        v8.setFlagsFromString('--expose-gc');
        const gc = vm.runInNewContext('gc');
        server.registerTool('signal', {}, async (_, ctx) => { await null; return String(ctx.signal.aborted); });
        const calls = async count => {
            for (let done = 0; done < count; done += 100) {
                await Promise.all(Array.from({ length: 100 }, (_, at) => server.callTool(at % 2 ? 'add' : 'signal', at % 2 ? { a: at } : {})));
            }
            gc();
            return process.memoryUsage().rss / 2 ** 20;
        };
        // The engine's own heap comes and goes by some MiB: the most before is held against the least after.
        await calls(20_000);
        const before = Math.max(await calls(20_000), await calls(20_000));
        await calls(100_000);
        const after = Math.min(await calls(5000), await calls(5000), await calls(5000));
        if (after - before > 10) throw new Error('from ' + before + ' to ' + after + ' MiB');
    `).exit;
    assert.deepEqual([code, stderr], [0, '']);
});

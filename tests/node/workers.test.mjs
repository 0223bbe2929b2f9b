import assert from 'node:assert/strict';
import test from 'node:test';
import { Program } from './program.mjs';

/** The text of a worker, and what starts one. */
const worker = text => `
import { Worker } from 'node:worker_threads';
const start = () => new Worker(\`
    import { parentPort, threadId } from 'node:worker_threads';
    import { Server } from 'libmcp';
    const server = new Server({ name: 'worker' });
    ${text}
\`, { eval: true });
`;

const SERVING = `
    server.registerTool('whoami', {}, async () => String(threadId));
    server.registerTool('spin', {}, () => { parentPort.postMessage('spinning'); for (;;); });
    server.registerTool('hang', {}, () => new Promise(() => parentPort.postMessage('hanging')));
    server.listen({ port: 0 }).then(listener => parentPort.postMessage(listener.url));
`;

const CALL = `
const { callTool: call } = await import('./tests/node/http_call.mjs');
const { once } = await import('node:events');
`;

/** A program whose addon only its workers load: nothing may be imported here. */
async function run(text) {
    const program = new Program(text, { library: false });
    const ended = await program.exit;
    assert.deepEqual([ended.code, ended.signal], [0, null], ended.stderr);
    return ended;
}

test('serves from a worker, the only one that loads the addon, and ends with it', async () => {
    const { lines, stderr } = await run(`${worker(SERVING)} ${CALL}
        for (let round = 0; round < 3; round++) {
            const worker = start();
            const [url] = await once(worker, 'message');
            console.log((await call(url, 'whoami')).result.content[0].text === String(worker.threadId));
            console.log(await worker.terminate());
            await call(url, 'whoami').then(() => console.log('it still answers'), () => console.log('refused'));
        }
    `);
    assert.equal(stderr, '');
    assert.deepEqual(lines, Array.from({ length: 3 }, () => ['true', '1', 'refused']).flat());
});

test('two workers and the main thread do not meet', async () => {
    const { lines, stderr } = await run(`${worker(SERVING)} ${CALL}
        const { Server } = await import('libmcp');
        const server = new Server({ name: 'main' });
        server.registerTool('whoami', {}, () => '0');
        const listener = await server.listen({ port: 0 });
        const workers = [start(), start()];
        const urls = [listener.url, ...(await Promise.all(workers.map(worker => once(worker, 'message')))).flat()];
        const wanted = [0, ...workers.map(worker => worker.threadId)].map(String);
        for (let round = 0; round < 20; round++) {
            const answers = await Promise.all(urls.map(url => call(url, 'whoami')));
            if (answers.some(({ result }, at) => result.content[0].text !== wanted[at])) console.log('crossed');
        }
        await workers[0].terminate();
        console.log((await call(urls[2], 'whoami')).result.content[0].text === wanted[2]);
        console.log((await call(urls[0], 'whoami')).result.content[0].text);
        await workers[1].terminate();
        await server.close();
    `);
    assert.equal(stderr, '');
    assert.deepEqual(lines, ['true', '0']);
});

test('100 workers that are terminated in mid-call end cleanly, and their clients are not left waiting', async () => {
    const { lines } = await run(`${worker(SERVING)} ${CALL}
        let settled = 0;
        for (let round = 0; round < 100; round++) {
            const worker = start();
            const [url] = await once(worker, 'message');
            const called = once(worker, 'message');
            const calls = [call(url, round % 2 ? 'spin' : 'hang'), call(url, 'hang'), call(url, 'whoami')];
            const all = Promise.allSettled(calls);
            await called;
            await worker.terminate();
            settled += (await all).length;
        }
        console.log(settled);
    `);
    assert.deepEqual(lines, ['300']);
});

test('process.exit() in a worker ends it alone, and in the main thread everything', async () => {
    const { lines, stderr } = await run(`${worker(`${SERVING} server.registerTool('leave', {}, () => process.exit(5));`)} ${CALL}
        const [worker, other] = [start(), start()];
        const [[url]] = await Promise.all([once(worker, 'message'), once(other, 'message')]);
        const exit = once(worker, 'exit');
        await Promise.allSettled([call(url, 'leave')]);
        console.log((await exit)[0]);
        process.exit(0);
    `);
    assert.equal(stderr, '');
    assert.deepEqual(lines, ['5']);
});

test('a worker that took the log gives it back with its end', async () => {
    const { stderr, lines } = await run(`${worker(`
        const { setLogHandler } = await import('libmcp');
        setLogHandler(record => parentPort.postMessage(record.message));
        server.registerTool('bad', {}, () => ({ content: [{ type: 'text' }], structuredContent: 1 }));
        await server.callTool('bad').catch(() => {});
    `)}
        const { once } = await import('node:events');
        const worker = start();
        // Both may come in one turn.
        const exit = once(worker, 'exit');
        console.log(await once(worker, 'message'));
        await exit;
        const { Server } = await import('libmcp');
        const server = new Server({ name: 'main' });
        server.registerTool('bad', {}, () => ({ content: [{ type: 'text' }], structuredContent: 1 }));
        await server.callTool('bad').catch(() => {});
    `);
    assert.match(lines.join(), /tool "bad"/);
    assert.match(stderr, /^libmcp: error: tool "bad"/);
    assert.equal(stderr.trim().split('\n').length, 1);
});

test('a worker that has nothing more to do ends by itself', async () => {
    const { stderr } = await run(`${worker(`
        server.registerTool('t', {}, () => 'x');
        server.callTool('t').then(result => parentPort.postMessage(result));
    `)}
        const worker = start();
        worker.on('message', () => {});
        worker.on('exit', code => { process.exitCode = code; });
    `);
    assert.equal(stderr, '');
});

test('serves the standard streams from a worker until it is terminated, and gives them back', async () => {
    const program = new Program(`${worker(`
        server.registerTool('t', {}, () => { console.log('printed'); return 'x'; });
        server.serveStdio();
        parentPort.postMessage('serving');
    `)}
        const { once } = await import('node:events');
        const worker = start();
        await once(worker, 'message');
        process.on('SIGUSR2', async () => {
            await worker.terminate();
            console.log('given back');
        });
        console.error('ready');
        setInterval(() => {}, 1e6).unref();
        await once(worker, 'exit');
    `, { library: false });
    await program.says('ready');
    assert.equal((await program.call(1, 't')).result.content[0].text, 'x');
    program.child.kill('SIGUSR2');
    await program.line(line => line === 'given back');
    assert.equal((await program.exit).code, 0);
});

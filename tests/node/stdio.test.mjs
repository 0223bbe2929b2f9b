import assert from 'node:assert/strict';
import test from 'node:test';
import { Program } from './program.mjs';
import { meta, textOf } from './joined_client.mjs';

const SERVER = `
const server = new Server({ name: 'test', version: '1' });
server.registerTool('add', { inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
    ({ a, b }) => String(a + b));
`;

test('serves standard input to its end, and ends then', async () => {
    const program = new Program(`${SERVER}
        await server.serveStdio();
        console.log('over');
    `);
    assert.equal(textOf((await program.call(1, 'add', { a: 1, b: 2 })).result), '3');
    const { code, lines, stderr } = await program.end();
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.deepEqual(lines.slice(1), ['over'], 'standard output is the program\'s own again');
});

test('what is printed while it serves lands on stderr, from wherever', async () => {
    const program = new Program(`
        import { execSync, spawnSync } from 'node:child_process';
        import { writeSync } from 'node:fs';
        ${SERVER}
        server.registerTool('print', {}, async () => {
            console.log('by console.log');
            process.stdout.write('by process.stdout\\n');
            writeSync(1, 'by writeSync\\n');
            execSync('echo by a shell', { stdio: 'inherit' });
            spawnSync(process.execPath, ['-e', 'console.log("by a node")'], { stdio: ['ignore', 1, 'inherit'] });
            return 'printed';
        });
        const serving = server.serveStdio();
        console.log('in the turn that began to serve');
        await serving;
    `);
    assert.equal(textOf((await program.call(1, 'print')).result), 'printed');
    const { code, lines, stderr } = await program.end();
    assert.equal(code, 0);
    assert.equal(lines.length, 1);
    const printed = ['in the turn that began to serve', 'by console.log', 'by process.stdout', 'by writeSync', 'by a shell', 'by a node'];
    assert.deepEqual(stderr.trim().split('\n'), printed);
});

test('a process.stdout that was used before prints on stderr too', async () => {
    const program = new Program(`${SERVER}
        server.registerTool('print', {}, () => {
            console.log('later');
            return 'printed';
        });
        console.log('before');
        process.stdout.on('drain', () => {});
        await server.serveStdio();
    `);
    assert.equal(textOf((await program.call(1, 'print')).result), 'printed');
    const { code, lines, stderr } = await program.end();
    assert.equal(code, 0);
    assert.equal(lines.length, 2);
    assert.equal(lines[0], 'before');
    assert.equal(stderr, 'later\n');
});

for (const [how, reader] of Object.entries({
    'a listener for data': `process.stdin.on('data', () => {});`,
    'a listener for readable': `process.stdin.on('readable', () => {});`,
    'readline': `import readline from 'node:readline'; readline.createInterface({ input: process.stdin });`,
    'a pipe': `import { PassThrough } from 'node:stream'; process.stdin.pipe(new PassThrough());`,
})) {
    test(`refuses to serve a process.stdin that is read already, by ${how}`, async () => {
        const program = new Program(`${reader} ${SERVER}
            try {
                await server.serveStdio();
            } catch (error) {
                console.log(error instanceof McpError, error.code, error.message);
                process.exit(0);
            }
        `);
        const { code, lines } = await program.exit;
        assert.equal(code, 0);
        assert.match(lines[0], /^true BUSY serveStdio\(\): process\.stdin is being read already/);
        assert.match(lines[0], /listen\(\)/);
    });
}

test('a process.stdin that was looked at and is read too late is at its end', async () => {
    const program = new Program(`${SERVER}
        process.stdin.setEncoding('utf8');
        process.stdin.on('end', () => console.error('the end'));
        const serving = server.serveStdio();
        process.stdin.resume();
        await serving;
    `);
    await program.says('the end');
    assert.equal(textOf((await program.call(1, 'add', { a: 1, b: 2 })).result), '3');
    assert.equal((await program.end()).code, 0);
});

test('a second serveStdio is refused while the first serves, and works after it', async () => {
    const program = new Program(`${SERVER}
        const first = server.serveStdio();
        const other = new Server({ name: 'other' });
        await other.serveStdio().catch(error => console.error('refused:', error.code));
        await first;
        await other.serveStdio();
        console.error('served again');
    `);
    await program.says('refused: BUSY');
    const { code, stderr } = await program.end();
    assert.equal(code, 0);
    assert.match(stderr, /served again/);
});

test('a handler that blocks its thread does not stop discovery, lists and cancellation', async () => {
    const program = new Program(`${SERVER}
        import { writeSync } from 'node:fs';
        server.registerTool('block', { inputSchema: { type: 'object', properties: { ms: { type: 'number' } } } }, ({ ms }) => {
            writeSync(2, 'blocking\\n');
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
            writeSync(2, 'done\\n');
            return 'blocked';
        });
        server.registerTool('ran', {}, () => {
            writeSync(2, 'ran\\n');
            return 'ran';
        });
        await server.serveStdio();
    `);
    const blocked = program.call(1, 'block', { ms: 2000 });
    await program.says('blocking');
    program.send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'ran', arguments: {}, _meta: meta() } });
    program.cancel(5);
    assert.ok((await program.ask(2, 'server/discover')).result.supportedVersions);
    assert.equal((await program.ask(3, 'tools/list')).result.tools.length, 3);
    assert.ok(!program.stderr.includes('done'), 'they were answered while it blocked');
    assert.equal(textOf((await blocked).result), 'blocked');
    const { code, lines, stderr } = await program.end();
    assert.equal(code, 0);
    assert.ok(!stderr.includes('ran'), 'what was cancelled while it waited is not run');
    assert.ok(!lines.some(line => line.includes('"id":5')));
});

test('serves 64 calls in flight, and answers each', async () => {
    const program = new Program(`${SERVER}
        server.registerTool('later', { inputSchema: { type: 'object', properties: { n: { type: 'number' } } } }, async ({ n }) => {
            await new Promise(resolve => setTimeout(resolve, n % 7));
            return String(n);
        });
        await server.serveStdio();
    `);
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => program.call(1000 + n, 'later', { n })));
    assert.deepEqual(answers.map(answer => textOf(answer.result)), Array.from({ length: 64 }, (_, n) => String(n)));
    assert.equal((await program.end()).code, 0);
});

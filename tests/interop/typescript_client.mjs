// The TypeScript SDK's client (package `@modelcontextprotocol/client`), pinned to 2026-07-28, against the
// weather example: typescript_client.mjs NODE_MODULES WEATHER URL.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [modules, weather, url] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const REVISION = '2026-07-28';
const TOOLS = ['forecast', 'switch_radar', 'track_storm'];
const STAGES = ['looking for it', 'found it', 'measuring it', 'it turns', 'it is leaving'];
const PATIENCE = 30_000; // milliseconds, for any one check

let passed = 0;
let failed = 0;

async function check(name, body) {
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

async function use(kind, transport) {
    const client = new Client(
        { name: 'libmcp-interop', version: '1.0.0' },
        { capabilities: {}, versionNegotiation: { mode: { pin: REVISION } } },
    );
    const call = (name, args, options) => client.callTool({ name, arguments: args }, options);

    await check(`${kind}: connects at ${REVISION}`, async () => {
        await client.connect(transport);
        assert.equal(client.getNegotiatedProtocolVersion(), REVISION);
        assert.equal(client.getServerVersion().name, 'weather');
    });
    await check(`${kind}: lists the tools`, async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(tool => tool.name), TOOLS);
    });
    await check(`${kind}: a good call has structured content`, async () => {
        const result = await call('forecast', { city: '東京', days: 2 });
        assert.ok(!result.isError);
        assert.equal(result.structuredContent.city, '東京');
        assert.equal(result.structuredContent.days.length, 2);
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    });
    await check(`${kind}: bad arguments are a tool error that names each problem`, async () => {
        const result = await call('forecast', { days: 12 });
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /city[^]*days|days[^]*city/);
    });
    await check(`${kind}: an unknown tool is a protocol error`, async () => {
        await assert.rejects(call('no_such_tool', {}), { code: -32602 });
    });
    await check(`${kind}: progress arrives in order`, async () => {
        const seen = [];
        const result = await call('track_storm', { storm: 'Ingunn' }, { onprogress: update => seen.push(update) });
        assert.deepEqual(
            seen.map(({ progress, total, message }) => ({ progress, total, message })),
            STAGES.map((message, i) => ({ progress: i + 1, total: 5, message })),
        );
        assert.match(result.content[0].text, /north/);
    });
    await check(`${kind}: a list change arrives on a subscription`, async () => {
        const changed = new Promise(resolve => {
            client.setNotificationHandler('notifications/tools/list_changed', resolve);
        });
        const subscription = await client.listen({ toolsListChanged: true });
        assert.equal(subscription.honoredFilter.toolsListChanged, true);
        await call('switch_radar', { on: true });
        await changed;
        await subscription.close();
        const { tools } = await client.listTools();
        assert.ok(tools.some(tool => tool.name === 'radar'));
    });
    await check(`${kind}: goodbye`, () => client.close());
}

await use('stdio', new StdioClientTransport({ command: weather, args: ['stdio'] }));
await use('HTTP', new StreamableHTTPClientTransport(new URL(url)));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

// What a TypeScript user sees, held by the compiler: each @ts-expect-error must be an error, and nothing else may be one.
import { type } from 'arktype';
import { Hono } from 'hono';
import { createServer } from 'node:http';
import express from 'express';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { z } from 'zod';

// @ts-expect-error: there is no default export
import nothing from 'libmcp';
import { completable, ResourceTemplate, Server, ToolError, type Context, type JsonSchema } from 'libmcp';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const server = new Server({ name: 'types', version: '1.0.0' }, { maxInFlight: 10, icons: [{ src: 'data:,' }] });
// @ts-expect-error: there is no such option
new Server({ name: 'types' }, { maxInFligth: 10 });

// ---- arguments ----

server.registerTool('zod', { inputSchema: z.object({ a: z.number(), b: z.string().default('x'), c: z.string().optional() }) }, async (args, ctx) => {
    same<typeof args, { a: number; b: string; c?: string | undefined }>(true);
    same<typeof ctx, Context>(true);
    return args.b.repeat(args.a);
});
server.registerTool('transforms', { inputSchema: z.object({ a: z.string().transform(text => text.length) }) }, ({ a }) => {
    same<typeof a, number>(true);
    return { content: [{ type: 'text', text: `${a}` }] };
});
server.registerTool('raw shape', { inputSchema: { a: z.number(), c: z.string().optional() } }, args => {
    same<typeof args, { a: number; c?: string | undefined }>(true);
    return args.a;
});
server.registerTool('valibot', { inputSchema: toStandardJsonSchema(v.object({ a: v.number() })) }, args => {
    same<typeof args, { a: number }>(true);
    return args;
});
server.registerTool('arktype', { inputSchema: type({ a: 'number', 'b?': 'string' }) }, args => {
    same<typeof args, { a: number; b?: string }>(true);
    return null;
});
server.registerTool('json schema', {
    inputSchema: {
        type: 'object',
        properties: {
            city: { type: 'string' },
            days: { type: 'integer', minimum: 1 },
            unit: { enum: ['c', 'f'] },
            tags: { type: 'array', items: { type: 'string' } },
            deep: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false },
            maybe: { type: ['string', 'null'] },
            ref: { $ref: '#/$defs/y' },
        },
        required: ['city', 'deep', 'maybe'],
        additionalProperties: false,
    },
}, args => {
    same<typeof args, {
        city: string;
        deep: { x: number };
        maybe: string | null;
        days?: number;
        unit?: 'c' | 'f';
        tags?: string[];
        ref?: unknown;
    }>(true);
    return 'fine';
});
declare const loose: JsonSchema;
server.registerTool('loose', { inputSchema: loose }, args => {
    const any: Record<string, unknown> = args as Record<string, unknown>;
    return Object.keys(any);
});
server.registerTool('open', { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } }, args => {
    same<typeof args.a, number>(true);
    same<typeof args.other, unknown>(true);
    return args.a;
});
server.registerTool('none', {}, (args, ctx) => {
    same<typeof args, Record<string, never>>(true);
    ctx.progress(1, 2, 'half');
    return 'done';
});

// ---- results ----

// @ts-expect-error: a handler must return something
server.registerTool('nothing', {}, async () => {});
// @ts-expect-error: JSON has no such number
server.registerTool('big', {}, async () => 5n);
server.registerTool('out', { outputSchema: z.object({ sum: z.number() }) }, () => ({ sum: 1 }));
server.registerTool('whole', { outputSchema: z.object({ sum: z.number() }) }, () => ({ content: [], structuredContent: { sum: 1 } }));
server.registerTool('inline', { outputSchema: z.object({ sum: z.number() }) }, async () => {
    const output = { sum: 1 };
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
});
server.registerTool('branches', { outputSchema: { type: 'object' } }, async (_, ctx) => {
    if (ctx.signal.aborted) return { content: [{ type: 'text', text: 'Stopped.' }], isError: true };
    return { structuredContent: { sum: 1 } };
});
// @ts-expect-error: the schema asks for a sum
server.registerTool('wrong', { outputSchema: z.object({ sum: z.number() }) }, () => ({ total: 1 }));
interface Point { x: number; y: number }
server.registerTool('interface', {}, (): Point => ({ x: 1, y: 2 }));
server.registerTool('image', {}, () => ({ content: [{ type: 'image', data: Buffer.from('x'), mimeType: 'image/png' }] }));
// @ts-expect-error: no such hint
server.registerTool('hints', { annotations: { readonlyHint: true } }, () => 'x');
server.registerTool('errors', {}, () => { throw new ToolError('no', { cause: 5 }); });

// ---- the client ----

server.registerTool('asks', {}, async (_, ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', requestedSchema: z.object({ name: z.string() }) });
    if (answer.action !== 'accept') return answer.action;
    same<typeof answer.content, { name: string }>(true);
    const size = await ctx.elicit({
        message: 'Size?',
        requestedSchema: { type: 'object', properties: { size: { enum: ['s', 'l'] } }, required: ['size'], additionalProperties: false },
    });
    if (size.action === 'accept') same<typeof size.content.size, 's' | 'l'>(true);
    const price = await ctx.memo('price', () => 9);
    same<typeof price, number>(true);
    const yes = await ctx.elicit({ message: 'Sure?' });
    const page = await ctx.elicitUrl({ message: 'Pay', url: id => `https://example.com/${id}` });
    const said = await ctx.sample({ messages: 'Say something.', maxTokens: 10 });
    const roots = await ctx.roots();
    ctx.signal.addEventListener('abort', () => {});
    return ctx.once('pay') ? `${yes.action} ${page.action} ${said.model} ${roots.length}` : price;
});

// ---- the rest ----

server.registerResource('readme', 'file:///readme', { mimeType: 'text/plain' }, uri => uri.href);
server.registerResource('note', new ResourceTemplate('notes://{name}', {
    list: undefined,
    complete: { name: async value => [value] },
}), {}, async (uri, { name }, ctx) => ({ contents: [{ uri: uri.href, text: `${name} ${ctx.revision}` }] }));
// @ts-expect-error: a resource without a template has no variables
server.registerResource('x', 'x://y', {}, (uri, variables: { a: string }, ctx) => uri.href);
server.registerPrompt('greet', { argsSchema: { name: completable(z.string(), name => [name]) } }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: name } }],
}));
server.registerPrompt('plain', { argsSchema: z.object({ name: z.string().optional() }) }, ({ name }) => `Hello ${name ?? 'you'}`);
server.registerCompletion(({ argument }) => [argument.value]);

createServer(server.nodeHandler({ path: '/mcp' }));
express().use('/mcp', server.nodeHandler({ principal: request => request.headers.authorization }));
express().all('/mcp', server.nodeHandler({ principal: (request: express.Request) => request.get('x-user') }));
createServer(server.nodeHandler({ principal: async request => request.headers.authorization }));
new Hono().all('/mcp', context => server.fetchHandler()(context.req.raw));
const listener = await server.listen({ port: 0, tls: { certFile: 'a', keyFile: 'b' } });
same<typeof listener.port, number>(true);
await server.serveStdio();
await server.close();

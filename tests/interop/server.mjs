#!/usr/bin/env node
// What server.c is, in JavaScript: one of each thing that clients can ask for, for clients of every revision at once.
//
//     server.mjs stdio
//     server.mjs http PORT     on http://127.0.0.1:PORT/mcp; PORT 0 takes one that is free, and stderr tells which
import { setTimeout as pause } from 'node:timers/promises';

import { NotFoundError, ResourceTemplate, Server, ToolError } from 'libmcp';

const server = new Server({ name: 'interop', version: '1.0.0', instructions: 'Ask for one of each.' });

// ---- tools ----

const string = { type: 'string' };
const integer = { type: 'integer' };

server.registerTool('add', {
    description: 'Adds two numbers',
    inputSchema: { type: 'object', properties: { a: { type: 'integer', maximum: 1000 }, b: integer }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: integer }, required: ['sum'] },
}, ({ a, b }) => ({ sum: a + b }));

// With pauses: some clients drop what they read together with the answer.
server.registerTool('count', { description: 'Counts to 5' }, async (_, ctx) => {
    for (let step = 1; step <= 5; step++) {
        ctx.progress(step, 5, `step ${step}`);
        await pause(20);
    }
    return 'counted to 5';
});

server.registerTool('tell', {
    description: 'Logs what you say',
    inputSchema: { type: 'object', properties: { what: string }, required: ['what'] },
}, ({ what }, ctx) => {
    ctx.log('notice', what, 'teller');
    return 'told';
});

const askName = ctx => ctx.elicit({
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: string }, required: ['name'] },
});
const askModel = ctx => ctx.sample({ messages: 'Say something.', maxTokens: 20 });
const askRoots = ctx => ctx.roots();

for (const [name, description, ask] of [
    ['ask_name', 'Asks your name', askName],
    ['ask_model', 'Asks your model', askModel],
    ['ask_roots', 'Asks your roots', askRoots],
]) {
    server.registerTool(name, { description }, async (_, ctx) => `The client answers ${JSON.stringify(await ask(ctx))}`);
}

const extra = new Map();
server.registerTool('switch_tool', {
    description: 'Adds or removes a tool',
    inputSchema: { type: 'object', properties: { name: string, on: { type: 'boolean' } }, required: ['name', 'on'] },
}, ({ name, on }) => {
    if (on) {
        extra.set(name, server.registerTool(name, {}, () => 'here I am'));
    } else if (!extra.get(name)?.remove()) {
        throw new ToolError(`there is no tool "${name}"`);
    }
    return 'switched';
});

server.registerTool('touch', {
    description: 'Says that a resource has changed',
    inputSchema: { type: 'object', properties: { uri: string }, required: ['uri'] },
}, ({ uri }) => {
    server.resourceUpdated(uri);
    return 'touched';
});

// ---- resources ----

server.registerResource('welcome', 'note://welcome', { mimeType: 'text/plain' }, () => 'Welcome. Grüß Gott. ようこそ。');
server.registerResource('bytes', 'note://bytes', { mimeType: 'application/octet-stream' }, () => Buffer.from([0, 255, 1]));
server.registerResource('notes', new ResourceTemplate('note://of/{name}', {
    list: undefined,
    complete: { name: namesThatBegin },
}), { mimeType: 'text/plain' }, (uri, { name }) => {
    if (name === 'nobody') throw new NotFoundError();
    return `A note of ${name}.`;
});

// ---- prompts ----

function namesThatBegin(typed) {
    return ['Ada', 'Alan', 'Grace'].filter(name => name.startsWith(typed));
}

server.registerPrompt('greet', {
    description: 'Has somebody greeted',
    argsSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Whom' }, tone: { type: 'string', description: 'How' } },
        required: ['name'],
    },
}, ({ name, tone = 'friendly' }) => ({
    description: 'A greeting',
    messages: [
        { role: 'assistant', content: { type: 'text', text: 'Whom shall I greet?' } },
        { role: 'user', content: { type: 'text', text: `Greet ${name} in a ${tone} tone.` } },
    ],
}));
server.registerCompletion(({ argument }) => namesThatBegin(argument.value));

// ---- serving ----

const [transport, port] = process.argv.slice(2);
if (transport === 'stdio' && port === undefined) {
    await server.serveStdio();
} else if (transport === 'http' && port !== undefined) {
    const { url } = await server.listen({ port: Number(port) });
    console.error(url);
} else {
    console.error('usage: server.mjs stdio | server.mjs http PORT');
    process.exitCode = 2;
}

#!/usr/bin/env node
// express_app.mjs: an Express app with an MCP server mounted.
//
//     npm install express libmcp zod
//     node express_app.mjs [PORT]     the app on http://127.0.0.1:PORT/notes, MCP on /mcp (port 8080; 0: any free one)
//
// The tools use what the app has: the same notes, and the same users.
import express from 'express';
import { Server, ToolError } from 'libmcp';
import { z } from 'zod';

// ---- an app as it was ----

/** @type {Map<string, string[]>} */
const notes = new Map([['ann', ['Water the beans.']], ['bob', []]]);

/** @param {{ headers: import('node:http').IncomingHttpHeaders }} request */
function userOf(request) {
    const name = request.headers.authorization?.replace(/^Bearer /, '');
    return name !== undefined && notes.has(name) ? name : undefined;
}

const app = express();
app.use(express.json());
app.get('/notes', (request, response) => {
    const user = userOf(request);
    if (user === undefined) response.status(401).json({ error: 'who are you?' });
    else response.json(notes.get(user));
});

// ---- MCP beside it ----

const server = new Server({ name: 'notes', version: '1.0.0' });

/** @param {import('libmcp').Context} ctx */
function notesOf(ctx) {
    const own = notes.get(ctx.principal ?? '');
    if (own === undefined) throw new ToolError('Log in first: nobody is known by these credentials.');
    return own;
}

server.registerTool('list_notes', { description: "Lists the user's notes" }, (_, ctx) => notesOf(ctx));

server.registerTool('add_note', {
    description: 'Adds a note',
    inputSchema: { text: z.string().min(1) },
}, ({ text }, ctx) => {
    notesOf(ctx).push(text);
    return 'Noted.';
});

// Middleware of the app runs in front of it, as express.json() does here.
app.use('/mcp', server.nodeHandler({ principal: userOf }));

const listener = app.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (listener.address());
    console.error(`notes: serving http://127.0.0.1:${address.port}/notes and http://127.0.0.1:${address.port}/mcp`);
});

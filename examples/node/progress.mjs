#!/usr/bin/env node
// progress.mjs: an MCP server in JavaScript with a tool that takes long, says how far it is, and can be stopped.
//
//     npm install libmcp zod
//     node progress.mjs        for a client that starts it as its child
//
// While the handler waits, others run. One that computes for long holds them up (the library goes on to answer lists,
// discovery and cancellations): give the event loop a turn now and then, or use a worker thread.
import { setTimeout as pause } from 'node:timers/promises';

import { Server } from 'libmcp';
import { z } from 'zod';

const server = new Server({ name: 'progress', version: '1.0.0' });

server.registerTool('bake', {
    description: 'Bakes cakes, one after the other',
    inputSchema: { cakes: z.int().min(1).max(100).describe('How many') },
}, async ({ cakes }, ctx) => {
    for (let cake = 0; cake < cakes; cake++) {
        ctx.progress(cake, cakes, `cake ${cake + 1} is in the oven`);
        await pause(200, undefined, { signal: ctx.signal }); // ends at once when the client cancels
    }
    ctx.log('info', 'The oven is off.');
    return `${cakes} cakes are done.`;
});

await server.serveStdio(); // until the client closes our input

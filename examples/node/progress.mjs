#!/usr/bin/env node
// progress.mjs: an MCP server in JavaScript with a tool that takes long.
//
//     npm install libmcp zod
//     node progress.mjs        for a client that starts it as its child
//
// `count_primes` says how far it is, and stops when its client cancels. It gives the event loop a turn now and then: while a
// handler holds it no other handler runs, though the library goes on to answer lists, discovery and cancellations.
import { setImmediate as turn } from 'node:timers/promises';

import { Server } from 'libmcp';
import { z } from 'zod';

const server = new Server({ name: 'progress', version: '1.0.0' });

/** @param {number} number */
function isPrime(number) {
    for (let divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor === 0) return false;
    }
    return number > 1;
}

server.registerTool('count_primes', {
    description: 'Counts the primes up to a number',
    inputSchema: { limit: z.int().min(1).max(10_000_000) },
    outputSchema: z.object({ primes: z.int() }),
}, async ({ limit }, ctx) => {
    const part = Math.ceil(limit / 10);
    let primes = 0;
    for (let number = 1; number <= limit; number++) {
        if (isPrime(number)) primes++;
        if (number % part === 0) {
            ctx.progress(number, limit, `${primes} primes so far`);
            await turn();
            ctx.signal.throwIfAborted(); // nobody waits for the answer any more
        }
    }
    ctx.log('info', { limit, primes });
    return { primes };
});

await server.serveStdio(); // until the client closes our input

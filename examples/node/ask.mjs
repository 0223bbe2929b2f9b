#!/usr/bin/env node
// ask.mjs: an MCP server in JavaScript whose tool asks the user.
//
//     npm install libmcp zod
//     node ask.mjs             for a client that starts it as its child
//
// `order_pizza` asks which size, then whether the price is right, and then orders. A handler never waits for an answer: where
// it is not there yet, `elicit` rejects and the handler ends. It runs again, from its beginning, once the answer is there. That
// serves clients of every revision, those that are asked by requests and those that find the question in a result.
import { Server } from 'libmcp';
import { z } from 'zod';

const server = new Server({ name: 'ask', version: '1.0.0' });

// Prices rise each time that somebody looks.
let nextPrice = 9;

server.registerTool('order_pizza', {
    description: 'Orders a pizza, once the user agrees to size and price',
    inputSchema: { pizza: z.enum(['margherita', 'funghi', 'diavola']) },
}, async ({ pizza }, ctx) => {
    const form = await ctx.elicit({
        key: 'size',
        message: 'Which size?',
        requestedSchema: z.object({ size: z.enum(['small', 'large']) }),
    });
    if (form.action !== 'accept') return 'The user does not want a pizza.';
    const { size } = form.content;

    // Looked up once, and kept for the rounds to come: the user pays the price that was shown.
    const price = await ctx.memo('price', () => nextPrice++);
    // A form without fields is a question for yes or no.
    const consent = await ctx.elicit({ key: 'consent', message: `A ${size} ${pizza} is ${price} euros. Order it?` });
    if (consent.action !== 'accept') return 'The user found it too dear.';

    // The effect: not twice for one order, however often its client repeats a round.
    if (!ctx.once('order')) return `The ${size} ${pizza} for ${price} euros was ordered before.`;
    return `Ordered: a ${size} ${pizza} for ${price} euros.`;
});

await server.serveStdio(); // until the client closes our input

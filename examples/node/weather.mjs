#!/usr/bin/env node
// weather.mjs: an MCP server in JavaScript.
//
//     npm install libmcp zod
//     node weather.mjs stdio          for a client that starts it as its child
//     node weather.mjs http [PORT]    for clients that connect (port 8080; 0: any free one)
//
// It offers three tools: `forecast` answers at once with structured content, `track_storm` takes half a second and reports
// progress, `switch_radar` adds and removes a fourth tool.
import { setTimeout as pause } from 'node:timers/promises';

import { Server, ToolError } from 'libmcp';
import { z } from 'zod';

const server = new Server({
    name: 'weather',
    version: '1.0.0',
    instructions: 'Ask `forecast` for the weather of a city.',
});

// The arguments fit the schema when the handler runs, and have its types: a client that asks for nine days gets an error that
// its model understands.
server.registerTool('forecast', {
    title: 'Weather forecast',
    description: 'The weather of the next days in a city',
    inputSchema: z.object({
        city: z.string().min(1).max(60).describe('City name'),
        days: z.int().min(1).max(7).default(3).describe('How many days'),
    }),
    outputSchema: z.object({
        city: z.string(),
        days: z.array(z.object({ day: z.int(), sky: z.string(), high_c: z.number() })),
    }),
}, ({ city, days }) => {
    const skies = ['sunny', 'cloudy', 'rain', 'snow'];
    const day = (/** @type {number} */ day) => {
        const seed = city.length + day;
        return { day, sky: skies[seed % 4], high_c: 10 + seed * 7 % 15 };
    };
    return { city, days: Array.from({ length: days }, (_, index) => day(index + 1)) };
});

server.registerTool('track_storm', {
    description: 'Follows a storm for a while and says where it goes',
    inputSchema: { storm: z.string().describe("The storm's name") },
}, async (_, ctx) => {
    const found = ['looking for it', 'found it', 'measuring it', 'it turns', 'it is leaving'];
    for (const [step, message] of found.entries()) {
        ctx.progress(step + 1, found.length, message);
        await pause(100, undefined, { signal: ctx.signal }); // ends at once when the client cancels
    }
    return 'The storm passes 40 km north of the coast.';
});

// Tools may come and go while clients are connected: those that subscribed are told.
/** @type {import('libmcp').RegisteredTool | undefined} */
let radar;
server.registerTool('switch_radar', {
    description: 'Switches the radar: while it is on there is one tool more',
    inputSchema: { on: z.boolean().describe('true for on') },
}, ({ on }) => {
    if (on) {
        radar ??= server.registerTool('radar', { description: 'What the radar sees now' }, () => 'Two showers, moving east.');
    } else if (radar === undefined) {
        throw new ToolError('there is no tool "radar"'); // the model reads this
    } else {
        radar.remove();
        radar = undefined;
    }
    return `The radar is ${on ? 'on' : 'off'}.`;
});

const [transport, port = '8080'] = process.argv.slice(2);
if (transport === 'stdio') {
    await server.serveStdio(); // until the client closes our input
} else if (transport === 'http') {
    const { url } = await server.listen({ port: Number(port) });
    console.error(`weather: serving ${url}`); // until Ctrl-C
} else {
    console.error('usage: weather.mjs stdio | weather.mjs http [PORT]');
    process.exitCode = 2;
}

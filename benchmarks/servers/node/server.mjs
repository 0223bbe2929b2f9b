// The benchmark server in JavaScript: `add`, `echo`, and with MANY=n in the environment n trivial tools more.
//
//     server.mjs stdio
//     server.mjs http      on the port that PORT names

import { Server } from 'libmcp';

const server = new Server({ name: 'bench', version: '1.0.0' });

server.registerTool(
    'add',
    {
        description: 'Add two integers',
        inputSchema: {
            type: 'object',
            properties: { a: { type: 'integer' }, b: { type: 'integer' } },
            required: ['a', 'b'],
        },
        outputSchema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
);
server.registerTool(
    'echo',
    {
        description: 'Echo a text',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    ({ text }) => text,
);
for (let number = 0; number < Number(process.env.MANY ?? 0); number++) {
    const digits = String(number).padStart(4, '0');
    server.registerTool(
        `tool_${digits}`,
        {
            description: `trivial tool ${digits}`,
            inputSchema: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
        },
        () => 'ok',
    );
}

switch (process.argv[2]) {
    case 'stdio':
        await server.serveStdio();
        break;
    case 'http':
        await server.listen({ port: Number(process.env.PORT ?? 0) });
        break;
    default:
        console.error('usage: server.mjs stdio|http');
        process.exit(2);
}

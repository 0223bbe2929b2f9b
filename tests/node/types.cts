// What a user of CommonJS in TypeScript sees: the same names, as types too.
import libmcp = require('libmcp');

const options: libmcp.ServerOptions = { maxInFlight: 10 };
const server: libmcp.Server = new libmcp.Server({ name: 'types' }, options);
server.registerTool('t', { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } }, ({ a }, ctx) => {
    const signal: AbortSignal = ctx.signal;
    return signal.aborted ? null : a + 1;
});

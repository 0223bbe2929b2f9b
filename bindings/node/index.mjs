import { createRequire } from 'node:module';

// An import of it would have Node look for its exports in its text, which takes time at the start.
const libmcp = createRequire(import.meta.url)('./index.js');

export const {
    InputRequired,
    McpError,
    NotFoundError,
    ProtocolError,
    ResourceTemplate,
    Server,
    ToolError,
    completable,
    setLogHandler,
} = libmcp;

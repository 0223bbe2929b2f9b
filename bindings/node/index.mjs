import libmcp from './index.js';

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

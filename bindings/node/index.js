// @ts-check
'use strict';

const { completable } = require('./lib/completable');
const { InputRequired, McpError, NotFoundError, ProtocolError, ToolError } = require('./lib/errors');
const { setLogHandler } = require('./lib/log');
const { ResourceTemplate } = require('./lib/resource_template');
const { Server } = require('./lib/server');

module.exports = {
    InputRequired,
    McpError,
    NotFoundError,
    ProtocolError,
    ResourceTemplate,
    Server,
    ToolError,
    completable,
    setLogHandler,
};

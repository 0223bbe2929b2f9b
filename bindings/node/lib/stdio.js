// @ts-check
'use strict';

// Standard input belongs to the protocol while it is served: nobody else may read it.

const { McpError } = require('./errors');

/** Fails if this program reads standard input. */
function checkInputIsFree() {
    const { stdin } = process;
    const readers = ['data', 'readable'].filter(event => stdin.listenerCount(event) > 0);
    if (stdin.readableFlowing !== true && readers.length === 0) return;
    const how = readers.length > 0 ? `it has a listener for '${readers[0]}'` : 'it is flowing';
    throw new McpError('BUSY', `serveStdio(): process.stdin is being read already (${how}), and would take the client's messages away; remove what reads it (readline, process.stdin.on('data'), pipe, resume), or serve HTTP by listen()`);
}

module.exports = { checkInputIsFree };

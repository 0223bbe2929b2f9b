// @ts-check
'use strict';

// What handlers throw to end a call in a certain way, and what the library throws.

class ToolError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message, options) {
        super(message, options);
        this.name = 'ToolError';
    }
}

class ProtocolError extends Error {
    /**
     * @param {number} code
     * @param {string} message
     * @param {unknown} [data]
     */
    constructor(code, message, data) {
        super(message);
        this.name = 'ProtocolError';
        this.code = code;
        this.data = data;
    }
}

class NotFoundError extends Error {
    /** @param {string} [message] */
    constructor(message = 'there is no such resource') {
        super(message);
        this.name = 'NotFoundError';
    }
}

class InputRequired extends Error {
    /** @param {string} [message] */
    constructor(message = 'the client must answer first; the handler runs again when it has') {
        super(message);
        this.name = 'InputRequired';
    }
}

class McpError extends Error {
    /**
     * @param {string} code
     * @param {string} message
     */
    constructor(code, message) {
        super(message);
        this.name = 'McpError';
        this.code = code;
    }
}

exports.ToolError = ToolError;
exports.ProtocolError = ProtocolError;
exports.NotFoundError = NotFoundError;
exports.InputRequired = InputRequired;
exports.McpError = McpError;

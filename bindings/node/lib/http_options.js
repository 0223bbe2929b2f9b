// @ts-check
'use strict';

// How HTTP is served, as the addon takes it.

const { optionText, snakeCase } = require('./options');

/**
 * @param {Record<string, any>} given the options of `listen`, or of a handler for a web server
 * @returns {import('../native').HttpOptions}
 */
function httpOptions(given) {
    if (given === null || typeof given !== 'object') throw new TypeError('options must be an object, as { port: 8080 }');
    const { host, port, path, allowedOrigins = [], allowedHosts = [], tls, ...rest } = given;
    if (tls !== undefined && (typeof tls?.certFile !== 'string' || typeof tls?.keyFile !== 'string')) {
        throw new TypeError('tls takes two paths: { certFile, keyFile }');
    }
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65535)) {
        throw new RangeError(`port is ${typeof port === 'string' ? `the string "${port}"` : port}; it takes a whole number from 0 to 65535`);
    }
    for (const [key, value] of Object.entries({ allowedOrigins, allowedHosts })) {
        if (!Array.isArray(value)) throw new TypeError(`${key} must be an array of strings`);
    }
    return {
        ...(host !== undefined && { address: String(host) }),
        ...(port !== undefined && { port }),
        ...(path !== undefined && { path: String(path) }),
        allowedOrigins,
        allowedHosts,
        ...(tls !== undefined && { certificate: tls.certFile, key: tls.keyFile }),
        options: Object.entries(rest).filter(([, value]) => value !== undefined)
            .flatMap(([key, value]) => [snakeCase(key), optionText(value)]),
    };
}

module.exports = { httpOptions };

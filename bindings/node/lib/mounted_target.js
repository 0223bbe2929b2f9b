// @ts-check
'use strict';

// The target of a request as the endpoint sees it. A web framework has routed the request here, so wherever the handler is
// mounted, that is where the endpoint is; only one that was given a path looks at the request's own.

/** Where the core has an endpoint that was given no path. */
const DEFAULT_PATH = '/mcp';

/**
 * @param {string} target of the request, as /api/mcp?query
 * @param {{ path?: string, ssePath?: string }} options
 */
function mountedTarget(target, { path, ssePath }) {
    const query = target.indexOf('?');
    const own = query < 0 ? target : target.slice(0, query);
    if (path !== undefined || own === ssePath) return target;
    return query < 0 ? DEFAULT_PATH : DEFAULT_PATH + target.slice(query);
}

module.exports = { mountedTarget };

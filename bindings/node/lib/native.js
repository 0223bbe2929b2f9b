// @ts-check
'use strict';

// Finds the addon: the package of this platform, or in a source tree the file that was built there.

const fs = require('node:fs');
const path = require('node:path');

/** Platforms for which there is a package. */
const PACKAGES = ['linux-x64-gnu'];

/** @returns {typeof import('../native')} */
function load() {
    const platform = platformOf(process);
    const built = path.join(__dirname, '..', `libmcp.${platform}.node`);
    if (fs.existsSync(built)) return attempt(built, platform);
    if (!PACKAGES.includes(platform)) {
        throw failure(`there is no package for ${platform}, only for ${PACKAGES.join(', ')}; build it from the source: make npm-pack`);
    }
    return attempt(`libmcp-${platform}`, platform);
}

/**
 * @param {string} from a file, or a package
 * @param {string} platform
 */
function attempt(from, platform) {
    try {
        return require(from);
    } catch (cause) {
        const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
        if (code === 'MODULE_NOT_FOUND' && message.includes(`'${from}'`)) {
            throw failure(`the package ${from} is not installed. npm installs it beside libmcp unless it runs with --omit=optional or node_modules came from another platform; install it by: npm install ${from}`, cause);
        }
        // What the system's loader says is the reason: a missing library, or a version of glibc that is not there.
        throw failure(`the addon for ${platform} is there and cannot be loaded: ${message}`, cause);
    }
}

/**
 * @param {string} why
 * @param {unknown} [cause]
 */
function failure(why, cause) {
    return Object.assign(new Error(`libmcp: ${why}`, { cause }), { code: 'ERR_LIBMCP_LOAD' });
}

/** @param {Pick<NodeJS.Process, 'platform' | 'arch'>} process */
function platformOf({ platform, arch }) {
    if (platform !== 'linux') return `${platform}-${arch}`;
    return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`;
}

/** Which C library this very process runs with, whatever else is installed: it is mapped. */
function isMusl() {
    try {
        return /\/(ld-musl-|libc\.musl-)/.test(fs.readFileSync('/proc/self/maps', 'latin1'));
    } catch {
        const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
        return header.glibcVersionRuntime === undefined;
    }
}

module.exports = { native: load() };

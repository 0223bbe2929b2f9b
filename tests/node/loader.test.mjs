import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../bindings/node', import.meta.url));
const PLATFORM = 'linux-x64-gnu';

/** Loads the package where it has been installed without what was built here. */
function load(t, prepare) {
    const folder = mkdtempSync(path.join(tmpdir(), 'libmcp-loader-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const modules = path.join(folder, 'node_modules');
    cpSync(PACKAGE, path.join(modules, 'libmcp'), { recursive: true, filter: file => !/\.node$|node_modules|\/src/.test(path.relative(PACKAGE, file)) });
    prepare(modules);
    return () => createRequire(path.join(folder, 'program.js'))('libmcp');
}

function installAddon(modules, write) {
    const folder = path.join(modules, `libmcp-${PLATFORM}`);
    mkdirSync(folder, { recursive: true });
    cpSync(path.join(PACKAGE, 'npm', PLATFORM, 'package.json'), path.join(folder, 'package.json'));
    write(path.join(folder, `libmcp.${PLATFORM}.node`));
}

test('finds the addon in the package of the platform', t => {
    const libmcp = load(t, modules => installAddon(modules, file => cpSync(path.join(PACKAGE, `libmcp.${PLATFORM}.node`), file)))();
    assert.deepEqual(new libmcp.Server({ name: 'x' }).tools(), []);
});

test('says which package is missing, and how it comes', t => {
    assert.throws(load(t, () => {}), { code: 'ERR_LIBMCP_LOAD', message: /libmcp-linux-x64-gnu is not installed.*npm install libmcp-linux-x64-gnu/s });
});

test('says what the system\'s loader says of an addon that it does not load', t => {
    const broken = load(t, modules => installAddon(modules, file => writeFileSync(file, '\x7fELF, but no more')));
    assert.throws(broken, error => {
        assert.equal(error.code, 'ERR_LIBMCP_LOAD');
        assert.match(error.message, /cannot be loaded: .*(invalid ELF header|file too short)/);
        assert.match(error.cause.message, /invalid ELF header|file too short/);
        return true;
    });
});

test('what is exported by require is what is exported by import', async () => {
    const required = createRequire(import.meta.url)('libmcp');
    const { default: _, ...imported } = await import('libmcp');
    assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
    for (const name of Object.keys(required)) assert.equal(imported[name], required[name]);
});

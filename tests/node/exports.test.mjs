// The package from outside: the same names by import and by require, and those that index.d.ts declares.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import * as imported from 'libmcp';

const require = createRequire(import.meta.url);

/** The names that one file of a folder of the package says something of, by a pattern with one group. */
async function namesIn(file, pattern) {
    const text = await readFile(require.resolve('libmcp/package.json').replace('package.json', file), 'utf8');
    return [...text.matchAll(pattern)].map(match => match[1]).sort();
}

test('import and require give the same things, and they are those that are declared', async () => {
    const required = require('libmcp');
    assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
    for (const name of Object.keys(required)) assert.equal(imported[name], required[name]);
    assert.deepEqual(Object.keys(required).sort(), await namesIn('index.d.ts', /^export (?:declare )?(?:class|function|const) (\w+)/gm));
});

test('every option of docs/limits.md is declared', async () => {
    const page = await readFile(new URL('../../docs/limits.md', import.meta.url), 'utf8');
    const keys = [...page.matchAll(/^\| `(?!mcp_)([a-z_]+)` \|/gm)].map(match => match[1]);
    assert.ok(keys.length > 50, `only ${keys.length} options were found`);
    const camel = keys.map(key => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));
    const declared = new Set(await namesIn('index.d.ts', /^ {4}(\w+)\?: /gm));
    assert.deepEqual(camel.filter(key => !declared.has(key)), []);
});

test('an option that is declared can be set, and one that is misspelled is refused by name', () => {
    const { Server } = imported;
    new Server({ name: 'x' }, {
        maxInFlight: 5, logging: false, cacheScope: 'private', icons: [{ src: 'https://example.com/a.png' }],
        requestStateKeys: [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')],
    });
    assert.throws(() => new Server({ name: 'x' }, { maxInFligth: 5 }), /maxInFligth.*maxInFlight/);
    assert.throws(() => new Server({ name: 'x' }, { maxInFlight: 'many' }), /maxInFlight.*whole number/);
    assert.throws(() => new Server({}), TypeError);
});

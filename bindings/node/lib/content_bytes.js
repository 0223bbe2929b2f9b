// @ts-check
'use strict';

// Bytes in content blocks and resource contents, which go over the wire in base64.

/**
 * @param {unknown} bytes
 * @returns {bytes is Uint8Array}
 */
function isBytes(bytes) {
    return bytes instanceof Uint8Array;
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * A content block without bytes: the same one where it has none.
 *
 * @param {any} block
 * @returns {any}
 */
function encodedBlock(block) {
    if (block === null || typeof block !== 'object') return block;
    if (isBytes(block.data)) return { ...block, data: base64(block.data) };
    if (isBytes(block.resource?.blob)) return { ...block, resource: encodedContents(block.resource) };
    return block;
}

/**
 * @param {any} contents of a resource
 * @returns {any}
 */
function encodedContents(contents) {
    return isBytes(contents?.blob) ? { ...contents, blob: base64(contents.blob) } : contents;
}

module.exports = { isBytes, encodedBlock, encodedContents };

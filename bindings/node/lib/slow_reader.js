// @ts-check
'use strict';

/**
 * A client that has as many bytes still to read when a further piece of a stream comes is given up. One piece may be larger:
 * an answer is never cut off for its own size.
 */
const SLOW_READER_BYTES = 8 * 1024 * 1024;

module.exports = { SLOW_READER_BYTES };

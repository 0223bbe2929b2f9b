// The types of index.mjs: those of index.js, and no default export.
export * from './index.js';

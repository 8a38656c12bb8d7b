export { AssertionError } from './base/assert.js';

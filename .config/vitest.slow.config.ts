import { slow } from './vitest.config.js';

export default slow;

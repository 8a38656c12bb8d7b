import { ensureSources } from './prepare.mjs';

/** Tests import modules of src/ as `built-sources` finds them. */
export const setup = ensureSources;

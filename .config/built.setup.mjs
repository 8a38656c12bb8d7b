import { ensureBuilt } from './prepare.mjs';

/** The loopback tests start bin/xpass.mjs, which runs what is compiled. */
export const setup = ensureBuilt;

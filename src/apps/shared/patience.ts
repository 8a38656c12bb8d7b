// Tested by test/apps/shared/roster.test.ts

import { duration } from '../../base/quantities.js';
import { usageFailure } from './failure.js';

/** Ours: processes of a machine whose cores other programs use stall for seconds. */
const USUAL = '20s';
const KIND = duration({ lowest: 100e6, highest: 86_400e9 });

/** How long a process may stay silent beyond the time that its work takes. XPASS_PATIENCE sets it: longer for a slow machine, shorter for tests. */
export function patienceMs(environment: NodeJS.ProcessEnv = process.env): number {
  const text = environment.XPASS_PATIENCE ?? USUAL;
  const patienceNs = KIND.parse(text);
  if (patienceNs === undefined) throw usageFailure(`XPASS_PATIENCE '${text}' is not allowed; allowed: ${KIND.allowed}`);
  return patienceNs / 1e6;
}

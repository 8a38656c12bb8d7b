// Tested by test/core/endpoint.test.ts
import { DropCode } from '../wire/decode.js';
import type { EndpointCounters } from './counters.js';

/** Counts a frame that the check at the door refused. PROTOCOL §2.7 */
export function countDrop(counters: EndpointCounters, code: number): void {
  if (code === DropCode.short) counters.short++;
  else if (code === DropCode.version) counters.version++;
  else if (code === DropCode.type) counters.type++;
  else if (code === DropCode.check) counters.check++;
  else if (code === DropCode.length) counters.length++;
  else counters.invalid++;
}

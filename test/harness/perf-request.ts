import type { PerfRequest } from '../../src/services/perf/messages.js';

/** What a client asks for a test of a second. */
export function perfRequest(flows: number): PerfRequest {
  return {
    kind: 'perf',
    role: 'control',
    test: 'a1',
    direction: 'forward',
    flows,
    durationNs: 1e9,
    bytes: null,
    omitNs: 0,
    window: '',
    windowParameters: {},
  };
}

import type { EndpointConfig } from '../../src/core/config.js';

/** The kinds of flows that have to survive the same things, with what their hosts are told. */
export const KINDS: readonly { kind: string; changes: Partial<EndpointConfig> }[] = [
  { kind: 'credited', changes: {} },
  { kind: 'speculative', changes: { speculativeRttNs: 1e6 } },
  { kind: 'filled', changes: { frameChunks: 64 } },
  { kind: 'dctcp', changes: { windowAlgorithm: 'dctcp' } },
  { kind: 'swift', changes: { windowAlgorithm: 'swift' } },
];

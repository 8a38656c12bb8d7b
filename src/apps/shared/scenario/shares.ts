// Tested by test/apps/shared/scenario/traffic.test.ts
import { DEFAULT_CONFIG } from '../../../core/config.js';
import { takesWeights } from '../../../core/credit/registry.js';
import type { HostSpec, TrafficSpec } from '../../../sim/scenario.js';
import { type Path, Problem } from './problem.js';

/** Throws a Problem where flows have a weight or class that their hosts' algorithms do not know. `path`: of their entry. */
export function checkShare(spec: TrafficSpec, hosts: readonly HostSpec[], path: Path): void {
  const { share } = spec;
  if (share === undefined) return;
  const { senders, receivers } = endsOf(spec);
  const { weight = 1, creditClass } = share;
  const key = weight > 1 || creditClass === undefined ? 'weight' : 'class';
  for (const { id, endpoint } of hosts) {
    const window = spec.windowAlgorithm ?? endpoint.windowAlgorithm ?? '';
    if (senders.has(id) && window !== '')
      throw new Problem([...path, key], `is given for flows of ${window}; allowed: for flows with credits`);
    const { creditAlgorithm = DEFAULT_CONFIG.creditAlgorithm } = endpoint;
    if (receivers.has(id) && weight > 1 && !takesWeights(creditAlgorithm))
      throw new Problem([...path, key], `is ${weight}, and ${creditAlgorithm} gives no weights; allowed: 1`);
  }
}

function endsOf(spec: TrafficSpec): { senders: ReadonlySet<number>; receivers: ReadonlySet<number> } {
  if (spec.kind === 'permutation' || spec.kind === 'shuffle')
    return { senders: new Set(spec.hosts), receivers: new Set(spec.hosts) };
  const list = (hosts: number | readonly number[]): ReadonlySet<number> => new Set([hosts].flat());
  return { senders: list(spec.from), receivers: list(spec.to) };
}

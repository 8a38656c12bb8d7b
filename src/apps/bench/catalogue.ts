import { usageFailure } from '../../base/failure.js';
import { suggestion } from '../../scenario/nearest.js';
import type { Benchmark } from './benchmark.js';
import { CAPTURE } from './capture.js';
import { HANDSHAKES } from './handshakes.js';
import { LOADED } from './loaded.js';
import { LOOPBACK } from './loopback.js';
import { MEMORY } from './memory.js';
import { MESSAGES } from './messages.js';
import { NETWORKS } from './networks.js';
import { PACING } from './pacing.js';
import { PEERS } from './peers.js';
import { QUEUE } from './queue.js';
import { SEALING } from './sealing.js';
import { SIMULATOR } from './sim.js';
import { STREAMS } from './streams.js';
import { WEB } from './web.js';

export const BENCHMARKS: readonly Benchmark[] = [
  LOOPBACK,
  MESSAGES,
  STREAMS,
  LOADED,
  CAPTURE,
  WEB,
  PACING,
  MEMORY,
  SEALING,
  HANDSHAKES,
  PEERS,
  NETWORKS,
  SIMULATOR,
  QUEUE,
].flat();

export interface Selection {
  /** Without those that take long. */
  readonly quick?: boolean;
  readonly all?: readonly Benchmark[];
}

/**
 * The benchmarks that the names mean, in the order of `all`: each name is that of a benchmark or of a group, or begins one at a slash. Without names
 * all but the rare ones. Throws a usage Failure for a name that means nothing.
 */
export function selectBenchmarks(
  names: readonly string[],
  { quick = false, all = BENCHMARKS }: Selection = {},
): Benchmark[] {
  if (names.length === 0)
    return all.filter(({ rareParts = [], isSlow = false }) => rareParts.length === 0 && !(quick && isSlow));
  for (const name of names) {
    if (!all.some((benchmark) => means(name, benchmark))) throw unknownName(name, all);
  }
  return all.filter((benchmark) => names.some((name) => means(name, benchmark)));
}

/** The benchmarks in their order; those in a row that belong to one round are together. */
export function inTurns(benchmarks: readonly Benchmark[]): Benchmark[][] {
  const turns: Benchmark[][] = [];
  for (const benchmark of benchmarks) {
    const last = turns.at(-1);
    if (last !== undefined && benchmark.round !== undefined && last[0].round === benchmark.round) last.push(benchmark);
    else turns.push([benchmark]);
  }
  return turns;
}

function means(asked: string, { name, group, rareParts = [] }: Benchmark): boolean {
  const isMeant = [name, group, `${group}/${name}`].some((full) => full === asked || full.startsWith(`${asked}/`));
  const parts = asked.split('/');
  return isMeant && rareParts.every((part) => parts.includes(part));
}

function unknownName(name: string, all: readonly Benchmark[]): Error {
  const groups = [...new Set(all.map(({ group }) => group))];
  const names = all.map((benchmark) => benchmark.name);
  const meant = suggestion(name, [...groups, ...names]);
  return usageFailure(
    `unknown benchmark '${name}'${meant}; allowed: the groups ${groups.join(', ')}, what begins a name at a slash, and ${names.join(', ')}`,
  );
}

import type { ValueKind } from '../../base/value-kind.js';
import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';

/** Algorithms that the senders take in turn: window algorithms of their own, or the one credit algorithm that the receiver has for the others. */
export type Mix = readonly string[];

/** `ec4,dctcp`. */
export const MIX: ValueKind<Mix> = {
  allowed: `${ALGORITHM_NAMES.join(', ')}, or several of them with commas, of which one is for credits at most`,
  parse: (text) => {
    const names = text.split(',');
    const credited = new Set(names.filter((name) => !isWindowAlgorithm(name)));
    return names.every((name) => ALGORITHM_NAMES.includes(name)) && credited.size <= 1 ? names : undefined;
  },
  format: (names) => names.join(','),
};

/** The credit algorithm of the receiver. */
export function creditAlgorithmOf(mix: Mix): string {
  return mix.find((name) => !isWindowAlgorithm(name)) ?? DEFAULT_CONFIG.creditAlgorithm;
}

/** The window algorithm of sender `index`, from 0; null where the receiver's credits rule it. */
export function windowAlgorithmOf(mix: Mix, index: number): string | null {
  const name = mix[index % mix.length];
  return isWindowAlgorithm(name) ? name : null;
}

/** Whether traffic without credits is there, for whose queue the switch has to mark. */
export function needsMarks(mix: Mix): boolean {
  return mix.some(isWindowAlgorithm);
}

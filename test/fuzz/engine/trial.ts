import { getHeapStatistics } from 'node:v8';
import { must, type Target } from './target.js';

/** Longest input of a target that names no other bound. */
export const MAX_BYTES = 4_096;
/** Of one input. Ours: a hundred times what the slowest target takes, on a busy machine. */
const MOST_MS = 2_000;
/** Buffers that one input may leave behind or not have given back. Ours: 10,000 times its longest. */
const MOST_GROWTH_BYTES = 64 * 1024 * 1024;
const TRIES = 3;

/** Runs one input, and holds it to the bounds of time and memory. A machine that stood still gets two more tries. */
export async function tryInput(target: Target, input: Uint8Array, mostMs = MOST_MS): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const beforeBytes = getHeapStatistics().external_memory;
    const startMs = performance.now();
    const work = target.run(input.slice());
    if (work !== undefined) await work;
    const tookMs = performance.now() - startMs;
    const growth = getHeapStatistics().external_memory - beforeBytes;
    must(growth < MOST_GROWTH_BYTES, `an input of ${input.length} bytes takes ${growth} bytes of buffers`);
    if (tookMs < mostMs) return;
    must(attempt < TRIES, `an input of ${input.length} bytes takes ${Math.round(tookMs)} ms`);
  }
}

/** The sentence of what an input breaks; null for none. */
export async function failureOf(target: Target, input: Uint8Array, mostMs = MOST_MS): Promise<Error | null> {
  try {
    await tryInput(target, input, mostMs);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Tries to leave out pieces of an input, so that the same kind of error is left. */
export async function shrink(target: Target, input: Uint8Array, mostTries = 3_000): Promise<Uint8Array> {
  const kind = kindOf(await failureOf(target, input));
  let best = input;
  for (let size = input.length >> 1, tries = 0; size >= 1; size >>= 1) {
    for (let at = 0; at < best.length && tries < mostTries; tries++) {
      const shorter = Uint8Array.from([...best.subarray(0, at), ...best.subarray(at + size)]);
      if (kindOf(await failureOf(target, shorter)) === kind) best = shorter;
      else at += size;
    }
  }
  return best;
}

/** Digits differ between inputs that show the same fault. */
function kindOf(error: Error | null): string | null {
  return error === null ? null : `${error.name}: ${error.message.replaceAll(/\d+/g, '#')}`;
}

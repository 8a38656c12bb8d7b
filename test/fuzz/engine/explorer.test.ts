import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withCounters } from '../build.mjs';
import { Explorer } from './explorer.js';
import type { Target } from './target.js';
import { failureOf, shrink } from './trial.js';

/** A program with a fault behind four comparisons: one input of 2 ** 32 by chance, some thousand step by step. */
const PROGRAM = `// src/planted.ts
export function planted(bytes) {
  if (bytes[0] === 88)
    if (bytes[1] === 80) {
      if (bytes[2] > 200 && bytes[3] === 7) throw new Error('planted at ' + bytes.length);
    }
  for (let at = 0; at < bytes.length; at++) switch (bytes[at]) { case 1: return 'one'; default: }
  return bytes.length > 3 ? (() => 'long')() : 'short';
}
`;

interface Planted {
  planted(bytes: Uint8Array): string;
}

/** The program with counters, as fuzz.mjs builds it; the counters are those of this file until the next is loaded. */
async function load(program: string) {
  const folder = await mkdtemp(join(tmpdir(), 'xpass-fuzz-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'planted.mjs');
  await writeFile(path, withCounters(program));
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Planted;
  const counters = globalThis.xpassEdges!;
  globalThis.xpassEdges = undefined;
  return { module, counters };
}

async function explore(isBlind: boolean, inputs: number) {
  const { module, counters } = await load(PROGRAM);
  let last = new Uint8Array(0);
  const target: Target = { name: 'planted', seeds: () => [], run: (input) => void module.planted(input) };
  const onInput = (input: Uint8Array): void => {
    last = input.slice();
  };
  const explorer = new Explorer({ target, counters, seed: 1, isBlind, onInput });
  await explorer.begin([Uint8Array.from([1, 2, 3, 4])]);
  try {
    while (explorer.executions < inputs) await explorer.step();
    return { explorer, target, found: null };
  } catch {
    return { explorer, target, found: last };
  }
}

describe('exploring', () => {
  it('finds step by step what chance alone does not', async () => {
    const guided = await explore(false, 400_000);
    expect(guided.found).not.toBeNull();
    const blind = await explore(true, guided.explorer.executions);
    expect(blind.found).toBeNull();
    expect(guided.explorer.coverage.edges).toBeGreaterThan(blind.explorer.coverage.edges);
  });

  it('makes what it found as small as it goes, with the same kind of error', async () => {
    const { module } = await load(PROGRAM);
    const target: Target = { name: 'planted', seeds: () => [], run: (input) => void module.planted(input) };
    const small = await shrink(target, Uint8Array.from([88, 80, 250, 7, ...new Uint8Array(100)]));
    expect([...small]).toEqual([88, 80, 250, 7]);
    expect((await failureOf(target, small))?.message).toBe('planted at 4');
  });
});

describe('a program with counters', () => {
  it('does what it did', async () => {
    const { module } = await load(PROGRAM);
    expect(['', '\u0001', 'abc', 'abcd'].map((text) => module.planted(new TextEncoder().encode(text)))).toEqual([
      'short',
      'one',
      'short',
      'long',
    ]);
  });

  it('counts each way that it goes', async () => {
    const { module, counters } = await load(PROGRAM);
    module.planted(new Uint8Array(0));
    const before = counters.filter((count) => count > 0).length;
    module.planted(new Uint8Array(4));
    expect(counters.filter((count) => count > 0).length).toBe(before + 3);
  });

  it('is none where no module of src/ is in it', () => {
    expect(() => withCounters('export const a = 1;\n')).toThrow('no module of src/ is found');
  });
});

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A corpus is one text file: an input a line, in base64, the shortest first. Git shows what a change adds. */
export function corpusFile(folder: string, name: string): string {
  return join(folder, `${name}.txt`);
}

export function readCorpus(path: string): Uint8Array[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => new Uint8Array(Buffer.from(line, 'base64')));
}

export function writeCorpus(path: string, inputs: readonly Uint8Array[]): void {
  const lines = inputs.map((input) => `${Buffer.from(input).toString('base64')}\n`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).join(''));
}

/** An input and what it reaches. */
export interface Measured {
  readonly input: Uint8Array;
  readonly features: readonly number[];
}

/** Greedily the shortest inputs that together reach what all reach, within so many bytes. */
export function smallest(all: readonly Measured[], mostBytes: number): Uint8Array[] {
  const reached = new Set<number>();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for (const { input, features } of [...all].sort((a, b) => a.input.length - b.input.length)) {
    if (bytes + input.length > mostBytes || features.every((feature) => reached.has(feature))) continue;
    for (const feature of features) reached.add(feature);
    kept.push(input);
    bytes += input.length;
  }
  return kept;
}

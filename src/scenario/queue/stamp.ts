// Tested by test/loopback/queue.test.ts
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { compiledModule, packageFile } from '../play/package-files.js';

/** What a run depends on besides its scenario: the rooms that simulate, and the worker around them. */
const PROGRAMS = ['chunks/engine', 'scenario/play/simulation.worker'];
const DIGITS = 12;

/** Names the program that simulates, as `0.1.0-1f2e3d4c5b6a`. Two programs of one stamp give the same result for the same scenario. */
export async function programStamp(): Promise<string> {
  const hash = createHash('sha256');
  // Float64Array travels in the machine's order of bytes.
  hash.update(endianness());
  for (const path of PROGRAMS) hash.update(await readFile(compiledModule(path)));
  const { version } = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as { version: string };
  return `${version}-${hash.digest('hex').slice(0, DIGITS)}`;
}

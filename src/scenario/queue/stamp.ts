// Tested by test/loopback/queue.test.ts
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { compiledModule, packageFile } from '../play/package-files.js';

/** Of the messages in the queue (messages.ts and text-form.ts): higher whenever an older worker would not understand them. */
const FORMAT = 1;
const DIGITS = 12;

/** Names the program that simulates, as `0.1.0-1f2e3d4c5b6a`. Two programs of one stamp give the same result for the same scenario. */
export async function programStamp(): Promise<string> {
  const hash = createHash('sha256');
  // Float64Array travels in the machine's order of bytes.
  hash.update(`${FORMAT} ${endianness()}`);
  for (const code of await withImports(compiledModule('scenario/play/simulation.worker'))) hash.update(code);
  const { version } = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as { version: string };
  return `${version}-${hash.digest('hex').slice(0, DIGITS)}`;
}

/** What a thread that simulates consists of: its module and those of ours that it imports, each once. */
async function withImports(module: URL): Promise<string[]> {
  const codes = new Map<string, string>();
  const add = async (url: URL): Promise<void> => {
    if (codes.has(url.href)) return;
    codes.set(url.href, '');
    const code = await readFile(url, 'utf8');
    codes.set(url.href, code);
    for (const [, path] of code.matchAll(/\bfrom ?["'](\.[^"']+)["']/g)) await add(new URL(path, url));
  };
  await add(module);
  return [...codes.values()];
}

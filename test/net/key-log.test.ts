import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyLog, readKeyLog } from '../../src/net/key-log.js';
import { scratchDirectory } from '../harness/scratch.js';

const association = (fill: number) => ({
  ci: new Uint8Array(8).fill(fill),
  cr: new Uint8Array(8).fill(fill + 1),
  secret: new Uint8Array(32).fill(fill + 2),
});
const unreachable = (sentence: string) => expect.unreachable(sentence);

describe('a key log', () => {
  it('has a line for each association of each process, which its owner alone reads', async () => {
    const path = join(await scratchDirectory(), 'keylog');
    for (const fill of [1, 200]) new KeyLog(path, unreachable).append(association(fill));
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readKeyLog(path)).toEqual([association(1), association(200)]);
    expect(readFileSync(path, 'utf8').split('\n')[0]).toMatch(/^XPASS_ASSOCIATION (01){8} (02){8} (03){32}$/);
  });

  it('is refused where others may read it', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no modes');
    const path = join(await scratchDirectory(), 'keylog');
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    expect(() => new KeyLog(path, unreachable)).toThrow(/keylog' can be read by others: run chmod 600/);
  });

  it('ends with a sentence when it cannot be written, and the process goes on', ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has /dev/full');
    const said: string[] = [];
    const log = new KeyLog('/dev/full', (sentence) => said.push(sentence), 'win32');
    log.append(association(1));
    log.append(association(2));
    expect(said).toEqual([expect.stringMatching(/\/dev\/full.*no space/)]);
  });

  it('names the line that is none', async () => {
    const path = join(await scratchDirectory(), 'keylog');
    writeFileSync(path, '# of one host\n\nXPASS_ASSOCIATION 00 11 22\n');
    expect(() => readKeyLog(path)).toThrow(/line 3: allowed is XPASS_ASSOCIATION, 16, 16 and 64 hexadecimal digits/);
  });
});

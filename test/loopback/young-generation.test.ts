import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = new URL('../../dist/apps/shared/young-generation.js', import.meta.url).href;

/** Runs `first`, allocates while some of it lives on, which makes a young generation grow, and says how large it has become. A process of its own: whatever makes another heap sets the limit back. */
async function youngBytes(first: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { keepYoungGenerationSmall } from '${MODULE}';
    ${first}
    const kept = [];
    for (let at = 0; at < 3e6; at++) kept[at % 20_000] = { at, more: [at] };
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

it('keeps the young generation of a process from growing', async () => {
  const [grown, kept] = await Promise.all([youngBytes(''), youngBytes('keepYoungGenerationSmall();')]);
  expect(kept).toBeLessThan(grown / 2);
});

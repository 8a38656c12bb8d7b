import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { judgeNetworks } from '../../../src/apps/fuzz/judge-networks.js';
import { FUZZ_OPTIONS } from '../../../src/apps/fuzz/options.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { Results } from '../../../src/apps/shared/results.js';
import { said } from '../../harness/said.js';

/** Some networks take a second. */
const PATIENT = { timeout: 120_000 };

async function run(algorithm: string, given: Record<string, string>): Promise<string> {
  const stream = new PassThrough();
  const commandLine = new Map(Object.entries(given).map(([name, text]) => [name, [text]]));
  const options = resolveOptions(FUZZ_OPTIONS, commandLine);
  const results = new Results(stream);
  await judgeNetworks(algorithm, { options, results, terminal: new PassThrough(), onInterrupt: () => () => {} });
  return said(stream);
}

it('prints the distribution of the parts of shares, and the worst flows with their paths', PATIENT, async () => {
  const text = await run('dctcp', { seed: '3', seeds: '2' });
  expect(text).toMatch(/^dctcp, networks 3 to 4: median \d\.\d{3}, 5th percentile .*, worst .* of \d+ flows\n/);
  expect(text).toMatch(/\n +\d+ +\d+ +(stays|comes) +\d\.\d{3} .*h\d+->/);
});

it('gives every flow as JSON, the worst first', PATIENT, async () => {
  const { flows, algorithm } = JSON.parse(
    await run('expresspass', { seed: '3', seeds: '1', set: 'w_init=0.25', json: 'true' }),
  );
  expect(algorithm).toBe('expresspass');
  const parts = flows.map(({ part }: { part: number }) => part);
  expect(parts).toEqual([...parts].sort((one, other) => one - other));
  expect(flows[0]).toMatchObject({ seed: 3, share_bps: expect.any(Number), rate_bps: expect.any(Number) });
});

it('refuses constants that are none, or that the algorithm has not', async () => {
  await expect(run('expresspass', { set: 'w_init' })).rejects.toThrow("--set is 'w_init'; allowed: NAME=VALUE");
  await expect(run('expresspass', { set: 'nothing=1' })).rejects.toThrow(/nothing/);
});

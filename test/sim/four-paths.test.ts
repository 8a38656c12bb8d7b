import { describe, expect, it, vi } from 'vitest';
import { ScenarioFile } from '../../src/apps/shared/scenario/scenario-file.js';
import { tableLines } from '../../src/apps/shared/table.js';
import { simulate } from '../../src/sim/simulate.js';
import {
  FOUR_PATHS_FILE,
  type FourPathsOutcome,
  fourPathsOutcome,
  type GoodputSample,
  OUTCOME_TITLES,
  outcomeCells,
} from '../harness/four-paths.js';

/** Each run takes some seconds on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 120_000 });

/** What two switch processes with four trunks are: two switches with four links between them. */
const TRUNKS = [1, 2, 3, 4].map((id) => `{ name: trunk${id}, a: west, b: east, rate: 25mbit }`);
const HOST_LINKS = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `{ a: h${id}, b: ${id <= 4 ? 'west' : 'east'} }`);
const TWO_SWITCHES = [
  `topology={ hosts: [${[1, 2, 3, 4, 5, 6, 7, 8].map((id) => `{ id: ${id} }`).join(', ')}], switches: [{ name: west }, { name: east }], ` +
    `defaults: { rate: 100mbit, delay: 100us }, links: [${[...HOST_LINKS, ...TRUNKS].join(', ')}] }`,
  ...[0, 1, 2].map((fault) => `faults.${fault}.link=trunk1`),
];
const NETWORKS: Readonly<Record<string, readonly string[]>> = { 'leaf-spine': [], 'four trunks': TWO_SWITCHES };
const ALGORITHMS = ['spraypass', 'expresspass'];

async function play(sets: readonly string[]): Promise<FourPathsOutcome> {
  const scenario = await (await ScenarioFile.read(FOUR_PATHS_FILE)).scenario({ sets });
  const { series, result } = simulate(scenario, { slowdowns: false });
  if (series === null) throw new Error('the scenario has a series');
  for (const { error } of result.flows) expect(error).toBeNull();
  const samples = [...series.timesNs].map(
    (atNs, at): GoodputSample => ({
      atS: atNs / 1e9,
      mbps: series.flows.reduce((sum, flow) => sum + flow.goodputBps[at], 0) / 1e6,
    }),
  );
  return fourPathsOutcome(samples);
}

describe('four flows over four paths of processes that wake late', () => {
  it('use what there is, in half a second after a path fails and in two after it is back', async () => {
    const rows: string[][] = [];
    for (const [network, sets] of Object.entries(NETWORKS)) {
      for (const algorithm of ALGORITHMS) {
        const outcome = await play([...sets, `algorithm=${algorithm}`]);
        rows.push([network, algorithm, ...outcomeCells(outcome)]);
        if (algorithm !== 'spraypass') continue;
        for (const share of [outcome.before, outcome.slow, outcome.down, outcome.up]) {
          expect(share, network).toBeGreaterThan(0.9);
        }
        expect(Math.max(outcome.slowSettlesMs, outcome.downSettlesMs), network).toBeLessThanOrEqual(500);
        expect(outcome.upSettlesMs, network).toBeLessThanOrEqual(2_000);
      }
    }
    const titles = ['network', 'algorithm', ...OUTCOME_TITLES].map((title) => ({ title }));
    await expect(`${tableLines(titles, rows).join('\n')}\n`).toMatchFileSnapshot('four-paths.table.txt');
  });
});

// Tested by test/apps/figures/catalogue.test.ts
import { withLinks } from '../../blocks/dumbbell.js';
import { fromOneLeaf, leafSpine, systemFields, TWO_LEAVES } from '../../blocks/spray.js';
import { cross, figure, type Quantity, quantity, row } from '../../plan.js';
import { sum } from '../../statistics.js';

const SYSTEMS = ['expresspass', 'spraypass-2', 'spraypass'] as const;
const FAILS_MS = 10;
const RETURNS_MS = 30;
const END_MS = 60;
const LINKS = ['leaf1-spine1', 'leaf2-spine1'];
/** Of what remains, or of all: "goodput back to 0.9". */
const LEAST_BACK = 0.9;

/** Goodput of all flows from one time to another, Gbit/s, from the series of the run. */
function between(title: string, fromMs: number, toMs: number): Quantity {
  return quantity(title, 2, ({ series }) => {
    if (series === null) return null;
    const inside = [...series.timesNs].map((timeNs) => timeNs > fromMs * 1e6 && timeNs <= toMs * 1e6 + 1);
    const totals = series.flows.map(({ goodputBps }) => sum([...goodputBps].filter((_, at) => inside[at])));
    return sum(totals) / inside.filter(Boolean).length / 1e9;
  });
}

const BEFORE = between('before_gbps', FAILS_MS - 5, FAILS_MS);
const WITHOUT = between('without_gbps', RETURNS_MS - 10, RETURNS_MS);
const AFTER = between('after_gbps', END_MS - 10, END_MS);

export const pathReturn = figure<{ system: (typeof SYSTEMS)[number] }>('spraypass-return', 'A path that fails and returns', {
  source: 'ours; SprayPass §III-C says nothing of the return',
  about: () =>
    `Eight endless flows over four paths of 10 Gbit/s, RTT 32 us, switches without failover. At ${FAILS_MS} ms the links of spine1 go down, at ${RETURNS_MS} ms they are up again. Goodput of all flows in the 5 ms before the failure, in the last 10 ms of it, and from ${END_MS - 10} to ${END_MS} ms.`,
  cases: () => cross({ system: SYSTEMS }),
  // Without failover: what hosts do by themselves.
  document: ({ system }) => ({
    ...systemFields(system),
    ...withLinks(leafSpine(TWO_LEAVES), { failoverDelay: 'never' }),
    duration: `${END_MS}ms`,
    warmUp: '3ms',
    probes: { interval: '1ms', maxFlows: TWO_LEAVES.hostsPerLeaf },
    flows: fromOneLeaf(TWO_LEAVES),
    faults: [
      { at: `${FAILS_MS}ms`, link: LINKS, down: true },
      { at: `${RETURNS_MS}ms`, link: LINKS, up: true },
    ],
  }),
  rows: (results) => {
    const [before, without, after] = [BEFORE, WITHOUT, AFTER].map((each) => results.of(each, { system: 'spraypass' }));
    return [
      row('goodput without the path over three quarters of that with it', without / (0.75 * before), 3, { least: LEAST_BACK }),
      row('goodput 20 ms after its return over that before', after / before, 3, { least: LEAST_BACK }),
    ];
  },
  charts: (results) => ({ '': results.bars(WITHOUT, 'goodput without the path (Gbit/s)') }),
  table: [{ run: 'system' }, BEFORE, WITHOUT, AFTER],
});

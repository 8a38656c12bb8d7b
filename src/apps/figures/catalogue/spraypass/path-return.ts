// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import { comparison, type Quantity } from '../../blocks/comparison.js';
import { claim, fixed } from '../../blocks/rows.js';
import { acrossLeaves, type Fabric, leafSpine, systemFields } from '../../blocks/spray.js';
import type { FigureDocument } from '../../figure.js';

const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '10gbit', core: '10gbit' };
const SYSTEMS = ['expresspass', 'spraypass-2', 'spraypass'] as const;
const FAILS_MS = 10;
const RETURNS_MS = 30;
const END_MS = 60;
/** Of what remains, or of all: "goodput back to 0.9". */
const LEAST_BACK = 0.9;

/** Goodput of all flows from one time to another, Gbit/s, from the series of the run. */
function between(title: string, fromMs: number, toMs: number): Quantity {
  return {
    title,
    digits: 2,
    of: ({ series }: SimulationRun) => {
      if (series === null) return null;
      const inside = [...series.timesNs].map((timeNs) => timeNs > fromMs * 1e6 && timeNs <= toMs * 1e6 + 1);
      const count = inside.filter(Boolean).length;
      const sum = series.flows.reduce(
        (total, { goodputBps }) => total + goodputBps.reduce((part, bps, at) => (inside[at] ? part + bps : part), 0),
        0,
      );
      return sum / count / 1e9;
    },
  };
}

/** What hosts do by themselves. */
function withoutFailover(document: FigureDocument): FigureDocument {
  return { ...document, topology: { ...(document.topology as FigureDocument), failoverDelay: 'never' } };
}

const BEFORE = between('before_gbps', FAILS_MS - 5, FAILS_MS);
const WITHOUT = between('without_gbps', RETURNS_MS - 10, RETURNS_MS);
const AFTER = between('after_gbps', END_MS - 10, END_MS);

export const pathReturn = comparison({
  name: 'spraypass-return',
  title: 'A path that fails and returns',
  source: 'ours; SprayPass §III-C says nothing of the return',
  about: () =>
    `Eight endless flows over four paths of 10 Gbit/s, RTT 32 us, switches without failover. At ${FAILS_MS} ms the links of spine1 go down, at ${RETURNS_MS} ms they are up again. Goodput of all flows in the 5 ms before the failure, in the last 10 ms of it, and from ${END_MS - 10} to ${END_MS} ms.`,
  quantities: [BEFORE, WITHOUT, AFTER],
  drawn: { title: WITHOUT.title, axis: 'goodput without the path (Gbit/s)' },
  cases: () =>
    SYSTEMS.map((system) => ({
      key: system,
      document: {
        ...systemFields(system),
        ...withoutFailover(leafSpine(FABRIC)),
        duration: `${END_MS}ms`,
        warmUp: '3ms',
        probes: { interval: '1ms', maxFlows: FABRIC.hostsPerLeaf },
        flows: acrossLeaves(FABRIC).slice(0, FABRIC.hostsPerLeaf),
        faults: [
          { at: `${FAILS_MS}ms`, link: ['leaf1-spine1', 'leaf2-spine1'], down: true },
          { at: `${RETURNS_MS}ms`, link: ['leaf1-spine1', 'leaf2-spine1'], up: true },
        ],
      },
    })),
  rows: (measured) => {
    const before = measured('spraypass', BEFORE.title);
    const left = measured('spraypass', WITHOUT.title) / (0.75 * before);
    const back = measured('spraypass', AFTER.title) / before;
    const held = `Held to ${LEAST_BACK}`;
    return [
      claim(
        { quantity: 'goodput without the path over three quarters of that with it', ours: fixed(left, 3) },
        left >= LEAST_BACK,
        { held },
      ),
      claim({ quantity: 'goodput 20 ms after its return over that before', ours: fixed(back, 3) }, back >= LEAST_BACK, {
        held,
      }),
    ];
  },
});

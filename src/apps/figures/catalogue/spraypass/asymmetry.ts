// Tested by test/apps/figures/catalogue.test.ts
import { comparison } from '../../blocks/comparison.js';
import { claim, fixed } from '../../blocks/rows.js';
import {
  acrossLeaves,
  DISORDER_MAX,
  DISORDER_P99,
  type Fabric,
  LEAST_GOODPUT,
  leafSpine,
  MEAN_GOODPUT,
  PAPER_FABRIC,
  SPRAY_SYSTEMS,
  type SpraySystem,
  systemFields,
} from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';

const QUICK_FABRIC: Fabric = { ...PAPER_FABRIC, leaves: 4 };
const PAPER_WITH = 3;
const PAPER_WITHOUT = 185;
/** Ours: what "a large degree" is held to. */
const LEAST_WITHOUT = 100;
/** Three spines of four carry 300 of the 400 Gbit/s that ten hosts could send. */
const REMAINING = 0.75;
/** Ours: what is kept of the three spines' share, credits' loss and overhead taken off. */
const LEAST_KEPT = 0.9;
/** Payload on a link of 40 Gbit/s: 94.6 % of it in frames of 1538 B with 1446 B of payload each. */
const HOST_GBPS = (40 * 0.946 * 1446) / 1538;

export const asymmetry = comparison({
  name: 'spraypass-asymmetry',
  title: "One spine's links at 1 Gbit/s",
  source: 'SprayPass, Figure 11',
  about: (profile) =>
    `The permutation over ${profile === 'quick' ? '4 leaves (paper: 24) ' : ''}with all links of spine1 at 1 Gbit/s instead of 100, for ${profile === 'quick' ? '8 ms, measured from 1 ms' : '20 ms, measured from 1 ms'}: the degree of disorder with and without path probing, and what is left of the goodput.`,
  quantities: [MEAN_GOODPUT, LEAST_GOODPUT, DISORDER_P99, DISORDER_MAX],
  drawn: { title: DISORDER_P99.title, axis: '99 % degree of disorder (frames)' },
  cases: (profile) => SPRAY_SYSTEMS.map((system) => ({ key: system, document: asymmetryDocument(system, profile) })),
  rows: (measured) => {
    const [withProbing, without] = ['spraypass', 'spraypass-2'].map((key) => measured(key, DISORDER_P99.title));
    const kept = measured('spraypass', MEAN_GOODPUT.title) / (HOST_GBPS * REMAINING);
    return [
      claim(
        { quantity: '99 % degree of disorder with probing', paper: `${PAPER_WITH}`, ours: fixed(withProbing, 0) },
        withProbing <= PAPER_WITH,
        { held: "Held to no more than the paper's" },
      ),
      claim(
        { quantity: '99 % degree of disorder without', paper: `${PAPER_WITHOUT}`, ours: fixed(without, 0) },
        without > LEAST_WITHOUT,
        { held: `Held to more than ${LEAST_WITHOUT}` },
      ),
      claim({ quantity: 'mean goodput over the share of three spines', ours: fixed(kept, 3) }, kept >= LEAST_KEPT, {
        held: `Held to ${LEAST_KEPT}`,
      }),
    ];
  },
});

function asymmetryDocument(system: SpraySystem, profile: Profile): FigureDocument {
  const fabric = profile === 'quick' ? QUICK_FABRIC : PAPER_FABRIC;
  const links = Array.from({ length: fabric.leaves }, (_, leaf) => `leaf${leaf + 1}-spine1`);
  return {
    ...systemFields(system),
    ...leafSpine(fabric),
    duration: profile === 'quick' ? '8ms' : '20ms',
    warmUp: '1ms',
    flows: acrossLeaves(fabric),
    faults: [{ at: '0s', link: links, rate: '1gbit' }],
  };
}

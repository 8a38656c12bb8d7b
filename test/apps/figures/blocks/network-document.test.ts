import { expect, it } from 'vitest';
import { networkDocument } from '../../../../src/apps/figures/blocks/network-document.js';
import { parseScenario } from '../../../../src/apps/shared/scenario/parse-scenario.js';
import { algorithmFields } from '../../../../src/core/algorithms.js';
import { withEndpoints } from '../../../../src/sim/judge/network-scenario.js';
import { randomNetwork } from '../../../../src/sim/judge/random-network.js';

it('writes random networks as scenario files that mean the same', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { scenario } = randomNetwork(seed);
    const algorithm = seed % 2 === 0 ? 'expresspass' : 'dctcp';
    const { probes, ...read } = parseScenario(networkDocument(scenario, algorithm), { name: scenario.name });
    const { probes: ours, ...meant } = withEndpoints(scenario, algorithmFields(algorithm));
    expect({ ...read, seed }, `seed ${seed}`).toEqual(meant);
    expect(probes.intervalNs).toBe(ours.intervalNs);
  }
});

import { describe, expect, it, vi } from 'vitest';
import { readScenarioFile } from '../../src/scenario/scenario-file.js';
import { simulate } from '../../src/sim/simulate.js';
import {
  SHARED_LINK,
  SHARED_LINK_TIMES,
  type SharedLinkFigures,
  sharedLinkFile,
  wrongOfMix,
  wrongOfShare,
} from '../harness/shared-link.js';

// What test/loopback/shared-link.test.ts plays over processes, in virtual time: processes are late by chance, but not by what else the machine does.
vi.setConfig({ testTimeout: 120_000 });

async function play(file: string, set: readonly string[]): Promise<SharedLinkFigures> {
  const scenario = await (await readScenarioFile(file)).scenario({ sets: [...SHARED_LINK_TIMES, ...set] });
  const { utilisation, jain, links, flows } = simulate(scenario, { slowdowns: false }).result;
  const queueBytesMean = links.find(({ name }) => name === 's1->h1')?.dataQueueBytesMean;
  return {
    utilisation: utilisation ?? Number.NaN,
    jain: jain ?? Number.NaN,
    queueBytesMean: queueBytesMean ?? Number.NaN,
    flows: flows.map(({ group, goodputBps }) => ({ group, goodputBps: goodputBps ?? 0 })),
  };
}

describe.each(SHARED_LINK.cases)('flows of $name on a link of 100 Mbit/s', ({ set, setPointBytes }) => {
  it.each(SHARED_LINK.flows)('fill it, share it and keep its queue: %d', async (flows) => {
    const figures = await play(sharedLinkFile('shared-link'), [...set, `topology.hosts=${flows + 1}`]);
    expect(wrongOfShare(figures, setPointBytes)).toBe('');
  });
});

describe('flows of timely whose hosts are up to 4 ms late', () => {
  it.each(SHARED_LINK.flows)('fill the link, share it and keep its queue: %d', async (flows) => {
    const sets = ['algorithm=timely', `topology.hosts=${flows + 1}`, 'hosts.0.processing.jitter=4ms'];
    const setPointBytes = SHARED_LINK.cases.find(({ name }) => name === 'timely')?.setPointBytes ?? 0;
    expect(wrongOfShare(await play(sharedLinkFile('shared-link'), sets), setPointBytes)).toBe('');
  });
});

describe('flows of ec4 whose hosts are never late, with update periods of ten round trips', () => {
  it.each(SHARED_LINK.flows)('do not swing with the queue: %d', async (flows) => {
    const sets = ['algorithm=ec4', `topology.hosts=${flows + 1}`, 'hosts.0.processing.jitter=0'];
    // Half of what the swings leave unused of the link: two flows had 0.888 with them, eight 0.910.
    expect((await play(sharedLinkFile('shared-link'), sets)).utilisation).toBeGreaterThan(0.93);
  });
});

describe('EC4 beside DCTCP in the queue of a link of 100 Mbit/s', () => {
  it('leaves it as much as it takes', async () => {
    expect(wrongOfMix(await play(sharedLinkFile('ec4-beside-dctcp'), []))).toBe('');
  });
});

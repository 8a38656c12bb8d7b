import { describe, expect, it } from 'vitest';
import {
  SHARED_LINK,
  SHARED_LINK_TIMES,
  type SharedLinkFigures,
  sharedLinkFile,
  wrongOfMix,
  wrongOfShare,
} from '../harness/shared-link.js';
import { untilWell } from './quiet-cores.js';
import { within, XpassProcess } from './switch-lab.js';

// Two flows of algorithms that do over processes what they do in virtual time, and EC4 beside DCTCP, over real processes. test/sim/shared-link.test.ts plays the same in virtual time, where nothing is late by chance, and eight flows besides.

/** Of the command's JSON. */
interface LabResult {
  readonly utilisation: number;
  readonly jain: number;
  readonly links: readonly { readonly name: string; readonly data_queue_bytes_mean: number }[];
  readonly flows: readonly { readonly group: string; readonly goodput_bps: number }[];
}

async function play(file: string, set: readonly string[]): Promise<SharedLinkFigures> {
  const changes = [...SHARED_LINK_TIMES, ...set].flatMap((change) => ['--set', change]);
  const { code, stdout, stderr } = await within(
    new XpassProcess(['lab', file, ...changes, '--json']).ended,
    'the end of xpass lab',
  );
  expect(code, stderr).toBe(0);
  const { utilisation, jain, links, flows } = JSON.parse(stdout) as LabResult;
  const queueBytesMean = links.find(({ name }) => name === 's1->h1')?.data_queue_bytes_mean ?? Number.NaN;
  return {
    utilisation,
    jain,
    queueBytesMean,
    flows: flows.map(({ group, goodput_bps }) => ({ group, goodputBps: goodput_bps })),
  };
}

describe.each(SHARED_LINK.cases)('two flows of $name on a link of 100 Mbit/s, on idle cores', (each) => {
  it('fill it, share it and keep its queue', { timeout: 100_000 }, (context) =>
    untilWell(context, async () =>
      wrongOfShare(await play(sharedLinkFile('shared-link'), each.set), each.setPointBytes),
    ),
  );
});

describe('EC4 beside DCTCP in the queue of a link of 100 Mbit/s, on idle cores', () => {
  it('leaves it as much as it takes', { timeout: 100_000 }, (context) =>
    untilWell(context, async () => wrongOfMix(await play(sharedLinkFile('ec4-beside-dctcp'), []))),
  );
});

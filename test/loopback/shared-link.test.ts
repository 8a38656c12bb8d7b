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

// Flows of Swift, whose delays are the kernel's and the loop's, and EC4 beside DCTCP, whose marks and credits are the switch's, over real processes.
// test/sim/shared-link.test.ts plays all algorithms with hosts that are late in virtual time;
// deploy/measurements/shared-link.mjs plays them over processes, which takes minutes.

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
    new XpassProcess(['lab', file, ...changes, '--rehearsal', '2s', '--json']).ended,
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

describe.each(SHARED_LINK.cases.filter(({ name }) => name === 'swift'))(
  'two flows of $name on a link of 100 Mbit/s, on idle cores',
  (each) => {
    it('fill it, share it and keep its queue', { timeout: 100_000 }, (context) =>
      untilWell(context, async () =>
        wrongOfShare(await play(sharedLinkFile('shared-link'), each.set), each.setPointBytes),
      ),
    );
  },
);

describe('EC4 beside DCTCP in the queue of a link of 100 Mbit/s, on idle cores', () => {
  it('leaves it as much as it takes', { timeout: 100_000 }, (context) =>
    untilWell(context, async () => wrongOfMix(await play(sharedLinkFile('ec4-beside-dctcp'), []))),
  );
});

import { crc32 } from '../../../src/base/crc32.js';
import { Frame } from '../../../src/wire/frame.js';
import { CreditRequest } from '../../../src/wire/frames.js';
import { RequestFlag } from '../../../src/wire/layout.js';
import { Input } from '../engine/input.js';
import type { Target } from '../engine/target.js';
import { LiarBed } from './liar-bed.js';

const RELEASES = [1, 1_000, 100_000];

/** A receiver alone: whatever comes in the name of its peer, it holds no more than its window, its credits add up, and it ends. */
export const receiver: Target = {
  name: 'receiver',
  seeds: () => [
    Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1, 1, 0, 2, 0, 0, 0, 0]),
    Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 2, 9, 1, 1, 0, 4, 0, 0, 0, 0, 3, 0, 8, 0, 0, 0]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const input = new Input(data);
    const bed = new LiarBed(input, 1);
    const [side] = bed.sides;
    const { reactive, speculative, open } = RequestFlag;
    request(bed, open | input.pick([0, reactive, speculative]));
    while (!input.isOver) {
      const kind = input.below(16);
      const { readers } = side!.application;
      if (kind < 11) bed.lie(side!);
      else if (kind < 14) bed.wait();
      else readers.at(-1)?.release(input.pick(RELEASES));
      side!.settle();
    }
    bed.finish();
  },
};

/** One that is in order, so that there is a flow to lie about. */
function request(bed: LiarBed, flags: number): void {
  const frame = new Frame(new Uint8Array(128));
  const header = { destination: 0, source: 0, flowId: 2 };
  const fields = { sentOffset: 0, probe: 1, maxFrameBytes: 1_472, pairedFlowId: 0, backlog: 100_000, weight: 1 };
  frame.length = CreditRequest.encode(frame.bytes, header, { flags, ...fields }, crc32);
  bed.learn(frame);
  bed.sides[0]!.give(frame);
}

import { Input } from '../engine/input.js';
import type { Target } from '../engine/target.js';
import { LiarBed as Bed, type LiarBed } from './liar-bed.js';

const WRITE_BYTES = [1, 100, 2_000, 20_000];

/** A sender alone: whatever its peer answers, its books are in order, it sends valid frames, and it ends. */
export const sender: Target = {
  name: 'sender',
  seeds: () => [
    Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0]),
    Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 2, 5, 0, 100, 0, 0, 0, 0, 3]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const input = new Input(data);
    const bed = new Bed(input, 1);
    const { application } = bed.sides[0]!;
    application.open();
    while (!input.isOver) step(bed, input);
    bed.finish();
  },
};

function step(bed: LiarBed, input: Input): void {
  const [side] = bed.sides;
  const { application } = side!;
  const writer = application.writers[input.below(2)] ?? application.writers[0]!;
  const kind = input.below(16);
  if (kind < 8) bed.lie(side!);
  else if (kind < 11) writer.write(input.pick(WRITE_BYTES));
  else if (kind < 14) bed.wait();
  else if (kind === 14) application.open();
  else if (!writer.ended && writer.life.closed === undefined) writer.end();
  side!.settle();
}

import { Input } from '../engine/input.js';
import type { Target } from '../engine/target.js';
import { LiarBed, type Side } from './liar-bed.js';

const WRITE_BYTES = [1, 100, 2_000, 20_000];

/** Two endpoints that talk, and a third party that loses, repeats and makes up frames between them. */
export const pair: Target = {
  name: 'pair',
  seeds: () => [
    Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, ...Array.from({ length: 40 }, (_, at) => [0, 5 * (at % 2), 6][at % 3]!)]),
    Uint8Array.from([1, 0, 0, 0, 0, 0, 1, 0, ...Array.from({ length: 60 }, (_, at) => (at * 7) % 13)]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const input = new Input(data);
    const bed = new LiarBed(input, 2);
    bed.sides[0]!.application.open();
    bed.sides[0]!.application.writers[0]!.write(WRITE_BYTES[3]!);
    while (!input.isOver) step(bed, input);
    bed.finish();
  },
};

function step(bed: LiarBed, input: Input): void {
  const kind = input.below(16);
  const from = bed.sides[input.below(2)]!;
  const to = bed.sides.find((side) => side !== from)!;
  if (kind < 6) deliver(from, to, 1 + input.below(16));
  else if (kind < 8) bed.lie(to);
  else if (kind < 10) bed.wait();
  else if (kind === 10) from.application.open();
  else if (kind === 11) from.application.writers.at(-1)?.write(input.pick(WRITE_BYTES));
  else if (kind === 12) from.application.readers.at(-1)?.release(input.u16());
  else if (kind === 13) from.sent.splice(input.below(8), 1 + input.below(4));
  else if (kind === 14) repeat(from, to, input.u8());
  else endOne(from);
  for (const side of bed.sides) side.settle();
}

function deliver(from: Side, to: Side, count: number): void {
  for (const frame of from.sent.splice(0, count)) to.give(frame);
}

function repeat(from: Side, to: Side, index: number): void {
  const frame = from.sent[index % Math.max(1, from.sent.length)];
  if (frame !== undefined) to.give(frame);
}

function endOne({ application }: Side): void {
  const writer = application.writers.findLast(({ ended, life }) => !ended && life.closed === undefined);
  writer?.end();
}

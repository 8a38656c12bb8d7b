import { crc32 } from '../../../src/base/crc32.js';
import { encodeAck, encodeCredit, encodeWindowAck } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { NO_HOP } from '../../../src/wire/layout.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { LiarBed } from './liar-bed.js';

const STREAM_BYTES = 40_000;
const CREDITS = 24;

/** ACKs with any ranges, for a sender that has sent some frames: what is acknowledged never exceeds what was sent, nor goes back. */
export const acks: Target = {
  name: 'acks',
  seeds: () => [
    Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 16, 0, 1, 5, 0]),
    Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 5, 0, 1, 16, 0, 1, 5, 0, 3, 0, 4, 0]),
  ],
  maxBytes: 512,
  run: (data) => {
    const input = new Input(data);
    const bed = new LiarBed(input, 1);
    const { application, endpoint } = bed.sides[0]!;
    const windowAlgorithm = input.pick(['', 'dctcp', 'cubic']);
    const writer = openFlow(bed, windowAlgorithm);
    bed.sides[0]!.settle();
    for (let sequence = 0; sequence < CREDITS && windowAlgorithm === ''; sequence++) credit(bed, sequence);
    let acknowledged = 0;
    while (!input.isOver && endpoint.flowCount > 0) {
      acknowledge(bed, input, windowAlgorithm !== '');
      bed.nowNs += input.u16() * 100;
      bed.sides[0]!.settle();
      const { bytesAcknowledged } = writer.flow.statistics;
      must(bytesAcknowledged >= acknowledged || writer.life.closed !== undefined, 'what is acknowledged stays so');
      acknowledged = bytesAcknowledged;
    }
    must(application.writers.length >= 1, 'the writer is known');
    bed.finish();
  },
};

function openFlow(bed: LiarBed, windowAlgorithm: string) {
  const { application, endpoint } = bed.sides[0]!;
  application.open();
  const [first] = application.writers;
  first!.flow.reset(0);
  application.open();
  const writer = application.writers.at(-1)!;
  if (windowAlgorithm !== '') {
    writer.flow.reset(0);
    writer.life.closed = undefined;
    writer.flow = endpoint.open(1, writer, { windowAlgorithm, windowParameters: {} }, 0);
  }
  writer.write(STREAM_BYTES);
  return writer;
}

function give(bed: LiarBed, write: (bytes: Uint8Array) => number): void {
  const frame = new Frame(new Uint8Array(2_048));
  frame.length = write(frame.bytes);
  bed.sides[0]!.give(frame);
}

function headerOf(bed: LiarBed) {
  const { flow } = bed.sides[0]!.application.writers.at(-1)!;
  return { destination: 0, source: 0, flowId: flow.id };
}

function credit(bed: LiarBed, sequence: number): void {
  const fields = { sequence, pathId: 0, paddingBytes: 0, rateCode: 0, hop: NO_HOP };
  give(bed, (bytes) => encodeCredit(bytes, headerOf(bed), fields, crc32));
}

/** Ranges from the cumulative offset up, in steps of some bytes or some frames. */
function acknowledge(bed: LiarBed, input: Input, isReactive: boolean): void {
  const cumulative = input.pick([0, 1, 1_446, 2_892, 30_000, STREAM_BYTES]) + input.u8();
  const edges: number[] = [];
  let at = cumulative;
  for (let count = 2 * input.below(34); count > 0; count--) {
    at += input.pick([1, 102, 1_446, 2_892, 10_000]) * input.below(16) + input.below(2);
    edges.push(at);
  }
  const ranges = {
    count: edges.length / 2,
    start: (index: number) => edges[2 * index]!,
    end: (index: number) => edges[2 * index + 1]!,
  };
  const fields = { flags: input.below(8), cumulative, probe: input.below(8), ranges };
  const window = { windowEnd: input.near(100_000), frameNumber: input.below(64), arrivedWith: input.u8() };
  give(bed, (bytes) =>
    isReactive
      ? encodeWindowAck(bytes, headerOf(bed), { ...fields, ...window, ...times(input.u16()) }, crc32)
      : encodeAck(bytes, headerOf(bed), fields, crc32),
  );
}

/** Both times of one number. */
function times(value: number) {
  return { remoteQueuing: value, arrivalTime: value };
}

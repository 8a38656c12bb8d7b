import { describe, expect, it } from 'vitest';
import type { XpassError } from '../../src/base/errors.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { Sender } from '../../src/net/sender.js';
import { FlowFeeder } from '../../src/services/flow-feeder.js';
import { StreamWorld } from '../harness/stream-world.js';
import { pattern, patternByte } from '../harness/streams.js';

/** Of the usual frame of 1,472 B. */
const PAYLOAD_BYTES = 1_446;
const FRAMES_AHEAD = 32;
const FRAMES_LEFT = 16;

/** A feeder that writes what is wanted and no more, and who checks what arrives. */
function bed(bytes: number, changes: Partial<EndpointConfig> = {}) {
  const world = new StreamWorld();
  const host = world.open(changes);
  const { frameBytes = host.frameBytes } = changes;
  const seen = { received: 0, wrong: 0, closed: undefined as XpassError | null | undefined };
  world.open({ frameBytes }).acceptReceivers((receiver) => ({
    onData: (data) => {
      for (const byte of data) if (byte !== patternByte(seen.received++)) seen.wrong++;
      receiver.release(data.length);
    },
    onEnd: () => {},
    onClosed: () => {},
  }));
  const current: { feeder: FlowFeeder | null } = { feeder: null };
  const sender = host.openSender(1, {
    onWritable: () => current.feeder?.onWritable(),
    onClosed: (error) => {
      current.feeder?.close();
      seen.closed = error;
    },
  });
  const asked: number[][] = [];
  const feeder = new FlowFeeder(sender, {
    bytes,
    frameBytes,
    framesAhead: FRAMES_AHEAD,
    framesLeft: FRAMES_LEFT,
    part: (offset, wantedBytes, leftBytes) => {
      asked.push([offset, wantedBytes, leftBytes]);
      return pattern(offset, Math.min(wantedBytes, 10_000));
    },
  });
  current.feeder = feeder;
  sender.observer = { onCredit: () => feeder.onCredit(), onAck: () => feeder.onAck(), onRtt: () => {} };
  feeder.refill();
  return { world, feeder, sender, seen, asked };
}

describe('a feeder', () => {
  it.each([1, PAYLOAD_BYTES, 1_000_003])('writes %d bytes in order and ends the flow', (bytes) => {
    const { world, seen } = bed(bytes);
    world.run(2e9);
    expect(seen).toEqual({ received: bytes, wrong: 0, closed: null });
  });

  it('asks for what is wanted now, and says what is left', () => {
    const { asked } = bed(100_000);
    const ahead = FRAMES_AHEAD * PAYLOAD_BYTES;
    expect(asked.slice(0, 2)).toEqual([
      [0, ahead, 100_000],
      [10_000, ahead - 10_000, 90_000],
    ]);
  });

  it.each<[string, Partial<EndpointConfig>, number]>([
    ['credits', {}, FRAMES_LEFT - 1],
    ['acknowledgements', { windowAlgorithm: 'dctcp' }, 0],
  ])('writes again as %s come, and never far ahead', (_, changes, leastFrames) => {
    const { world, sender, seen } = bed(Number.POSITIVE_INFINITY, changes);
    for (let time = 5; time <= 50; time++) {
      world.run(time * 1e6);
      expect(sender.unsentBytes).toBeGreaterThanOrEqual(leastFrames * PAYLOAD_BYTES);
      expect(sender.unsentBytes).toBeLessThanOrEqual(FRAMES_AHEAD * PAYLOAD_BYTES);
    }
    expect(seen.received).toBeGreaterThan(3_000_000);
    expect(sender.statistics.creditsUnused).toBe(0);
  });

  it('writes again in time where some of what it wrote has gone without credits', () => {
    const sender = {
      unsentBytes: 0,
      write(bytes: Uint8Array): boolean {
        this.unsentBytes += bytes.length;
        return true;
      },
    };
    const feeder = new FlowFeeder(sender as unknown as Sender, {
      bytes: Number.POSITIVE_INFINITY,
      frameBytes: 1_472,
      framesAhead: FRAMES_AHEAD,
      framesLeft: 1,
      part: (_, wantedBytes) => new Uint8Array(wantedBytes),
    });
    feeder.refill();
    sender.unsentBytes = (FRAMES_AHEAD / 2) * PAYLOAD_BYTES;
    feeder.onAck();
    for (let credit = 1; credit < FRAMES_AHEAD / 2; credit++) {
      feeder.onCredit();
      sender.unsentBytes -= PAYLOAD_BYTES;
    }
    expect(sender.unsentBytes).toBeGreaterThan(PAYLOAD_BYTES);
  });

  it('writes each part once where a write sends bytes at once and tells so', () => {
    const offsets: number[] = [];
    const sender = {
      unsentBytes: 0,
      write(): boolean {
        if (offsets.length < 5) feeder.onAck();
        return true;
      },
      end: () => {},
    };
    const feeder = new FlowFeeder(sender as unknown as Sender, {
      bytes: 10_000,
      frameBytes: 1_472,
      framesAhead: FRAMES_AHEAD,
      framesLeft: 1,
      part: (offset) => {
        offsets.push(offset);
        return new Uint8Array(1_000);
      },
    });
    feeder.refill();
    expect(offsets).toEqual(Array.from({ length: 10 }, (_, part) => 1_000 * part));
  });

  it('waits for room where the send buffer is full', () => {
    const { world, seen } = bed(500_000, { sendBufferBytes: 65_536, frameBytes: 8_972 });
    world.run(5e9);
    expect(seen).toEqual({ received: 500_000, wrong: 0, closed: null });
  });

  it('ends early when it is told to, and asks for nothing more', () => {
    const { world, feeder, asked, seen } = bed(Number.POSITIVE_INFINITY);
    world.run(20e6);
    feeder.end();
    const parts = asked.length;
    world.run(50e6);
    expect([asked.length, seen.closed]).toEqual([parts, null]);
  });

  it('asks for nothing when its flow is closed', () => {
    const { world, sender, feeder, asked } = bed(Number.POSITIVE_INFINITY);
    world.run(20e6);
    sender.reset();
    const parts = asked.length;
    feeder.refill();
    world.run(50e6);
    expect(asked.length).toBe(parts);
  });
});

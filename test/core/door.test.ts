import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { canBeReflected, MaskSeal } from '../../src/core/association.js';
import type { Door } from '../../src/core/door.js';
import { checkFrame, DropCode, flowId, frameType } from '../../src/wire/decode.js';
import { encodeCredit, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { CreditRequest, Fin, Hello, kindOf, NoAssociation, Reset, Version, Welcome } from '../../src/wire/frames.js';
import { CHECK_BYTES, CONTROL_CODES, Header, ResetCode, ResetFlag } from '../../src/wire/layout.js';
import { BITS_BYTES } from '../../src/wire/proofs.js';
import { addFaults, TERRIBLE } from '../harness/faults.js';
import { Sink, Source } from '../harness/streams.js';
import { World } from '../harness/world.js';

const DELAY_NS = MILLISECOND_NS;
const RATE_BPS = 100e6;

/** Two hosts with doors; what each sends, by name. */
function pair(seed = 1) {
  const world = new World(seed, DELAY_NS);
  world.doors = { keys: null };
  const said: string[][] = [[], []];
  const bytes = [0, 0];
  world.network = (frame, from) => {
    said[from].push(nameOf(frame));
    bytes[from] += frame.length;
    return [0];
  };
  world.addHost({ rateBps: RATE_BPS });
  const sink = new Sink(world);
  world.addHost({ rateBps: RATE_BPS }, sink);
  return { world, said, bytes, sink };
}

function nameOf({ bytes }: Frame): string {
  return kindOf(frameType(bytes)).name;
}

function doorOf(world: World, index: number): Door {
  const { door } = world.hosts[index];
  if (door === null) throw new Error('a host without a door');
  return door;
}

function frameOf(write: (bytes: Uint8Array) => number): Frame {
  const frame = new Frame(new Uint8Array(1500));
  frame.length = write(frame.bytes);
  return frame;
}

describe('two hosts that have never met', () => {
  it('shake hands in two round trips, and the flow follows', () => {
    const { world, said, sink } = pair();
    const source = new Source(world, 10_000);
    source.start(0, 1);
    world.run(SECOND_NS);
    expect(said[0].slice(0, 4)).toEqual(['HELLO', 'HELLO', 'CONFIRM', 'CREDIT_REQUEST']);
    expect(said[1].slice(0, 3)).toEqual(['COOKIE', 'WELCOME', 'CREDIT']);
    expect(source.closed).toBeNull();
    expect(sink.readers[0]).toMatchObject({ received: 10_000, wrong: 0, closed: null });
  });

  it('know each other for the next flow, which opens at once', () => {
    const { world, said } = pair();
    new Source(world, 100).start(0, 1);
    world.run(SECOND_NS);
    const before = said[0].length;
    new Source(world, 100).start(0, 1);
    world.run(2 * SECOND_NS);
    expect(said[0][before]).toBe('CREDIT_REQUEST');
  });

  it('need one round trip where the cookie of last time is still good', () => {
    const { world, said } = pair();
    new Source(world, 100).start(0, 1);
    world.run(SECOND_NS);
    doorOf(world, 0).advance(world.nowNs);
    // The answerer forgets; the initiator hears so and has a cookie.
    const before = said[1].length;
    world.restart(1);
    new Source(world, 100).start(0, 1);
    world.run(20 * SECOND_NS);
    expect(said[1].slice(before)).toContain('NO_ASSOCIATION');
  });

  it('shake hands once when both begin at the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const world = new World(seed, DELAY_NS);
        world.doors = { keys: null };
        const sinks = [new Sink(world), new Sink(world)];
        for (const sink of sinks) world.addHost({ rateBps: RATE_BPS }, sink);
        const sources = [new Source(world, 5_000), new Source(world, 5_000)];
        sources[0].start(0, 1);
        sources[1].start(1, 0);
        world.run(3 * SECOND_NS);
        expect(sources.map(({ closed }) => closed)).toEqual([null, null]);
        expect(sinks.map(({ readers }) => readers[0].received)).toEqual([5_000, 5_000]);
      }),
      { numRuns: 20 },
    );
  });

  it('come to an association over a network that loses, copies, reorders and spoils frames', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const { world, sink } = pair(seed);
        addFaults(world, TERRIBLE);
        const source = new Source(world, 20_000);
        source.start(0, 1);
        world.run(30 * SECOND_NS);
        expect(source.closed, `seed ${seed}`).toBeNull();
        expect(sink.readers[0]).toMatchObject({ received: 20_000, wrong: 0 });
      }),
      { numRuns: 20 },
    );
  });

  it('begin anew when one of them was restarted', () => {
    const { world, sink } = pair();
    new Source(world, 1_000).start(0, 1);
    world.run(SECOND_NS);
    world.restart(0);
    const source = new Source(world, 1_000);
    source.start(0, 1);
    world.run(3 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[1]).toMatchObject({ received: 1_000 });
  });

  it('give a flow up as unreachable when nobody answers', () => {
    const { world } = pair();
    world.network = () => [];
    const source = new Source(world, 1_000);
    source.start(0, 1);
    world.run(20 * SECOND_NS);
    expect(source.closed?.code).toBe('unreachable');
    expect(doorOf(world, 0).counters.heldDropped).toBe(doorOf(world, 0).counters.held);
    expect(world.hosts[0].nextTimeout()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('handshakes that go wrong', () => {
  it('begin again when the peer never uses what it was offered: it has forgotten that it asked', () => {
    const world = new World(3, DELAY_NS);
    world.doors = { keys: null };
    for (const sink of [new Sink(world), new Sink(world)]) world.addHost({ rateBps: RATE_BPS }, sink);
    // Host 0 says HELLO with its cookie and crashes: the WELCOME finds nobody who asked.
    world.network = (frame) => (nameOf(frame) === 'WELCOME' ? [] : [0]);
    new Source(world, 100).start(0, 1);
    world.run(4 * DELAY_NS);
    expect(doorOf(world, 1).handshakes.find(0)?.offers).toHaveLength(1);
    world.restart(0);
    world.network = () => [0];
    const source = new Source(world, 100);
    source.start(1, 0);
    world.run(2 * SECOND_NS);
    expect(source.closed).toBeNull();
  });

  it('end in time where a hint comes just before an association would be forgotten', () => {
    const { world } = pair();
    new Source(world, 100).start(0, 1);
    world.run(SECOND_NS);
    const door = doorOf(world, 0);
    world.run(20 * SECOND_NS);
    world.kill(1);
    const hint = frameOf((bytes) => NoAssociation.encode(bytes, { destination: 0, source: 0, flowId: 0 }, {}, crc32));
    world.inject(hint, 1, 0);
    world.run(40 * SECOND_NS);
    expect(door.handshakes.known).toBe(0);
  });

  it('heal where two hosts are proved to each other by different handshakes', () => {
    const { world, said } = pair();
    new Source(world, 100).start(0, 1);
    world.run(SECOND_NS);
    // As if host 1 had never seen that host 0 took its last offer.
    const who = doorOf(world, 1).handshakes.find(0);
    if (who === null) throw new Error('no peer');
    const bits = { ci: new Uint8Array(BITS_BYTES).fill(1), cr: new Uint8Array(BITS_BYTES).fill(2) };
    who.agreed = { ...bits, seal: new MaskSeal(crc32, bits, false), message: new Uint8Array(0), isInitiator: false };
    const source = new Source(world, 100);
    source.start(0, 1);
    world.run(10 * SECOND_NS);
    expect(said[1]).toContain('NO_ASSOCIATION');
    expect(source.closed).toBeNull();
  });

  it('answer no HELLO that is shorter than the answer', () => {
    const { world, said } = pair();
    const header = { destination: 0, source: 0, flowId: 1 };
    const hello = frameOf((bytes) => {
      const length = NoAssociation.encode(bytes, header, {}, null);
      bytes[Header.flags] = Hello.type - CONTROL_CODES;
      return seal(bytes, length - CHECK_BYTES, crc32);
    });
    world.inject(hello, 0, 1);
    world.run(SECOND_NS);
    expect(said[1]).toEqual([]);
    expect(doorOf(world, 1).handshakes.counters.malformed).toBe(1);
  });

  it('succeed where somebody else answers with VERSION first', () => {
    const { world, sink } = pair();
    world.network = (frame, from, _nowNs) => {
      if (nameOf(frame) === 'HELLO') {
        const lie = { destination: 0, source: 0, flowId: flowId(frame.bytes) };
        world.inject(
          frameOf((bytes) => Version.encode(bytes, lie, { lowest: 14, highest: 15 }, crc32)),
          1,
          from,
        );
      }
      return [from * 5 * DELAY_NS];
    };
    const source = new Source(world, 100);
    source.start(0, 1);
    world.run(SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sink.readers[0].received).toBe(100);
  });

  it('end with the error version where nobody answers but with VERSION', () => {
    const { world } = pair();
    world.network = (frame, from) => {
      const lie = { destination: 0, source: 0, flowId: flowId(frame.bytes) };
      world.inject(
        frameOf((bytes) => Version.encode(bytes, lie, { lowest: 14, highest: 15 }, crc32)),
        1,
        from,
      );
      return [];
    };
    const source = new Source(world, 100);
    source.start(0, 1);
    world.run(20 * SECOND_NS);
    expect(source.closed?.code).toBe('version');
  });
});

describe('a peer that has proved nothing', () => {
  /** What host 1 sends to a source that only says `frame`, `times` times. */
  function answersTo(frame: Frame, times: number) {
    const { world, said, bytes, sink } = pair();
    for (let time = 0; time < times; time++) {
      const copy = new Frame(frame.bytes.slice(0, frame.length));
      copy.length = frame.length;
      world.inject(copy, 0, 1);
      world.run(world.nowNs + MILLISECOND_NS);
    }
    world.network = () => [];
    world.run(world.nowNs + SECOND_NS);
    return { said: said[1], bytes: bytes[1], sink, world };
  }

  const header = { destination: 0, source: 0, flowId: 7 };
  const request = { flags: 1, sentOffset: 0, probe: 1, maxFrameBytes: 1_472, pairedFlowId: 0, backlog: 1e6, weight: 1 };

  it('reaches no flow, and is sent no more than came from it', () => {
    const frame = frameOf((bytes) => CreditRequest.encode(bytes, header, request, crc32));
    const { said, bytes, sink } = answersTo(frame, 500);
    expect(sink.readers).toEqual([]);
    expect(new Set(said)).toEqual(new Set(['NO_ASSOCIATION']));
    expect(bytes).toBeLessThanOrEqual(500 * frame.length);
    expect(said.length).toBeLessThan(160);
  });

  it('leaves no state behind when it says HELLO from a thousand addresses', () => {
    const { world, said, bytes } = pair();
    const hello = helloOf();
    for (let peer = 2; peer < 1_002; peer++) {
      const frame = new Frame(hello.bytes.slice(0, hello.length));
      frame.length = hello.length;
      frame.peer = peer;
      world.hosts[1].handleFrame(frame, world.nowNs);
    }
    let answered = 0;
    world.hosts[1].advance(world.nowNs + SECOND_NS);
    for (let frame = world.hosts[1].poll(); frame !== null; frame = world.hosts[1].poll()) {
      expect(frame.length).toBeLessThanOrEqual(hello.length);
      answered++;
    }
    expect(answered).toBe(1_000);
    expect(doorOf(world, 1).handshakes.counters.associations).toBe(0);
    expect(world.hosts[1].nextTimeout()).toBe(Number.POSITIVE_INFINITY);
    expect([said[1], bytes[1]]).toEqual([[], 0]);
  });

  function helloOf(): Frame {
    const { world } = pair();
    let first: Frame | null = null;
    world.network = (frame) => {
      if (first === null) {
        first = new Frame(frame.bytes.slice(0, frame.length));
        first.length = frame.length;
      }
      return [];
    };
    new Source(world, 1).start(0, 1);
    world.run(MILLISECOND_NS);
    if (first === null) throw new Error('no HELLO');
    return first;
  }
});

describe('a frame that nobody of the association made', () => {
  const forgeries: readonly [string, (bytes: Uint8Array, flowId: number) => number][] = [
    [
      'RESET',
      (bytes, flowId) =>
        Reset.encode(
          bytes,
          { destination: 0, source: 0, flowId },
          { code: ResetCode.aborted, flags: ResetFlag.fromReceiver },
          crc32,
        ),
    ],
    [
      'FIN',
      (bytes, flowId) =>
        Fin.encode(bytes, { destination: 0, source: 0, flowId }, { finalOffset: 1, probe: 1, unused: 0 }, crc32),
    ],
    [
      'CREDIT',
      (bytes, flowId) =>
        encodeCredit(
          bytes,
          { destination: 0, source: 0, flowId },
          { sequence: 1, pathId: 0, paddingBytes: 4, rateCode: 0, hop: 0 },
          crc32,
        ),
    ],
  ];

  it.each(forgeries)('is dropped and counted: %s with the right flow id', (_name, write) => {
    const { world, sink } = pair();
    const source = new Source(world, Number.POSITIVE_INFINITY);
    source.start(0, 1);
    world.run(100 * MILLISECOND_NS);
    const [reader] = sink.readers;
    const before = [0, 1].map((index) => world.hosts[index].endpoint.counters.check);
    for (const to of [0, 1]) {
      const frame = frameOf((bytes) => write(bytes, reader.flow.id));
      world.inject(frame, 1 - to, to);
    }
    world.run(200 * MILLISECOND_NS);
    const after = [0, 1].map((index) => world.hosts[index].endpoint.counters.check);
    expect(after).toEqual(before.map((count) => count + 1));
    expect(source.closed).toBeUndefined();
    expect(reader.closed).toBeUndefined();
  });
});

describe('frames of a proved peer with wrong checks', () => {
  const badAfter = (isBad: (count: number) => boolean) => {
    const { world, said } = pair();
    let count = 0;
    world.tamper = (copy, from) => {
      if (from === 0 && nameOf(copy) === 'DATA' && isBad(++count)) copy.bytes[copy.length - 30] ^= 1;
    };
    const source = new Source(world, 2_000_000);
    source.start(0, 1);
    world.run(5 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(count).toBeGreaterThan(1_000);
    return said[1].filter((name) => name === 'NO_ASSOCIATION');
  };

  it('are no reason for a hint where others come between them', () => {
    expect(badAfter((count) => count % 20 === 0)).toEqual([]);
  });

  it('are one where there are four in a row', () => {
    expect(badAfter((count) => count >= 200 && count < 204)).toHaveLength(1);
  });
});

describe('the seal of hosts without keys', () => {
  const bits = { ci: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), cr: Uint8Array.of(90, 80, 70, 60, 50, 40, 30, 20) };

  it('is not used with bits of which both directions have one mask', () => {
    expect(canBeReflected(bits)).toBe(false);
    expect(canBeReflected({ ci: bits.ci, cr: bits.ci })).toBe(true);
    const cr = bits.ci.map((byte) => byte ^ 7);
    expect(canBeReflected({ ci: bits.ci, cr })).toBe(true);
    const { world, said } = pair();
    world.tamper = (copy, from) => {
      if (from !== 1 || nameOf(copy) !== 'WELCOME') return;
      const ci = Welcome.read.ci(copy.bytes, new Uint8Array(BITS_BYTES));
      const cookie = Welcome.read.cookie(copy.bytes, new Uint8Array(20));
      const header = { destination: 0, source: 0, flowId: 0 };
      const message = new Uint8Array(0);
      copy.length = Welcome.encode(copy.bytes, header, { ci, cr: ci, cookie, messageBytes: 0, message }, crc32);
    };
    new Source(world, 1_000).start(0, 1);
    world.run(SECOND_NS);
    expect(said[1]).toContain('WELCOME');
    expect(said[0]).not.toContain('CONFIRM');
    expect(doorOf(world, 0).handshakes.counters.unasked).toBeGreaterThan(0);
  });

  it('is undone by the other side alone, for credits too', () => {
    const random = new SeededRandom(3);
    const header = { destination: 0, source: 0, flowId: random.uint32() };
    const frames = [
      frameOf((bytes) => Fin.encode(bytes, header, { finalOffset: 9, probe: 1, unused: 0 }, crc32)),
      frameOf((bytes) =>
        encodeCredit(bytes, header, { sequence: 5, pathId: 0, paddingBytes: 3, rateCode: 0, hop: 0 }, crc32),
      ),
    ];
    for (const frame of frames) {
      const plain = frame.bytes.slice();
      const [initiator, answerer] = [new MaskSeal(crc32, bits, true), new MaskSeal(crc32, bits, false)];
      initiator.seal(frame);
      expect(checkFrame(frame, crc32)).toBe(DropCode.check);
      expect(answerer.open(frame)).toBe(true);
      expect(frame.bytes).toEqual(plain);
      answerer.seal(frame);
      answerer.open(frame);
      expect(checkFrame(frame, crc32)).toBe(DropCode.check);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import type { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import type { KeyExchange } from '../../src/core/association.js';
import type { Door } from '../../src/core/door.js';
import { frameType } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { Fin, Hello, kindOf } from '../../src/wire/frames.js';
import { BITS_BYTES, COOKIE_BYTES, randomBits } from '../../src/wire/proofs.js';
import { Sink, Source } from '../harness/streams.js';
import { World } from '../harness/world.js';

const DELAY_NS = MILLISECOND_NS;
const RATE_BPS = 100e6;
const HEADER = { destination: 0, source: 0, flowId: 0 };
const NO_COOKIE = new Uint8Array(COOKIE_BYTES);

/** Two hosts with doors, and what each has sent, by name. */
function pair({ seed = 1, rateBps = RATE_BPS, keys = null as ((index: number) => KeyExchange) | null } = {}) {
  const world = new World(seed, DELAY_NS);
  world.doors = { keys };
  const said: string[][] = [[], []];
  world.network = (frame, from) => {
    said[from].push(nameOf(frame));
    return [0];
  };
  const sinks = [new Sink(world), new Sink(world)];
  for (const sink of sinks) world.addHost({ rateBps }, sink);
  return { world, said, sinks };
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

function copyOf(frame: Frame): Frame {
  return frameOf((bytes) => {
    bytes.set(frame.bytes.subarray(0, frame.length));
    return frame.length;
  });
}

function helloWith(ci: Uint8Array, cookie = NO_COOKIE): Frame {
  const message = new Uint8Array(0);
  return frameOf((bytes) => Hello.encode(bytes, HEADER, { ci, cookie, messageBytes: 0, message }, crc32));
}

const count = (names: readonly string[], name: string) => names.filter((other) => other === name).length;

/** Frames that either host could not read. */
function refused(world: World): number {
  return [0, 1].reduce(
    (sum, index) => sum + world.hosts[index].endpoint.counters.check + doorOf(world, index).counters.forged,
    0,
  );
}

/** Begins a handshake as if its association were lost. */
function hail(world: World, index: number): void {
  const { handshakes } = doorOf(world, index);
  const who = handshakes.find(1 - index);
  if (who === null) throw new Error('no peer');
  handshakes.hail(who, world.nowNs);
}

describe('a handshake in the middle of a transfer', () => {
  const causes: readonly [string, readonly number[]][] = [
    ['the sender', [0]],
    ['the receiver', [1]],
    ['both at once', [0, 1]],
  ];

  it.each(causes)('loses nothing of what is on its way, and causes no other: begun by %s', (_name, hosts) => {
    for (let seed = 1; seed <= 3; seed++) {
      const { world, said, sinks } = pair({ seed });
      const source = new Source(world, 1_500_000);
      source.start(0, 1);
      world.run(100 * MILLISECOND_NS);
      const before = said.map((names) => count(names, 'CONFIRM')).reduce((a, b) => a + b);
      for (const index of hosts) hail(world, index);
      world.run(SECOND_NS);
      const confirms = said.map((names) => count(names, 'CONFIRM')).reduce((a, b) => a + b) - before;
      expect(confirms, `seed ${seed}`).toBe(1);
      expect(refused(world), `seed ${seed}`).toBe(0);
      expect(said.flat()).not.toContain('NO_ASSOCIATION');
      expect(source.closed).toBeNull();
      expect(sinks[1].readers[0]).toMatchObject({ received: 1_500_000, wrong: 0 });
    }
  });

  it('keeps the association before for five seconds and no longer', () => {
    const { world } = pair({ rateBps: 2e6 });
    new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
    world.run(100 * MILLISECOND_NS);
    hail(world, 0);
    world.run(SECOND_NS);
    const peers = () => [0, 1].map((index) => doorOf(world, index).handshakes.find(1 - index));
    expect(peers().map((who) => who?.former != null)).toEqual([true, true]);
    world.run(6 * SECOND_NS);
    expect(peers().map((who) => who?.former)).toEqual([null, null]);
    expect(refused(world)).toBe(0);
  });

  it('is no trouble for a peer that was started again and has no association before', () => {
    const { world, sinks } = pair({ rateBps: 10e6 });
    new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
    world.run(100 * MILLISECOND_NS);
    world.restart(0);
    const source = new Source(world, 100_000);
    source.start(0, 1);
    world.run(5 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect(sinks[1].readers[1]).toMatchObject({ received: 100_000, wrong: 0 });
  });
});

describe('a HELLO that comes again', () => {
  /** HELLOs with cookies of host 0 from lives that it has forgotten; the cookies are still good. */
  function withOldHellos(lives: number, seed: number) {
    const { world, said, sinks } = pair({ seed });
    const old: Frame[] = [];
    const { network } = world;
    world.network = (frame, from, nowNs) => {
      const isClaim = from === 0 && nameOf(frame) === 'HELLO' && frame.bytes[24 + 3] !== 0;
      if (isClaim && old.length < lives) old.push(copyOf(frame));
      return network(frame, from, nowNs);
    };
    for (let life = 0; life < lives; life++) {
      new Source(world, 100).start(0, 1);
      world.run(world.nowNs + SECOND_NS);
      world.restart(0);
    }
    expect(old).toHaveLength(lives);
    return { world, said, sinks, old };
  }

  it('withdraws no offer: the handshake under way comes to its end at once', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const { world, said, sinks, old } = withOldHellos(3, seed);
      const { network } = world;
      const before = [count(said[0], 'CONFIRM'), count(said[1], 'NO_ASSOCIATION')];
      world.network = (frame, from, nowNs) => {
        // They arrive between the HELLO and the CONFIRM.
        if (from === 1 && nameOf(frame) === 'WELCOME') {
          for (const hello of old) world.hosts[1].handleFrame(Object.assign(copyOf(hello), { peer: 0 }), nowNs);
        }
        return network(frame, from, nowNs);
      };
      const source = new Source(world, 50_000);
      source.start(0, 1);
      world.run(world.nowNs + SECOND_NS);
      expect(source.closed, `seed ${seed}`).toBeNull();
      expect(sinks[1].readers.at(-1)).toMatchObject({ received: 50_000, wrong: 0 });
      const after = [count(said[0], 'CONFIRM'), count(said[1], 'NO_ASSOCIATION')];
      expect(after, `seed ${seed}`).toEqual([before[0] + 1, before[1]]);
      expect(doorOf(world, 1).handshakes.find(0)?.offers.length).toBeLessThanOrEqual(4);
    }
  });

  it('gets the same answer, and the host one association', () => {
    const { world, said } = pair();
    const { network } = world;
    world.network = (frame, from, nowNs) => {
      network(frame, from, nowNs);
      return nameOf(frame) === 'HELLO' ? [0, MILLISECOND_NS, 5 * MILLISECOND_NS, SECOND_NS] : [0];
    };
    const source = new Source(world, 10_000);
    source.start(0, 1);
    world.run(3 * SECOND_NS);
    expect(source.closed).toBeNull();
    expect([refused(world), doorOf(world, 1).handshakes.counters.answered]).toEqual([0, 1]);
    expect(count(said[1], 'WELCOME')).toBeGreaterThan(1);
  });

  it('does not end the handshake that the other host has begun', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const { world, sinks, old } = withOldHellos(1, seed);
      world.restart(1);
      const { network } = world;
      // Its cookie is of a host that was started anew: take one that this one has made.
      const cookie = new Uint8Array(COOKIE_BYTES);
      const ci = new Uint8Array(BITS_BYTES).fill(0xff);
      Reflect.get(doorOf(world, 1), 'options').cookies.write(0, ci, world.nowNs, cookie);
      old[0] = helloWith(ci, cookie);
      world.network = (frame, from, nowNs) => {
        if (from === 1 && nameOf(frame) === 'HELLO') {
          world.hosts[1].handleFrame(Object.assign(copyOf(old[0]), { peer: 0 }), nowNs);
        }
        return network(frame, from, nowNs);
      };
      const source = new Source(world, 1_000);
      source.start(1, 0);
      world.run(world.nowNs + 50 * MILLISECOND_NS);
      expect(source.closed, `seed ${seed}`).toBeNull();
      expect(sinks[0].readers.at(-1)).toMatchObject({ received: 1_000 });
    }
  });
});

describe('an association', () => {
  it('is not kept alive by frames that somebody else made', () => {
    const { world } = pair();
    new Source(world, 100).start(0, 1);
    world.run(SECOND_NS);
    world.kill(0);
    const endNs = world.nowNs + 70 * SECOND_NS;
    while (world.nowNs < endNs) {
      const frame = frameOf((bytes) =>
        Fin.encode(bytes, { ...HEADER, flowId: 7 }, { finalOffset: 1, probe: 1, unused: 0 }, crc32),
      );
      world.inject(frame, 0, 1);
      world.run(world.nowNs + SECOND_NS);
    }
    expect(doorOf(world, 1).handshakes.counters.expired).toBe(1);
    expect(doorOf(world, 1).handshakes.known).toBe(0);
  });
});

/** Host 1 gets a flood in front of each HELLO of host 0; answers to others go nowhere. */
function flooded(flood: (handle: (frame: Frame, peer: number) => void, random: SeededRandom) => void) {
  const bed = pair({ rateBps: 10e9 });
  const { world } = bed;
  const { network } = world;
  world.network = (frame, from, nowNs) => (frame.peer > 1 ? [] : network(frame, from, nowNs));
  world.hostAt = (peer) => (peer > 1 ? -1 : peer);
  const [, host] = world.hosts;
  const handle = host.handleFrame.bind(host);
  host.handleFrame = (frame, nowNs) => {
    if (nameOf(frame) === 'HELLO') {
      const own = copyOf(frame);
      own.peer = frame.peer;
      flood((other, peer) => handle(Object.assign(other, { peer }), nowNs), world.random);
      handle(own, nowNs);
    } else handle(frame, nowNs);
  };
  return bed;
}

describe('floods of handshakes', () => {
  it('without cookies leave alone a host that has one', () => {
    const { world, sinks } = flooded((handle, random) => {
      if (doorOf(world, 1).handshakes.counters.cookies === 0) return;
      for (let peer = 2; peer < 4_000; peer++) handle(helloWith(randomBits(random)), peer);
    });
    // The first HELLO has no cookie; the flood begins when it has been answered.
    new Source(world, 1_000).start(0, 1);
    world.run(50 * MILLISECOND_NS);
    expect(doorOf(world, 1).handshakes.counters.suppressed).toBeGreaterThan(1_000);
    expect(sinks[1].readers[0]).toMatchObject({ received: 1_000 });
  });

  it('of one source, with forged cookies and without, leave other sources theirs', () => {
    const forged = new Uint8Array(COOKIE_BYTES).fill(1);
    const { world, sinks } = flooded((handle, random) => {
      for (let step = 0; step < 3_000; step++)
        handle(helloWith(randomBits(random), step % 2 === 0 ? forged : NO_COOKIE), 2);
    });
    new Source(world, 1_000).start(0, 1);
    world.run(50 * MILLISECOND_NS);
    expect(doorOf(world, 1).handshakes.counters.suppressed).toBeGreaterThan(1_000);
    expect(sinks[1].readers[0]).toMatchObject({ received: 1_000 });
  });

  it('make a host compute no more answers with keys than its limits', () => {
    let computed = 0;
    const respond = () => {
      computed++;
      return null;
    };
    const { world } = pair({ keys: () => ({ initiate: () => null, respond }) });
    const { cookies } = Reflect.get(doorOf(world, 1), 'options');
    const claim = (peer: number) => {
      const ci = randomBits(world.random);
      const cookie = new Uint8Array(COOKIE_BYTES);
      cookies.write(peer, ci, world.nowNs, cookie);
      world.hosts[1].handleFrame(Object.assign(helloWith(ci, cookie), { peer }), world.nowNs);
    };
    for (let step = 0; step < 600; step++) claim(2);
    expect(computed).toBe(250);
    world.run(SECOND_NS);
    const before = computed;
    claim(3);
    expect(computed).toBe(before + 1);
    for (let peer = 10; peer < 1_500; peer++) claim(peer);
    expect(computed - before).toBeLessThanOrEqual(501);
  });

  it('of strangers leave the hints for others, who have lost their association', () => {
    const { world, said } = pair();
    const stranger = () =>
      frameOf((bytes) => Fin.encode(bytes, { ...HEADER, flowId: 7 }, { finalOffset: 1, probe: 1, unused: 0 }, crc32));
    const { network } = world;
    world.network = (frame, from, nowNs) => (frame.peer > 1 ? [] : network(frame, from, nowNs));
    const [, host] = world.hosts;
    for (let step = 0; step < 1_000; step++) host.handleFrame(Object.assign(stranger(), { peer: 2 }), world.nowNs);
    expect(doorOf(world, 1).counters).toMatchObject({ hints: 100, suppressed: 900 });
    host.handleFrame(Object.assign(stranger(), { peer: 0 }), world.nowNs);
    world.run(world.nowNs + SECOND_NS);
    expect(count(said[1], 'NO_ASSOCIATION')).toBe(1);
  });

  it('leave the host no faster than its link', () => {
    const rateBps = 10e6;
    const { world } = pair({ rateBps });
    const [, host] = world.hosts;
    for (let peer = 2; peer < 502; peer++) {
      host.handleFrame(Object.assign(helloWith(randomBits(world.random)), { peer }), world.nowNs);
    }
    host.advance(world.nowNs);
    let last = 0;
    let wireBytes = 0;
    for (let nowNs = 0; nowNs < SECOND_NS; nowNs += MILLISECOND_NS) {
      host.advance(nowNs);
      for (let frame = host.poll(); frame !== null; frame = host.poll()) {
        wireBytes += frame.wireBytes;
        last = frame.atNs - DELAY_NS;
      }
    }
    expect(wireBytes).toBeGreaterThan(400 * 84);
    expect((wireBytes * 8) / (last / SECOND_NS)).toBeLessThanOrEqual(rateBps * 1.001);
  });
});

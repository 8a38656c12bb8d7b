import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { AnswerLimiter } from '../../src/switch/switch.js';
import { checkTopology } from '../../src/switch/topology.js';
import { checkFrame, flowId, sourceHost } from '../../src/wire/decode.js';
import { seal } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { Attach, Attached, AttachRefused, Hello, KeepAlive, Version } from '../../src/wire/frames.js';
import { AttachRefusal, CHECK_BYTES, EXTENDED, FrameType, Header } from '../../src/wire/layout.js';
import { BITS_BYTES, COOKIE_BYTES, NONCE_PROOF, PROOF_BYTES } from '../../src/wire/proofs.js';
import { TEST_SEED } from '../harness/seeds.js';
import { creditFrame, dataFrame, FULL_WIRE_BYTES } from './frames.js';
import { type HostSide, SwitchBed } from './switch-bed.js';

describe('the answer limiter', () => {
  it('allows a peer one answer an interval', () => {
    const limiter = new AnswerLimiter(100);
    expect([0, 50, 99, 100, 150, 199, 200].map((nowNs) => limiter.allow(3, nowNs))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('keeps peers apart as long as there are no more than 256', () => {
    const limiter = new AnswerLimiter(100);
    for (let peer = 0; peer < 256; peer++) expect(limiter.allow(peer, 0)).toBe(true);
  });

  it('allows 256 answers an interval whoever asks', () => {
    const limiter = new AnswerLimiter(100);
    let answers = 0;
    for (let peer = 0; peer < 10_000; peer++) if (limiter.allow(peer, peer % 100)) answers++;
    expect(answers).toBe(256);
  });
});

const SECOND_NS = 1e9;
const ALICE: HostSide = { peer: 41, id: 1, token: 0xa11ce };
const BOB: HostSide = { peer: 42, id: 2, token: 0xb0b };
const EVE: HostSide = { peer: 66, id: 1, token: 0xe7e };
const star = builtinTopology('star', { hosts: 3 });
const seed = TEST_SEED;

describe('attaching to the switch', () => {
  it('is answered with the id, the rate, the frame size and the keep-alive time', () => {
    const bed = new SwitchBed({ topology: builtinTopology('star', { hosts: 2, rateBps: 1e8, maxFrameBytes: 8972 }) });
    expect(bed.attach(ALICE)).toEqual([
      { type: 'attached', id: 1, token: ALICE.token, rateKbps: 100_000, maxFrameBytes: 8972, keepAliveMs: 1000 },
    ]);
    expect(bed.attached()).toEqual([1]);
  });

  it('tells an unlimited link as rate 0, and never a limited one', () => {
    const answer = (rateBps: number) =>
      new SwitchBed({ topology: builtinTopology('star', { hosts: 2, rateBps }), keepAliveMs: 250 }).attach(ALICE)[0];
    expect(answer(Number.POSITIVE_INFINITY)).toMatchObject({ rateKbps: 0, keepAliveMs: 250 });
    expect(answer(100)).toMatchObject({ rateKbps: 1 });
    expect(answer(1e20)).toMatchObject({ rateKbps: 0xffffffff });
  });

  it('is refused with the reason', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    expect(bed.attach(EVE)).toEqual([{ type: 'refused', id: 1, token: EVE.token, code: AttachRefusal.idInUse }]);
    expect(bed.attach({ ...EVE, id: 9 })).toMatchObject([{ code: AttachRefusal.unknownId }]);
    expect(bed.attach(BOB, 9000)).toMatchObject([{ code: AttachRefusal.frameSize }]);
  });

  it('does not give two claimants of an id each other’s frames', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    bed.attach(EVE);
    bed.send(BOB.peer, (_, frame) => dataFrame({ source: 2, destination: 1, into: frame }).length);
    expect(bed.data(EVE.peer, { source: 1, destination: 2 })).toEqual([]);
    expect(bed.door()).toEqual({ spoofed: 1 });
    expect(bed.attached()).toEqual([1, 2]);
  });

  it('ends four keep-alive times after the last KEEP_ALIVE', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    for (let second = 0; second < 10; second++) {
      bed.pass(SECOND_NS);
      expect(bed.keepAlive(ALICE)).toMatchObject([{ type: 'attached', id: 1 }]);
    }
    expect(bed.target.nextTimeout()).toBe(14 * SECOND_NS);
    bed.pass(4 * SECOND_NS - 1);
    expect(bed.attached()).toEqual([1]);
    bed.pass(1);
    expect(bed.attached()).toEqual([]);
    expect(bed.target.nextTimeout()).toBe(NEVER);
    expect(bed.attach(EVE)).toMatchObject([{ type: 'attached', id: 1 }]);
  });

  it('frees an overdue port for a claim that comes before the next advance', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.nowNs = 5 * SECOND_NS;
    expect(bed.attach(EVE)).toMatchObject([{ type: 'attached', id: 1 }]);
  });

  it('ends with DETACH', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    expect(bed.detach({ ...ALICE, token: 1 })).toEqual([]);
    expect(bed.attached()).toEqual([1]);
    bed.detach(ALICE);
    expect(bed.attached()).toEqual([]);
    expect(bed.pool.out).toBe(0);
  });
});

describe('a flood of ATTACHs', () => {
  const attach =
    (nonce: Uint8Array, cookie: Uint8Array, proof = nonce) =>
    (bytes: Uint8Array) =>
      Attach.encode(
        bytes,
        { source: 1, destination: 0, flowId: 0 },
        { token: 1, maxFrameBytes: 0, nonce, cookie, proof },
        crc32,
      );
  const nonce = new Uint8Array(BITS_BYTES).fill(3);

  it('of one source leaves other sources theirs, and is counted', () => {
    const bed = new SwitchBed({ topology: builtinTopology('star', { hosts: 2, rateBps: 1e8 }) });
    for (const cookie of [new Uint8Array(COOKIE_BYTES), new Uint8Array(COOKIE_BYTES).fill(1)]) {
      for (let count = 0; count < 2_000; count++) bed.send(77, attach(nonce, cookie));
    }
    expect(bed.door()).toEqual({ attachLimit: 2_000 });
    expect(bed.attach(ALICE)[0]).toMatchObject({ type: 'attached', id: 1 });
  });

  it('without cookies from anywhere leaves alone a host that has one', () => {
    const bed = new SwitchBed({ topology: builtinTopology('star', { hosts: 2, rateBps: 1e8 }) });
    const { handleDatagram } = bed.target;
    let isFlooded = false;
    bed.target.handleDatagram = (frame, nowNs) => {
      const isClaim = Attach.read.cookie(frame.bytes, new Uint8Array(COOKIE_BYTES)).some((byte) => byte !== 0);
      if (isClaim && !isFlooded) {
        isFlooded = true;
        for (let peer = 100; peer < 5_000; peer++) bed.send(peer, attach(nonce, new Uint8Array(COOKIE_BYTES)));
      }
      handleDatagram.call(bed.target, frame, nowNs);
    };
    expect(bed.attach(ALICE)[0]).toMatchObject({ type: 'attached', id: 1 });
    expect(bed.door().attachLimit).toBeGreaterThan(2_000);
  });

  it('takes no proof without a key but the nonce and eight zeros', () => {
    const proof = new Uint8Array(PROOF_BYTES);
    proof.set(nonce);
    expect(NONCE_PROOF.isValid(proof, 0, nonce)).toBe(true);
    proof[PROOF_BYTES - 1] = 1;
    expect(NONCE_PROOF.isValid(proof, 0, nonce)).toBe(false);
  });
});

describe('frames through the switch', () => {
  it('follow a host that has moved to a new address with its token', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    bed.attach({ ...BOB, peer: 77 });
    const frame = dataFrame({ source: 1, destination: 2, into: bed.pool.take() });
    frame.peer = ALICE.peer;
    bed.target.handleDatagram(frame, 0);
    expect(bed.drain()).toMatchObject([{ peer: 77 }]);
    expect(bed.data(BOB.peer, { source: 2, destination: 1 })).toEqual([]);
    expect(bed.door()).toEqual({ spoofed: 1 });
  });

  it('are dropped and counted at the port of a host that is not there', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    expect(bed.data(ALICE.peer, { source: 1, destination: 2 })).toEqual([]);
    const port = bed.target.statistics(0).ports.find(({ name }) => name === 's1->h2');
    expect(port?.drops).toEqual({ notAttached: 1 });
    expect(bed.pool.out).toBe(0);
  });

  it('are timed by the links', () => {
    const topology = builtinTopology('star', { hosts: 2, rateBps: 1e9, delayNs: 5000 });
    const bed = new SwitchBed({ topology });
    bed.attach(ALICE);
    bed.attach(BOB);
    const frame = dataFrame({ source: 1, destination: 2, into: bed.pool.take() });
    frame.peer = ALICE.peer;
    bed.target.handleDatagram(frame, 0);
    expect(bed.target.poll()).toBeNull();
    expect(bed.target.nextTimeout()).toBe(5000);
    bed.target.advance(5000);
    expect(bed.target.poll()?.atNs).toBe(5000 + FULL_WIRE_BYTES * 8 + 5000);
  });

  it('of an unattached host are answered with NOT_ATTACHED, ten times a second at most', () => {
    const bed = new SwitchBed({ topology: star });
    let answers = 0;
    for (let ms = 0; ms < 2000; ms++) {
      bed.nowNs = ms * 1e6;
      answers += bed.data(ALICE.peer, { source: 1, destination: 2 }).length;
    }
    expect(answers).toBe(20);
    expect(bed.door()).toEqual({ notAttached: 2000 });
  });

  it('lead a host that was attached before the switch was started again back to its port', () => {
    const bed = new SwitchBed({ topology: star });
    expect(bed.keepAlive(ALICE)).toEqual([
      { type: 'refused', id: 1, token: ALICE.token, code: AttachRefusal.notAttached },
    ]);
    expect(bed.attach(ALICE)).toMatchObject([{ type: 'attached', id: 1 }]);
    expect(bed.keepAlive(ALICE)).toMatchObject([{ type: 'attached', id: 1 }]);
  });

  it('with a source that nobody here has are dropped without an answer', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    expect(bed.data(ALICE.peer, { source: 99, destination: 2 })).toEqual([]);
    expect(bed.data(ALICE.peer, { source: 0, destination: 2 })).toEqual([]);
    expect(bed.door()).toEqual({ spoofed: 2 });
  });

  it('that are no frames are dropped by reason', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    const credit = { source: 1, destination: 2 };
    bed.send(ALICE.peer, () => 17);
    bed.send(ALICE.peer, (bytes) => {
      bytes[Header.versionAndType] = 0x20;
      return 40;
    });
    bed.send(ALICE.peer, (_, frame) => creditFrame({ ...credit, into: frame }).length + 21);
    bed.send(ALICE.peer, (bytes) => {
      const fields = { token: 1, rateKbps: 0, maxFrameBytes: 1472, keepAliveMs: 1000 };
      return Attached.encode(bytes, { source: 0, destination: 1, flowId: 0 }, fields, crc32);
    });
    bed.send(ALICE.peer, (bytes) => {
      const fields = { token: ALICE.token };
      return KeepAlive.encode(bytes, { source: 1, destination: 0, flowId: 0 }, fields, null);
    });
    expect(bed.door()).toEqual({ short: 1, type: 1, length: 1, direction: 1, check: 1 });
    expect(bed.pool.out).toBe(0);
  });

  it('of another version are answered with VERSION, once a second for each peer', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    const send = () =>
      bed.send(ALICE.peer, (bytes, frame) => {
        const length = dataFrame({ source: 1, destination: 2, flowId: 99, into: frame }).length;
        bytes[Header.versionAndType] = 0x70 | FrameType.data;
        return length;
      });
    expect(send()).toEqual([{ type: FrameType.version, id: 1 }]);
    expect(send()).toEqual([]);
    bed.nowNs = SECOND_NS;
    expect(send()).toHaveLength(1);
    expect(bed.door()).toEqual({ version: 3 });
  });

  it('of version 1 get an answer that names the flow and what is spoken here', () => {
    const bed = new SwitchBed({ topology: star });
    const frame = dataFrame({ source: 1, destination: 2, flowId: 99, into: bed.pool.take() });
    frame.bytes[Header.versionAndType] = 0x10 | FrameType.creditRequest;
    bed.target.handleDatagram(frame, 0);
    const answer = bed.target.poll()!;
    expect(checkFrame(answer, crc32)).toBe(FrameType.version);
    expect([flowId(answer.bytes), sourceHost(answer.bytes)]).toEqual([99, 2]);
    expect([Version.read.lowest(answer.bytes), Version.read.highest(answer.bytes)]).toEqual([2, 2]);
  });

  it('of another version that are shorter than the answer get none', () => {
    const bed = new SwitchBed({ topology: star });
    const out = bed.send(ALICE.peer, (bytes) => {
      bytes[Header.versionAndType] = 0x10 | FrameType.creditRequest;
      return 19;
    });
    expect(out).toEqual([]);
    expect(bed.door()).toEqual({ version: 1 });
  });

  it('that attach a host of version 1 are answered with VERSION, which tells that host so', () => {
    const bed = new SwitchBed({ topology: star });
    // ATTACH of version 1: class 8, host id 1, token 9, the switch's frame size.
    const attach = Buffer.from('fc1800000000000100000000000000090000000000000000', 'hex');
    const out = bed.send(ALICE.peer, (bytes) => {
      bytes.set(attach);
      return seal(bytes, attach.length - CHECK_BYTES, crc32);
    });
    expect(out).toEqual([{ type: FrameType.version, id: 1 }]);
    expect(bed.door()).toEqual({ version: 1 });
  });

  it('may be control frames between hosts', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    const header = { source: 1, destination: 2, flowId: 0 };
    const hello = { messageBytes: 0, ci: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
    expect(bed.send(ALICE.peer, (bytes) => Hello.encode(bytes, header, hello, crc32))).toEqual([
      { type: Hello.type, id: 2 },
    ]);
  });

  it('keep the extension blocks that they came with', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    const frame = dataFrame({ source: 1, destination: 2, wireBytes: 200, into: bed.pool.take() });
    frame.bytes[Header.flags] |= EXTENDED;
    frame.bytes.set([0x80, 1, 9, 0, 3], frame.length - CHECK_BYTES);
    frame.length = seal(frame.bytes, frame.length + 5 - CHECK_BYTES, crc32);
    frame.peer = ALICE.peer;
    const sent = frame.bytes.slice(1, frame.length);
    bed.target.handleDatagram(frame, 0);
    bed.target.advance(SECOND_NS);
    const arrived = bed.target.poll()!;
    expect(arrived.bytes.slice(1, arrived.length)).toEqual(sent);
  });

  it('may be VERSION frames between hosts', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.attach(BOB);
    const header = { source: 1, destination: 2, flowId: 5 };
    const out = bed.send(ALICE.peer, (bytes) => Version.encode(bytes, header, { lowest: 1, highest: 3 }, crc32));
    expect(out).toEqual([{ type: FrameType.version, id: 2 }]);
  });
});

describe('trunks', () => {
  const topology = (own: number, other: number) =>
    checkTopology({
      hosts: [{ id: own }],
      switches: [{ name: 's1' }],
      links: [{ a: `h${own}`, b: 's1' }],
      trunks: [{ name: 'wire', switch: 's1', address: 'a:1', hosts: [other] }],
    });

  it('carry frames between two switch processes', () => {
    const left = new SwitchBed({ topology: topology(1, 2) });
    const right = new SwitchBed({ topology: topology(2, 1) });
    left.attach(ALICE);
    right.attach(BOB);
    left.target.trunkPeer('wire', 900);
    right.target.trunkPeer('wire', 800);
    const frame = dataFrame({ source: 1, destination: 2, into: left.pool.take() });
    frame.peer = ALICE.peer;
    left.target.handleDatagram(frame, 0);
    const crossing = left.target.poll()!;
    expect(crossing.peer).toBe(900);
    crossing.peer = 800;
    right.target.handleDatagram(crossing, 0);
    expect(right.drain()).toEqual([{ peer: BOB.peer, answer: { type: FrameType.data, id: 2 } }]);
  });

  it('carry nothing until their address is known, and only from hosts behind them', () => {
    const bed = new SwitchBed({ topology: topology(1, 2) });
    bed.attach(ALICE);
    expect(bed.data(ALICE.peer, { source: 1, destination: 2 })).toEqual([]);
    expect(bed.data(900, { source: 2, destination: 1 })).toEqual([]);
    bed.target.trunkPeer('wire', 900);
    expect(bed.data(900, { source: 2, destination: 1 })).toHaveLength(1);
    expect(bed.data(900, { source: 3, destination: 1 })).toEqual([]);
    expect(bed.data(900, { source: 1, destination: 1 })).toEqual([]);
    expect(bed.data(901, { source: 2, destination: 1 })).toEqual([]);
    expect(bed.door()).toEqual({ spoofed: 4 });
  });

  it('are known by name', () => {
    const bed = new SwitchBed({ topology: topology(1, 2) });
    expect(() => bed.target.trunkPeer('rope', 1)).toThrow("unknown trunk 'rope'; known trunks: wire");
  });
});

describe('changing links of a running switch', () => {
  it('tells an attached host of another rate', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.target.configureLink('h1', { port: { rateBps: 5e7 } }, 10);
    expect(bed.drain()).toMatchObject([{ peer: ALICE.peer, answer: { type: 'attached', rateKbps: 50_000 } }]);
    bed.target.configureLink('h2', { port: { rateBps: 5e7 } }, 20);
    bed.target.configureLink('h1', { impairment: { lossRate: 0.5 } }, 30);
    expect(bed.drain()).toEqual([]);
  });

  it('tells it again with each KEEP_ALIVE, for the frame that told it may have been lost', () => {
    const bed = new SwitchBed({ topology: star });
    bed.attach(ALICE);
    bed.target.configureLink('h1', { port: { rateBps: 5e7 } }, 10);
    bed.drain();
    expect(bed.keepAlive(ALICE)).toMatchObject([{ type: 'attached', rateKbps: 50_000, token: ALICE.token }]);
    expect(bed.keepAlive({ ...ALICE, token: ALICE.token + 1 })).toMatchObject([{ type: 'refused' }]);
  });
});

describe('the switch under arbitrary input', () => {
  const random = new SeededRandom(seed);
  const below = (bound: number) => Math.floor(random.next() * bound);
  const controlKinds = [Attach, Attached, AttachRefused, KeepAlive];

  /** Random bytes, or a data frame with some bits flipped. */
  function writeMutated(bytes: Uint8Array, frame: Frame): number {
    if (below(3) === 0) dataFrame({ source: 1, destination: below(4), into: frame });
    else for (let at = 0; at < 40; at++) bytes[at] = random.uint32();
    if (below(2) === 0) bytes[1] = 0x20 | below(16);
    for (let flips = below(4); flips > 0; flips--) bytes[below(20)] ^= 1 << below(8);
    return [below(40), 18, 1472, frame.length][below(4)];
  }

  /** A control frame with random fields, of a length that it can have or 4 more; its check is right, as a rule. */
  function writeSealed(bytes: Uint8Array): number {
    for (let at = 0; at < 64; at++) bytes[at] = below(3) === 0 ? random.uint32() : 0;
    const kind = controlKinds[below(4)];
    bytes[Header.versionAndType] = 0x20 | FrameType.control;
    bytes[Header.flags] = (kind.type & 0x7f) | (below(2) << 7);
    bytes[Header.source + 1] = below(4);
    return seal(bytes, kind.minBytes - CHECK_BYTES + Math.max(0, 4 * below(3) - 4), below(8) === 0 ? null : crc32);
  }

  it('neither throws nor keeps more frames than its bounds, whatever arrives', () => {
    const impairments = { lossRate: 0.02, duplicateRate: 0.05, reorderRate: 0.05, corruptRate: 0.05, jitterNs: 5000 };
    const settings = { rateBps: 1e6, delayNs: 10_000, dataQueueBytes: 20_000, ...impairments };
    const bed = new SwitchBed({ topology: builtinTopology('parking-lot', settings), earlyNs: 0 });
    let mostOut = 0;
    for (let datagram = 0; datagram < 60_000; datagram++) {
      bed.nowNs += below(40_000);
      if (datagram % 500 === 0) for (const host of [ALICE, BOB]) bed.attach(host);
      const peer = [ALICE.peer, BOB.peer, EVE.peer, -1][below(4)];
      bed.send(peer, below(4) === 0 ? writeSealed : writeMutated);
      mostOut = Math.max(mostOut, bed.pool.out);
    }
    bed.pass(1e12);
    const { door, ports } = bed.target.statistics(bed.nowNs);
    const message = `seed ${seed}`;
    expect(bed.pool.out, message).toBe(0);
    // Ten ports with 238 frames of 84 B each at most, and what is on the lines.
    expect(mostOut, message).toBeLessThan(10 * 238 + 200);
    const reasons = [
      'check',
      'direction',
      'extension',
      'invalid',
      'length',
      'notAttached',
      'short',
      'spoofed',
      'type',
      'version',
    ];
    expect(Object.keys(door).sort(), message).toEqual(reasons);
    // Frames did get in and did fill a queue.
    const chain = ports.find(({ name }) => name === 's1->s2');
    expect(chain?.data.frames, message).toBeGreaterThan(50);
    expect(chain?.drops.dataQueueFull, message).toBeGreaterThan(0);
  });
});

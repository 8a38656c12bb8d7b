import { describe, expect, it } from 'vitest';
import { loadFrameCheck } from '../../src/udp/crc.js';
import { hostCredits, ONLY_PEER, UdpHost } from '../../src/udp/host-driver.js';
import type { HostMachine } from '../../src/udp/remote-end.js';
import { Bundle } from '../../src/wire/bundle.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { MAX_BUNDLE_BYTES } from '../../src/wire/layout.js';
import { QuietDatapath } from './quiet-datapath.js';

const FRAME_CHECK = await loadFrameCheck();

const FRAME_BYTES = 1_472;
const FROM = { address: '127.0.0.1', port: 9000 };

/** A datapath whose datagrams the test hands over. */
class HandDatapath extends QuietDatapath {
  readonly sent: Uint8Array[] = [];

  send(frame: Frame): void {
    this.counters.datagramsOut++;
    this.sent.push(frame.bytes.slice(0, frame.length));
    this.handlers.onSent(frame);
  }
}

/** What the machine of a host sees of `count` datagrams of `bytes` that were read together: f for a frame, a for each time that it advances. */
async function batchOf(count: number, bytes = 30): Promise<string> {
  const datapath = new HandDatapath();
  const host = new UdpHost<HostMachine>(
    { onlyPeer: { host: '127.0.0.1', port: 9000 } },
    { datapath, peers: null, frameCheck: FRAME_CHECK },
  );
  let seen = '';
  const machine: HostMachine = {
    handleFrame: ({ peer }) => {
      seen += peer === ONLY_PEER ? 'f' : '?';
    },
    advance: () => {
      seen += 'a';
    },
    setLinkRate: () => {},
    giveUp: () => {},
    poll: () => null,
    nextTimeout: () => Number.POSITIVE_INFINITY,
  };
  host.start(machine, new FramePool(() => new Uint8Array(FRAME_BYTES), 0), FRAME_BYTES);
  seen = '';
  for (let index = 0; index < count; index++) datapath.handlers.onDatagram(new Uint8Array(bytes), bytes, FROM, -1);
  datapath.handlers.onBatchEnd();
  const batches = seen;
  await host.close();
  return batches;
}

const run = (frames: number) => `${'f'.repeat(frames)}a`;

describe('datagrams that were read together', () => {
  it('are given to the machine before it is drained, 64 at most', async () => {
    expect(await batchOf(3)).toBe(run(3));
    expect(await batchOf(64)).toBe(run(64));
    expect(await batchOf(70)).toBe(run(64) + run(6));
  });

  it('are answered after half of what may be under way', async () => {
    expect(await batchOf(64, 1_472)).toBe(run(64));
    expect(await batchOf(10, 60_000)).toBe(run(9) + run(1));
  });
});

/** A frame of `length` bytes, all of them `fill`. */
function frameOf(length: number, fill: number): Frame {
  const frame = new Frame(new Uint8Array(FRAME_BYTES).fill(fill, 0, length));
  frame.length = length;
  return frame;
}

/** A host whose machine writes down what it is given and sends what the test plans. */
function openHost() {
  const datapath = new HandDatapath();
  const host = new UdpHost<HostMachine>(
    { onlyPeer: { host: '127.0.0.1', port: 9000 } },
    { datapath, peers: null, frameCheck: FRAME_CHECK },
  );
  const given: { bytes: number[]; nowNs: number; waitedNs: number }[] = [];
  const outgoing: Frame[] = [];
  const back: Frame[] = [];
  const machine: HostMachine = {
    handleFrame: ({ bytes, length, arrivedNs }, nowNs) => {
      given.push({ bytes: [...bytes.subarray(0, length)], nowNs, waitedNs: nowNs - arrivedNs });
    },
    advance: () => {},
    setLinkRate: () => {},
    giveUp: () => {},
    poll: () => outgoing.shift() ?? null,
    nextTimeout: () => Number.POSITIVE_INFINITY,
  };
  const pool = new FramePool(() => new Uint8Array(FRAME_BYTES), 100);
  const give = pool.give.bind(pool);
  pool.give = (frame) => {
    back.push(frame);
    give(frame);
  };
  host.start(machine, pool, FRAME_BYTES);
  return { datapath, host, given, outgoing, back };
}

describe('frames that share a datagram', () => {
  it('are given to the machine one by one, as late as the datagram was', async () => {
    const { datapath, host, given } = openHost();
    const bundle = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    for (let frame = 0; frame < 25; frame++) bundle.append(frameOf(18 + (frame % 3), frame));
    datapath.handlers.onDatagram(bundle.bytes, bundle.length, FROM, 5_000);
    datapath.handlers.onBatchEnd();
    expect(given.map(({ bytes }) => bytes)).toEqual(
      Array.from({ length: 25 }, (_, frame) => new Array(18 + (frame % 3)).fill(frame)),
    );
    for (const { waitedNs } of given) expect(waitedNs).toBeCloseTo(5_000);
    await host.close();
  });

  it('do not go back in time when the machine is drained between two of them', async () => {
    const { datapath, host, given } = openHost();
    const bundle = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    for (let frame = 0; frame < 28; frame++) bundle.append(frameOf(18, frame));
    for (let datagram = 0; datagram < 5; datagram++) {
      datapath.handlers.onDatagram(bundle.bytes, bundle.length, FROM, -1);
    }
    datapath.handlers.onBatchEnd();
    expect(given).toHaveLength(5 * 28);
    for (let at = 1; at < given.length; at++) expect(given[at].nowNs).toBeGreaterThanOrEqual(given[at - 1].nowNs);
    expect(given[64].nowNs).toBeGreaterThan(given[63].nowNs);
    await host.close();
  });

  it('are those that the machine yields together, and go back to their pool', async () => {
    const { datapath, host, outgoing, back } = openHost();
    outgoing.push(frameOf(20, 1), frameOf(22, 2), frameOf(1_000, 3), frameOf(24, 4));
    const frames = [...outgoing];
    host.loop.run(() => {});
    expect(datapath.sent.map(({ length }) => length)).toEqual([2 + 21 + 23, 1_000, 24]);
    expect(back).toEqual([frames[0], frames[1], frames[2], frames[3]]);
    expect(host.statistics()).toMatchObject({ bundlesOut: 1, bundledFramesOut: 2 });
    await host.close();
  });
});

describe('a refusal', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET'])('is told of, as %s, once a datagram was sent', async (code) => {
    const { datapath, host, outgoing } = openHost();
    datapath.handlers.onProblem({ code, message: '', count: 1 });
    expect(host.trouble()).toBeNull();
    outgoing.push(frameOf(1_000, 1));
    host.loop.run(() => {});
    datapath.handlers.onProblem({ code, message: '', count: 2 });
    expect(host.trouble()?.reason).toContain('nobody listens');
    await host.close();
  });

  it('is not any other error', async () => {
    const { datapath, host } = openHost();
    datapath.counters.datagramsOut++;
    datapath.handlers.onProblem({ code: 'ENOBUFS', message: '', count: 1 });
    expect(host.trouble()).toBeNull();
    await host.close();
  });
});

const MIB = 1024 * 1024;

describe('credits of a host', () => {
  it('are bounded where the buffer holds many frames', () => {
    expect(hostCredits(4 * MIB, 1472)).toBe(320);
    // A mebibyte.
    expect(hostCredits(4 * MIB, 8972)).toBe(116);
    expect(hostCredits(4 * MIB, 60_000)).toBe(17);
  });

  it("are as many as half of the kernel's buffer holds of frames that are charged by the page", () => {
    // 8972 + 576 bytes occupy three pages of 4096; half of 2 * 1 MiB holds 85 of them.
    expect(hostCredits(1 * MIB, 8972)).toBe(85);
    expect(hostCredits(1 * MIB, 65_507)).toBe(15);
  });

  it('never fall so low that a flow stands still', () => {
    expect(hostCredits(65_536, 65_507)).toBe(8);
  });
});

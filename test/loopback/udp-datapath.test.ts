import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Datapath, DatapathKind, DatapathOptions } from '../../src/udp/datapath.js';
import { KernelDrops } from '../../src/udp/kernel-drops.js';
import { loadNative } from '../../src/udp/mmsg/native.js';
import { PeerTable } from '../../src/udp/peer-table.js';
import { openDatapath } from '../../src/udp/socket-driver.js';
import type { SocketProblem } from '../../src/udp/socket-errors.js';
import { Frame } from '../../src/wire/frame.js';
import { until } from './udp-harness.js';

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
const onLinux = process.platform === 'linux';
const native = await loadNative();
const KINDS: DatapathKind[] = ['dgram', 'mmsg'];
const LOOPBACK = { 4: '127.0.0.1', 6: '::1' } as const;

const opened: Datapath[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((datapath) => datapath.close()));
});

/** A datapath on loopback that keeps what it gets. */
async function openEndOf(kind: DatapathKind, family: 4 | 6, changes: Partial<DatapathOptions> = {}) {
  const peers = changes.remote === undefined ? new PeerTable() : null;
  const bind = { address: LOOPBACK[family], port: 0, family };
  const datapath = await openDatapath({ bind, peers, ...changes }, kind);
  opened.push(datapath);
  const end = {
    datapath,
    peers,
    received: [] as { bytes: Uint8Array; address: string; port: number }[],
    sent: 0,
    problems: [] as SocketProblem[],
    batches: 0,
    send: (...frames: Frame[]) => {
      for (const frame of frames) datapath.send(frame);
      datapath.flush();
    },
  };
  datapath.start({
    // What is lent is copied.
    onDatagram: (bytes, length, { address, port }) =>
      end.received.push({ bytes: Buffer.from(bytes.subarray(0, length)), address, port }),
    onBatchEnd: () => end.batches++,
    onProblem: (problem) => end.problems.push(problem),
    onSent: () => end.sent++,
  });
  return end;
}

function frameOf(length: number, fill: number, peer = 0): Frame {
  const frame = new Frame(Buffer.alloc(length, fill));
  frame.length = length;
  frame.peer = peer;
  return frame;
}

describe.each(KINDS)('the datapath %s on loopback', (kind) => {
  const openEnd = (family: 4 | 6, changes: Partial<DatapathOptions> = {}) => openEndOf(kind, family, changes);

  beforeEach(({ skip }) => skip(kind === 'mmsg' && typeof native === 'string', `no mmsg: ${native}`));

  it.for([4, 6] as const)('carries datagrams both ways over IPv%d', async (family, { skip }) => {
    skip(family === 6 && !hasIpv6, 'this machine has no address ::1');
    const server = await openEnd(family);
    const client = await openEnd(family, { remote: server.datapath.info.local });
    client.send(...Array.from({ length: 40 }, (_, index) => frameOf(index + 1, index + 1)));
    await until(() => server.received.length === 40, 'the server has 40 datagrams');
    const { address, port, bytes } = server.received[39];
    expect(address).toBe(LOOPBACK[family]);
    expect(port).toBe(client.datapath.info.local.port);
    expect(bytes).toEqual(Buffer.alloc(40, 40));
    server.send(frameOf(7, 9, server.peers!.number(address, port, 0)));
    await until(() => client.received.length === 1, 'the client has the answer');
    expect(client.received[0].bytes).toEqual(Buffer.alloc(7, 9));
    expect(client.sent).toBe(40);
    expect(server.received.map((each) => each.bytes)).toEqual(
      Array.from({ length: 40 }, (_, index) => Buffer.alloc(index + 1, index + 1)),
    );
    expect(server.batches).toBeGreaterThan(0);
    expect(server.batches).toBeLessThanOrEqual(server.datapath.counters.receiveCalls);
    expect(server.datapath.info).toMatchObject({ kind, local: { address: LOOPBACK[family], family } });
    expect(server.datapath.counters).toMatchObject({ datagramsIn: 40, bytesIn: 820, datagramsOut: 1, bytesOut: 7 });
  });

  it('keeps the order of the frames to each of several peers, whatever their sizes', async () => {
    const ends = [await openEnd(4), await openEnd(4), await openEnd(4)];
    const client = await openEnd(4);
    const numbers = ends.map(({ datapath }) => client.peers!.number('127.0.0.1', datapath.info.local.port, 0));
    const sizes = Array.from({ length: 300 }, (_, index) => [900, 900, 900, 30, 900, 1_472, 1_472, 0, 1][index % 9]!);
    client.send(...sizes.map((size, index) => frameOf(size, index % 251, numbers[index % 3])));
    await until(() => ends.every(({ received }) => received.length === 100), 'each has its hundred');
    for (const [at, { received }] of ends.entries()) {
      const expected = sizes.flatMap((size, index) => (index % 3 === at ? [Buffer.alloc(size, index % 251)] : []));
      expect(received.map(({ bytes }) => bytes)).toEqual(expected);
    }
    expect(client.sent).toBe(300);
  });

  it('carries more than one batch holds, without a flush in between', async () => {
    const server = await openEnd(4);
    const client = await openEnd(4, { remote: server.datapath.info.local });
    client.send(...Array.from({ length: 200 }, (_, index) => frameOf(9_000 - 40 * index, index)));
    await until(() => server.received.length === 200, 'all have arrived');
    expect(server.received.map(({ bytes }) => [bytes.length, bytes[0]])).toEqual(
      Array.from({ length: 200 }, (_, index) => [9_000 - 40 * index, index]),
    );
  });

  it('says nothing more once it is closed', async () => {
    const server = await openEnd(4);
    const client = await openEnd(4, { remote: server.datapath.info.local });
    client.send(frameOf(10, 1));
    await opened.splice(opened.indexOf(server.datapath), 1)[0]!.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.received).toEqual([]);
    await expect(openEnd(4, { bind: server.datapath.info.local })).resolves.toBeDefined();
  });

  it('says which port is in use', async () => {
    const { datapath } = await openEnd(4);
    const { port } = datapath.info.local;
    const attempt = openEnd(4, { bind: { address: '127.0.0.1', port, family: 4 } });
    await expect(attempt).rejects.toThrow(`UDP port ${port} is in use`);
    await expect(attempt).rejects.toMatchObject({ code: 'config' });
  });

  it('says which address this host does not have', async () => {
    // 192.0.2.0/24 is for documentation: RFC 5737.
    const attempt = openEnd(4, { bind: { address: '192.0.2.1', port: 0, family: 4 } });
    await expect(attempt).rejects.toThrow('this host has no address 192.0.2.1');
  });

  it('does not connect where its own address cannot go', async () => {
    const attempt = openEnd(4, { remote: { address: '192.0.2.1', port: 9000, family: 4 } });
    await expect(attempt).rejects.toThrow('192.0.2.1:9000');
  });

  it('counts a frame that is too large and goes on with the next', async () => {
    const server = await openEnd(4);
    const client = await openEnd(4, { remote: server.datapath.info.local });
    client.send(frameOf(65_508, 1), frameOf(100, 2));
    await until(() => client.problems.length === 1 && server.received.length === 1, 'one problem, one datagram');
    expect(client.datapath.problems()).toEqual({ EMSGSIZE: 1 });
    expect(client.problems[0].message).toContain('a frame of 65508 bytes is too large');
    expect(client.sent).toBe(2);
  });

  it('counts a closed port and lives on', async ({ skip }) => {
    skip(!onLinux, 'only Linux reports a closed port');
    const gone = await openEnd(4);
    const remote = gone.datapath.info.local;
    await opened.pop()!.close();
    const client = await openEnd(4, { remote });
    const refusals = () => client.datapath.problems().ECONNREFUSED ?? 0;
    for (let round = 1; round <= 3; round++) {
      const before = refusals();
      client.send(frameOf(20, 1));
      await until(() => refusals() > before, 'the refusal arrives');
    }
    expect(client.problems[0].message).toContain(`nobody listens at 127.0.0.1:${remote.port}`);
    const back = await openEnd(4, { bind: remote });
    client.send(frameOf(20, 1));
    await until(() => back.received.length === 1, 'the port answers again');
  });

  it('has its drops counted by the kernel when it does not read', async ({ skip }) => {
    skip(!onLinux, 'only Linux counts drops of a socket');
    const slow = await openEnd(4, { bufferBytes: 65_536 });
    const client = await openEnd(4, { remote: slow.datapath.info.local });
    const drops = new KernelDrops([slow.datapath.info.local.port]);
    expect(drops.read()).toBe(0);
    // Both ends are in this process, so the receiver reads nothing while this loop runs.
    for (let index = 0; index < 1_000; index++) client.send(frameOf(1_472, index));
    await until(() => slow.received.length + (drops.read() ?? 0) === 1_000, 'all are received or dropped');
    expect(drops.read()).toBeGreaterThan(500);
  });

  it('reports the buffer that the kernel gave', async () => {
    const { datapath } = await openEnd(4, { bufferBytes: 131_072 });
    expect(datapath.info.receiveBufferBytes).toBe(131_072);
    expect(datapath.info.warnings).toEqual([]);
    const greedy = await openEnd(4, { bufferBytes: 2 ** 30 });
    expect(greedy.datapath.info.receiveBufferBytes).toBeLessThan(2 ** 30);
    expect(greedy.datapath.info.warnings[0]).toMatch(/^the receive buffer of the socket is \d+ bytes, 1073741824 were/);
  });
});

describe('a datapath that cannot be had here', () => {
  const bind = { address: '127.0.0.1', port: 0, family: 4 } as const;

  it.each([
    ['mmsg', 'mmsg is unavailable; using dgram: it needs Linux'],
    ['auto', undefined],
    ['dgram', undefined],
  ] as const)('is dgram, and says why where %s was asked for', async (choice, fallback) => {
    const datapath = await openDatapath({ bind, peers: new PeerTable() }, choice, async () => 'it needs Linux');
    opened.push(datapath);
    expect(datapath.info.kind).toBe('dgram');
    expect(datapath.info.fallback).toBe(fallback);
  });

  it('names the address for which the kernel gives no socket', async ({ skip }) => {
    if (typeof native === 'string') return skip(`no mmsg: ${native}`);
    // EAFNOSUPPORT: a kernel without IPv6.
    const kernel = { ...native, socket: () => -1, errno: () => 97 };
    const bind = { address: '::1', port: 7, family: 6 } as const;
    await expect(openDatapath({ bind, peers: new PeerTable() }, 'auto', async () => kernel)).rejects.toMatchObject({
      code: 'config',
      message: 'cannot bind to [::1]:7 (EAFNOSUPPORT)',
    });
  });

  it('is mmsg where nothing was asked for', async ({ skip }) => {
    skip(typeof native === 'string', `no mmsg: ${native}`);
    const datapath = await openDatapath({ bind, peers: new PeerTable() });
    opened.push(datapath);
    expect(datapath.info.kind).toBe('mmsg');
  });
});

import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type Datapath, type DatapathOptions, openDatapath } from '../../src/udp/datapath.js';
import { KernelDrops } from '../../src/udp/kernel-drops.js';
import { PeerTable } from '../../src/udp/peer-table.js';
import type { SocketProblem } from '../../src/udp/socket-errors.js';
import { Frame } from '../../src/wire/frame.js';
import { until } from './udp-harness.js';

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
const onLinux = process.platform === 'linux';
const LOOPBACK = { 4: '127.0.0.1', 6: '::1' } as const;

const opened: Datapath[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((datapath) => datapath.close()));
});

/** A datapath on loopback that keeps what it gets. */
async function openEnd(family: 4 | 6, changes: Partial<DatapathOptions> = {}) {
  const peers = changes.remote === undefined ? new PeerTable() : null;
  const bind = { address: LOOPBACK[family], port: 0, family };
  const datapath = await openDatapath({ bind, peers, ...changes });
  opened.push(datapath);
  const end = {
    datapath,
    peers,
    received: [] as { bytes: Uint8Array; address: string; port: number }[],
    sent: 0,
    problems: [] as SocketProblem[],
  };
  datapath.start({
    onDatagram: (bytes, address, port) => end.received.push({ bytes, address, port }),
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

describe('a datapath on loopback', () => {
  it.each([4, 6] as const)('carries datagrams both ways over IPv%d', async (family) => {
    if (family === 6 && !hasIpv6) return;
    const server = await openEnd(family);
    const client = await openEnd(family, { remote: server.datapath.info.local });
    for (let length = 1; length <= 40; length++) client.datapath.send(frameOf(length, length));
    await until(() => server.received.length === 40, 'the server has 40 datagrams');
    const { address, port, bytes } = server.received[39];
    expect(address).toBe(LOOPBACK[family]);
    expect(port).toBe(client.datapath.info.local.port);
    expect(bytes).toEqual(Buffer.alloc(40, 40));
    server.datapath.send(frameOf(7, 9, server.peers!.number(address, port, 0)));
    await until(() => client.received.length === 1, 'the client has the answer');
    expect(client.received[0].bytes).toEqual(Buffer.alloc(7, 9));
    expect(client.sent).toBe(40);
    expect(server.datapath.counters).toMatchObject({ datagramsIn: 40, bytesIn: 820, datagramsOut: 1, bytesOut: 7 });
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
    client.datapath.send(frameOf(65_508, 1));
    client.datapath.send(frameOf(100, 2));
    await until(() => client.problems.length === 1 && server.received.length === 1, 'one problem, one datagram');
    expect(client.datapath.problems()).toEqual({ EMSGSIZE: 1 });
    expect(client.problems[0].message).toContain('a frame of 65508 bytes is too large');
    expect(client.sent).toBe(2);
  });

  it.skipIf(!onLinux)('counts a closed port and lives on', async () => {
    const gone = await openEnd(4);
    const remote = gone.datapath.info.local;
    await opened.pop()!.close();
    const client = await openEnd(4, { remote });
    const refusals = () => client.datapath.problems().ECONNREFUSED ?? 0;
    for (let round = 1; round <= 3; round++) {
      const before = refusals();
      client.datapath.send(frameOf(20, 1));
      await until(() => refusals() > before, 'the refusal arrives');
    }
    expect(client.problems[0].message).toContain(`nobody listens at 127.0.0.1:${remote.port}`);
    const back = await openEnd(4, { bind: remote });
    client.datapath.send(frameOf(20, 1));
    await until(() => back.received.length === 1, 'the port answers again');
  });

  it.skipIf(!onLinux)('has its drops counted by the kernel when it does not read', async () => {
    const slow = await openEnd(4, { bufferBytes: 65_536 });
    const client = await openEnd(4, { remote: slow.datapath.info.local });
    const drops = new KernelDrops([slow.datapath.info.local.port]);
    expect(drops.read()).toBe(0);
    // Both ends are in this process, so the receiver reads nothing while this loop runs.
    for (let index = 0; index < 1_000; index++) client.datapath.send(frameOf(1_472, 1));
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

import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import type { XpassError } from '../../src/base/errors.js';
import { MILLISECOND_NS } from '../../src/base/time.js';
import type { AttachedLink } from '../../src/core/attachment.js';
import type { Host } from '../../src/core/host.js';
import type { Port } from '../../src/switch/port.js';
import type { UdpHost } from '../../src/udp/host-driver.js';
import { ONLY_PEER } from '../../src/udp/host-driver.js';
import {
  ANY_PORT,
  closeAll,
  collector,
  deferred,
  openHost,
  openSwitch,
  sendAll,
  switchAddressOf,
  until,
} from './udp-harness.js';

afterEach(closeAll);

const MIB = 1024 * 1024;

function addressOf(host: UdpHost<Host>) {
  const { address, port } = host.info.local;
  return { host: address, port };
}

describe('UdpHost in direct mode', () => {
  it.each([
    ['never', 'dgram', 'dgram'],
    ['auto', 'dgram', 'dgram'],
    ['always', 'dgram', 'dgram'],
    ['never', 'mmsg', 'mmsg'],
    ['auto', 'mmsg', 'mmsg'],
    ['always', 'mmsg', 'dgram'],
  ] as const)('delivers a stream whole with --spin %s from %s to %s', async (spin, from, to) => {
    const inbox = collector(() => server);
    const server: UdpHost<Host> = await openHost({
      bind: ANY_PORT,
      application: inbox.application,
      rateBps: 200e6,
      spin,
      datapath: to,
    });
    const client = await openHost({ onlyPeer: addressOf(server), rateBps: 200e6, spin, datapath: from });
    const bytes = randomBytes(2 * MIB);
    expect(await sendAll(client, ONLY_PEER, bytes)).toBeNull();
    expect(bytes.equals(await inbox.ended)).toBe(true);
    const { datagramsIn, kernelDrops, lateness, peers } = server.statistics();
    expect(datagramsIn).toBeGreaterThanOrEqual(Math.ceil((2 * MIB) / 1446));
    expect(kernelDrops).toBe(process.platform === 'linux' ? 0 : null);
    expect(lateness.wakes).toBeGreaterThan(0);
    expect(peers).toBe(1);
  });

  it('tells peers apart by their addresses, and names them', async () => {
    const inbox = collector(() => server);
    const server: UdpHost<Host> = await openHost({ bind: ANY_PORT, application: inbox.application });
    const client = await openHost({ bind: ANY_PORT });
    const other = await openHost({ bind: ANY_PORT });
    const peers = [await client.resolvePeer(addressOf(other)), await client.resolvePeer(addressOf(server))];
    expect(peers).toEqual([1, 2]);
    expect(client.peerName(2)).toBe(`127.0.0.1:${server.info.local.port}`);
    const refused = await sendAll(client, 1, Buffer.alloc(10));
    expect(refused?.code).toBe('refused');
    expect(await sendAll(client, 2, Buffer.from('to the server'))).toBeNull();
    expect((await inbox.ended).toString()).toBe('to the server');
  });

  it('carries frames larger than an Ethernet frame', async () => {
    const inbox = collector(() => server);
    const frameBytes = 8972;
    const server: UdpHost<Host> = await openHost({ bind: ANY_PORT, application: inbox.application, frameBytes });
    const client = await openHost({ onlyPeer: addressOf(server), frameBytes });
    const bytes = randomBytes(MIB);
    expect(await sendAll(client, ONLY_PEER, bytes)).toBeNull();
    expect(bytes.equals(await inbox.ended)).toBe(true);
    expect(client.statistics().datagramsOut).toBeLessThan(400);
  });

  it('can be closed from inside a call of the machine', async () => {
    const inbox = collector(() => server);
    const server: UdpHost<Host> = await openHost({ bind: ANY_PORT, application: inbox.application });
    const client = await openHost({ onlyPeer: addressOf(server) });
    const { promise: closed, resolve } = deferred<void>();
    const onClosed = () => resolve(client.close());
    client.run((nowNs, { endpoint }) =>
      endpoint.open(ONLY_PEER, { onWritable: () => {}, onClosed }, {}, nowNs).end(nowNs),
    );
    await closed;
    expect((await inbox.ended).length).toBe(0);
  });

  it('survives a peer that is not there, and hears of it', async () => {
    const gone = await openHost({ bind: ANY_PORT });
    const address = addressOf(gone);
    await gone.close();
    const problems: string[] = [];
    const client = await openHost({ onlyPeer: address, onProblem: ({ code }) => problems.push(code) });
    const sending = sendAll(client, ONLY_PEER, Buffer.alloc(10));
    await new Promise((resolve) => setTimeout(resolve, 400));
    client.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
    expect((await sending)?.code).toBeDefined();
    if (process.platform === 'linux') expect(problems).toContain('ECONNREFUSED');
  });
});

describe('UdpHost behind a switch', () => {
  it('attaches, gets the terms of its link, and reaches another host', async () => {
    const fabric = await openSwitch();
    const switchAddress = switchAddressOf(fabric);
    const inbox = collector(() => receiver);
    const receiver: UdpHost<Host> = await openHost({ switchAddress, hostId: 3, application: inbox.application });
    const sender = await openHost({ switchAddress });
    expect(receiver.link).toEqual({ hostId: 3, rateBps: 1e9, maxFrameBytes: 1472 });
    expect(sender.link.hostId).toBe(1);
    expect(sender.peerName(3)).toBe('host 3');
    const bytes = randomBytes(2 * MIB);
    expect(await sendAll(sender, 3, bytes)).toBeNull();
    expect(bytes.equals(await inbox.ended)).toBe(true);
  });

  it('gives its port back when it closes', async () => {
    const fabric = await openSwitch();
    const switchAddress = switchAddressOf(fabric);
    for (let round = 0; round < 3; round++) {
      const host = await openHost({ switchAddress, hostId: 2 });
      await host.close();
    }
    const detaches = () => fabric.run((nowNs, machine) => machine.statistics(nowNs)).attachments.detaches;
    await until(() => detaches() === 3, 'the switch has three DETACH frames');
  });

  it.each([
    [{ hostId: 2 }, 'attach', 'has given the host id 2 to another host'],
    [{ hostId: 77 }, 'attach', 'has no host 77 in its topology'],
    [{ frameBytes: 9_000 }, 'frameSize', 'carries no frames of 9000 bytes'],
  ])('does not open with %o when the switch refuses that', async (wish, code, words) => {
    const fabric = await openSwitch();
    const switchAddress = switchAddressOf(fabric);
    await openHost({ switchAddress, hostId: 2 });
    const told: XpassError[] = [];
    const attempt = openHost({ switchAddress, onDetached: (error) => told.push(error), ...wish });
    await expect(attempt).rejects.toMatchObject({ code });
    expect(told).toEqual([]);
    await expect(attempt).rejects.toThrow(words);
  });

  it('does not open when the switch does not answer in time', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const startMs = performance.now();
    const switchAddress = { host: '127.0.0.1', port: silent.address().port };
    const attempt = openHost({ switchAddress, connectTimeoutNs: 300 * MILLISECOND_NS });
    await expect(attempt).rejects.toMatchObject({ code: 'unreachable' });
    expect(performance.now() - startMs).toBeGreaterThan(290);
    silent.close();
  });

  it('attaches again to a switch that was restarted, and its flows go on', async () => {
    const first = await openSwitch();
    const switchAddress = switchAddressOf(first);
    const inbox = collector(() => receiver);
    const receiver: UdpHost<Host> = await openHost({ switchAddress, hostId: 1, application: inbox.application });
    let again = 0;
    const sender = await openHost({ switchAddress, hostId: 2, onAttachedAgain: () => again++ });
    const bytes = randomBytes(16 * MIB);
    const sending = sendAll(sender, 1, bytes);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await openSwitch({ bind: switchAddress });
    expect(await sending).toBeNull();
    expect(bytes.equals(await inbox.ended)).toBe(true);
    expect(again).toBeGreaterThan(0);
  });

  it('takes another rate of its link while it runs, and hears when somebody else has its id', async () => {
    const fabric = await openSwitch();
    const switchAddress = switchAddressOf(fabric);
    const { promise: changed, resolve: onLinkChanged } = deferred<AttachedLink>();
    const { promise: detached, resolve: onDetached } = deferred<XpassError>();
    const host = await openHost({ switchAddress, hostId: 2, onLinkChanged, onDetached });
    fabric.run((nowNs, machine) => machine.configureLink('l2', { port: { rateBps: 5e8 } }, nowNs));
    expect(await changed).toEqual({ hostId: 2, rateBps: 5e8, maxFrameBytes: 1472 });
    expect(host.link.rateBps).toBe(5e8);
    expect((host.machine.nic as Port).settings.rateBps).toBe(5e8);
    await fabric.close();
    const second = await openSwitch({
      bind: switchAddress,
      topology: { hosts: [{ id: 7 }], links: [{ a: 'h7', b: 's' }] },
    });
    expect((await detached).message).toContain('has no host 2 in its topology');
    await second.close();
  });
});

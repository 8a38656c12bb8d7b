import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../src/core/host.js';
import type { UdpHost } from '../../src/udp/host-driver.js';
import { freePorts } from './switch-lab.js';
import { closeAll, collector, openHost, openSwitch, sendAll, switchAddressOf } from './udp-harness.js';

afterEach(closeAll);

const MIB = 1024 * 1024;

/** A switch with one host of its own, and the other host behind a trunk. */
function half(own: number, other: number, ports: [number, number]) {
  const [bindPort, remotePort] = ports;
  return {
    topology: {
      hosts: [{ id: own }],
      links: [{ a: `h${own}`, b: 's' }],
      trunks: [{ name: 'trunk', switch: 's', address: `127.0.0.1:${remotePort}`, hosts: [other] }],
    },
    trunks: [
      { name: 'trunk', bind: { host: '127.0.0.1', port: bindPort }, remote: { host: '127.0.0.1', port: remotePort } },
    ],
  };
}

describe('UdpSwitch', () => {
  it.each(['dgram', 'mmsg'] as const)(
    'carries several flows between several hosts and counts them (%s)',
    async (datapath) => {
      const fabric = await openSwitch({ datapath });
      const switchAddress = switchAddressOf(fabric);
      const inbox = collector(() => receiver);
      const receiver: UdpHost<Host> = await openHost({ switchAddress, hostId: 3, application: inbox.application });
      const senders = [
        await openHost({ switchAddress, hostId: 1, datapath }),
        await openHost({ switchAddress, hostId: 2 }),
      ];
      const bytes = randomBytes(MIB);
      expect(await Promise.all(senders.map((sender) => sendAll(sender, 3, bytes)))).toEqual([null, null]);
      expect(bytes.equals(await inbox.ended)).toBe(true);
      const statistics = fabric.statistics();
      expect(statistics.peers).toBe(3);
      expect(statistics.datagramsIn).toBeGreaterThan(2 * Math.ceil(MIB / 1446));
      expect(statistics.datagramsOut).toBeGreaterThan(2 * Math.ceil(MIB / 1446));
      expect(statistics.unknownPeers).toBe(0);
    },
  );

  it.each(['dgram', 'mmsg'] as const)('joins two processes by a trunk (%s)', async (datapath) => {
    const [left, right] = await freePorts(2);
    const west = await openSwitch({ ...half(1, 2, [left, right]), datapath });
    const east = await openSwitch(half(2, 1, [right, left]));
    expect(west.info.map(({ local }) => local.port)[1]).toBe(left);
    const inbox = collector(() => receiver);
    const receiver: UdpHost<Host> = await openHost({
      switchAddress: switchAddressOf(east),
      hostId: 2,
      application: inbox.application,
    });
    const sender = await openHost({ switchAddress: switchAddressOf(west), hostId: 1 });
    const bytes = randomBytes(MIB);
    expect(await sendAll(sender, 2, bytes)).toBeNull();
    expect(bytes.equals(await inbox.ended)).toBe(true);
  });

  it('goes on when the other end of a trunk is not there, and says which trunk that is', async () => {
    const [left, right] = await freePorts(2);
    const problems: string[] = [];
    const west = await openSwitch({
      ...half(1, 2, [left, right]),
      onProblem: ({ message }) => problems.push(message),
    });
    const sender = await openHost({ switchAddress: switchAddressOf(west), hostId: 1 });
    const sending = sendAll(sender, 2, Buffer.alloc(10));
    await new Promise((resolve) => setTimeout(resolve, 400));
    sender.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
    expect((await sending)?.code).toBeDefined();
    if (process.platform === 'linux')
      expect(problems[0]).toContain(`trunk trunk to 127.0.0.1:${right}: nobody listens`);
  });

  it('closes what it has opened when it cannot open the rest', async () => {
    const [left, right] = await freePorts(2);
    const first = await openSwitch(half(1, 2, [left, right]));
    const bind = switchAddressOf(first);
    await first.close();
    const attempt = openSwitch({ ...half(1, 2, [bind.port, right]), bind });
    await expect(attempt).rejects.toThrow(`UDP port ${bind.port} is in use`);
    const again = await openSwitch({ bind });
    expect(again.info[0].local.port).toBe(bind.port);
  });
});

import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { DatapathKind } from '../../src/udp/datapath.js';
import { UdpHost } from '../../src/udp/host-driver.js';
import { loadNative } from '../../src/udp/mmsg/native.js';
import type { HostMachine } from '../../src/udp/remote-end.js';
import type { Frame } from '../../src/wire/frame.js';
import { until } from './udp-harness.js';

const native = await loadNative();
const KINDS: DatapathKind[] = ['dgram', 'mmsg'];
const BUSY_NS = 60e6;

/** A machine that notes how long each frame had waited when it was handed over. */
class Noting implements HostMachine {
  readonly waitsNs: number[] = [];

  handleFrame({ arrivedNs }: Frame, nowNs: number): void {
    this.waitsNs.push(nowNs - arrivedNs);
  }

  advance(): void {}

  setLinkRate(): void {}

  giveUp(): void {}

  poll(): Frame | null {
    return null;
  }

  nextTimeout(): number {
    return Number.POSITIVE_INFINITY;
  }
}

// The kernel's stamp has all of it; the process itself knows half of what it was busy for, on average.
it.for(KINDS)('a host on %s knows that a datagram waited while the program was busy', async (datapath, { skip }) => {
  skip(datapath === 'mmsg' && typeof native === 'string', `no mmsg: ${native}`);
  const machine = new Noting();
  const host = await UdpHost.open({ bind: { host: '127.0.0.1', port: 0 }, datapath, makeMachine: () => machine });
  // Its own look-up would send in a later turn.
  const socket = createSocket({ type: 'udp4', lookup: (address, _options, callback) => callback(null, address, 4) });
  const send = () => socket.send(Buffer.alloc(32), host.info.local.port, '127.0.0.1');
  send();
  await until(() => machine.waitsNs.length === 1, 'the first datagram is there');
  await sleep(20);
  send();
  const endMs = performance.now() + BUSY_NS / 1e6;
  while (performance.now() < endMs);
  await until(() => machine.waitsNs.length === 2, 'the second datagram is there');
  const [, waitedNs] = machine.waitsNs;
  expect(waitedNs).toBeGreaterThan(0.4 * BUSY_NS);
  if (datapath === 'mmsg') expect(waitedNs).toBeGreaterThan(0.95 * BUSY_NS);
  socket.close();
  await host.close();
});

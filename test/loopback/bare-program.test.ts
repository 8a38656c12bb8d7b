import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawMeasured, RawOpened, RawOrder } from '../../src/apps/bench/raw.child.js';
import { Forked } from '../../src/apps/shared/companion.js';

const PROGRAM = new URL('../../dist/apps/bench/raw.child.js', import.meta.url);
const LOOPBACK = '127.0.0.1';
const WINDOW = 64;
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

async function bind(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, LOOPBACK);
  await once(socket, 'listening');
  running.push({ stop: async () => void socket.close() });
  return socket;
}

/** A role of the bare program, and its port. */
async function open(role: RawOrder['role']): Promise<{ process: Forked; port: number }> {
  const process = new Forked(role, PROGRAM);
  running.push(process);
  const { port } = await process.next<RawOpened>((said) => 'port' in said, 'open its socket');
  return { process, port };
}

async function begin(process: Forked, order: Partial<RawOrder>): Promise<void> {
  const ready = process.next((said) => 'ready' in said, 'get ready');
  const usual = { payloadBytes: 1_024, clientPort: 0, serverPort: 0, window: WINDOW, gapMs: 0, isChecked: false };
  process.tell({ ...usual, warmUpMs: 0, measureMs: 2_000, ...order });
  await ready;
}

describe('the bare program', () => {
  it('gets over lost datagrams, and does not listen to strangers', async () => {
    const [server, client] = [await open('server'), await open('client')];
    const relay = await bind();
    let credits = 0;
    relay.on('message', (bytes, { port }) => {
      if (port === server.port) relay.send(bytes, client.port, LOOPBACK);
      // All that are outstanding at first are lost, and one in ten later.
      else if (++credits > WINDOW && credits % 10 > 0) relay.send(bytes, server.port, LOOPBACK);
    });
    const stranger = await bind();
    let answers = 0;
    stranger.on('message', () => answers++);
    const talking = setInterval(() => {
      for (const port of [server.port, client.port]) stranger.send(Buffer.alloc(22), port, LOOPBACK);
    }, 10);
    running.push({ stop: async () => clearInterval(talking) });
    const measured = client.process.next<RawMeasured>((said) => 'framesPerSecond' in said, 'report');
    const between = relay.address().port;
    await begin(server.process, { role: 'server', clientPort: between });
    await begin(client.process, { role: 'client', serverPort: between });
    // With a window that losses shrink it is 640 frames for each silence of half a second.
    expect((await measured).framesPerSecond).toBeGreaterThan(2_000);
    expect(answers).toBe(0);
  });

  it('passes on what its own client and server say, whoever else talks to the relay', async () => {
    const [server, relay] = [await open('server'), await open('relay')];
    const [client, stranger] = [await bind(), await bind()];
    await begin(server.process, { role: 'server', clientPort: relay.port });
    await begin(relay.process, { role: 'relay', clientPort: client.address().port, serverPort: server.port });
    for (let round = 0; round < 3; round++) {
      stranger.send(Buffer.alloc(22), relay.port, LOOPBACK);
      const answered = once(client, 'message');
      client.send(Buffer.alloc(22, round), relay.port, LOOPBACK);
      const [data] = (await answered) as [Buffer];
      expect([data.length, data[0]]).toEqual([1_024, round]);
    }
  });
});

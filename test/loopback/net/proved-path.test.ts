import { expect, it } from 'vitest';
import type { Host } from '../../../src/net/host.js';
import { labHost, nameOf } from './net-lab.js';

const PAYLOAD = 1_446;
/** 46 frames: as much as a path proves. */
const MESSAGE = new Uint8Array(65_536);

/** Sends the message on a flow of its own; what its end has counted. */
async function sendMessage(host: Host, peer: number) {
  let sender!: ReturnType<Host['openSender']>;
  await new Promise<void>((resolve, reject) => {
    const writer = { onWritable() {}, onClosed: (error: Error | null) => (error === null ? resolve() : reject(error)) };
    host.run(() => {
      sender = host.openSender(peer, writer);
      sender.write(MESSAGE);
      sender.end();
    });
  });
  return sender.statistics;
}

/** Takes whatever comes. */
function acceptAll(host: Host): { received: number } {
  const sum = { received: 0 };
  host.acceptReceivers((receiver) => ({
    onData: (bytes) => {
      sum.received += bytes.length;
      receiver.release(bytes.length);
    },
    onEnd: () => undefined,
    onClosed: () => undefined,
  }));
  return sum;
}

it('each message to a peer goes without credits as far as those before have proved the path', async () => {
  const [client, server] = [await labHost(), await labHost()];
  const sum = acceptAll(server);
  const peer = await client.resolve(nameOf(server));
  const frames = Math.ceil(MESSAGE.length / PAYLOAD);
  const messages = [];
  for (let message = 0; message < 4; message++) messages.push(await sendMessage(client, peer));
  expect(messages.map(({ speculativeFrames }) => speculativeFrames)).toEqual([10, 20, 40, frames]);
  expect(messages[3].creditsReceived).toBe(0);
  expect(sum.received).toBe(4 * MESSAGE.length);
});

it('loses nothing of a first burst at its own NIC, which gets all of it at once after the handshake', async () => {
  const [client, server] = [await labHost({ rate: '1gbit' }), await labHost()];
  acceptAll(server);
  const { speculativeFrames, speculativeTakenBack } = await sendMessage(client, await client.resolve(nameOf(server)));
  expect({ speculativeFrames, speculativeTakenBack }).toEqual({ speculativeFrames: 10, speculativeTakenBack: 0 });
});

// One end of a stream that carries the same number of bytes both ways: `node lossy-stream.child.mjs SWITCH HOST-ID BYTES [PEER-ID]`.
// With a peer it connects, else it serves. Prints the SHA-256 of what it sent and of what came, as one JSON line.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openHost } from '../../../dist/index.js';

// Whoever is done first leaves the other direction open.
const HALF_OPEN = { allowHalfOpen: true };
const [switchAddress, hostId, bytes, peer] = process.argv.slice(2);
const host = await openHost({ switch: switchAddress, hostId: Number(hostId), spin: 'never' });
const accepted = new Promise((resolve) => host.serve(resolve, HALF_OPEN));
console.log(JSON.stringify({ event: 'ready' }));
const stream = peer === undefined ? await accepted : await host.connect(peer, HALF_OPEN);

const sent = createHash('sha256');
const received = createHash('sha256');
let receivedBytes = 0;
stream.on('data', (part) => {
  receivedBytes += part.length;
  received.update(part);
});
const chunk = Buffer.alloc(65_536, hostId);
for (let left = Number(bytes); left > 0; left -= chunk.length) {
  chunk.writeDoubleLE(left, left % 60_000);
  const part = chunk.subarray(0, Math.min(left, chunk.length));
  sent.update(part);
  if (!stream.write(part)) await once(stream, 'drain');
}
stream.end();
await once(stream, 'close');
console.log(
  JSON.stringify({
    event: 'done',
    sent: sent.digest('hex'),
    received: received.digest('hex'),
    receivedBytes,
    repaired: stream.statistics().sent.framesRepaired,
  }),
);
await host.close();

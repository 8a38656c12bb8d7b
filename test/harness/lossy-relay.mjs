// A path without a switch, for processes in direct mode: passes datagrams on both ways after a delay, and loses some at random.
// node test/harness/lossy-relay.mjs --to 127.0.0.1:28400 [--listen 127.0.0.1:28410] [--loss 0.01] [--delay-ms 10] [--seed 1]
// Prints `listening HOST:PORT`; on SIGINT or SIGTERM one JSON object with the datagrams passed and lost each way.
import { createSocket } from 'node:dgram';
import { parseArgs } from 'node:util';

/** The kernel's default holds some 20 ms at 100 Mbit/s; a relay that waits for a core must not lose by itself. */
const SOCKET_BYTES = 4 << 20;

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    listen: { type: 'string', default: '127.0.0.1:0' },
    loss: { type: 'string', default: '0.01' },
    'delay-ms': { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const [lossRate, delayMs] = [Number(values.loss), Number(values['delay-ms'])];
let state = Number(values.seed) >>> 0;

/** mulberry32: public domain, 2^32 values. */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** One way through the relay: what has arrived, oldest first, until its time comes. */
class Way {
  constructor(send) {
    this.send = send;
    this.waiting = [];
    this.passed = 0;
    this.lost = 0;
    this.timer = null;
  }

  take(bytes) {
    if (random() < lossRate) {
      this.lost++;
      return;
    }
    this.passed++;
    this.waiting.push({ bytes, dueMs: performance.now() + delayMs });
    this.arm();
  }

  arm() {
    if (this.timer !== null || this.waiting.length === 0) return;
    this.timer = setTimeout(() => this.flush(), this.waiting[0].dueMs - performance.now());
  }

  flush() {
    this.timer = null;
    const nowMs = performance.now();
    const later = this.waiting.findIndex(({ dueMs }) => dueMs > nowMs);
    for (const { bytes } of this.waiting.splice(0, later < 0 ? this.waiting.length : later)) this.send(bytes);
    this.arm();
  }
}

function addressOf(text) {
  const colon = text.lastIndexOf(':');
  return [Number(text.slice(colon + 1)), text.slice(0, colon)];
}

if (values.to === undefined) throw new Error('--to HOST:PORT is missing');
const [serverPort, serverHost] = addressOf(values.to);
/** The side of clients, and that of the server. The client is whoever sent last. */
const [near, far] = [createSocket('udp4'), createSocket('udp4')];
let client = null;
const ways = {
  to: new Way((bytes) => far.send(bytes, serverPort, serverHost)),
  from: new Way((bytes) => client !== null && near.send(bytes, client.port, client.address)),
};
near.on('message', (bytes, from) => {
  client = from;
  ways.to.take(bytes);
});
far.on('message', (bytes) => ways.from.take(bytes));

const listens = (socket, ...where) => new Promise((resolve) => socket.bind(...where, resolve));
await Promise.all([listens(near, ...addressOf(values.listen)), listens(far, 0, '127.0.0.1')]);
for (const socket of [near, far]) {
  socket.setRecvBufferSize(SOCKET_BYTES);
  socket.setSendBufferSize(SOCKET_BYTES);
}
console.log(`listening ${near.address().address}:${near.address().port}`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    const counts = Object.entries(ways).map(([name, { passed, lost }]) => [name, { passed, lost }]);
    console.log(JSON.stringify(Object.fromEntries(counts)));
    near.close();
    far.close();
    process.exit(0);
  });
}

// The measurement of docs/decisions/0016-one-thread.md: what a hop between two worker threads costs a relay of datagrams.
// node deploy/measurements/worker-hop.mjs one|post|ring
//
// A receiver and a sender, processes of their own, exchange credits and data through a relay that has a socket for each. `one`: one thread has both
// sockets. `post`, `ring`: a worker
// has each, and hands what arrives to the other by postMessage, or through a ring in a SharedArrayBuffer that both look at in every turn of their loop.
import { fork } from 'node:child_process';
import dgram from 'node:dgram';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from 'node:worker_threads';

const [DATA, CREDIT, WINDOW] = [1472, 22, 64];
const [SLOTS, SLOT_BYTES] = [256, 1536];
const RING_BYTES = 16 + 4 * SLOTS + SLOTS * SLOT_BYTES;
const SELF = fileURLToPath(import.meta.url);
const [, , mode, end, port] = process.argv;

function open() {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, '127.0.0.1', () => resolve(socket));
  });
}

/** Single producer, single consumer. */
class Ring {
  constructor(memory) {
    this.ends = new Int32Array(memory, 0, 4);
    this.lengths = new Int32Array(memory, 16, SLOTS);
    this.bytes = Buffer.from(memory, 16 + 4 * SLOTS);
  }

  push(datagram) {
    const tail = Atomics.load(this.ends, 1);
    if (tail - Atomics.load(this.ends, 0) >= SLOTS) return;
    this.bytes.set(datagram, (tail % SLOTS) * SLOT_BYTES);
    this.lengths[tail % SLOTS] = datagram.length;
    Atomics.store(this.ends, 1, tail + 1);
  }

  drain(take) {
    for (
      let head = Atomics.load(this.ends, 0);
      head < Atomics.load(this.ends, 1);
      Atomics.store(this.ends, 0, ++head)
    ) {
      const at = (head % SLOTS) * SLOT_BYTES;
      take(Buffer.from(this.bytes.subarray(at, at + this.lengths[head % SLOTS])));
    }
  }
}

/** The first datagram says where the end is. */
function attach(socket, forward) {
  const peer = { port: 0 };
  socket.on('message', (datagram, from) => {
    if (peer.port === 0) peer.port = from.port;
    else forward(datagram);
  });
  return (datagram) => socket.send(datagram, peer.port, '127.0.0.1');
}

async function worker() {
  const socket = await open();
  const { channel, inbound, outbound } = workerData;
  if (channel) {
    const send = attach(socket, (datagram) => channel.postMessage(datagram));
    channel.on('message', (datagram) => send(Buffer.from(datagram)));
  } else {
    const [into, from] = [new Ring(outbound), new Ring(inbound)];
    const send = attach(socket, (datagram) => into.push(datagram));
    const turn = () => {
      from.drain(send);
      setImmediate(turn);
    };
    turn();
  }
  parentPort.postMessage(socket.address().port);
}

async function relayPorts() {
  if (mode === 'one') {
    const sockets = [await open(), await open()];
    const sends = sockets.map((socket, side) => attach(socket, (datagram) => sends[1 - side](datagram)));
    return sockets.map((socket) => socket.address().port);
  }
  const rings = [new SharedArrayBuffer(RING_BYTES), new SharedArrayBuffer(RING_BYTES)];
  const { port1, port2 } = new MessageChannel();
  const start = (data, transferList = []) =>
    new Promise((resolve) => new Worker(SELF, { workerData: data, transferList }).once('message', resolve));
  if (mode === 'post') return Promise.all([port1, port2].map((channel) => start({ channel }, [channel])));
  return Promise.all([0, 1].map((side) => start({ inbound: rings[side], outbound: rings[1 - side] })));
}

async function runEnd() {
  const socket = await open();
  const [data, credit] = [Buffer.alloc(DATA), Buffer.alloc(CREDIT)];
  let count = 0;
  const answer = end === 'receiver' ? credit : data;
  socket.on('message', () => {
    count++;
    socket.send(answer, Number(port), '127.0.0.1');
  });
  socket.send(credit, Number(port), '127.0.0.1');
  process.on('message', () => {
    const issue = () => {
      for (let credits = 0; credits < WINDOW; credits++) socket.send(credit, Number(port), '127.0.0.1');
    };
    issue();
    let seen = 0;
    // Whatever was lost is not missed for long.
    setInterval(() => {
      if (count === seen) issue();
      seen = count;
    }, 200);
    setInterval(() => process.send(count), 1_000);
  });
  process.send('ready');
}

async function main() {
  const ports = await relayPorts();
  const ends = ['receiver', 'sender'].map((role, side) => fork(SELF, [mode, role, `${ports[side]}`]));
  await Promise.all(ends.map((child) => new Promise((resolve) => child.once('message', resolve))));
  const counts = [];
  let usage;
  setTimeout(() => ends[0].send('go'), 300);
  ends[0].on('message', (count) => {
    if (counts.push(count) === 1) usage = process.cpuUsage();
    if (counts.length < 4) return;
    const { user, system } = process.cpuUsage(usage);
    const frames = counts[3] - counts[0];
    const usPerFrame = ((user + system) / frames).toFixed(1);
    console.log(
      `${mode}: ${Math.round(frames / 3)} data frames/s, ${usPerFrame} us of the relay's CPU for each and its credit`,
    );
    for (const child of ends) child.kill();
    process.exit(0);
  });
}

if (!isMainThread) await worker();
else if (end) await runEnd();
else await main();

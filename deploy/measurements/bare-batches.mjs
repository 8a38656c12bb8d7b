// The measurement of docs/PERF-LOG.md, "What a frame costs": what the batched datapath can do with the frame check, the system calls and nothing else.
//   node deploy/measurements/bare-batches.mjs
//
// Two processes on loopback. First a stream. The receiver gives credits, up to 64 in a datagram of 128 bytes and 320 under way. The sender answers each by a
// frame of 1,472 bytes; with the check of each frame at both ends, and without. Then messages of 1, 12 and 46 frames, as many as 1, 16 and 64 KiB take, a
// millisecond or more after the one before: from the sender's timer until the receiver has checked the last frame. Beside it the same by TCP of node:net.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleSources } from './sources.mjs';

const SELF = fileURLToPath(import.meta.url);
const MODULES = ['udp/socket-driver', 'udp/peer-table', 'udp/crc', 'wire/frame'];
const [FRAME_BYTES, CHECK_BYTES, CREDIT_BYTES] = [1_472, 4, 128];
const [WINDOW, A_DATAGRAM] = [320, 64];
const LOOPBACK = '127.0.0.1';
/** Neither is that of a bundle, which a driver would take apart. */
const FIRST_BYTES = [0xfe, 0x23];
const [COUNT_AT, NUMBER_AT, TIME_AT] = [2, 4, 8];
const [WARM_UP_MS, MEASURE_MS] = [3_000, 3_000];
/** Longer than a busy machine keeps a process waiting. */
const MOST_MS = 60_000;

const nowNs = () => Number(process.hrtime.bigint());
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** `write` numbers a frame and seals it; `read` throws where one is missing or bad. */
function checker(check, isChecked) {
  const end = FRAME_BYTES - CHECK_BYTES;
  let frames = 0;
  const write = (bytes) => {
    bytes.writeUInt32LE(frames++ % 2 ** 32, NUMBER_AT);
    if (isChecked) bytes.writeUInt32LE(check(bytes, 0, end), end);
  };
  const read = (bytes) => {
    if (bytes.readUInt32LE(NUMBER_AT) !== frames++ % 2 ** 32) throw new Error('a frame is missing');
    if (isChecked && check(bytes, 0, end) !== bytes.readUInt32LE(end)) throw new Error('a bad frame');
  };
  return { write, read };
}

async function openSocket(sources, remotePort) {
  const { openDatapath, PeerTable } = sources;
  const peers = remotePort === 0 ? new PeerTable() : null;
  const remote = remotePort === 0 ? {} : { remote: { address: LOOPBACK, port: remotePort, family: 4 } };
  const bind = { address: LOOPBACK, port: 0, family: 4 };
  return { peers, datapath: await openDatapath({ bind, peers, ...remote }, 'mmsg') };
}

/** Frames that are sent one after the other again and again, as from a pool. */
function frameRing({ Frame }, bytes) {
  const frames = Array.from({ length: 2 * WINDOW }, () => {
    const frame = new Frame(Buffer.alloc(bytes));
    frame.length = bytes;
    frame.bytes.set(FIRST_BYTES);
    return frame;
  });
  let at = 0;
  return () => frames[at++ % frames.length];
}

/** Answers each credit by a frame. */
async function answer(sources, { isChecked }) {
  const { check } = await sources.loadFrameCheck();
  const { write } = checker(check, isChecked);
  const { peers, datapath } = await openSocket(sources, 0);
  const next = frameRing(sources, FRAME_BYTES);
  datapath.start({
    onDatagram: (bytes, _length, from) => {
      const peer = peers.number(from.address, from.port, 1);
      for (let left = bytes[COUNT_AT]; left > 0; left--) {
        const frame = next();
        frame.peer = peer;
        write(frame.bytes);
        datapath.send(frame);
      }
    },
    onBatchEnd: () => datapath.flush(),
    onProblem: ({ message }) => process.stderr.write(`${message}\n`),
    onSent: () => {},
  });
  return datapath.info.local.port;
}

/** Gives credits and counts frames. */
async function ask(sources, { isChecked, port }) {
  const { check } = await sources.loadFrameCheck();
  const { read } = checker(check, isChecked);
  const { datapath } = await openSocket(sources, port);
  const next = frameRing(sources, CREDIT_BYTES);
  let [frames, owed] = [0, WINDOW];
  const give = () => {
    for (; owed > 0; owed -= Math.min(owed, A_DATAGRAM)) {
      const frame = next();
      frame.bytes[COUNT_AT] = Math.min(owed, A_DATAGRAM);
      datapath.send(frame);
    }
    datapath.flush();
  };
  datapath.start({
    onDatagram: (bytes) => {
      frames++;
      owed++;
      read(bytes);
      if (owed >= A_DATAGRAM) give();
    },
    onBatchEnd: give,
    onProblem: ({ message }) => process.stderr.write(`${message}\n`),
    onSent: () => {},
  });
  give();
  await sleep(WARM_UP_MS);
  const [fromFrames, fromMs, fromCpu] = [frames, performance.now(), process.cpuUsage()];
  await sleep(MEASURE_MS);
  const cpu = process.cpuUsage(fromCpu);
  const taken = frames - fromFrames;
  if (taken === 0) throw new Error('no frame came');
  return { framesPerS: (taken * 1e3) / (performance.now() - fromMs), cpuUs: (cpu.user + cpu.system) / taken };
}

/** Times of messages, us, of which those of the warm-up do not count. */
class Times {
  us = [];
  fromMs = performance.now() + WARM_UP_MS;

  note(startNs) {
    if (performance.now() >= this.fromMs) this.us.push((nowNs() - startNs) / 1e3);
  }

  async take() {
    await sleep(WARM_UP_MS + MEASURE_MS);
    const sorted = this.us.toSorted((a, b) => a - b);
    if (sorted.length === 0) throw new Error('no message came');
    return { median: sorted[sorted.length >> 1], p99: sorted[Math.floor(sorted.length * 0.99)] };
  }
}

async function takeFrames(sources, { frames }, tell) {
  const { check } = await sources.loadFrameCheck();
  const { read } = checker(check, true);
  const { datapath } = await openSocket(sources, 0);
  const times = new Times();
  let left = frames;
  datapath.start({
    onDatagram: (bytes) => {
      read(bytes);
      if (--left > 0) return;
      left = frames;
      times.note(bytes.readDoubleLE(TIME_AT));
    },
    onBatchEnd: () => {},
    onProblem: ({ message }) => process.stderr.write(`${message}\n`),
    onSent: () => {},
  });
  tell(datapath.info.local.port);
  return times.take();
}

async function sendFrames(sources, { port, frames }) {
  const { check } = await sources.loadFrameCheck();
  const { write } = checker(check, true);
  const { datapath } = await openSocket(sources, port);
  const next = frameRing(sources, FRAME_BYTES);
  for (;;) {
    await sleep(1);
    const startNs = nowNs();
    for (let left = frames; left > 0; left--) {
      const frame = next();
      frame.bytes.writeDoubleLE(startNs, TIME_AT);
      write(frame.bytes);
      datapath.send(frame);
    }
    datapath.flush();
  }
}

/** A chunk may end one message and begin the next. */
function takeStream(_sources, { frames }, tell) {
  const times = new Times();
  const bytes = frames * FRAME_BYTES;
  const server = net.createServer((socket) => {
    let [got, startNs] = [0, 0];
    socket.on('data', (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        if (got === 0) startNs = chunk.readDoubleLE(at);
        const part = Math.min(bytes - got, chunk.length - at);
        at += part;
        got = (got + part) % bytes;
        if (got === 0) times.note(startNs);
      }
    });
  });
  server.listen(0, LOOPBACK, () => tell(server.address().port));
  return times.take();
}

async function sendStream(_sources, { port, frames }) {
  const socket = net.connect({ port, host: LOOPBACK, noDelay: true });
  const message = Buffer.alloc(frames * FRAME_BYTES);
  for (;;) {
    await sleep(1);
    message.writeDoubleLE(nowNs(), 0);
    socket.write(message);
  }
}

const ROLES = { answer, ask, takeFrames, sendFrames, takeStream, sendStream };

async function play(file) {
  const order = JSON.parse(process.argv[2]);
  process.on('disconnect', () => process.exit(0));
  const tell = (port) => process.send({ port });
  const outcome = await ROLES[order.role](await import(pathToFileURL(file)), order, tell);
  process.send(typeof outcome === 'number' ? { port: outcome } : outcome);
}

/** The processes of one measurement: the first says where it listens; the figures come from `teller`. */
async function measure(first, second, teller) {
  const start = (order) => fork(SELF, [JSON.stringify(order)], { env: { ...process.env, BARE_BATCHES: bundled } });
  const children = [start(first)];
  try {
    const { port } = await nextMessage(children, 0);
    children.push(start({ ...second, port }));
    return await nextMessage(children, teller === 'first' ? 0 : 1);
  } finally {
    for (const child of children) child.kill();
  }
}

/** Of one of the processes, unless any of them ends. */
async function nextMessage(children, teller) {
  const signal = AbortSignal.timeout(MOST_MS);
  const ended = children.map(async (child) => {
    const [code] = await once(child, 'exit', { signal });
    throw new Error(`a process ended with ${code}`);
  });
  const [message] = await Promise.race([once(children[teller], 'message', { signal }), ...ended]);
  return message;
}

const us = ({ median, p99 }) => `${median.toFixed(0)} us (99 %: ${p99.toFixed(0)})`;

async function main() {
  for (const isChecked of [true, false]) {
    const { framesPerS, cpuUs } = await measure({ role: 'answer', isChecked }, { role: 'ask', isChecked }, 'second');
    const how = isChecked ? 'with the check' : 'without it';
    console.log(
      `stream ${how}: ${Math.round(framesPerS)} frames/s, ${cpuUs.toFixed(2)} us of CPU a frame at its receiver`,
    );
  }
  for (const frames of [1, 12, 46]) {
    const batched = await measure({ role: 'takeFrames', frames }, { role: 'sendFrames', frames }, 'first');
    const tcp = await measure({ role: 'takeStream', frames }, { role: 'sendStream', frames }, 'first');
    const ratio = (batched.median / tcp.median).toFixed(2);
    console.log(`message of ${frames} frames: ${us(batched)}, TCP ${us(tcp)}, ratio ${ratio}`);
  }
}

let bundled = process.env.BARE_BATCHES;
if (bundled !== undefined) await play(bundled);
else {
  bundled = await bundleSources('bare-batches', MODULES, ['koffi', '@node-rs/crc32']);
  try {
    await main();
  } finally {
    rmSync(bundled);
  }
}

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Case, Chapter } from './case.js';
import { codeOf, hasClosed, heard, noise, pause, record, sha256, textOf } from './tools.js';

const MIB = 2 ** 20;

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Ours: far above what kernels and receive windows hold, far below what a writer without back-pressure fills in half a second. */
const MOST_IN_FLIGHT = 64 * MIB;

const pressure: Case[] = [
  {
    name: 'a reader that stops bounds its writer, and nothing is lost when it goes on',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.pause();
      client.resume();
      let drains = 0;
      client.on('drain', () => drains++);
      const block = noise(64 * 1024);
      let written = 0;
      // Until 'drain' does not come within a while.
      for (;;) {
        if (client.write(block)) continue;
        written = client.bytesWritten;
        if (written > MOST_IN_FLIGHT) break;
        if (!(await Promise.race([once(client, 'drain').then(() => true), pause(500).then(() => false)]))) break;
      }
      const stalled = drains;
      const got = bytesOf(peer);
      await tools.event(client, 'drain');
      client.end();
      const bytes = await got;
      const blocks = bytes.length / block.length;
      const isIntact = Number.isInteger(blocks) && bytes.equals(Buffer.concat(Array(blocks).fill(block)));
      return {
        isBounded: written <= MOST_IN_FLIGHT,
        drainsWhenReadOn: drains > stalled,
        isWhole: bytes.length === client.bytesWritten,
        isIntact,
      };
    },
  },
  {
    name: 'write() returns false at the high-water mark, and true below',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.resume();
      client.cork();
      const small = client.write('small');
      const large = client.write(Buffer.alloc(client.writableHighWaterMark));
      const needsDrain = client.writableNeedDrain;
      const drained = tools.event(client, 'drain');
      client.uncork();
      await drained;
      return { small, large, needsDrain, after: client.writableNeedDrain };
    },
  },
  {
    name: 'pause() holds data back, resume() lets it through',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const got = heard(peer);
      peer.pause();
      client.write('held');
      await pause();
      const paused = got.text;
      peer.resume();
      await tools.until(() => got.text === 'held', 'the data');
      return { paused, resumed: got.text };
    },
  },
  {
    name: '1 MiB each way at once arrives as it was sent',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const there = noise(MIB, 1);
      const back = noise(MIB, 2);
      client.end(there);
      peer.end(back);
      const [atServer, atClient] = await Promise.all([bytesOf(peer), bytesOf(client)]);
      return { there: sha256(atServer) === sha256(there), back: sha256(atClient) === sha256(back) };
    },
  },
];

const writes: Case[] = [
  {
    name: 'many small writes arrive in order, and in fewer parts',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const parts: string[] = [];
      peer.on('data', (chunk) => parts.push(chunk.toString()));
      client.resume();
      const lines = Array.from({ length: 5_000 }, (_, at) => `${at}\n`);
      for (const line of lines) client.write(line);
      client.end();
      await tools.event(peer, 'end');
      return { inOrder: parts.join('') === lines.join(''), coalesced: parts.length < lines.length / 2 };
    },
  },
  {
    name: 'what was corked leaves with uncork()',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const got = heard(peer);
      client.cork();
      client.write('a');
      client.write('b');
      await pause();
      const corked = got.text;
      client.uncork();
      await tools.until(() => got.text.length === 2, 'the data');
      return { corked, uncorked: got.text };
    },
  },
  {
    name: 'callbacks of writes come in order, without an error',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.resume();
      const order: string[] = [];
      client.cork();
      for (const name of ['a', 'b', 'c']) client.write(name, (error) => order.push(`${name} ${codeOf(error)}`));
      client.uncork();
      client.write('d', (error) => order.push(`d ${codeOf(error)}`));
      await tools.until(() => order.length === 4, 'the callbacks');
      return { order };
    },
  },
  {
    name: 'a buffer may be used again once the callback of its write was called',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const buffer = Buffer.alloc(100_000);
      const got = bytesOf(peer);
      client.resume();
      for (let round = 1; round <= 5; round++) {
        buffer.fill(round);
        await new Promise((resolve) => {
          client.write(buffer, resolve);
        });
      }
      buffer.fill(0);
      client.end();
      const bytes = await got;
      const rounds = Array.from({ length: 5 }, (_, at) => Buffer.alloc(100_000, at + 1));
      return { isIntact: bytes.equals(Buffer.concat(rounds)) };
    },
  },
  {
    name: 'an empty write calls back and sends nothing',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const got = heard(peer);
      client.resume();
      const code = await new Promise<string>((resolve) => {
        client.write('', (error) => resolve(codeOf(error)));
      });
      client.end();
      await tools.closed(peer);
      return { code, got: got.text };
    },
  },
];

const streams: Case[] = [
  {
    name: 'a socket is read by for await',
    async run(_, tools) {
      const { port } = await tools.listen((socket) => socket.end(noise(300_000)));
      const client = tools.connect(port);
      let bytes = 0;
      for await (const chunk of client) bytes += (chunk as Buffer).length;
      return { bytes };
    },
  },
  {
    name: 'a loop of for await that is left destroys the socket',
    async run(_, tools) {
      const { port } = await tools.listen((socket) => socket.write('more to come'));
      const client = tools.connect(port);
      const seen = record(client);
      for await (const _chunk of client) break;
      await tools.until(() => hasClosed(seen), 'the close of the client');
      return { seen, destroyed: client.destroyed };
    },
  },
  {
    name: 'Duplex.toWeb() makes a pair of web streams',
    async run(_, tools) {
      const { port } = await tools.listen((socket) => socket.pipe(socket));
      const client = tools.connect(port);
      const web = Duplex.toWeb(client);
      const writer = web.writable.getWriter();
      await writer.write(Buffer.from('web'));
      await writer.close();
      let text = '';
      for await (const chunk of web.readable) text += Buffer.from(chunk as Uint8Array).toString();
      return { text };
    },
  },
  {
    name: 'pipeline() from a source through a socket to its end',
    async run(_, tools) {
      const got: Promise<Buffer>[] = [];
      const { port } = await tools.listen((socket) => {
        got.push(bytesOf(socket));
      });
      const client = tools.connect(port);
      client.resume();
      const bytes = noise(500_000);
      await pipeline(Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]), client);
      return { isWhole: sha256((await got[0])!) === sha256(bytes) };
    },
  },
  {
    name: 'pipeline() with an error in its middle destroys the socket and tells',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const seen = record(client);
      peer.write('some');
      const failing = new PassThrough({
        transform: (_chunk, _encoding, callback) => callback(new Error('in the middle')),
      });
      const sink = new Writable({ write: (_chunk, _encoding, callback) => callback() });
      const failed = await pipeline(client, failing, sink).catch((error: Error) => error.message);
      await tools.until(() => hasClosed(seen), 'the close of the client');
      return { failed: String(failed), seen };
    },
  },
  {
    name: 'sockets are piped from one to the next',
    async run(_, tools) {
      const { port } = await tools.listen((socket) => socket.pipe(socket));
      const onSocket = (socket: Socket) => {
        const next = tools.connect(port);
        socket.pipe(next);
        next.pipe(socket);
      };
      const { port: proxy } = await tools.listen(onSocket, { allowHalfOpen: true });
      const client = tools.connect(proxy);
      client.end('through a proxy');
      return { answer: await textOf(client) };
    },
  },
];

/** Ours: twenty times those that are open at once. */
const STREAMS = 2_000;
const AT_A_TIME = 100;

async function shortStream(socket: Socket, text: string): Promise<boolean> {
  socket.end(text);
  return (await textOf(socket)) === text;
}

const load: Case[] = [
  {
    name: `${STREAMS} short streams, ${AT_A_TIME} at a time, are all answered, and leave nothing behind`,
    async run(net, tools) {
      const { server, port } = await tools.listen((socket) => socket.pipe(socket));
      const before = await tools.subject.openStreams();
      let next = 0;
      let answered = 0;
      const worker = async () => {
        while (next < STREAMS) {
          const text = `stream ${next++}`;
          if (await shortStream(net.connect(port, '127.0.0.1'), text)) answered++;
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, worker));
      await tools.until(async () => (await tools.subject.openStreams()) <= before, 'the last stream to be forgotten');
      const listeners = server.eventNames().map((name) => server.listenerCount(name));
      return { answered, listeners: Math.max(...listeners) };
    },
  },
];

export const flow: Chapter = { title: 'Data', cases: [...pressure, ...writes, ...streams, ...load] };

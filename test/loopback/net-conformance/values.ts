import { Duplex } from 'node:stream';
import type { Case, Chapter } from './case.js';
import { codeOf, heard, LOOPBACK, pause, record, textOf, thrown } from './tools.js';

const addresses: Case[] = [
  {
    name: 'addresses and ports of both ends fit together',
    async run(_, tools) {
      const { client, peer, port } = await tools.pair();
      return {
        client: [client.remoteAddress ?? null, client.remoteFamily ?? null, client.localAddress ?? null],
        server: [peer.remoteAddress ?? null, peer.remoteFamily ?? null, peer.localAddress ?? null],
        remotePortIsServer: client.remotePort === port && peer.localPort === port,
        localPortIsSeen: client.localPort === peer.remotePort,
        localFamily: client.localFamily ?? null,
      };
    },
  },
  {
    name: 'address() of a socket',
    async run(_, tools) {
      const { client } = await tools.pair();
      const address = client.address() as { address?: string; family?: string; port?: number };
      const { address: where, family, port } = address;
      return { where: where ?? null, family: family ?? null, isLocal: port === client.localPort };
    },
  },
  {
    name: 'each connection has a port of its own at the client',
    async run(_, tools) {
      const { client, port } = await tools.pair();
      const second = tools.connect(port);
      await tools.event(second, 'connect');
      return { distinct: client.localPort !== second.localPort };
    },
    differs: {
      ours: { distinct: false },
      why: 'All streams of a process share one UDP socket; the flow numbers in the frames tell them apart.',
    },
  },
  {
    name: 'addresses of a socket before it connects and after it is closed',
    async run(net, tools) {
      const fresh = tools.hold(new net.Socket());
      const { client } = await tools.pair();
      client.destroy();
      await tools.closed(client);
      const of = (socket: typeof client) => [
        socket.remoteAddress ?? null,
        socket.remotePort ?? null,
        socket.localAddress ?? null,
        Object.keys(socket.address()).length,
      ];
      return { before: of(fresh), after: of(client) };
    },
  },
];

const counters: Case[] = [
  {
    name: 'bytesRead and bytesWritten count the payload',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.pipe(peer);
      client.write('é');
      client.end(Buffer.alloc(9_998));
      const length = Buffer.byteLength(await textOf(client));
      await tools.until(() => client.closed && peer.closed, 'the close of both');
      return {
        length,
        client: [client.bytesRead, client.bytesWritten],
        server: [peer.bytesRead, peer.bytesWritten],
      };
    },
  },
  {
    name: 'bytesWritten counts what still waits, corked or before the connection',
    async run(_, tools) {
      const { client } = await tools.pair();
      client.cork();
      client.write('1234');
      client.write('é');
      const corked = client.bytesWritten;
      client.uncork();
      return { corked };
    },
  },
  {
    name: 'a fresh socket has counted nothing',
    async run(net, tools) {
      const socket = tools.hold(new net.Socket());
      return {
        bytesRead: socket.bytesRead,
        bytesWritten: socket.bytesWritten ?? null,
        readyState: socket.readyState,
        timeout: socket.timeout ?? null,
        allowHalfOpen: socket.allowHalfOpen,
      };
    },
  },
];

const settings: Case[] = [
  {
    name: 'setNoDelay(), setKeepAlive(), setTimeout(), ref(), unref(), pause() and resume() are chainable',
    async run(net, tools) {
      const all = (socket: InstanceType<typeof net.Socket>) =>
        [
          socket.setNoDelay(),
          socket.setNoDelay(false),
          socket.setKeepAlive(true, 1_000),
          socket.setKeepAlive(),
          socket.setTimeout(0),
          socket.unref(),
          socket.ref(),
          socket.pause(),
          socket.resume(),
          socket.setEncoding('utf8'),
        ].every((returned) => returned === socket);
      const { client, peer } = await tools.pair();
      return { fresh: all(tools.hold(new net.Socket())), client: all(client), server: all(peer) };
    },
  },
  {
    name: 'noDelay, keepAlive and keepAliveInitialDelay are taken as options',
    async run(_, tools) {
      const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000 };
      const { client, peer } = await tools.pair({ server: options, client: options });
      client.write('x');
      await tools.event(peer, 'data');
      return { open: client.readyState };
    },
  },
  {
    name: 'a Socket is a Duplex with the buffers of a Duplex',
    async run(net, tools) {
      const socket = tools.hold(new net.Socket());
      const plain = new Duplex();
      return {
        isDuplex: socket instanceof Duplex,
        readable: socket.readableHighWaterMark === plain.readableHighWaterMark,
        writable: socket.writableHighWaterMark === plain.writableHighWaterMark,
        objectMode: socket.readableObjectMode,
      };
    },
  },
  {
    name: 'readableHighWaterMark and writableHighWaterMark are taken as options',
    async run(net, tools) {
      const options = { readableHighWaterMark: 1_000, writableHighWaterMark: 2_000 };
      const socket = tools.hold(new net.Socket(options as ConstructorParameters<typeof net.Socket>[0]));
      return { readable: socket.readableHighWaterMark, writable: socket.writableHighWaterMark };
    },
  },
];

const texts: Case[] = [
  {
    name: 'setEncoding() gives strings, and keeps characters whole that come in parts',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      peer.setEncoding('utf8');
      const chunks: unknown[] = [];
      peer.on('data', (chunk) => chunks.push(chunk));
      const bytes = Buffer.from('a€b');
      client.write(bytes.subarray(0, 2));
      await pause();
      client.end(bytes.subarray(2));
      client.resume();
      await tools.event(peer, 'end');
      return { text: chunks.join(''), areStrings: chunks.every((chunk) => typeof chunk === 'string') };
    },
  },
  {
    name: 'strings are written in their encoding',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      client.resume();
      client.write('616263', 'hex');
      client.write('\u00e9', 'latin1');
      client.write('ZGVm', 'base64');
      client.setDefaultEncoding('utf16le');
      client.end('z');
      const chunks: Buffer[] = [];
      for await (const chunk of peer) chunks.push(chunk as Buffer);
      return { hex: Buffer.concat(chunks).toString('hex') };
    },
  },
  {
    name: 'a Uint8Array is written as it is',
    async run(_, tools) {
      const { client, peer } = await tools.pair();
      const got = heard(peer);
      client.resume();
      client.write(new Uint8Array([104, 105]));
      client.end();
      await tools.closed(peer);
      return { got: got.text };
    },
  },
  {
    name: 'a write of what is neither text nor bytes throws',
    async run(_, tools) {
      const { client } = await tools.pair();
      const seen = record(client);
      const write = (value: unknown) => thrown(() => client.write(value as string));
      return { thrown: [write(42), write(null), write({}), write(undefined)], seen };
    },
  },
  {
    name: "an 'error' has a message that names the call and the place",
    async run(_, tools) {
      const port = await tools.subject.unusedPort();
      const socket = tools.connect(port);
      const error = (await tools.event(socket, 'error')) as Error;
      return { code: codeOf(error), message: error.message.replace(String(port), 'PORT').replace(LOOPBACK, 'HOST') };
    },
  },
];

export const values: Chapter = {
  title: 'Values and settings',
  cases: [...addresses, ...counters, ...settings, ...texts],
};

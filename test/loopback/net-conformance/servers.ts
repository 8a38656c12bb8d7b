import type { DropArgument, Server } from 'node:net';
import type { Case, Chapter } from './case.js';
import { codeOf, described, LOOPBACK, pause, portOf, record, type Tools, textOf, thrown } from './tools.js';

const closing = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.close((error) => resolve(codeOf(error)));
  });

/** One of the forms in which the address may be given. */
function form(arguments_: string, listen: (server: Server, callback: () => void) => Server, calls = 1): Case {
  return {
    name: `listen(${arguments_}) listens`,
    async run(net, tools) {
      const server = tools.keep(net.createServer((socket) => tools.hold(socket).end('here')));
      let called = 0;
      const returned = listen(server, () => called++);
      await tools.event(server, 'listening');
      const answer = await textOf(tools.connect(portOf(server)));
      return { answer, callback: called === calls, chainable: returned === server };
    },
  };
}

const forms: Case[] = [
  form('port, callback', (server, callback) => server.listen(0, callback)),
  form('port, host, callback', (server, callback) => server.listen(0, LOOPBACK, callback)),
  form('port, host, backlog, callback', (server, callback) => server.listen(0, LOOPBACK, 16, callback)),
  form('{ port, host }, callback', (server, callback) => server.listen({ port: 0, host: LOOPBACK }, callback)),
  form('{ port }', (server) => server.listen({ port: 0, exclusive: true }), 0),
  form('', (server) => server.listen(), 0),
];

const listening: Case[] = [
  {
    name: 'address() and listening follow a server',
    async run(net, tools) {
      const server = tools.keep(net.createServer());
      const look = () => {
        const address = server.address();
        const parts = typeof address === 'object' && address !== null ? Object.keys(address).sort() : String(address);
        return [server.listening, parts];
      };
      const before = look();
      server.listen(0, LOOPBACK);
      await tools.event(server, 'listening');
      const open = look();
      const { address, family } = server.address() as { address: string; family: string };
      await closing(server);
      return { before, open, address, family, after: look() };
    },
  },
  {
    name: 'address() of a server right behind listen()',
    async run(net, tools) {
      const server = tools.keep(net.createServer());
      server.listen(0);
      const isKnown = server.address() !== null;
      await tools.event(server, 'listening');
      return { isKnown, listening: server.listening };
    },
    differs: {
      ours: { isKnown: false, listening: true },
      why: "Node.js binds a UDP socket in a later turn of the event loop: the port is known at 'listening'.",
    },
  },
  {
    name: 'a port is free for another server while connections of the first are open',
    async run(_, tools) {
      const { server, port, client, peer } = await tools.pair();
      server.close();
      peer.pipe(peer);
      const second = tools.keep(tools.net.createServer((socket) => tools.hold(socket).end('second')));
      second.listen(port, LOOPBACK);
      await tools.event(second, 'listening');
      const fromSecond = await textOf(tools.connect(port));
      client.end('first');
      return { fromSecond, fromFirst: await textOf(client) };
    },
  },
  {
    name: 'listen() twice throws',
    async run(_, tools) {
      const { server } = await tools.listen();
      return { thrown: thrown(() => server.listen(0, LOOPBACK)) };
    },
  },
  {
    name: 'wrong arguments of listen() throw',
    async run(net) {
      const listen = (...all: unknown[]) => thrown(() => (net.createServer() as unknown as Listener).listen(...all));
      return { thrown: [listen(65_536), listen({ port: -1 }), listen({}), listen({ port: 'seven' })] };
    },
  },
  {
    name: 'a port that is taken is EADDRINUSE',
    async run(net, tools) {
      const { port } = await tools.listen();
      const second = net.createServer();
      second.listen(port, LOOPBACK);
      const error = await tools.event(second, 'error');
      return { ...described(error, port), listening: second.listening };
    },
  },
  {
    name: 'an address that is not of this machine is EADDRNOTAVAIL',
    async run(net, tools) {
      const server = net.createServer();
      server.listen(0, '198.51.100.1');
      const error = (await tools.event(server, 'error')) as NodeJS.ErrnoException;
      return { code: codeOf(error), syscall: error.syscall ?? 'none', listening: server.listening };
    },
  },
  {
    name: 'an AbortSignal closes a server',
    async run(net, tools) {
      const controller = new AbortController();
      const server = tools.keep(net.createServer());
      server.listen({ port: 0, host: LOOPBACK, signal: controller.signal });
      await tools.event(server, 'listening');
      const closed = tools.closed(server);
      controller.abort();
      await closed;
      return { listening: server.listening };
    },
  },
  {
    name: 'a server listens again after it was closed',
    async run(_, tools) {
      const { server } = await tools.listen((socket) => socket.end('again'));
      await closing(server);
      server.listen(0, LOOPBACK);
      await tools.event(server, 'listening');
      return { answer: await textOf(tools.connect(portOf(server))) };
    },
  },
  {
    name: 'ref() and unref() of a server are chainable',
    async run(_, tools) {
      const { server } = await tools.listen();
      return { ref: server.ref() === server, unref: server.unref() === server };
    },
  },
];

interface Listener {
  listen(...all: unknown[]): unknown;
}

const ends: Case[] = [
  {
    name: 'close() waits until the open connections are over',
    async run(_, tools) {
      const { server, client, peer } = await tools.pair();
      const order: string[] = [];
      server.on('close', () => order.push('close'));
      server.close(() => order.push('callback'));
      const after = server.listening;
      peer.write('still open');
      await tools.event(client, 'data');
      await pause();
      const meanwhile = [...order];
      peer.resume();
      client.end();
      await tools.until(() => order.length === 2, 'the close of the server');
      return { after, meanwhile, order };
    },
  },
  {
    name: 'close() of a server without connections calls back without an error',
    async run(_, tools) {
      const { server } = await tools.listen();
      return { code: await closing(server) };
    },
  },
  {
    name: 'close() of a server that does not listen is ERR_SERVER_NOT_RUNNING',
    async run(net) {
      return { code: await closing(net.createServer()) };
    },
  },
  {
    name: 'a server that was closed takes no connection any more',
    async run(_, tools) {
      const { server, port, client } = await tools.pair();
      server.close();
      await pause();
      const late = tools.connect(port);
      const error = await tools.event(late, 'error');
      return { code: codeOf(error), isFirstOpen: !client.destroyed };
    },
  },
  {
    name: 'Symbol.asyncDispose closes a server',
    async run(_, tools) {
      const { server } = await tools.listen();
      await server[Symbol.asyncDispose]();
      return { listening: server.listening };
    },
  },
];

const count = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, open) => (error === null ? resolve(open) : reject(error)));
  });

/** Opens a connection and waits until the server has it. */
async function opened(tools: Tools, server: Server, port: number) {
  const arrived = tools.event(server, 'connection');
  const client = tools.connect(port);
  client.resume();
  await arrived;
  return client;
}

const connections: Case[] = [
  {
    name: 'getConnections() counts the open connections',
    async run(_, tools) {
      const { server, port } = await tools.listen((socket) => socket.resume());
      const counts = [await count(server)];
      const first = await opened(tools, server, port);
      await opened(tools, server, port);
      counts.push(await count(server));
      first.end();
      await tools.closed(first);
      await tools.until(async () => (await count(server)) === 1, 'one connection');
      return { counts };
    },
  },
  {
    name: "above maxConnections a connection is dropped, and 'drop' tells whose",
    async run(_, tools) {
      const { server, port } = await tools.listen((socket) => socket.resume());
      server.maxConnections = 1;
      await opened(tools, server, port);
      const dropped = tools.event(server, 'drop');
      const second = tools.connect(port);
      second.resume();
      const closed = tools.closed(second);
      const about = (await dropped) as DropArgument;
      await closed;
      const parts = Object.entries(about).map(([name, value]) => `${name}: ${typeof value}`);
      return { drop: parts.sort(), remote: about.remoteAddress ?? 'none', open: await count(server) };
    },
  },
  {
    name: 'what a client sees that a server drops above maxConnections',
    async run(_, tools) {
      const { server, port } = await tools.listen((socket) => socket.resume());
      server.maxConnections = 1;
      await opened(tools, server, port);
      const second = tools.connect(port);
      const seen = record(second);
      second.resume();
      await tools.closed(second);
      return { seen };
    },
  },
  {
    name: "the listener of createServer() is the first of 'connection'",
    async run(net, tools) {
      const order: string[] = [];
      const server = tools.keep(
        net.createServer((socket) => {
          tools.hold(socket);
          order.push(socket.readyState);
        }),
      );
      server.on('connection', () => order.push('listener'));
      server.listen(0, LOOPBACK);
      await tools.event(server, 'listening');
      await opened(tools, server, portOf(server));
      return { order };
    },
  },
  {
    name: 'with pauseOnConnect nothing is read before resume()',
    async run(_, tools) {
      const { client, peer } = await tools.pair({ server: { pauseOnConnect: true } });
      const paused = peer.isPaused();
      let bytes = 0;
      peer.on('data', (chunk) => {
        bytes += chunk.length;
      });
      client.write('early');
      await pause();
      const before = bytes;
      peer.resume();
      await tools.until(() => bytes > 0, 'the data');
      return { paused, before, after: bytes };
    },
  },
  {
    name: 'an accepted socket knows its server',
    async run(_, tools) {
      const { server, peer } = await tools.pair();
      return { isServer: (peer as unknown as { server: unknown }).server === server };
    },
  },
  {
    name: 'Server() and Socket() work without new',
    async run(net) {
      const call = (make: unknown) => thrown(() => (make as () => unknown)());
      return { server: call(net.Server), socket: call(net.Socket) };
    },
    differs: {
      ours: { server: 'TypeError TypeError', socket: 'TypeError TypeError' },
      why: 'They are classes, which JavaScript calls with new only.',
    },
  },
];

export const servers: Chapter = {
  title: 'Servers',
  cases: [...forms, ...listening, ...ends, ...connections],
};

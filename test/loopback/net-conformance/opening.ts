import { once } from 'node:events';
import type { NetConnectOpts, Socket } from 'node:net';
import type { Case, Chapter, NetModule } from './case.js';
import { codeOf, described, LOOPBACK, pause, record, type Tools, textOf, thrown } from './tools.js';

const HELLO = 'hello';

/** A server that sends what it gets back, and ends when the client has. */
const echo = (tools: Tools) => tools.listen((socket) => socket.pipe(socket));

/** Writes, ends, and reads the answer. */
async function answerTo(socket: Socket): Promise<string> {
  socket.end(HELLO);
  return textOf(socket);
}

/** One of the forms in which the address may be given. */
function form(arguments_: string, open: (net: NetModule, port: number, callback: () => void) => Socket): Case {
  return {
    name: `connect(${arguments_}) connects`,
    async run(net, tools) {
      const { server, port } = await echo(tools);
      let called = 0;
      const socket = tools.hold(open(net, port, () => called++));
      const answer = await answerTo(socket);
      server.close();
      return { answer, callbacks: called };
    },
  };
}

const forms: Case[] = [
  form('port, host, callback', (net, port, callback) => net.connect(port, LOOPBACK, callback)),
  form('port, host', (net, port) => net.connect(port, LOOPBACK)),
  form('{ port, host }', (net, port) => net.connect({ port, host: LOOPBACK })),
  form('{ port, host }, callback', (net, port, callback) => net.createConnection({ port, host: LOOPBACK }, callback)),
  {
    name: 'connect(port) connects to localhost',
    async run(net, tools) {
      const server = tools.keep(net.createServer((socket) => tools.hold(socket).pipe(socket)));
      server.listen(0, 'localhost');
      await tools.event(server, 'listening');
      const { port } = server.address() as { port: number };
      const socket = tools.hold(net.connect(port));
      return { answer: await answerTo(socket) };
    },
  },
];

const sockets: Case[] = [
  {
    name: 'a Socket that was constructed alone connects with connect()',
    async run(net, tools) {
      const { port } = await echo(tools);
      const socket = tools.hold(new net.Socket());
      const before = [socket.pending, socket.connecting, socket.destroyed];
      let called = 0;
      const returned = socket.connect(port, LOOPBACK, () => called++);
      const answer = await answerTo(socket);
      return { before, answer, callbacks: called, chainable: returned === socket };
    },
  },
  {
    name: 'a socket that was closed connects again',
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port);
      await tools.event(socket, 'connect');
      socket.destroy();
      await tools.closed(socket);
      socket.connect(port, LOOPBACK);
      return { answer: await answerTo(socket), destroyed: socket.destroyed };
    },
  },
  {
    name: "'connect' and 'ready' come once each, in this order, after the callback",
    async run(_, tools) {
      const { port } = await echo(tools);
      const order: string[] = [];
      const socket = tools.hold(tools.net.connect(port, LOOPBACK, () => order.push('callback')));
      socket.once('connect', () => order.push('connect'));
      socket.once('ready', () => order.push('ready'));
      await tools.event(socket, 'ready');
      await pause();
      return { order };
    },
  },
  {
    name: 'connecting, pending and readyState follow a connection',
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port);
      const states: string[] = [];
      const look = () => states.push(`${socket.readyState} connecting=${socket.connecting} pending=${socket.pending}`);
      look();
      await tools.event(socket, 'connect');
      look();
      socket.end();
      look();
      socket.resume();
      await tools.closed(socket);
      look();
      return { states };
    },
  },
  {
    name: "what is written before 'connect' is kept and sent in order",
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port);
      const returned = socket.write('one ');
      socket.write('two ');
      const counted = socket.bytesWritten;
      socket.end('three');
      return { returned, counted, answer: await textOf(socket) };
    },
  },
];

const names: Case[] = [
  {
    name: "a host name is resolved with the option lookup, and 'lookup' tells of it",
    async run(_, tools) {
      const { port } = await echo(tools);
      const asked: string[] = [];
      const lookup = (name: string, options: { all?: boolean }, callback: (...found: unknown[]) => void) => {
        asked.push(name);
        const found = options.all === true ? [[{ address: LOOPBACK, family: 4 }]] : [LOOPBACK, 4];
        setImmediate(callback, null, ...found);
      };
      const socket = tools.connect(port, { host: 'somewhere.example', lookup } as unknown as Partial<NetConnectOpts>);
      const seen = record(socket);
      const looked = once(socket, 'lookup');
      await tools.event(socket, 'ready');
      return { asked, seen, lookup: (await looked).map((each) => (each === null ? null : String(each))) };
    },
  },
  {
    name: 'a host name that does not resolve is ENOTFOUND',
    async run(_, tools) {
      const lookup = (name: string, __: unknown, callback: (error: Error) => void) => {
        const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
          code: 'ENOTFOUND',
          syscall: 'getaddrinfo',
          hostname: name,
        });
        setImmediate(callback, error);
      };
      const socket = tools.connect(9, { host: 'nowhere.example', lookup } as unknown as Partial<NetConnectOpts>);
      const seen = record(socket);
      const error = (await tools.event(socket, 'error')) as NodeJS.ErrnoException & { hostname?: string };
      await tools.closed(socket);
      return { seen, code: codeOf(error), syscall: error.syscall ?? 'none', hostname: error.hostname ?? 'none' };
    },
  },
  {
    name: 'the system says of an unknown host that it is unknown',
    async run(_, tools) {
      const socket = tools.connect(9, { host: 'nowhere.invalid' });
      const seen = record(socket);
      const error = (await tools.event(socket, 'error')) as NodeJS.ErrnoException;
      await tools.closed(socket);
      const isUnknown = ['ENOTFOUND', 'EAI_AGAIN'].includes(codeOf(error));
      return { isUnknown, syscall: error.syscall ?? 'none', last: seen.at(-1) ?? 'none' };
    },
  },
];

const failures: Case[] = [
  {
    name: 'a port at which nobody listens is ECONNREFUSED',
    async run(_, tools) {
      const port = await tools.subject.unusedPort();
      const socket = tools.connect(port);
      const seen = record(socket);
      const error = await tools.event(socket, 'error');
      await tools.closed(socket);
      return { ...described(error, port), seen, destroyed: socket.destroyed };
    },
  },
  {
    name: 'missing and wrong arguments throw at once',
    async run(net, tools) {
      const connect = net.connect as (...all: unknown[]) => Socket;
      const calls: unknown[][] = [[], [{}], [{ port: 65_536 }], [-1], [{ port: 'seven' }], [{ port: 1, host: 5 }]];
      return {
        thrown: calls.map((all) => thrown(() => tools.hold(connect(...all)))),
        alone: thrown(() => (new net.Socket() as unknown as { connect(): void }).connect()),
      };
    },
  },
  {
    name: "destroy() before 'connect' gives up without an error",
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port);
      const seen = record(socket);
      socket.destroy();
      await tools.closed(socket);
      await pause();
      return { seen };
    },
  },
  {
    name: 'a write that waits when its socket is destroyed before it connects fails',
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port);
      const failed = new Promise<unknown>((resolve) => {
        socket.write('too early', resolve);
      });
      socket.destroy();
      return { code: codeOf(await failed) };
    },
  },
  {
    name: 'an AbortSignal gives a connection up that is not there yet',
    async run(_, tools) {
      const { port } = await echo(tools);
      const controller = new AbortController();
      const socket = tools.connect(port, { signal: controller.signal } as Partial<NetConnectOpts>);
      const seen = record(socket);
      controller.abort();
      await tools.closed(socket);
      return { seen };
    },
  },
  {
    name: 'an AbortSignal that was aborted before gives the connection up',
    async run(_, tools) {
      const { port } = await echo(tools);
      const socket = tools.connect(port, { signal: AbortSignal.abort() } as Partial<NetConnectOpts>);
      const seen = record(socket);
      await tools.closed(socket);
      return { first: seen[0] ?? 'none', connected: seen.includes('connect'), destroyed: socket.destroyed };
    },
  },
  {
    name: 'an AbortSignal ends a connection that is open',
    async run(_, tools) {
      const controller = new AbortController();
      const { client } = await tools.pair({
        client: { signal: controller.signal } as Partial<NetConnectOpts>,
      });
      const seen = record(client);
      controller.abort();
      await tools.closed(client);
      return { seen };
    },
  },
  {
    name: 'a path of a Unix domain socket that is not there is ENOENT',
    async run(_, tools) {
      const socket = tools.hold(tools.net.connect({ path: 'no-such-socket.sock' }));
      const seen = record(socket);
      await tools.closed(socket);
      return { seen };
    },
    differs: {
      ours: { seen: ['error:ERR_INVALID_ARG_VALUE', 'close:true'] },
      why: 'xpass runs over UDP, which has no paths.',
    },
  },
];

export const opening: Chapter = {
  title: 'Opening',
  cases: [...forms, ...sockets, ...names, ...failures],
};

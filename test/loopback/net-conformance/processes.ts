import type { Case, Chapter } from './case.js';

/** A server and a client that has connected to it, both open. */
const PAIR = `
  const server = net.createServer((socket) => { accepted = socket; socket.on('error', () => {}); ready(); });
  let accepted, client;
  let open = 0;
  const ready = () => { if (++open === 2) main(); };
  server.listen(0, '127.0.0.1', () => { client = net.connect(server.address().port, '127.0.0.1', ready); });
`;

/** Says 'alive' if something else keeps the process going until then, and ends it. */
const WATCH = `setTimeout(() => { say('alive'); process.exit(0); }, 400).unref();`;

/** A program in a process of its own; what it printed, and how it ended. */
function program(name: string, text: string): Case {
  return {
    name,
    async run(_, tools) {
      const { status, stdout, stderr } = await tools.child(text);
      return { status, stdout: stdout.trim(), error: /code: '([A-Z_]+)'/.exec(stderr)?.[1] ?? 'none' };
    },
  };
}

export const processes: Chapter = {
  title: 'The process',
  cases: [
    program(
      'a process ends when its server and its sockets are closed',
      `${PAIR}
      const main = () => {
        server.close(() => say('closed'));
        accepted.resume(); client.resume(); client.end();
      };`,
    ),
    program('a server keeps its process going', `net.createServer().listen(0, '127.0.0.1', () => { ${WATCH} });`),
    program(
      'an open socket keeps its process going',
      `${PAIR}
      const main = () => { server.unref(); accepted.unref(); ${WATCH} };`,
    ),
    program(
      'a process whose server and sockets are all unref() ends',
      `${PAIR}
      const main = () => { server.unref(); accepted.unref(); client.unref(); ${WATCH} };`,
    ),
    program(
      'unref() before listen() and connect() counts too',
      `
      const server = net.createServer((socket) => socket.unref()).unref();
      const timer = setTimeout(() => {}, 10_000);
      server.listen(0, '127.0.0.1', () => {
        const client = new net.Socket().unref();
        client.connect(server.address().port, '127.0.0.1', () => { clearTimeout(timer); ${WATCH} });
      });`,
    ),
    program(
      'ref() after unref() keeps the process going',
      `${PAIR}
      const main = () => { server.unref(); accepted.unref(); client.unref(); client.ref(); ${WATCH} };`,
    ),
    program(
      'a socket that connects keeps its process going until it is connected',
      `
      const server = net.createServer((socket) => socket.unref()).unref();
      server.listen(0, '127.0.0.1', () => {
        const client = net.connect(server.address().port, '127.0.0.1', () => { say('connected'); client.unref(); });
      });`,
    ),
    program(
      "an 'error' without a listener ends the process",
      `
      const server = net.createServer();
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => net.connect(port, '127.0.0.1'));
      });`,
    ),
    program(
      'an error thrown in a listener ends the process',
      `
      process.on('uncaughtException', (error) => { say('caught ' + error.message); process.exit(7); });
      const server = net.createServer(() => { throw new Error('in the listener'); });
      server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').on('error', () => {}));`,
    ),
  ],
};

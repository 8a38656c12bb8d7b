import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo, Socket as NodeSocket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import * as tls from 'node:tls';
import { Client, Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { selfSigned } from '../../src/apps/bench/peers/certificate.js';
import * as net from '../../src/net/compat/net.js';
import { within } from './switch-lab.js';

// Programs that know nothing of xpass, and are given sockets of xpass/net instead of TCP's.

const LOOPBACK = '127.0.0.1';
const MIB = 2 ** 20;

const endings: (() => unknown)[] = [];
/** Does this when the test is over. */
const later = (end: () => unknown) => endings.push(end);

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A server of xpass/net whose sockets go to `take`, and which the end of the test closes. Returns its port. */
async function listen(take: (socket: NodeSocket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    take(socket as unknown as NodeSocket);
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  later(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** An unmodified HTTP server over xpass. */
async function serveHttp(
  answer: http.RequestListener,
): Promise<{ port: number; server: http.Server; taken: () => number }> {
  const server = http.createServer(answer);
  let taken = 0;
  const port = await listen((socket) => {
    taken++;
    server.emit('connection', socket);
  });
  later(() => server.closeAllConnections());
  return { port, server, taken: () => taken };
}

/** An agent of node:http that connects over xpass. */
class XpassAgent extends http.Agent {
  override createConnection(options: http.ClientRequestArgs): NodeSocket {
    return net.connect({ port: Number(options.port), host: LOOPBACK }) as unknown as NodeSocket;
  }
}

function newAgent(options: http.AgentOptions): XpassAgent {
  const agent = new XpassAgent(options);
  later(() => agent.destroy());
  return agent;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

async function bodyOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** One request of node:http; `send` writes the body and ends it. */
async function request(
  options: http.RequestOptions,
  send = (out: http.ClientRequest) => void out.end(),
): Promise<Answer> {
  const out = http.request({ host: LOOPBACK, ...options });
  const answered = once(out, 'response') as Promise<[http.IncomingMessage]>;
  send(out);
  const [response] = await within(answered, 'the answer');
  return { status: response.statusCode ?? 0, body: await within(bodyOf(response), 'the body of the answer') };
}

const echo: http.RequestListener = (incoming, outgoing) => {
  incoming.pipe(outgoing);
};

describe('node:http over xpass', () => {
  it('takes a createConnection in place of TCP', async () => {
    const { port } = await serveHttp((incoming, outgoing) => outgoing.end(`${incoming.method} ${incoming.url}`));
    const createConnection = () => net.connect(port, LOOPBACK) as unknown as NodeSocket;
    const { status, body } = await request({ path: '/there', createConnection });
    expect({ status, body: body.toString() }).toEqual({ status: 200, body: 'GET /there' });
  });

  it('keeps a connection for many requests', async () => {
    const { port, taken } = await serveHttp(echo);
    const agent = newAgent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 20; round++) {
      const { body } = await request({ port, agent, method: 'POST' }, (out) => void out.end(`round ${round}`));
      expect(body.toString()).toBe(`round ${round}`);
    }
    expect(taken()).toBe(1);
  });

  it('carries 10 MiB in chunks to the server and back', async () => {
    const { port } = await serveHttp(echo);
    const sent = randomBytes(10 * MIB);
    const agent = newAgent({ keepAlive: true });
    const { body } = await request({ port, agent, method: 'POST' }, (out) => {
      void pipeline(async function* () {
        for (let at = 0; at < sent.length; at += 100_000) yield sent.subarray(at, at + 100_000);
      }, out);
    });
    expect(body.length).toBe(sent.length);
    expect(sha256(body)).toBe(sha256(sent));
  });

  it('answers 100 requests in parallel', async () => {
    const { port } = await serveHttp(echo);
    const agent = newAgent({ keepAlive: true });
    const texts = Array.from({ length: 100 }, (_, at) => `${at} `.repeat(1_000));
    const answers = await Promise.all(
      texts.map((text) => request({ port, agent, method: 'POST' }, (out) => void out.end(text))),
    );
    expect(answers.map(({ body }) => body.toString())).toEqual(texts);
  });

  it('tells the server of a request that is aborted', async () => {
    let told: (name: string) => void = () => {};
    const aborted = new Promise<string>((resolve) => {
      told = resolve;
    });
    const { port } = await serveHttp((incoming, outgoing) => {
      incoming.on('error', () => {});
      outgoing.on('close', () => told(outgoing.writableFinished ? 'finished' : 'cut'));
      outgoing.write('the first part');
    });
    const controller = new AbortController();
    const out = http.request({ host: LOOPBACK, port, agent: newAgent({}), signal: controller.signal });
    const failed = new Promise((resolve) => out.once('close', resolve));
    const errors: string[] = [];
    out.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? error.name));
    out.end();
    const [response] = (await within(once(out, 'response'), 'the answer')) as [http.IncomingMessage];
    response.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? error.name));
    await once(response, 'data');
    controller.abort();
    await within(failed, 'the end of the request');
    expect(await within(aborted, 'the end at the server')).toBe('cut');
    expect(errors).toContain('ABORT_ERR');
  });

  it('says ECONNREFUSED where no server is', async () => {
    const port = await listen(() => {});
    for (const end of endings.splice(0)) await end();
    await expect(request({ port, agent: newAgent({}) })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      syscall: 'connect',
      port,
      cause: { name: 'XpassError', code: 'refused' },
    });
  });
});

describe('node:tls over xpass', () => {
  const { key, cert } = selfSigned('localhost');
  const trust = { ca: cert, servername: 'localhost', checkServerIdentity: () => undefined };

  it('encrypts at both ends', async () => {
    const port = await listen((socket) => {
      const secure = new tls.TLSSocket(socket, { isServer: true, key, cert });
      secure.on('error', () => {});
      secure.pipe(secure);
    });
    const client = tls.connect({ socket: net.connect(port, LOOPBACK) as unknown as NodeSocket, ...trust });
    await within(once(client, 'secureConnect'), 'the handshake');
    expect(client.authorized).toBe(true);
    const sent = randomBytes(MIB);
    client.end(sent);
    expect(sha256(await within(bodyOf(client), 'the echo'))).toBe(sha256(sent));
  });

  it('carries HTTPS of an unmodified server', async () => {
    const https = await import('node:https');
    const server = https.createServer({ key, cert }, (incoming, outgoing) => outgoing.end(`secure ${incoming.url}`));
    later(() => server.closeAllConnections());
    const port = await listen((socket) => server.emit('connection', socket));
    const createConnection = () =>
      tls.connect({ socket: net.connect(port, LOOPBACK) as unknown as NodeSocket, ...trust });
    const out = https.get({ host: LOOPBACK, path: '/page', createConnection });
    const [response] = (await within(once(out, 'response'), 'the answer')) as [http.IncomingMessage];
    expect((await bodyOf(response)).toString()).toBe('secure /page');
  });
});

describe('undici over xpass', () => {
  type Connect = NonNullable<Client.Options['connect']>;

  const connect = ((options: { hostname: string; port: string }, callback: (...all: unknown[]) => void) => {
    const socket = net.connect({ port: Number(options.port), host: options.hostname });
    socket.once('connect', () => callback(null, socket));
    socket.once('error', (error) => callback(error, null));
  }) as unknown as Connect;

  it('sends requests with a connector', async () => {
    const { port } = await serveHttp(echo);
    const pool = new Pool(`http://${LOOPBACK}:${port}`, { connect, connections: 4, pipelining: 4 });
    later(() => pool.destroy());
    const sent = Array.from({ length: 50 }, () => randomBytes(20_000));
    const got = await Promise.all(
      sent.map(async (body) => {
        const answer = await pool.request({ path: '/', method: 'POST', body });
        return Buffer.from(await answer.body.arrayBuffer());
      }),
    );
    expect(got.map(sha256)).toEqual(sent.map(sha256));
  });

  it('fails with the code of node:net where no server is', async () => {
    const port = await listen(() => {});
    for (const end of endings.splice(0)) await end();
    const client = new Client(`http://${LOOPBACK}:${port}`, { connect });
    later(() => client.destroy());
    await expect(client.request({ path: '/', method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('ws over xpass', () => {
  /** Both ends of a WebSocket. */
  async function sockets(): Promise<{ client: WebSocket; peer: WebSocket }> {
    const { port, server } = await serveHttp((_, outgoing) => outgoing.end());
    const wss = new WebSocketServer({ server });
    const connection = once(wss, 'connection') as Promise<[WebSocket]>;
    const client = new WebSocket(`ws://${LOOPBACK}:${port}`, {
      createConnection: () => net.connect(port, LOOPBACK) as unknown as NodeSocket,
    });
    later(() => {
      client.terminate();
      wss.close();
    });
    const [[peer]] = await within(Promise.all([connection, once(client, 'open')]), 'the handshake');
    return { client, peer };
  }

  const message = async (socket: WebSocket) => {
    const [data, isBinary] = (await within(once(socket, 'message'), 'a message')) as [Buffer, boolean];
    return { data, isBinary };
  };

  it('carries text and 1 MiB of bytes, both ways', async () => {
    const { client, peer } = await sockets();
    peer.on('message', (data, isBinary) => peer.send(data, { binary: isBinary }));
    client.send('grüße');
    const text = await message(client);
    expect({ text: text.data.toString(), isBinary: text.isBinary }).toEqual({ text: 'grüße', isBinary: false });
    const sent = randomBytes(MIB);
    client.send(sent);
    const binary = await message(client);
    expect({ hash: sha256(binary.data), isBinary: binary.isBinary }).toEqual({ hash: sha256(sent), isBinary: true });
  });

  it('carries the code and the reason of a close', async () => {
    const { client, peer } = await sockets();
    const closed = Promise.all([once(client, 'close'), once(peer, 'close')]);
    peer.close(4_001, 'enough');
    const ends = await within(closed, 'the close of both');
    expect(ends.map(([code, reason]) => `${code} ${reason}`)).toEqual(['4001 enough', '4001 enough']);
  });

  it('tells of a peer that is gone', async () => {
    const { client, peer } = await sockets();
    const closed = once(client, 'close');
    peer.terminate();
    const [code] = await within(closed, 'the close');
    expect(code).toBe(1_006);
  });
});

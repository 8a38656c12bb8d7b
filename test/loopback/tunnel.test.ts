import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/services/tunnel/tunnels.js';
import { freePorts, runHere, startSwitch, within } from './switch-lab.js';
import {
  closeCode,
  readAll,
  startFarSide,
  startFarSideProcess,
  startTunnel,
  startTunnelProcess,
  tcpClient,
  tcpServer,
  until,
} from './tunnel-lab.js';

const ANY = '127.0.0.1:*';
const MIB = 1024 * 1024;

const echo = (socket: Socket): void => void socket.pipe(socket);

/** A daemon, a server of the test's, and a tunnel to it. */
async function tunnelTo(onSocket: (socket: Socket) => void, ...args: string[]) {
  const target = await tcpServer(onSocket);
  const far = await startFarSide('--tunnel', ANY, ...args);
  const near = await startTunnel(far.address, '-L', `0:127.0.0.1:${target}`);
  return { far, near, target, port: near.ports[0] };
}

/** The first socket that a server gets. */
function firstSocket(): { take: (socket: Socket) => void; socket: Promise<Socket> } {
  let take: (socket: Socket) => void = () => undefined;
  const socket = new Promise<Socket>((resolve) => {
    take = resolve;
  });
  return { take: (given) => take(given), socket: within(socket, 'a connection at the target') };
}

describe('xpass tunnel -L', () => {
  it('carries bytes both ways, and says what it carried', async () => {
    const { near, far, port, target } = await tunnelTo(echo);
    const client = await tcpClient(port);
    client.end('hello');
    expect(String(await readAll(client))).toBe('hello');
    expect(await near.process.event('closed')).toMatchObject({
      to: `127.0.0.1:${target}`,
      sent_bytes: 5,
      received_bytes: 5,
      reset_by: null,
    });
    expect(await far.process.event('tunnel')).toMatchObject({ opened: true, code: 'ok', peer_bytes: 5 });
    expect((await near.process.stop()).code).toBe(0);
    const { code, stdout } = await far.process.stop();
    expect(code).toBe(0);
    expect(stdout).toMatch(/"event":"tunnels".*"opened":1,"closed":1,"broken":0,"refused":0/);
  });

  it('passes the end of one direction and leaves the other open', async () => {
    const { take, socket } = firstSocket();
    const { port } = await tunnelTo(take);
    const client = await tcpClient(port);
    client.end('question');
    const server = await socket;
    expect(String(await readAll(server))).toBe('question');
    server.write('a late ');
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.end('answer');
    expect(String(await readAll(client))).toBe('a late answer');
  });

  it('passes an end that the server sends first', async () => {
    const { take, socket } = firstSocket();
    const { port } = await tunnelTo(take);
    const client = await tcpClient(port);
    const server = await socket;
    server.end('greeting');
    expect(String(await readAll(client))).toBe('greeting');
    client.write('still ');
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.end('here');
    expect(String(await readAll(server))).toBe('still here');
  });

  it('passes resets both ways as resets', async () => {
    for (const isFromClient of [true, false]) {
      const { take, socket } = firstSocket();
      const { port, near } = await tunnelTo(take);
      const client = await tcpClient(port);
      client.write('x');
      const server = await socket;
      await once(server, 'data');
      await near.process.event('opened');
      const [broken, other] = isFromClient ? [client, server] : [server, client];
      const code = closeCode(other);
      broken.resetAndDestroy();
      expect(await code).toBe('ECONNRESET');
      const closed = await near.process.event('closed');
      expect(closed.reset_by).toBe(isFromClient ? 'program' : 'peer');
    }
  });

  it('says of a connection that its own end resets that it was the one', async () => {
    const { port, near, far } = await tunnelTo(echo);
    const client = await tcpClient(port);
    client.write('x');
    await within(once(client, 'data'), 'an echo');
    const code = closeCode(client);
    expect((await near.process.stop()).code).toBe(0);
    expect(await code).toBe('ECONNRESET');
    const closed = near.process.events.find(({ event }) => event === 'closed');
    expect(closed).toMatchObject({ reset_by: 'stop', code: 'shutdown' });
    expect(await far.process.event('tunnel')).toMatchObject({ code: 'reset' });
  });

  it('resets a connection whose target refuses it, is not allowed or is not known', async () => {
    const [closedPort] = await freePorts(1);
    const far = await startFarSide('--tunnel', `127.0.0.1:${closedPort}`, '--tunnel', 'nowhere.invalid:80');
    const targets = [`127.0.0.1:${closedPort}`, '127.0.0.1:9', 'nowhere.invalid:80', 'localhost:9', '0.0.0.0:9'];
    const near = await startTunnel(far.address, ...targets.flatMap((target) => ['-L', `0:${target}`]));
    const refused = () => near.process.events.filter(({ event }) => event === 'refused');
    for (const [at, port] of near.ports.entries()) {
      expect(await closeCode(await tcpClient(port))).toBe('ECONNRESET');
      await until(() => refused().length > at, 'the word of a refusal');
    }
    const codes = ['refused', 'notAllowed', 'unknownHost', 'notAllowed', 'notAllowed'];
    expect(refused().map(({ code }) => code)).toEqual(codes);
    expect((await near.process.stop()).stdout).toContain('"refused_by":{"refused":1,"not_allowed":3,"unknown_host":1}');
  });

  it('reaches nothing unless the daemon allows it', async () => {
    const target = await tcpServer(echo);
    const far = await startFarSide();
    const near = await startTunnel(far.address, '-L', `0:127.0.0.1:${target}`);
    expect(await closeCode(await tcpClient(near.ports[0]))).toBe('ECONNRESET');
    expect(await near.process.event('refused')).toMatchObject({ code: 'notAllowed' });
  });

  it('reaches a name by a rule for its address, and by a rule for its name', async () => {
    const target = await tcpServer(echo);
    for (const rule of [`127.0.0.0/8:${target}`, `localhost:${target}`]) {
      const far = await startFarSide('--tunnel', rule);
      const near = await startTunnel(far.address, '-L', `0:localhost:${target}`);
      const client = await tcpClient(near.ports[0]);
      client.end('hi');
      expect(String(await readAll(client))).toBe('hi');
    }
  });

  it('carries 100 connections at a time', async () => {
    const { port, near } = await tunnelTo(echo);
    const bytes = randomBytes(20_000);
    const one = async (): Promise<boolean> => {
      const client = await tcpClient(port);
      client.end(bytes);
      return (await readAll(client)).equals(bytes);
    };
    const same = await Promise.all(Array.from({ length: 100 }, one));
    expect(same.filter((isSame) => isSame).length).toBe(100);
    await until(() => near.process.events.filter(({ event }) => event === 'closed').length === 100, '100 ends');
  });

  it('carries 24 MiB each way with every byte in its place', async () => {
    const far = await startFarSideProcess('--tunnel', ANY);
    const near = await startTunnelProcess(far.address, '-L', `0:127.0.0.1:${await tcpServer(echo)}`);
    const port = near.ports[0];
    const client = await tcpClient(port);
    const sent = createHash('sha256');
    const received = createHash('sha256');
    client.on('data', (chunk: Buffer) => received.update(chunk));
    const write = pipeline(function* () {
      for (let at = 0; at < 24; at++) {
        const chunk = randomBytes(MIB);
        sent.update(chunk);
        yield chunk;
      }
    }, client);
    await within(Promise.all([write, once(client, 'end')]), 'the end of 24 MiB', 110_000);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });

  it('holds a fast sender back for a slow reader', async () => {
    const { take, socket } = firstSocket();
    const { port } = await tunnelTo(take);
    const client = await tcpClient(port);
    const server = await socket;
    server.pause();
    let sentBytes = 0;
    const chunk = Buffer.alloc(MIB);
    while (client.write(chunk) || (await Promise.race([once(client, 'drain'), pause(2_000)])) !== 'late') {
      sentBytes += MIB;
      // What the sockets, both hosts and the streams hold together is some 20 MiB.
      if (sentBytes > 256 * MIB) break;
    }
    expect(sentBytes).toBeLessThan(128 * MIB);
  });

  it('names a port that is in use, and ends', async () => {
    const taken = await tcpServer(echo);
    const { code, stderr } = await runHere('tunnel', '--to', '127.0.0.1:9', '-L', `${taken}:127.0.0.1:80`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(`-L: 127.0.0.1:${taken} is in use already`)]);
    const socks = await runHere('tunnel', '--to', '127.0.0.1:9', '-D', `${taken}`);
    expect([socks.code, socks.stderr]).toEqual([2, expect.stringMatching(`-D: 127.0.0.1:${taken} is in use`)]);
  });

  it('says in plain words that a connection was given up before the answer', async () => {
    const stream = Object.assign(new PassThrough(), { resetAndDestroy: () => undefined });
    const answer = readAnswer(stream, 'tunnel-open');
    stream.destroy();
    expect(await answer).toMatchObject({ code: 'aborted', message: 'given up before the far side had answered' });
  });

  it('names the option of a far side that makes no sense', async () => {
    const { code, stderr } = await runHere('tunnel', '--to', '127.0.0.1:99999', '-D', '0');
    expect([code, stderr]).toEqual([2, expect.stringMatching("--to: '127.0.0.1:99999' is not an address")]);
  });

  it('needs something to forward', async () => {
    const { code, stderr } = await runHere('tunnel', '--to', '127.0.0.1:9');
    expect([code, stderr]).toEqual([2, expect.stringMatching('nothing to forward: give -L, -R or -D')]);
  });

  it('finds a daemon that was restarted with the next connection', async () => {
    const target = await tcpServer(echo);
    const first = await startFarSide('--tunnel', ANY);
    const near = await startTunnel(first.address, '-L', `0:127.0.0.1:${target}`);
    const open = await tcpClient(near.ports[0]);
    open.write('x');
    await within(once(open, 'data'), 'an echo');
    const code = closeCode(open);
    await first.process.stop();
    expect(await code).toBe('ECONNRESET');
    expect(await closeCode(await tcpClient(near.ports[0]))).toBe('ECONNRESET');
    await startFarSide('--tunnel', ANY, '--listen', first.address);
    const client = await tcpClient(near.ports[0]);
    client.end('again');
    expect(String(await readAll(client))).toBe('again');
  });

  it('goes through a switch', async () => {
    const target = await tcpServer(echo);
    const { port } = await startSwitch('--hosts', '2', '--link-rate', '1gbit');
    const hub = `127.0.0.1:${port}`;
    await startFarSide('--switch', hub, '--host-id', '2', '--tunnel', ANY, '--tunnel-listen', '0');
    const forwards = ['-L', `0:127.0.0.1:${target}`, '-R', `0:127.0.0.1:${target}`];
    const near = await startTunnel('2', '--switch', hub, ...forwards);
    for (const at of near.ports) {
      const client = await tcpClient(at);
      client.end('through');
      expect(String(await readAll(client))).toBe('through');
    }
  });
});

describe('xpass tunnel -R', () => {
  it('carries connections that come to the far side', async () => {
    const target = await tcpServer(echo);
    const far = await startFarSide('--tunnel-listen', '0');
    const near = await startTunnel(far.address, '-R', `0:127.0.0.1:${target}`);
    const client = await tcpClient(near.ports[0]);
    client.end('back');
    expect(String(await readAll(client))).toBe('back');
    expect((await near.process.stop()).code).toBe(0);
    await until(() => far.process.events.some(({ event }) => event === 'tunnel'), 'the word of the daemon');
    await expectClosed(near.ports[0]);
  });

  it('resets connections that its own side refuses', async () => {
    const [closedPort] = await freePorts(1);
    const far = await startFarSide('--tunnel-listen', '0');
    const near = await startTunnel(far.address, '-R', `0:127.0.0.1:${closedPort}`);
    expect(await closeCode(await tcpClient(near.ports[0]))).toBe('ECONNRESET');
    expect(await near.process.event('refused')).toMatchObject({ code: 'refused' });
  });

  it('ends where the far side does not listen for it', async () => {
    const taken = await tcpServer(echo);
    const far = await startFarSide('--tunnel-listen', `${taken}`);
    const refused = await runHere('tunnel', '--to', far.address, '-R', '8080:127.0.0.1:80');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching('does not listen on 127.0.0.1:8080')]);
    const inUse = await runHere('tunnel', '--to', far.address, '-R', `${taken}:127.0.0.1:80`);
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(`127.0.0.1:${taken} is in use`)]);
  });

  it('listens again by itself when the daemon was restarted', async () => {
    const target = await tcpServer(echo);
    const [port] = await freePorts(1);
    const first = await startFarSide('--tunnel-listen', `${port}`);
    const near = await startTunnel(first.address, '-R', `${port}:127.0.0.1:${target}`);
    await first.process.stop();
    await near.process.event('lost');
    await startFarSide('--tunnel-listen', `${port}`, '--listen', first.address);
    const listening = () => near.process.events.filter(({ event }) => event === 'listening');
    await until(() => listening().length === 2, 'a second listener');
    const client = await tcpClient(port);
    client.end('again');
    expect(String(await readAll(client))).toBe('again');
  });
});

describe('xpass tunnel -D', () => {
  const GREETING = Buffer.of(5, 1, 0);
  const named = (name: string, port: number) =>
    Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), Buffer.from(name), Buffer.of(port >> 8, port & 255)]);

  async function proxy(...rules: string[]) {
    const far = await startFarSide(...rules.flatMap((rule) => ['--tunnel', rule]));
    const near = await startTunnel(far.address, '-D', '0');
    return { near, port: near.ports[0] };
  }

  /** What the proxy says to a greeting and a request that come together, and then to the end. */
  async function ask(port: number, ...bytes: Buffer[]): Promise<Buffer> {
    const client = await tcpClient(port);
    client.end(Buffer.concat(bytes));
    return readAll(client);
  }

  it('connects by name and by address, with early bytes', async () => {
    const target = await tcpServer(echo);
    const { port } = await proxy(ANY);
    const numeric = Buffer.of(5, 1, 0, 1, 127, 0, 0, 1, target >> 8, target & 255);
    for (const request of [named('localhost', target), numeric]) {
      const answer = await ask(port, GREETING, request, Buffer.from('early'));
      expect([...answer.subarray(0, 12)]).toEqual([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
      expect(String(answer.subarray(12))).toBe('early');
    }
  });

  it('answers with the replies of RFC 1928', async () => {
    const [closedPort] = await freePorts(1);
    const { port } = await proxy(`127.0.0.1:${closedPort}`, 'nowhere.invalid:80');
    const replies: [Buffer, number][] = [
      [named('127.0.0.1', closedPort), 5],
      [named('127.0.0.1', closedPort === 9 ? 10 : 9), 2],
      [named('nowhere.invalid', 80), 4],
      [Buffer.of(5, 2, 0, 1, 127, 0, 0, 1, 0, 80), 7],
      [Buffer.of(5, 1, 0, 9, 127, 0, 0, 1, 0, 80), 8],
    ];
    for (const [request, reply] of replies) {
      const client = await tcpClient(port);
      client.write(Buffer.concat([GREETING, request]));
      expect([...(await readAll(client))].slice(0, 4)).toEqual([5, 0, 5, reply]);
    }
  });

  it('turns away clients without SOCKS5', async () => {
    const { port, near } = await proxy(ANY);
    expect(await ask(port, Buffer.of(4, 1, 0, 80, 127, 0, 0, 1, 0))).toHaveLength(0);
    expect([...(await ask(port, Buffer.of(5, 1, 2)))]).toEqual([5, 255]);
    expect(await near.process.event('refused')).toMatchObject({ code: 'badMessage' });
  });
});

describe('a daemon with tunnels', () => {
  it('still takes files and perf', async () => {
    const far = await startFarSide('--tunnel', ANY);
    const { code } = await runHere('perf', '-c', far.address, '-n', '1MiB', '--json');
    expect(code).toBe(0);
  });

  it('names a rule that makes no sense', async () => {
    const { code, stderr } = await runHere('daemon', '--tunnel', '192.0.2.0/33:80');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching("--tunnel '192.0.2.0/33:80' is not allowed; allowed: HOST:"),
    ]);
  });
});

async function expectClosed(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  expect(await closeCode(socket)).toBe('ECONNREFUSED');
}

function pause(ms: number): Promise<'late'> {
  return new Promise((resolve) => setTimeout(() => resolve('late'), ms));
}

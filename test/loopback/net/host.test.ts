import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHost } from '../../../src/net/host.js';
import { silentPort, startSwitch } from '../switch-lab.js';
import { until } from '../udp-harness.js';
import { closedWith, labHost, nameOf, readAll, streamPair } from './net-lab.js';

const FACE = new URL('../../../dist/index.js', import.meta.url).href;

/** A process that serves streams and keeps them. */
async function childServer(allowHalfOpen = false) {
  const program = `const { openHost } = await import('${FACE}'); const host = await openHost(); host.serve((stream) => stream.resume(), { allowHalfOpen: ${allowHalfOpen} }); console.log(host.address().port);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, name: `127.0.0.1:${String(port).trim()}` };
}

describe('a host', () => {
  it('refuses streams where nobody serves', async () => {
    const [client, server] = [await labHost(), await labHost()];
    await expect(client.connect(nameOf(server))).rejects.toMatchObject({ code: 'refused', cause: { code: 'refused' } });
    expect(server.statistics().refusedFlows).toBeGreaterThan(0);
  });

  it('refuses streams beyond those that it takes at once, and counts them', async () => {
    const [client, server] = [await labHost(), await labHost()];
    server.serve((stream) => stream.resume(), { maxStreams: 2 });
    const [first] = [await client.connect(nameOf(server)), await client.connect(nameOf(server))];
    await expect(client.connect(nameOf(server))).rejects.toMatchObject({ code: 'refused' });
    expect(server.statistics().refusedFlows).toBeGreaterThan(0);
    first.resume().end();
    await once(first, 'close');
    await until(() => server.statistics().streams < 2, 'a stream of the server is over');
    expect((await client.connect(nameOf(server))).connecting).toBe(false);
  });

  it('says within the connect timeout that nobody answers, and which peer it is', async () => {
    const client = await labHost({ connectTimeout: 200 });
    const gone = await labHost();
    const name = nameOf(gone);
    await gone.destroy();
    const lost = once(client, 'peerLost');
    await expect(client.connect(name)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(name),
    });
    expect((await lost)[0]).toBe(name);
  });

  it.each([
    [{ rate: '12x' }, "rate '12x' is not allowed; allowed: a rate"],
    [{ listen: 'nowhere:70000' }, "listen 'nowhere:70000' is not allowed"],
    [{ connectTimeout: 0 }, "connectTimeout '0' is not allowed"],
    [{ algorithm: 'reno' }, "algorithm 'reno' is not allowed; allowed: steady"],
    [{ set: { beta: Number.NaN } }, "set.beta 'NaN' is not allowed"],
  ])('names an option that is wrong: %j', async (options, message) => {
    await expect(openHost(options)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
    });
  });

  it('gives up a switch that does not answer as soon as its signal says so', async () => {
    const options = { switch: `127.0.0.1:${await silentPort()}`, connectTimeout: 2_000 };
    await expect(labHost({ ...options, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('names an address that is in use', async () => {
    const host = await labHost();
    await expect(labHost({ listen: nameOf(host) })).rejects.toMatchObject({ code: 'config' });
  });

  it('learns of a peer that dies between the end of one direction and the first byte of the other', async () => {
    const { child, name } = await childServer(true);
    const client = await labHost({ connectTimeout: 1_000, idleTimeout: 1_000 });
    const stream = await client.connect(name);
    stream.end('all');
    await once(stream, 'finish');
    child.kill('SIGKILL');
    expect(await closedWith(stream)).toMatchObject({ code: 'idle', message: expect.stringContaining(name) });
  });

  it('keeps a stream whose peer answers long after the end of the first direction', async () => {
    const { near, far } = await streamPair({ client: { connectTimeout: 200 }, allowHalfOpen: true });
    near.end('all');
    far.resume();
    await new Promise((resolve) => setTimeout(resolve, 600));
    far.end('late');
    expect(String(await readAll(near))).toBe('late');
  });

  it('resets a peer that waits for room when its stream is destroyed unread', async () => {
    const { near, far } = await streamPair({ server: { receiveWindow: 65_536 } });
    near.resume();
    near.write(Buffer.alloc(4_194_304));
    await new Promise((resolve) => setTimeout(resolve, 300));
    far.destroy();
    expect(await closedWith(near)).toMatchObject({ code: 'reset' });
  });

  it('waits at close until its streams are over', async () => {
    const { client, near, far } = await streamPair();
    let isClosed = false;
    const closed = client.close().then(() => {
      isClosed = true;
    });
    await expect(client.connect('127.0.0.1:9')).rejects.toMatchObject({ code: 'shutdown' });
    near.end('bye');
    expect(String(await readAll(far))).toBe('bye');
    expect(isClosed).toBe(false);
    near.resume();
    await closed;
    expect(client.statistics()).toMatchObject({ streams: 0, flows: 0 });
  });

  it('resets its streams when it is destroyed', async () => {
    const { client, near, far } = await streamPair();
    const [atNear, atFar] = [closedWith(near), closedWith(far)];
    await client.destroy();
    expect(await atNear).toBeNull();
    expect(await atFar).toMatchObject({ code: 'shutdown' });
  });

  it('gives up a stream that is aborted before it is open', async () => {
    const client = await labHost();
    const abort = new AbortController();
    const connecting = client.connect('127.0.0.1:9', { signal: abort.signal });
    abort.abort();
    await expect(connecting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('lets a process end that has nothing else to do, once it is unreferenced', async () => {
    const program = `const { openHost } = await import('${FACE}'); const host = await openHost(); host.unref(); console.log('open');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('talks behind a switch by host ids', async () => {
    const running = await startSwitch('--hosts', '2', '--link-rate', '1gbit');
    const switchAddress = `127.0.0.1:${running.port}`;
    const [one, two] = [
      await labHost({ switch: switchAddress, hostId: 1 }),
      await labHost({ switch: switchAddress, hostId: 2 }),
    ];
    two.serve((stream) => stream.pipe(stream));
    const stream = await one.connect(2);
    stream.end('through the switch');
    expect(String(await readAll(stream))).toBe('through the switch');
    expect([stream.peerName, stream.remoteAddress]).toEqual(['host 2', undefined]);
    await expect(one.connect('nobody')).rejects.toMatchObject({ code: 'config' });
  });

  it('carries more short streams than it takes at once, and keeps nothing of them', async () => {
    const [client, server] = [await labHost(), await labHost()];
    server.serve((stream) => stream.pipe(stream), { maxStreams: 1_000 });
    const to = nameOf(server);
    const one = async (at: number): Promise<void> => {
      const stream = client.createStream(to);
      stream.end(`message ${at}`);
      expect(String(await readAll(stream))).toBe(`message ${at}`);
    };
    const lane = async (first: number): Promise<void> => {
      for (let at = first; at < 2_000; at += 100) await one(at);
    };
    await Promise.all(Array.from({ length: 100 }, (_, first) => lane(first)));
    await client.close();
    expect(client.statistics()).toMatchObject({ streams: 0, flows: 0 });
    expect(server.statistics()).toMatchObject({ streams: 0 });
  });
});

describe('a stream', () => {
  it('carries what was written before the peer has answered with its opening', async () => {
    const [client, server] = [await labHost(), await labHost()];
    server.serve((stream) => stream.pipe(stream));
    const stream = client.createStream(nameOf(server));
    expect(stream.connecting).toBe(true);
    stream.end('early');
    expect(String(await readAll(stream))).toBe('early');
    expect(stream.connecting).toBe(false);
  });

  it('finishes when the peer has every byte', async () => {
    const { near, far } = await streamPair();
    near.end(Buffer.alloc(300_000));
    await once(near, 'finish');
    expect(near.statistics().sent?.bytesAcknowledged).toBe(300_000);
    expect((await readAll(far)).length).toBe(300_000);
  });

  it.each(['near', 'far'] as const)('resets its peer when it is destroyed with an error: %s', async (side) => {
    const pair = await streamPair();
    const other = pair[side === 'near' ? 'far' : 'near'];
    const [here, there] = [closedWith(pair[side]), closedWith(other)];
    other.resume();
    pair[side].destroy(new Error('no more'));
    expect(await here).toMatchObject({ message: 'no more' });
    expect(await there).toMatchObject({ code: 'reset', cause: { code: 'reset' } });
  });

  it('resets a peer that waits for its answer', async () => {
    const { near, far } = await streamPair({ allowHalfOpen: true });
    near.end('question');
    far.resume();
    await once(far, 'end');
    const closed = closedWith(near);
    near.resume();
    far.destroy(new Error('no answer'));
    far.on('error', () => {});
    expect(await closed).toMatchObject({ code: 'reset' });
  });

  it('ends in order behind what was written when it is destroyed without an error', async () => {
    const { near, far } = await streamPair();
    near.write('last words');
    await new Promise((resolve) => setImmediate(resolve));
    near.destroy();
    expect(String(await readAll(far))).toBe('last words');
  });

  it('holds a fast writer back while its reader does not read', async () => {
    const { near, far } = await streamPair({ server: { receiveWindow: '256KiB' } });
    const chunk = Buffer.alloc(65_536, 'x');
    let written = 0;
    const pump = (): void => {
      while (written < 64 * 2 ** 20) {
        written += chunk.length;
        if (!near.write(chunk)) {
          near.once('drain', pump);
          return;
        }
      }
      near.end();
    };
    pump();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The window of the reader's host, its Readable's, and the send buffer of 4 MiB with what is on the way to it.
    expect(written).toBeLessThan(8 * 2 ** 20);
    expect(far.readableLength).toBeLessThan(2 ** 20);
    let read = 0;
    for await (const part of far) read += (part as Buffer).length;
    expect(read).toBe(64 * 2 ** 20);
  });

  it('says when nothing was said for its timeout', async () => {
    const { near } = await streamPair();
    near.setTimeout(30);
    await once(near, 'timeout');
    expect(near.destroyed).toBe(false);
  });

  it('tells its addresses and counts', async () => {
    const { client, server, near, far } = await streamPair();
    near.write('12345');
    await once(far, 'readable');
    expect(near).toMatchObject({ remoteAddress: '127.0.0.1', remotePort: server.address().port, remoteFamily: 'IPv4' });
    expect(far).toMatchObject({ remotePort: client.address().port, localPort: server.address().port });
    expect([near.bytesWritten, far.bytesRead]).toEqual([5, 5]);
  });

  it('breaks when its peer is gone', async () => {
    const client = await labHost({ idleTimeout: 500 });
    const { child, name } = await childServer();
    const near = await client.connect(name);
    const closed = closedWith(near);
    near.resume();
    child.kill('SIGKILL');
    expect(await closed).toMatchObject({ code: 'idle', message: expect.stringContaining(name) });
  });

  it('is not written to after its end', async () => {
    const { near } = await streamPair();
    const failed: Promise<Error | null> = closedWith(near);
    near.end();
    near.write('late');
    expect(await failed).toMatchObject({ code: 'ERR_STREAM_WRITE_AFTER_END' });
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LiveLook, LiveSource } from '../../src/apps/shared/web/live-feed.js';
import { LiveServer, MAX_VIEWERS } from '../../src/apps/shared/web/live-server.js';
import { ConfigError } from '../../src/base/config-error.js';
import { NO_CONTROLS } from '../../src/report/live-data.js';

const TOKEN = '0123456789abcdef0123456789abcdef';

/** Counts how often it is asked; what it shows is as long as `padding`. */
class CountedSource implements LiveSource {
  looks = 0;
  senders = 1;
  padding = '';

  look(): LiveLook {
    this.looks++;
    const controls = { ...NO_CONTROLS, senders: { count: this.senders, most: 8 } };
    const scene = { title: 'a test', run: 'r', nodes: [], directions: [], flowsAre: this.padding, controls };
    const flow = { name: this.padding, algorithm: '', bytes: 0, rateBps: 0, rttNs: 0, state: {} };
    return { scene, sample: { atMs: this.looks, ports: [], flows: [flow] } };
  }

  change(command: unknown): object {
    const { count } = command as { count: unknown };
    if (typeof count !== 'number') throw new ConfigError('count has to be a number');
    this.senders = count;
    return { count };
  }
}

async function openServer(source: LiveSource) {
  const notices: string[] = [];
  const server = await LiveServer.open({
    ...{ address: { host: '127.0.0.1', port: 0 }, token: TOKEN, page: '<p>page</p>', source },
    onNotice: (sentence) => notices.push(sentence),
  });
  onTestFinished(() => server.close());
  const [origin] = server.url.split('/#');
  return { server, origin, notices };
}

/** Reads events until there is one of this kind. */
async function eventOf(origin: string, wanted: RegExp, meanwhile?: () => Promise<unknown>): Promise<string> {
  const ending = new AbortController();
  const response = await fetch(`${origin}/events`, { signal: ending.signal });
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    if (text === '') await meanwhile?.();
    text += Buffer.from(chunk).toString();
    if (wanted.test(text)) break;
  }
  ending.abort();
  return text;
}

const post = (origin: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/control`, {
    ...{ method: 'POST', body },
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
  });

describe('the server of a live page', () => {
  it('sends the page, and nothing that it has not', async () => {
    const { origin, server } = await openServer(new CountedSource());
    expect(await (await fetch(`${origin}/`)).text()).toBe('<p>page</p>');
    expect((await fetch(`${origin}/etc/passwd`)).status).toBe(404);
    expect((await fetch(`${origin}/`, { method: 'POST' })).status).toBe(405);
    expect(server.counts.refused).toBe(2);
  });

  it('tells scene and samples, and takes none while nobody looks', async () => {
    const source = new CountedSource();
    const { origin } = await openServer(source);
    await sleep(250);
    expect(source.looks).toBe(0);
    const text = await eventOf(origin, /event: sample/);
    expect(text).toMatch(/event: scene\ndata: \{"title":"a test"/);
    await sleep(50);
    const { looks } = source;
    await sleep(250);
    expect(source.looks).toBe(looks);
  });

  it('does a command with the token, and marks what changed', async () => {
    const source = new CountedSource();
    const { origin } = await openServer(source);
    const text = await eventOf(origin, /event: mark/, () => post(origin, '{"count":3}'));
    expect(text).toMatch(/"text":"senders 1 to 3"/);
    expect(await eventOf(origin, /event: mark/), 'who looks later is told, too').toMatch(/senders 1 to 3/);
  });

  it.each([
    ['a wrong token', 401, '{"count":3}', { authorization: 'Bearer 0' }],
    ['another page', 403, '{"count":3}', { origin: 'http://evil.example' }],
    ['what is no JSON', 400, '{', {}],
    ['what the source refuses', 400, '{"count":"x"}', {}],
    ['too long a command', 413, `{"count":3,"x":"${'x'.repeat(20_000)}"}`, {}],
  ])('changes nothing for %s', async (_, status, body, headers) => {
    const source = new CountedSource();
    const { origin } = await openServer(source);
    const response = await post(origin, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error');
    expect(source.senders).toBe(1);
  });

  it('bounds how many look', async () => {
    const { origin } = await openServer(new CountedSource());
    const ending = new AbortController();
    const looks = Array.from({ length: MAX_VIEWERS }, () => fetch(`${origin}/events`, { signal: ending.signal }));
    expect((await Promise.all(looks)).every(({ status }) => status === 200)).toBe(true);
    expect((await fetch(`${origin}/events`)).status).toBe(503);
    ending.abort();
  });

  it('drops who does not keep up, and names it', async () => {
    const source = new CountedSource();
    source.padding = 'x'.repeat(4_000_000);
    const { server, origin, notices } = await openServer(source);
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.pause();
    socket.on('error', () => {});
    socket.write(`GET /events HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n\r\n`);
    while (server.counts.dropped === 0) await sleep(50);
    expect(notices[0]).toContain(`127.0.0.1:${socket.localPort} does not keep up`);
  });

  it('says which address it cannot have', async () => {
    const { origin } = await openServer(new CountedSource());
    const port = Number(new URL(origin).port);
    const parts = { token: TOKEN, page: '', source: new CountedSource(), onNotice: () => {} };
    await expect(LiveServer.open({ address: { host: '127.0.0.1', port }, ...parts })).rejects.toThrow(
      `--web '127.0.0.1:${port}'`,
    );
  });
});

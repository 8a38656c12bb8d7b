import { once } from 'node:events';
import { afterEach } from 'vitest';
import { type Host, openHost } from '../../../src/net/host.js';
import type { HostOptions } from '../../../src/net/host-options.js';
import type { Stream } from '../../../src/net/stream.js';

const opened: Host[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((host) => host.destroy()));
});

/** A host that the end of the test destroys. */
export async function labHost(options: HostOptions = {}): Promise<Host> {
  const host = await openHost({ spin: 'never', ...options });
  opened.push(host);
  return host;
}

export function nameOf(host: Host): string {
  return `127.0.0.1:${host.address().port}`;
}

/** Two hosts and a stream between them, seen from both ends. */
export async function streamPair(
  options: { client?: HostOptions; server?: HostOptions; allowHalfOpen?: boolean } = {},
) {
  const [client, server] = [await labHost(options.client), await labHost(options.server)];
  const half = { allowHalfOpen: options.allowHalfOpen ?? false };
  const accepted = new Promise<Stream>((resolve) => server.serve(resolve, half));
  const near = await client.connect(nameOf(server), half);
  return { client, server, near, far: await accepted };
}

/** All that a stream brings until its end. */
export async function readAll(stream: Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The error with which a stream closes; null without one. */
export async function closedWith(stream: Stream): Promise<Error | null> {
  let failure: Error | null = null;
  stream.once('error', (error) => {
    failure = error;
  });
  if (!stream.closed) await once(stream, 'close').catch(() => {});
  return failure ?? stream.errored;
}

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { HostStream } from '../../src/apps/shared/stream-services.js';
import { ListenService } from '../../src/apps/shared/tunnel/listen-service.js';
import { listenHeader } from '../../src/apps/shared/tunnel/messages.js';
import { Tunnels } from '../../src/apps/shared/tunnel/tunnels.js';

const BIND = { host: '127.0.0.1', port: 0 };

class TestStream extends PassThrough implements HostStream {
  readonly peerName = '192.0.2.7:47000';

  resetAndDestroy(): this {
    return this.destroy();
  }
}

function newService(): ListenService {
  const tunnels = new Tunnels({ opened: () => undefined, closed: () => undefined, refused: () => undefined });
  const openStream = (): never => {
    throw new Error('no connection comes');
  };
  const service = new ListenService({ allowed: [BIND], tunnels, logger: pino({ enabled: false }), openStream });
  onTestFinished(() => service.close());
  return service;
}

it('of several requests with one token at the same time one listener is left', async () => {
  const service = newService();
  const header = listenHeader({ bind: BIND, token: '0123456789abcdef'.repeat(2) });
  const first = new TestStream();
  service.accept(header, first);
  await once(first, 'data');
  const others = [new TestStream(), new TestStream(), new TestStream()];
  const answers = Promise.any(others.map((stream) => once(stream, 'data')));
  for (const stream of others) service.accept(header, stream);
  await answers;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([first, ...others].filter(({ destroyed }) => !destroyed)).toHaveLength(1);
});

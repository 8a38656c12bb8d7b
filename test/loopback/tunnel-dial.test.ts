import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../src/services/file/fault.js';
import type { HostStream } from '../../src/services/stream-services.js';
import { ALLOW_RULE } from '../../src/services/tunnel/allow.js';
import { dial } from '../../src/services/tunnel/dial.js';
import { ListenService } from '../../src/services/tunnel/listen-service.js';
import { listenHeader } from '../../src/services/tunnel/messages.js';
import { Tunnels } from '../../src/services/tunnel/tunnels.js';
import { freePorts } from './switch-lab.js';
import { tcpServer } from './tunnel-lab.js';

const rules = (...texts: string[]) => texts.map((text) => ALLOW_RULE.parse(text)!);
const names = (table: Record<string, string[]>) => {
  const asked: string[] = [];
  const resolve = async (name: string): Promise<readonly string[]> => {
    asked.push(name);
    if (table[name] === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return table[name];
  };
  return { asked, resolve };
};

/** The address that was connected to, or the code of the fault. */
function outcome(result: Socket | Fault): string {
  if (result instanceof Fault) return result.code;
  onTestFinished(() => void result.destroy());
  return result.remoteAddress ?? '?';
}

describe('a connection for a peer', () => {
  it('goes only to those addresses of a name that a rule covers', async () => {
    const port = await tcpServer(() => undefined);
    const { resolve } = names({ web: ['192.0.2.1', '127.0.0.1'] });
    const result = await dial({ host: 'web', port }, { rules: rules(`127.0.0.0/8:${port}`), resolve });
    expect(outcome(result)).toBe('127.0.0.1');
  });

  it('looks a name up once, and never when no rule could cover it', async () => {
    const port = await tcpServer(() => undefined);
    const { asked, resolve } = names({ web: ['127.0.0.1'] });
    expect(outcome(await dial({ host: 'web', port }, { rules: rules(`web:${port}`), resolve }))).toBe('127.0.0.1');
    expect(asked).toEqual(['web']);
    expect(outcome(await dial({ host: 'web', port }, { rules: rules(`other:${port}`), resolve }))).toBe('notAllowed');
    const byAddress = rules(`127.0.0.1:${port + 1}`);
    expect(outcome(await dial({ host: 'web', port }, { rules: byAddress, resolve }))).toBe('notAllowed');
    expect(asked).toEqual(['web']);
  });

  it('tries the next address where one refuses', async () => {
    const port = await tcpServer(() => undefined);
    const { resolve } = names({ web: ['127.0.0.2', '127.0.0.1'] });
    expect(outcome(await dial({ host: 'web', port }, { rules: null, resolve }))).toBe('127.0.0.1');
  });

  it('never goes to the unspecified address, whatever leads to it', async () => {
    const port = await tcpServer(() => undefined);
    const { resolve } = names({ web: ['0.0.0.0', '::'] });
    for (const host of ['0.0.0.0', '::', '::ffff:0.0.0.0', 'web']) {
      expect(outcome(await dial({ host, port }, { rules: rules('*:*'), resolve }))).toBe('notAllowed');
    }
    const fault = await dial({ host: '0.0.0.0', port: 80 }, { rules: rules('*:*'), resolve });
    expect(fault).toMatchObject({ message: '0.0.0.0:80 is no address to connect to: name one of a host' });
  });

  it('fails by name', async () => {
    const [port] = await freePorts(1);
    const { resolve } = names({});
    expect(outcome(await dial({ host: 'web', port }, { rules: null, resolve }))).toBe('unknownHost');
    expect(outcome(await dial({ host: '127.0.0.1', port }, { rules: null, resolve }))).toBe('refused');
    const never = (): Promise<never> => new Promise(() => undefined);
    expect(outcome(await dial({ host: 'web', port }, { rules: null, resolve: never, timeoutMs: 20 }))).toBe('timeout');
  });
});

const BIND = { host: '127.0.0.1', port: 0 };

class TestStream extends PassThrough implements HostStream {
  readonly peerName = '192.0.2.7:28400';

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

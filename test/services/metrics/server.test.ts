import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../src/base/failure.js';
import { MetricsServer, wantsOpenMetrics } from '../../../src/services/metrics/server.js';
import { formatAddress } from '../../../src/udp/address.js';

async function serve(trouble: string | null = null, port = 0): Promise<{ server: MetricsServer; url: string }> {
  const server = await MetricsServer.listen({
    listen: { host: '127.0.0.1', port },
    scrape: async (isOpen) => ({ contentType: isOpen ? 'open' : 'plain', text: 'a 1\n' }),
    trouble: () => trouble,
  });
  onTestFinished(() => server.close());
  return { server, url: `http://${formatAddress(server.address)}` };
}

async function ask(url: string, options: RequestInit = {}): Promise<[number, string]> {
  const response = await fetch(url, options);
  return [response.status, await response.text()];
}

describe('a metrics server', () => {
  it('answers GET and HEAD of two paths, and nothing else', async () => {
    const { url } = await serve();
    expect(await ask(`${url}/metrics`)).toEqual([200, 'a 1\n']);
    expect(await ask(`${url}/metrics?x`, { method: 'HEAD' })).toEqual([200, '']);
    expect(await ask(`${url}/healthz`)).toEqual([200, 'ok\n']);
    expect((await ask(url))[0]).toBe(404);
    expect(await ask(`${url}/metrics`, { method: 'POST' })).toEqual([405, 'allowed: GET, HEAD\n']);
  });

  it('says why its process does not do its work', async () => {
    const { url } = await serve('the switch is silent');
    expect(await ask(`${url}/healthz`)).toEqual([503, 'the switch is silent\n']);
  });

  it('names an address that is in use, as wrong usage', async () => {
    const { server } = await serve();
    const { port } = server.address;
    const second = serve(null, port);
    await expect(second).rejects.toThrow(`--metrics 127.0.0.1:${port}`);
    await expect(second).rejects.toBeInstanceOf(Failure);
    await expect(second).rejects.toMatchObject({ exitCode: 2 });
  });

  it('turns away more connections than it takes', async () => {
    const { server } = await serve();
    const { host, port } = server.address;
    const outcomes = Array.from({ length: 24 }, () => {
      const socket = connect(port, host);
      onTestFinished(() => void socket.destroy());
      return new Promise<string>((resolve) => {
        socket.once('close', () => resolve('closed'));
        socket.once('error', () => resolve('closed'));
        setTimeout(() => resolve('open'), 300);
      });
    });
    expect((await Promise.all(outcomes)).filter((each) => each === 'open')).toHaveLength(16);
  });
});

describe('the format of an answer', () => {
  it.each([
    [undefined, false],
    ['*/*', false],
    ['text/plain', false],
    ['application/openmetrics-text; version=1.0.0', true],
    ['application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', true],
    ['application/openmetrics-text;q=0.2,text/plain;q=0.9', false],
    ['application/openmetrics-text;q=0', false],
  ])('follows Accept: %s', (accept, isOpen) => {
    expect(wantsOpenMetrics(accept)).toBe(isOpen);
  });
});

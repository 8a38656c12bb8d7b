import { describe, expect, it } from 'vitest';
import { scratchFolder, XpassCommand } from './switch-lab.js';

const once = ['--interval', '300ms', '--once'];

async function table(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new XpassCommand(['top', ...args]).ended;
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('xpass top', () => {
  it('shows the same switch by its metrics and by its control socket, and the flows of a server', async () => {
    const control = `${await scratchFolder()}/s.sock`;
    const place = ['--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--hosts', '2', '--link-rate', '20mbit'];
    const running = new XpassCommand(['switch', ...place, '--control', control, '--json']);
    const at = String((await running.event('listening')).address);
    const metrics = String((await running.event('metrics')).address);
    const host = (id: number): string[] => ['--switch', at, '--host-id', String(id)];
    const server = new XpassCommand(['perf', '-s', ...host(1), '--metrics', '127.0.0.1:0', '--json-stream']);
    await server.event('listening');
    const { address: serverMetrics } = (await server.event('metrics')).data as { address: string };
    const client = new XpassCommand(['perf', '-c', '1', ...host(2), '-t', '4', '-i', '100ms']);
    await client.line(/bits\/sec/);

    const [byMetrics, byControl, ofServer] = await Promise.all([
      table(metrics, ...once),
      table(control, ...once),
      new XpassCommand(['top', serverMetrics, '--interval', '300ms', '--json']).event('top'),
    ]);
    for (const text of [byMetrics, byControl]) {
      expect(text).toMatch(/^port +LOAD/m);
      expect(text).toMatch(/^s1->h1 +\d+\.\d% +[\d.]+[kM] /m);
      expect(text).toMatch(/^drops: /m);
      expect(text).toMatch(/cpu \d+% {2}memory \d+ MiB/);
      expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    }
    const flows = ofServer.flows as { direction: string; credits_per_s: number; open: number }[];
    const received = flows.find(({ direction }) => direction === 'received');
    expect(received?.open).toBeGreaterThan(0);
    expect(received?.credits_per_s).toBeGreaterThan(0);
    await client.ended;
  });

  it('ends with 3 where nothing answers in time, and with 2 for what is no address', async () => {
    const lost = await new XpassCommand(['top', '127.0.0.1:1', '--timeout', '300ms', '--once']).ended;
    expect([lost.code, lost.stdout]).toEqual([3, '']);
    expect(lost.stderr).toMatch(/^xpass top: no metrics at 127\.0\.0\.1:1 \(ECONNREFUSED\)\n$/);
    const wrong = await new XpassCommand(['top', 'port']).ended;
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("ADDRESS 'port' is not allowed; allowed: "),
    ]);
  });
});

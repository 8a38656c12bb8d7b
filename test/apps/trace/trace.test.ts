import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tracePage } from '../../../src/apps/trace/page.js';
import { readTrace } from '../../../src/apps/trace/read-trace.js';
import { summarize, summaryLines } from '../../../src/apps/trace/summary.js';
import { QlogFiles } from '../../../src/telemetry/qlog/qlog-files.js';
import { scratchDirectory } from '../../harness/scratch.js';

async function traced(): Promise<string> {
  const directory = await scratchDirectory();
  const files = new QlogFiles({ directory, sizeBytes: 1e6, files: 1, origin: null, onEnd: () => undefined });
  const log = files.openLog({ role: 'receiver', hostId: 1, peer: 2, id: 7 });
  for (let index = 0; index < 100; index++) {
    log?.event(index * 1e6, 'credit_sent', { sequence: index });
    log?.event(index * 1e6, 'data_received', { length: 1_000, repair: index === 50, ce: index % 10 === 0 });
    log?.event(index * 1e6, 'rate_updated', { rate_bps: 1e6 * (index + 1) });
    log?.event(index * 1e6, 'rtt_updated', { smoothed_rtt: 2 });
  }
  log?.event(100e6, 'credits_settled', { used: 99, unused: 0, dropped: 1 });
  log?.event(100e6, 'loss_detected', { credits: 1 });
  log?.event(100e6, 'flow_closed', { trigger: 'complete' });
  log?.end();
  return join(directory, 'host-1-receiver-00000007-peer-2.sqlog');
}

describe('xpass trace', () => {
  it('sums a flow up', async () => {
    expect(summarize(readTrace(await traced()))).toMatchObject({
      duration_s: 0.1,
      ended: 'complete',
      data_bytes: 100_000,
      repaired_frames: 1,
      marked_frames: 10,
      credits: { used: 99, unused: 0, dropped: 1 },
      rate_bps: { least: 1e6, median: 51e6, most: 100e6 },
      events_left_out: 0,
    });
  });

  it('plots rate, credits and RTT in 80 columns', async () => {
    const lines = summaryLines(summarize(readTrace(await traced())));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.find((line) => line.startsWith('rate '))).toMatch(/^rate {5}▁+▂+▃+▄+▅+▆+▇+█+$/);
    expect(lines.find((line) => line.startsWith('RTT'))).toMatch(/^RTT {6}█{64}$/);
    expect(lines).toContain('fates: 99 used, 0 unused, 1 dropped');
  });

  it('makes a page with a chart of each quantity, whose lines end where the events do', async () => {
    const trace = readTrace(await traced());
    const html = tracePage(trace, summarize(trace));
    expect(html.match(/<figure>/g)).toHaveLength(4);
    for (const name of ['rate (Mbit/s)', 'data (MB)', 'credits', 'smoothed RTT (ms)'])
      expect(html).toContain(`>${name}<`);
    expect(html).toMatch(/<dt>Marked CE<\/dt><dd>10<\/dd>/);
    expect(html).toContain("default-src 'none'");
    const none = tracePage({ title: 'a <flow>', events: [] }, summarize({ title: 'a <flow>', events: [] }));
    expect(none).toContain('<h1>a &#60;flow&#62;</h1>');
    expect(none).not.toContain('<figure>');
  });

  it('refuses what is no qlog file of ours', async () => {
    const path = join(await scratchDirectory(), 'other.sqlog');
    writeFileSync(path, '\u001e{"qlog_format":"JSON"}\n');
    expect(() => readTrace(path)).toThrow('allowed are the .sqlog files that --qlog writes');
  });
});

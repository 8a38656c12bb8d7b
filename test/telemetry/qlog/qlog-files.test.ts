import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { QlogFiles, type QlogOptions } from '../../../src/telemetry/qlog/qlog-files.js';
import { scratchDirectory } from '../../harness/scratch.js';

async function open(changes: Partial<QlogOptions> = {}) {
  const directory = join(await scratchDirectory(), 'flows');
  const onEnd = (sentence: string): void => expect.unreachable(sentence);
  const files = new QlogFiles({ directory, sizeBytes: 100_000, files: 2, origin: new Date(0), onEnd, ...changes });
  return { files, directory };
}

const flow = (id: number) => ({ role: 'sender', hostId: 1, peer: 2, id }) as const;

/** As qvis reads a file with the extension .sqlog: its TextSequenceJSONToQlog and QlogLoaderV2. */
function asQvis(path: string): { header: Record<string, unknown>; events: Record<string, unknown>[] } {
  expect(path.endsWith('.sqlog')).toBe(true);
  const records = readFileSync(path, 'utf8')
    .split('\u001e')
    .filter((text) => text.trim() !== '');
  const [header, ...events] = records.map((text) => JSON.parse(text));
  expect(header.qlog_version).toBeDefined();
  expect(header.qlog_format).toBe('JSON-SEQ');
  expect(header.trace).toBeDefined();
  // The aliases under which its loader of draft 02 takes a file.
  expect(['draft-02', 'draft-02-RC1', 'qlog-03-WIP', '0.3']).toContain(header.qlog_version);
  // A group id in an event would split the trace; without time_format, a reference_time makes times relative to it.
  expect(events.every((event) => event.group_id === undefined)).toBe(true);
  expect(header.trace.common_fields.time_format).toBeUndefined();
  expect(header.trace.common_fields.reference_time).toBeDefined();
  expect(header.trace.vantage_point.type).toBe('client');
  events.reduce((before, { time }) => {
    expect(time).toBeGreaterThanOrEqual(before);
    return time;
  }, 0);
  for (const event of events)
    expect(event).toMatchObject({ time: expect.any(Number), name: expect.any(String), data: {} });
  return { header, events };
}

describe('qlog files', () => {
  it('are what qvis takes, with the header of the newer drafts beside', async () => {
    const { files, directory } = await open();
    const log = files.openLog(flow(0xbeef));
    log?.event(1_234_567, 'rtt_updated', { smoothed_rtt: 1.5 });
    log?.event(2e6, 'flow_closed', {});
    log?.end();
    expect(readdirSync(directory)).toEqual(['host-1-sender-0000beef-peer-2.sqlog']);
    const { header, events } = asQvis(join(directory, 'host-1-sender-0000beef-peer-2.sqlog'));
    expect(header).toMatchObject({
      file_schema: 'urn:ietf:params:qlog:file:sequential',
      serialization_format: 'application/qlog+json-seq',
      trace: { event_schemas: ['urn:xpass:qlog:flow-events-01'] },
    });
    expect(events[0]).toEqual({ time: 1.234567, name: 'xpass:rtt_updated', data: { smoothed_rtt: 1.5 } });
  });

  it('have a bound, and say how many events they leave out', async () => {
    const { files, directory } = await open({ sizeBytes: 10_000 });
    const log = files.openLog(flow(1));
    for (let index = 0; index < 1_000; index++) log?.event(index, 'data_sent', { offset: index });
    log?.end();
    const [name] = readdirSync(directory);
    const text = readFileSync(join(directory, name), 'utf8');
    expect(text.length).toBeLessThan(10_200);
    const { events } = asQvis(join(directory, name));
    expect(events.at(-1)).toMatchObject({
      name: 'xpass:events_left_out',
      data: { count: 1_000 - (events.length - 1), limit_bytes: 10_000 },
    });
  });

  it('are as many as wanted, also where a flow id comes again', async () => {
    const { files, directory } = await open();
    files.openLog(flow(1))?.end();
    files.openLog(flow(1))?.end();
    expect(files.openLog(flow(2))).toBeNull();
    expect(readdirSync(directory)).toHaveLength(2);
    expect(files.close()).toMatch(/^wrote 2 qlog files in .*; 1 more flows have none \(--qlog-files\)$/);
  });
});

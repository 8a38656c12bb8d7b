import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { play } from '../../../src/scenario/play/play.js';
import type { WatchSettings } from '../../../src/scenario/play/watch.js';
import type { Scenario } from '../../../src/sim/scenario.js';
import { readBlocks } from '../../../src/telemetry/capture/pcapng.js';
import { scratchDirectory } from '../../harness/scratch.js';

/** Two senders whose data meets at one link that marks, and credits that its queue drops. */
const SCENARIO = parseScenario({
  seed: 4,
  topology: { name: 'star', hosts: 3, rate: '1gbit' },
  flows: [
    { from: 1, to: 3, bytes: '200kB' },
    { from: 2, to: 3, bytes: '200kB' },
  ],
  duration: '20ms',
});

function watched(scenario: Scenario, watch?: WatchSettings) {
  const answer = play({ scenario, progress: new SharedArrayBuffer(16), ...(watch !== undefined && { watch }) });
  if ('error' in answer) throw new Error(answer.error.stack || answer.error.message);
  return answer;
}

const captureTo = (path: string, filter?: string): WatchSettings => ({
  capture: { path, filter, sizeBytes: 1e8, files: 1, snapBytes: 65_507 },
});

describe('a capture of a simulation', () => {
  it('has each frame on each link, changes nothing, and is the same each time', async () => {
    const directory = await scratchDirectory();
    const paths = ['one', 'other'].map((name) => join(directory, `${name}.pcapng`));
    const [one, other] = paths.map((path) => watched(SCENARIO, captureTo(path)));
    const bare = watched(SCENARIO);
    expect(one.run).toEqual(bare.run);
    expect(other.said).toEqual([one.said?.[0].replace('one.pcapng', 'other.pcapng')]);
    const bytes = paths.map((path) => readFileSync(path));
    expect(bytes[0].equals(bytes[1])).toBe(true);
    const packets = (readBlocks(bytes[0]) ?? []).filter(({ type }) => type === 'packet');
    const sent = packets.filter(({ options }) => options === null || !Buffer.from(options).includes('dropped'));
    // Both streams, on two links each.
    const carried = sent.reduce((sum, { original }) => sum + original, 0);
    expect(sent.length).toBeGreaterThan(600);
    expect(carried).toBeGreaterThan(2 * 400_000);
  });

  it('says what ports drop', async () => {
    const path = join(await scratchDirectory(), 'drops.pcapng');
    const crowd = parseScenario({
      seed: 4,
      topology: { name: 'star', hosts: 9, rate: '1gbit' },
      algorithm: 'naive',
      flows: [1, 2, 3, 4, 5, 6, 7, 8].map((to) => ({ from: 9, to, bytes: '100kB' })),
      duration: '20ms',
    });
    const { said } = watched(crowd, captureTo(path, 'dropped'));
    const packets = (readBlocks(readFileSync(path)) ?? []).filter(({ type }) => type === 'packet');
    expect(said?.[0]).toMatch(/^captured [1-9]\d* of \d+ frames in/);
    expect(packets.length).toBeGreaterThan(10);
    for (const { options } of packets)
      expect(Buffer.from(options ?? []).toString()).toContain('dropped: credit queue full');
  });
});

describe('the qlog of a simulation', () => {
  it('has what the result counts, for both ends of each flow, and changes nothing', async () => {
    const directory = await scratchDirectory();
    const { run } = watched(SCENARIO, { qlog: { directory, sizeBytes: 1e8, files: 100 } });
    expect(run).toEqual(watched(SCENARIO).run);
    expect(readdirSync(directory)).toHaveLength(4);
    for (const { src, dst, credits } of run.result.flows) {
      const [host, peer] = [Number(dst.slice(1)), Number(src.slice(1))];
      const received = eventsOf(directory, `host-${host}-receiver-`, `peer-${peer}.sqlog`);
      const sent = eventsOf(directory, `host-${peer}-sender-`, `peer-${host}.sqlog`);
      const named = (events: Event[], name: string) => events.filter((event) => event.name === `xpass:${name}`);
      const sum = (events: Event[], key: string) => events.reduce((all, { data }) => all + Number(data[key]), 0);
      expect(named(received, 'credit_sent')).toHaveLength(credits.sent);
      expect(sum(named(received, 'credits_settled'), 'used')).toBe(credits.used);
      expect(sum(named(received, 'data_received'), 'length')).toBe(200_000);
      expect(named(sent, 'credit_received').length).toBeGreaterThan(100);
      expect(sum(named(sent, 'data_sent'), 'length')).toBeGreaterThanOrEqual(200_000);
      for (const name of ['flow_opened', 'state_changed', 'rtt_updated', 'rate_updated', 'ack_sent'])
        expect(named(received, name).length, name).toBeGreaterThan(0);
    }
  });
});

interface Event {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function eventsOf(directory: string, start: string, end: string): Event[] {
  const name = readdirSync(directory).find((each) => each.startsWith(start) && each.endsWith(end)) as string;
  const records = readFileSync(join(directory, name), 'utf8').split('\u001e').slice(2);
  return records.map((text) => JSON.parse(text) as Event);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ReadBlock, readBlocks } from '../../src/telemetry/capture/pcapng.js';
import { randomFile, send, startDaemon } from './send-lab.js';
import { scratchFolder, startSwitch } from './switch-lab.js';

function packetsOf(path: string): ReadBlock[] {
  return (readBlocks(readFileSync(path)) ?? []).filter(({ type }) => type === 'packet');
}

const says = ({ options }: ReadBlock, word: string): boolean => Buffer.from(options ?? []).includes(word);

interface PortLine {
  readonly drops: Readonly<Record<string, number>>;
}

describe('--capture', () => {
  it('has on a switch every frame with its fate, and on hosts every datagram with its addresses', async () => {
    const folder = await scratchFolder();
    const [ports, received, sent] = ['switch', 'daemon', 'send'].map((name) => join(folder, `${name}.pcapng`));
    const lan = await startSwitch('--hosts', '2', '--link-rate', '50mbit', '--capture', ports);
    const daemon = await startDaemon('--switch', `127.0.0.1:${lan.port}`, '--host-id', '1', '--capture', received);
    const flows = join(folder, 'flows');
    const file = await randomFile('some', 1_000_000);
    const done = await send(file, '--switch', `127.0.0.1:${lan.port}`, '--to', '1', '--capture', sent, '--qlog', flows);
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(/captured (\d+) of \1 frames in .*send\.pcapng\n$/);
    const { stderr } = await daemon.process.stop('SIGTERM');
    expect(stderr).toMatch(/captured (\d+) of \1 frames/);
    const ended = await lan.process.stop('SIGTERM');
    const summary = ended.stdout.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    const lines = summary.flatMap(({ event, ports: all }) => (event === 'summary' ? (all as PortLine[]) : []));
    const dropped = lines.reduce(
      (all, { drops }) => all + Object.values(drops).reduce((sum, each) => sum + each, 0),
      0,
    );
    const packets = packetsOf(ports);
    const captured = summary.find(({ event }) => event === 'captured');
    expect(captured).toMatchObject({ files: [ports], seen: packets.length, written: packets.length, lost: 0 });
    // Payload is what nobody looks at on a switch: 256 bytes and both headers.
    expect(Math.max(...packets.map(({ data }) => data.length))).toBe(284);
    expect(packets.filter((packet) => says(packet, 'dropped: ')).length).toBe(dropped);
    // Each byte of the file passes two links.
    expect(packets.reduce((sum, { original }) => sum + original, 0)).toBeGreaterThan(2_000_000);
    const [log] = readdirSync(flows).filter((name) => name.includes('-sender-'));
    expect(readFileSync(join(flows, log), 'utf8')).toMatch(/"xpass:flow_closed","data":\{"trigger":"complete"/);
    const [first] = packetsOf(sent);
    expect([...first.data.slice(12, 20)]).toEqual([127, 0, 0, 1, 127, 0, 0, 1]);
    expect(packetsOf(received).some(({ interfaceId }) => interfaceId === 0)).toBe(true);
  });
});

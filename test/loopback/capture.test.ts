import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeKey, writeKeyFile } from '../../src/net/key-file.js';
import { type ReadBlock, readBlocks } from '../../src/telemetry/capture/pcapng.js';
import { dissectorLua } from '../../src/telemetry/dissector/dissector.js';
import { TSHARK_MISSING, tsharkFields } from '../telemetry/tshark.js';
import { randomFile, send, startDaemon } from './send-lab.js';
import { runXpass, scratchFolder, startSwitch } from './switch-lab.js';

function packetsOf(path: string): ReadBlock[] {
  return (readBlocks(readFileSync(path)) ?? []).filter(({ type }) => type === 'packet');
}

const says = ({ options }: ReadBlock, word: string): boolean => Buffer.from(options ?? []).includes(word);

/** What a data frame carries: without both headers, its own 22 bytes and its check. */
const payload = ({ data }: ReadBlock): Uint8Array => data.subarray(50, data.length - 4);

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

  it('opens what was sealed by the key log of one host, and nothing of it without', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    const folder = await scratchFolder();
    const [key, log, sealed, opened, lua] = ['key', 'keylog', 'sealed.pcapng', 'opened.pcapng', 'xpass.lua'].map(
      (name) => join(folder, name),
    );
    await writeKeyFile(key, makeKey('secret'));
    writeFileSync(lua, dissectorLua({ port: 28_500 }));
    const daemon = await startDaemon('--key', key, '--capture', sealed, '--keylog', log);
    const file = await randomFile('secret', 50_000);
    const done = await send(file, '--to', daemon.address, '--key', key);
    expect(done.code).toBe(0);
    const { stderr } = await daemon.process.stop('SIGTERM');
    expect(stderr).toContain('--keylog: whoever can read');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const unsealed = await runXpass('unseal', sealed, opened, '--keylog', log, '--json');
    expect(unsealed.code, unsealed.stderr).toBe(0);
    const counts = JSON.parse(unsealed.stdout);
    // The handshake is in the clear.
    expect(counts).toEqual({
      opened: packetsOf(sealed).length - counts.plain,
      plain: expect.any(Number),
      refused: 0,
      cut: 0,
    });
    expect(counts.plain).toBeLessThan(10);
    const fields = ['xpass.sealed', 'xpass.payload_bytes', 'xpass.check.status', '_ws.malformed', 'xpass.response_to'];
    const [before, after] = [sealed, opened].map((path) => tsharkFields(path, fields, ['-X', `lua_script:${lua}`]));
    const payloadOf = (rows: string[][]): number => rows.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    expect([payloadOf(before), before.some(([isSealed]) => isSealed !== '')]).toEqual([0, true]);
    expect(payloadOf(after)).toBeGreaterThanOrEqual(50_000);
    expect(
      after.filter(
        ([isSealed, , status, malformed]) => isSealed !== '' || malformed !== '' || status.includes('wrong'),
      ),
    ).toEqual([]);
    const middle = readFileSync(file).subarray(25_000, 25_064);
    expect([sealed, opened].map((path) => Buffer.concat(packetsOf(path).map(payload)).includes(middle))).toEqual([
      false,
      true,
    ]);
    writeFileSync(log, '');
    const without = await runXpass('unseal', sealed, opened, '--keylog', log, '--json');
    expect(JSON.parse(without.stdout)).toEqual({ ...counts, opened: 0, refused: counts.opened });
    expect(packetsOf(opened).filter((packet) => says(packet, 'not opened: no secret')).length).toBe(counts.opened);
  });
});

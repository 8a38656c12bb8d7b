import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { areSame, filesOf, HeldSender, randomFile, send, startDaemon } from './send-lab.js';
import { scratchFile, startSwitch } from './switch-lab.js';

const MIB = 1024 * 1024;

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe('xpass send', () => {
  it('sends a file to a daemon, which has it under its name and verified', async () => {
    const daemon = await startDaemon();
    const file = await randomFile('big.bin', 8 * MIB);
    const sent = await send(file, '--to', daemon.address, '--json');
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    const [result] = filesOf(sent);
    expect(result).toMatchObject({ name: 'big.bin', bytes: 8 * MIB, verified: true, code: 'ok' });
    expect(result.goodput_bps).toBeCloseTo((8 * MIB * 8) / Number(result.duration_s), 0);
    expect(await areSame(file, join(daemon.directory, 'big.bin'))).toBe(true);
    const { event, ...received } = await daemon.process.event('file');
    expect(received).toMatchObject({ name: 'big.bin', bytes: 8 * MIB, sha256: result.sha256, verified: true });
  });

  it('says it in a line to people', async () => {
    const daemon = await startDaemon();
    const sent = await send(await randomFile('small', 1_000), '--to', daemon.address);
    expect(sent).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^sent 'small' \(1000 B\) in [\d.]+ m?s, .*, SHA-256 verified by the receiver\n$/),
      stderr: '',
    });
  });

  it('sends many files, some at a time, an empty one among them', async () => {
    const daemon = await startDaemon();
    const files = await Promise.all(Array.from({ length: 6 }, (_, at) => randomFile(`file-${at}`, at * 100_000)));
    const sent = await send(...files, '--to', daemon.address, '-P', '3', '--json');
    expect(sent.code).toBe(0);
    expect(filesOf(sent).map(({ name, verified }) => [name, verified])).toEqual(
      files.map((_, at) => [`file-${at}`, true]),
    );
    for (let at = 0; at < 6; at++) expect(await areSame(files[at], join(daemon.directory, `file-${at}`))).toBe(true);
  });

  it('sends the first bytes of a file under another name', async () => {
    const daemon = await startDaemon();
    const file = process.execPath;
    const sent = await send(file, '--bytes', '1MiB', '--as', 'node.head', '--to', daemon.address, '--json');
    expect(filesOf(sent)[0]).toMatchObject({ name: 'node.head', bytes: MIB, verified: true });
  });

  it('sends jumbo frames to a daemon that takes them', async () => {
    const daemon = await startDaemon('--frame-size', '8972');
    const file = await randomFile('jumbo', 8 * MIB);
    const sent = await send(file, '--to', daemon.address, '--frame-size', '8972');
    expect(sent.code).toBe(0);
    expect(await areSame(file, join(daemon.directory, 'jumbo'))).toBe(true);
  });

  it('sends over IPv6', async ({ skip }) => {
    skip(!hasIpv6, 'this machine has no address ::1');
    const daemon = await startDaemon('--listen', '[::1]:0');
    const sent = await send(await randomFile('six', 100_000), '--to', daemon.address);
    expect(sent.code).toBe(0);
  });

  it('reads its options from a file', async () => {
    const daemon = await startDaemon();
    const config = await scratchFile('send.yaml', `to: ${daemon.address}\nas: renamed\njson: true\n`);
    const sent = await send(await randomFile('a', 10), '--config', config);
    expect(filesOf(sent)[0]).toMatchObject({ name: 'renamed', verified: true });
  });
});

describe('xpass send through a switch', () => {
  it('sends together with others that were told to wait, and the daemon says how far each is', async () => {
    const { process: running, port } = await startSwitch('--hosts', '3', '--link-rate', '100mbit');
    const at = ['--switch', `127.0.0.1:${port}`];
    const daemon = await startDaemon(...at, '--host-id', '1', '--interval', '50ms');
    expect(daemon.listening).toMatchObject({ host_id: 1, link_rate_bps: 100e6, frame_bytes: 1472 });
    const files = [await randomFile('first', 4 * MIB), await randomFile('second', 4 * MIB)];
    const senders = files.map((file, index) => new HeldSender(file, '--to', '1', '--host-id', `${index + 2}`, ...at));
    for (const sender of senders) await sender.isReady();
    for (const sender of senders) sender.go();
    for (const sender of senders) {
      const ended = await sender.ended;
      expect([ended.code, ended.stderr]).toEqual([0, '']);
    }
    expect(await areSame(files[0], join(daemon.directory, 'first'))).toBe(true);
    expect(await areSame(files[1], join(daemon.directory, 'second'))).toBe(true);

    const both = daemon.process.events.filter(
      ({ event, flows }) => event === 'progress' && (flows as unknown[]).length === 2,
    );
    expect(both.length).toBeGreaterThan(3);
    const { flows } = both[both.length - 1] as unknown as { flows: { peer: string; bytes_delivered: number }[] };
    expect(flows.map(({ peer }) => peer).sort()).toEqual(['host 2', 'host 3']);
    expect(Math.min(...flows.map(({ bytes_delivered }) => bytes_delivered))).toBeGreaterThan(MIB);

    const { code } = await daemon.process.stop('SIGINT');
    expect(code).toBe(0);
    const summary = daemon.process.events.at(-1);
    expect(summary).toMatchObject({ event: 'summary', files_verified: 2, files_failed: 0, bytes_verified: 8 * MIB });
    await running.stop();
  });
});

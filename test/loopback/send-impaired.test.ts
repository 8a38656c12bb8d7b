import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { areSame, randomFile, received, send, startDaemon } from './send-lab.js';
import { freePorts, runXpass, XpassProcess } from './switch-lab.js';

const MIB = 1024 * 1024;
/** Of all kinds of flows; those without credits send less, so that the tests of both take the time of one. */
const KINDS = [
  { kind: 'steady', bytes: 64 * MIB },
  { kind: 'dctcp', bytes: 24 * MIB },
  { kind: 'swift', bytes: 24 * MIB },
];

/** A switch with two hosts on a port that a later one can have again, and a daemon that is host 2. */
async function bed({ kind, bytes }: (typeof KINDS)[number], ...switchArgs: string[]) {
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const startSwitch = async (): Promise<XpassProcess> => {
    const running = new XpassProcess(['switch', '--json', '--listen', address, '--hosts', '2', ...switchArgs]);
    await running.event('listening');
    return running;
  };
  const running = await startSwitch();
  const daemon = await startDaemon('--switch', address, '--host-id', '2', '--interval', '20ms');
  const ctl = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await runXpass('switch', 'ctl', '--control', address, ...words);
    expect([code, stderr]).toEqual([0, '']);
  };
  const file = await randomFile('big.bin', bytes);
  const transfer = () =>
    send(file, ...(kind === 'steady' ? [] : ['-C', kind]), '--to', '2', '--host-id', '1', '--switch', address);
  const hasArrived = () => areSame(file, join(daemon.directory, 'big.bin'));
  return { running, startSwitch, daemon, ctl, transfer, hasArrived };
}

describe.each(KINDS)('a file sent with $kind arrives identical', (how) => {
  it('with 5 % loss of every type of frame in both directions', async () => {
    const { ctl, transfer, hasArrived } = await bed(how);
    await ctl('link', 'h2', 'loss', '5%');
    expect(await transfer()).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('with duplication, reordering and corruption together', async () => {
    const { ctl, transfer, hasArrived } = await bed(how);
    await ctl('link', 'h2', 'duplicate', '5%', 'reorder', '5%', 'reorder-delay', '1ms', 'corrupt', '2%');
    expect(await transfer()).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('over a link that goes down for two seconds', async () => {
    const { daemon, ctl, transfer, hasArrived } = await bed(how, '--link-rate', '300mbit');
    const sent = transfer();
    await received(daemon, 8 * MIB);
    await ctl('link', 'h2', 'down');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await ctl('link', 'h2', 'up');
    expect(await sent).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('through a switch that is killed in the middle and started again', async () => {
    const { running, startSwitch, daemon, transfer, hasArrived } = await bed(how, '--link-rate', '300mbit');
    const sent = transfer();
    await received(daemon, 8 * MIB);
    await running.stop('SIGKILL');
    await startSwitch();
    expect(await sent).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });
});

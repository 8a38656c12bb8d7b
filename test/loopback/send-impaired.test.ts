import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { areSame, randomFile, received, send, startDaemon } from './send-lab.js';
import { freePorts, runHere, type Starts, XpassCommand, XpassProcess, type XpassRun } from './switch-lab.js';

const MIB = 1024 * 1024;
/** 0.7 s at 100 Mbit/s: under way when something happens after its first mebibyte. */
const FILE_BYTES = 8 * MIB;

/** A switch with two hosts on a port that a later one can have again, and a daemon that is host 2. Who is killed is a process. */
async function bed<T extends XpassRun>(Switch: Starts<T>, kind: string, ...switchArgs: string[]) {
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const startSwitch = async (): Promise<T> => {
    const running = new Switch(['switch', '--json', '--listen', address, '--hosts', '2', ...switchArgs]);
    await running.event('listening');
    return running;
  };
  const running = await startSwitch();
  const daemon = await startDaemon('--switch', address, '--host-id', '2', '--interval', '20ms');
  const ctl = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await runHere('switch', 'ctl', '--port', String(port), ...words);
    expect([code, stderr]).toEqual([0, '']);
  };
  const file = await randomFile('big.bin', FILE_BYTES);
  const transfer = () =>
    send(file, ...(kind === 'steady' ? [] : ['-C', kind]), '--to', '2', '--host-id', '1', '--switch', address);
  const hasArrived = () => areSame(file, join(daemon.directory, 'big.bin')).catch(() => false);
  return { running, startSwitch, daemon, ctl, transfer, hasArrived };
}

/** Each fault once, with credits or without: every kind of flow has each in virtual time, test/core/scenarios/bad-network.test.ts and outage.test.ts */
describe('a file arrives identical', () => {
  it('sent with credits, with 5 % loss of every type of frame in both directions', async () => {
    const { ctl, transfer, hasArrived } = await bed(XpassCommand, 'steady');
    await ctl('link', 'h2', 'loss', '5%');
    expect(await transfer()).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('sent with Swift, with duplication, reordering and corruption together', async () => {
    const { ctl, transfer, hasArrived } = await bed(XpassCommand, 'swift');
    await ctl('link', 'h2', 'duplicate', '5%', 'reorder', '5%', 'reorder-delay', '1ms', 'corrupt', '2%');
    expect(await transfer()).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('sent with credits, over a link that goes down for a second', async () => {
    const { daemon, ctl, transfer, hasArrived } = await bed(XpassCommand, 'steady', '--link-rate', '100mbit');
    const sent = transfer();
    await received(daemon, MIB);
    await ctl('link', 'h2', 'down');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await hasArrived()).toBe(false);
    await ctl('link', 'h2', 'up');
    expect(await sent).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });

  it('sent with DCTCP, through a switch that is killed in the middle and started again', async () => {
    const { running, startSwitch, daemon, transfer, hasArrived } = await bed(
      XpassProcess,
      'dctcp',
      '--link-rate',
      '100mbit',
    );
    const sent = transfer();
    await received(daemon, MIB);
    await running.stop('SIGKILL');
    expect(await hasArrived()).toBe(false);
    await startSwitch();
    expect(await sent).toMatchObject({ code: 0 });
    expect(await hasArrived()).toBe(true);
  });
});

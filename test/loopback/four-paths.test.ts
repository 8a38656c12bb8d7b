import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type LinkSettingChanges, SwitchControl } from '../../src/services/control/client.js';
import { type FourPathsOutcome, fourPathsOutcome, type GoodputSample, outcomeCells } from '../harness/four-paths.js';
import { untilWell } from './quiet-cores.js';
import { areSame, filesOf, HeldSender, randomFile, received, startDaemonProcess } from './send-lab.js';
import { freePorts, scratchFolder, startSwitchProcess, within, type XpassProcess } from './switch-lab.js';

// What test/sim/four-paths.test.ts shows in virtual time, over processes: two switch processes with four trunks between them.
// test/loopback/lab.test.ts has one switch process with the spines inside.

const TOPOLOGIES = fileURLToPath(new URL('../../deploy/topologies/', import.meta.url));
/** A third as many frames as usual, so that two cores have time for all processes. */
const FRAME_BYTES = 4_400;
/** Of each of four files: they are under way for longer than the nine seconds that are looked at. */
const FILE_BYTES = 26_000_000;
/** Twelve seconds of work, on cores that others may have taken meanwhile. */
const TRANSFER_PATIENCE_MS = 150_000;

function isWell({ before, slow, down, up, ...settles }: FourPathsOutcome): boolean {
  const { slowSettlesMs, downSettlesMs, upSettlesMs } = settles;
  return (
    Math.min(before, slow, down, up) >= 0.9 && Math.max(slowSettlesMs, downSettlesMs) <= 500 && upSettlesMs <= 2_000
  );
}

async function wrongOf(run: Promise<FourPathsOutcome>): Promise<string> {
  const outcome = await run;
  return isWell(outcome) ? '' : outcomeCells(outcome).join(', ');
}

/** Both halves of the topology with the four trunks, on ports that are free. */
async function startTwoSwitches() {
  const names = ['four-trunks-west.yaml', 'four-trunks-east.yaml'];
  const texts = await Promise.all(names.map((name) => readFile(join(TOPOLOGIES, name), 'utf8')));
  const fixed = [...new Set(texts.join('').match(/127\.0\.0\.1:\d+/g))];
  const free = await freePorts(fixed.length);
  const folder = await scratchFolder();
  const paths = names.map((name) => join(folder, name));
  const moved = texts.map((text) =>
    text.replace(/127\.0\.0\.1:\d+/g, (old) => `127.0.0.1:${free[fixed.indexOf(old)]}`),
  );
  await Promise.all(paths.map((path, at) => writeFile(path, moved[at])));
  const [west, east] = await Promise.all(paths.map((path) => startSwitchProcess('--topology', path)));
  const controls = await Promise.all([west, east].map(({ control }) => SwitchControl.connect(control)));
  return { west, east, controls };
}

/** Bytes that a daemon had of all files together, by its time. */
function deliveredOf({ process }: { process: XpassProcess }): { atS: number; bytes: number }[] {
  const byFlow = new Map<number, number>();
  return process.events
    .filter(({ event }) => event === 'progress')
    .map(({ time_s, flows }) => {
      for (const { id, bytes_delivered } of flows as { id: number; bytes_delivered: number }[]) {
        byFlow.set(id, bytes_delivered);
      }
      return { atS: Number(time_s), bytes: [...byFlow.values()].reduce((sum, each) => sum + each, 0) };
    });
}

/** Goodput in steps of 50 ms from `zeroS` on; the daemon says how far it is about as often. */
function steps(delivered: readonly { atS: number; bytes: number }[], zeroS: number): GoodputSample[] {
  const stepS = 0.05;
  const bytesAt = (atS: number): number => {
    const next = delivered.findIndex((point) => point.atS >= atS);
    if (next <= 0) return delivered.at(next === 0 ? 0 : -1)?.bytes ?? 0;
    const [from, to] = [delivered[next - 1], delivered[next]];
    return from.bytes + ((to.bytes - from.bytes) * (atS - from.atS)) / (to.atS - from.atS);
  };
  return Array.from({ length: Math.round(9 / stepS) }, (_, at) => {
    const [fromS, toS] = [zeroS + at * stepS, zeroS + (at + 1) * stepS];
    return { atS: toS - zeroS, mbps: (8 * (bytesAt(toS) - bytesAt(fromS))) / stepS / 1e6 };
  });
}

/** What happens to the first trunk, at both its ends, in seconds after the files began. */
const CHANGES: readonly { atS: number; changes: LinkSettingChanges }[] = [
  { atS: 2, changes: { rateBps: 1e6 } },
  { atS: 4, changes: { rateBps: 25e6, down: true } },
  { atS: 6, changes: { down: false } },
];

async function sendFiles(): Promise<FourPathsOutcome> {
  const { west, east, controls } = await startTwoSwitches();
  const toEast = ['--switch', `127.0.0.1:${east.port}`, '--host-id', '5'];
  // Four processes on two cores are late by more than the usual bound allows for: frames would be asked for too late.
  const daemon = await startDaemonProcess(...toEast, '-C', 'spraypass', '--interval', '50ms', '--queue-bound', '5ms');
  const files = await Promise.all([1, 2, 3, 4].map((id) => randomFile(`file${id}`, FILE_BYTES)));
  const toWest = ['--switch', `127.0.0.1:${west.port}`, '--host-id', '1', '--to', '5'];
  const sender = new HeldSender(...files, '-P', '4', '--warm-up', '3s', ...toWest);
  await sender.isReady();
  sender.go();
  // Not the first report: the warm-up has some of its own, without files.
  await received(daemon, 1);
  const [zeroMs, zeroS] = [performance.now(), deliveredOf(daemon).at(-1)?.atS ?? 0];
  for (const { atS, changes } of CHANGES) {
    await sleep(Math.max(0, zeroMs + atS * 1e3 - performance.now()));
    await Promise.all(controls.map((control) => control.setLink('trunk1', changes)));
  }
  const ended = await within(sender.ended, 'the end of four files', TRANSFER_PATIENCE_MS);
  expect(ended.code, ended.stderr).toBe(0);
  for (const file of filesOf(ended)) expect(file).toMatchObject({ verified: true });
  for (const [at, path] of files.entries()) {
    expect(await areSame(path, join(daemon.directory, `file${at + 1}`))).toBe(true);
  }
  for (const control of controls) control.close();
  await Promise.all([daemon.process.stop(), west.process.stop(), east.process.stop()]);
  return fourPathsOutcome(steps(deliveredOf(daemon), zeroS), FRAME_BYTES);
}

describe('four flows over four paths of 25 Mbit/s', () => {
  it(
    'use them, and what is left of them, through two with four trunks, and the files are the same',
    { timeout: 500_000 },
    (context) => untilWell(context, () => wrongOf(sendFiles())),
  );
});

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runXpass, within, XpassProcess } from './switch-lab.js';

// Each process that a command starts is killed once and stopped once: the command has to name it and end, and leave nothing behind.

/** What processes get here; a start on busy cores takes a good second. */
const PATIENCE = '2s';
/** Commands at a time: most of their time is waiting. */
const AT_ONCE = 6;
const STRIKES = ['SIGKILL', 'SIGSTOP'] as const;

let temporary = '';

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'xpass-lost-'));
  vi.stubEnv('TMPDIR', temporary);
  vi.stubEnv('XPASS_PATIENCE', PATIENCE);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true, force: true });
});

interface Victim {
  /** What messages call it. */
  readonly name: string;
  /** In its command line; of several that have it the `nth`, from 0. */
  readonly marker: string;
  readonly nth?: number;
  /** How long it runs before it is struck. */
  readonly afterMs?: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes of this machine that have not ended. */
async function processes(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Strikes one process of a command that runs; returns how the command ended and what is left of it. */
async function strike(running: XpassProcess, { marker, nth = 0, afterMs = 300 }: Victim, signal: NodeJS.Signals) {
  const seen = new Set<number>();
  let isOver = false;
  let isStruck = false;
  void running.ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const children = (await processes()).filter(({ parent }) => parent === running.pid);
    for (const { pid } of children) seen.add(pid);
    const victim = children.filter(({ command }) => command.includes(marker))[nth];
    if (victim !== undefined && !isStruck) {
      isStruck = true;
      await pause(afterMs);
      process.kill(victim.pid, signal);
    }
    await pause(isStruck ? 100 : 20);
  }
  const left = (await processes()).filter(({ pid }) => seen.has(pid));
  return { ...(await running.ended), isStruck, left: left.map(({ command }) => command) };
}

async function checkStrike(args: readonly string[], victim: Victim, signal: NodeJS.Signals): Promise<void> {
  const struck = strike(new XpassProcess(args), victim, signal);
  const { code, stderr, isStruck, left } = await within(struck, `the end after ${signal} to ${victim.name}`, 40_000);
  const what = `${signal} to ${victim.name}: ${stderr}`;
  expect([isStruck, left], what).toEqual([true, []]);
  expect(code, what).toBeGreaterThan(0);
  if (signal === 'SIGKILL') expect(stderr, what).toContain(`${victim.name} ended with SIGKILL`);
  else expect(stderr, what).toMatch(new RegExp(`(did not|nothing changed).* last heard: .*${victim.name}: .* ago`));
}

/** Every victim with both signals, some at a time. */
async function checkStrikes(args: readonly string[], victims: readonly Victim[]): Promise<void> {
  const cases = victims.flatMap((victim) => STRIKES.map((signal) => ({ victim, signal })));
  const lane = async (): Promise<void> => {
    for (let each = cases.pop(); each !== undefined; each = cases.pop()) {
      await checkStrike(args, each.victim, each.signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const RAW = 'raw.child.js';
const FLOWS = 'flows.child.js';
const SHORT = ['--seconds', '0.3', '--runs', '1', '--json'];

describe('a command names the process that is lost or answers no more, and ends:', () => {
  it('bench with the bare program and processes of xpass', async () => {
    await checkStrikes(
      ['bench', 'switch/1472/1', ...SHORT],
      [
        { name: 'client', marker: 'perf -c', afterMs: 1_000 },
        { name: 'server', marker: 'perf -s' },
        { name: 'switch', marker: 'xpass.mjs switch' },
        { name: 'raw-server', marker: RAW },
        { name: 'raw-relay', marker: RAW, nth: 1 },
        { name: 'raw-client', marker: RAW, nth: 2, afterMs: 600 },
      ],
    );
  });

  it('bench with programs of its own', async () => {
    await checkStrikes(
      ['bench', 'message/1KiB', ...SHORT],
      [
        { name: 'sink', marker: FLOWS },
        { name: 'source', marker: FLOWS, nth: 1 },
      ],
    );
    await checkStrikes(
      ['bench', 'sim/dumbbell/2/10ms', ...SHORT],
      [{ name: 'simulator', marker: 'sim.child.js', afterMs: 0 }],
    );
  });

  it('lab', async () => {
    const path = join(temporary, 'scenario.yaml');
    await writeFile(
      path,
      'topology: { name: star, hosts: 2, rate: 10mbit }\nduration: 60s\nflows: [{ from: 1, to: 2 }]\n',
    );
    await checkStrikes(
      ['lab', path, '--rehearsal', '100ms', '--json'],
      [
        { name: 'the switch', marker: 'xpass.mjs switch', afterMs: 1_500 },
        { name: "host 'h1'", marker: 'host.child.js', afterMs: 1_500 },
        { name: "host 'h2'", marker: 'host.child.js', nth: 1 },
      ],
    );
  });

  it('demo', async () => {
    await checkStrikes(
      ['demo', '--senders', '2', '--bytes', '8MiB', '--link-rate', '50mbit', '--json'],
      [
        { name: 'sender 1', marker: '--as from-sender-1', afterMs: 4_500 },
        { name: 'the switch', marker: 'xpass.mjs switch' },
        { name: 'the receiver', marker: 'xpass.mjs daemon' },
        { name: 'the rehearsal', marker: '--as rehearsal' },
      ],
    );
  });
});

describe('figures', () => {
  /** Loaded into every thread of a command: breaks those that simulate. */
  async function figuresWith(sabotage: string) {
    const path = join(temporary, 'sabotage.mjs');
    await writeFile(path, `import { isMainThread } from 'node:worker_threads';\nif (!isMainThread) { ${sabotage} }\n`);
    vi.stubEnv('NODE_OPTIONS', `--import ${pathToFileURL(path).href}`);
    vi.stubEnv('XPASS_PATIENCE', '100ms');
    const { code, stderr } = await runXpass(
      'figures',
      'ec4',
      'ec4-swift-host',
      '--out',
      join(temporary, 'out'),
      '--jobs',
      '2',
    );
    expect(code, stderr).toBe(1);
    return stderr;
  }

  it('name a thread that ends', async () => {
    expect(await figuresWith('process.exit(7);')).toContain('a simulation thread ended with status 7');
  });

  it('name a thread that does not answer', async () => {
    const stderr = await figuresWith('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    expect(stderr).toContain('the simulation thread did not answer and nothing changed for 1.5 s');
  });
});

describe('a build', () => {
  it('names the process that keeps others from building, and gives up', async () => {
    const prepare = join(temporary, '.config', 'prepare.mjs');
    await mkdir(join(temporary, '.config'));
    await copyFile(fileURLToPath(new URL('../../.config/prepare.mjs', import.meta.url)), prepare);
    await writeFile(join(temporary, 'package-lock.json'), '{}');
    await mkdir(join(temporary, '.bootstrap.lock'));
    await writeFile(join(temporary, '.bootstrap.lock', `${process.pid}-held`), '');
    vi.stubEnv('XPASS_LOCK_SECONDS', '0.3');
    const { ensureInstalled } = (await import(/* @vite-ignore */ pathToFileURL(prepare).href)) as {
      ensureInstalled(): Promise<void>;
    };
    await expect(ensureInstalled()).rejects.toThrow(
      `process ${process.pid} has held .bootstrap.lock for 0.3 s: end it, or let it go on`,
    );
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { childrenOf, processes, runXpass } from './switch-lab.js';

// One process of each kind is stopped, where the wait for each has a bound of its own, and one or two of a command are killed, which every wait hears of
// (companion.test.ts): the command has to name it and end, and leave nothing behind.

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
/** What processes get here. Where cores are so busy that a command gives up before one of its processes could be struck, it gets more. */
const PATIENCES = ['3s', '12s'];
/** Commands at a time: most of their time is waiting. */
const AT_ONCE = 6;
const temporary = await mkdtemp(join(tmpdir(), 'xpass-lost-'));
const commands: ChildProcess[] = [];

afterAll(async () => {
  for (const command of commands) command.kill('SIGKILL');
  await rm(temporary, { recursive: true, force: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** What is done to a process: `pause` stops it for less than anybody waits. */
type Strike = 'SIGKILL' | 'SIGSTOP' | 'pause';

interface Victim {
  /** What messages call it. */
  readonly name: string;
  /** In its command line; of several that have it the `nth`, from 0. */
  readonly marker: string;
  readonly nth?: number;
  /** It is struck so long after its start, or after that of the process with this marker. */
  readonly since?: string;
  readonly afterMs?: number;
  readonly strikes: readonly Strike[];
}

interface CommandCase {
  readonly title: string;
  readonly args: readonly string[];
  readonly victims: readonly Victim[];
}

const STOPPED = ['SIGSTOP'] as const;
const KILLED = ['SIGKILL'] as const;
const BOTH = ['SIGSTOP', 'SIGKILL'] as const;
const RAW = 'raw.child.js';
const FLOWS = 'flows.child.js';
const SHORT = ['--seconds', '0.3', '--runs', '1', '--json'];
const SCENARIO = join(temporary, 'scenario.yaml');

const COMMANDS: readonly CommandCase[] = [
  {
    title: 'bench with the bare program and processes of xpass',
    args: ['bench', 'switch/1472/1', ...SHORT],
    victims: [
      { name: 'client', marker: 'perf -c', afterMs: 1_000, strikes: STOPPED },
      { name: 'server', marker: 'perf -s', strikes: KILLED },
      { name: 'switch', marker: 'xpass.mjs switch', strikes: STOPPED },
      { name: 'raw-client', marker: RAW, nth: 2, afterMs: 600, strikes: KILLED },
    ],
  },
  {
    title: 'bench, unless it is only late',
    args: ['bench', 'switch/1472/1', '--smoke', '--seconds', '1', '--json'],
    // The first look at what the processes use is late then, and the client has ended before the second.
    victims: [{ name: 'switch', marker: 'xpass.mjs switch', since: 'perf -c', afterMs: 400, strikes: ['pause'] }],
  },
  {
    title: 'demo',
    args: ['demo', '--senders', '2', '--bytes', '16MiB', '--link-rate', '20mbit', '--json'],
    victims: [
      { name: 'sender 1', marker: '--as from-sender-1', afterMs: 4_500, strikes: STOPPED },
      { name: 'the switch', marker: 'xpass.mjs switch', strikes: BOTH },
      { name: 'the receiver', marker: 'xpass.mjs daemon', strikes: STOPPED },
    ],
  },
  {
    title: 'bench with programs of its own',
    args: ['bench', 'message/1KiB', ...SHORT],
    victims: [
      { name: 'sink', marker: FLOWS, strikes: STOPPED },
      { name: 'source', marker: FLOWS, nth: 1, strikes: KILLED },
    ],
  },
  {
    title: 'lab',
    args: ['lab', SCENARIO, '--rehearsal', '100ms', '--json'],
    victims: [
      { name: 'the switch', marker: 'xpass.mjs switch', afterMs: 1_500, strikes: STOPPED },
      { name: "host 'h1'", marker: 'host.child.js', afterMs: 1_500, strikes: STOPPED },
      { name: "host 'h2'", marker: 'host.child.js', nth: 1, strikes: KILLED },
    ],
  },
  {
    title: 'bench with a simulation',
    args: ['bench', 'sim/dumbbell/2/10ms', ...SHORT],
    victims: [{ name: 'simulator', marker: 'sim.child.js', afterMs: 0, strikes: BOTH }],
  },
];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Outcome {
  readonly code: number | null;
  readonly stderr: string;
  readonly isStruck: boolean;
  /** Processes that it started and that are still there. */
  readonly left: readonly string[];
}

async function strikeOne(args: readonly string[], victim: Victim, strike: Strike): Promise<Outcome> {
  const [first, second] = PATIENCES;
  const outcome = await tryToStrike(args, { victim, strike, patience: first });
  return outcome.isStruck ? outcome : tryToStrike(args, { victim, strike, patience: second });
}

/** Runs a command, strikes one of its processes, and waits for the end of it all. */
async function tryToStrike(
  args: readonly string[],
  { victim, strike, patience }: { victim: Victim; strike: Strike; patience: string },
): Promise<Outcome> {
  const env = { ...process.env, TMPDIR: temporary, XPASS_PATIENCE: patience };
  const command = spawn(process.execPath, [EXECUTABLE, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
  commands.push(command);
  let stderr = '';
  command.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(command, 'close');
  const seen = new Set<number>();
  let isFound = false;
  let isStruck = false;
  while (command.exitCode === null) {
    const children = await childrenOf(command.pid as number);
    for (const { pid } of children) seen.add(pid);
    const found = children.filter((each) => each.command.includes(victim.marker))[victim.nth ?? 0];
    const hasBegun = children.some((each) => each.command.includes(victim.since ?? victim.marker));
    if (found !== undefined && hasBegun && !isFound) {
      isFound = true;
      isStruck = await strikeProcess(found.pid, victim, strike);
    }
    await Promise.race([ended, pause(isFound ? 200 : 20)]);
  }
  await ended;
  const left = (await processes()).filter(({ pid }) => seen.has(pid)).map((each) => each.command);
  return { code: command.exitCode, stderr, isStruck, left };
}

/** False where it has ended before. */
async function strikeProcess(pid: number, { afterMs = 300 }: Victim, strike: Strike): Promise<boolean> {
  await pause(afterMs);
  if (!signal(pid, strike === 'pause' ? 'SIGSTOP' : strike)) return false;
  if (strike !== 'pause') return true;
  await pause(700);
  return signal(pid, 'SIGCONT');
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

interface Case {
  readonly victim: Victim;
  readonly strike: Strike;
  readonly outcome: Promise<Outcome>;
}

const cases = new Map<string, Case[]>();

/** Begins with all commands, some at a time; tests wait for theirs. */
beforeAll(async () => {
  await writeFile(
    SCENARIO,
    'topology: { name: star, hosts: 2, rate: 10mbit }\nduration: 60s\nflows: [{ from: 1, to: 2 }]\n',
  );
  const waiting: (() => Promise<void>)[] = [];
  for (const { title, args, victims } of COMMANDS) {
    const begun = victims.flatMap((victim) =>
      victim.strikes.map((strike): Case => {
        const outcome = new Promise<Outcome>((resolve, reject) => {
          waiting.push(() => strikeOne(args, victim, strike).then(resolve, reject));
        });
        return { victim, strike, outcome };
      }),
    );
    cases.set(title, begun);
  }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  for (let worker = 0; worker < AT_ONCE; worker++) void work();
});

const WORDS = {
  SIGKILL: 'NAME ended with SIGKILL',
  // A host that starts late, on busy cores, finds a switch that has stopped already, and says so itself.
  SIGSTOP: '(did not|nothing changed).* last heard: .*NAME: .* ago|NAME at \\S+ has not answered',
} as const;

describe('a command names the process that is lost or answers no more, and ends:', () => {
  it.each(COMMANDS.map(({ title }) => title))('%s', async (title) => {
    for (const { victim, strike, outcome } of cases.get(title) ?? []) {
      const { code, stderr, isStruck, left } = await outcome;
      const what = `${strike} to ${victim.name}: ${stderr}`;
      expect([isStruck, left], what).toEqual([true, []]);
      if (strike === 'pause') {
        expect(code, what).toBe(0);
        continue;
      }
      expect(code, what).toBeGreaterThan(0);
      expect(stderr, what).toMatch(new RegExp(WORDS[strike].replaceAll('NAME', victim.name)));
    }
  });

  it('without a file that is left behind', async () => {
    await Promise.all([...cases.values()].flat().map(({ outcome }) => outcome));
    expect((await readdir(temporary)).filter((name) => /^xpass-(lab|demo)-/.test(name))).toEqual([]);
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

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { resultJson } from '../../src/report/output/result-json.js';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { simulate } from '../../src/sim/simulate.js';
import { FOUR_PATHS_FILE } from '../harness/four-paths.js';
import { childrenOf, type Process, runHere, silentPort, untilSo, XpassProcess } from './switch-lab.js';

// Real processes on a machine that may be busy: what arrives and how processes end is tested here, how well it agrees with the simulator in lab-parity.test.ts.

interface Flow {
  readonly id: number;
  readonly src: string;
  readonly dst: string;
  readonly bytes: number | null;
  readonly fct_s: number | null;
  readonly delivered_bytes: number;
  readonly error: string | null;
  readonly credits: { readonly used: number };
}

/** Three hosts at one switch, and two flows with an end. */
const TWO_FLOWS = `
topology: { name: star, hosts: 3, rate: 100mbit }
payload: bytes
flows:
  - { from: 1, to: 3, bytes: 300kB }
  - { from: 2, to: 3, bytes: 200kB, start: 20ms }
`;

let temporary = '';

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'xpass-test-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true, force: true });
});

async function scenarioFile(text: string): Promise<string> {
  const path = join(await mkdtemp(join(temporary, 'file-')), 'scenario.yaml');
  await writeFile(path, text);
  return path;
}

async function lab(text: string, ...args: string[]) {
  const path = await scenarioFile(text);
  const ended = await runHere('lab', path, '--rehearsal', '200ms', ...args);
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

async function labJson(text: string, ...args: string[]) {
  const { stdout } = await lab(text, '--json', ...args);
  return JSON.parse(stdout) as { flows: Flow[]; links: { name: string; lost: number }[]; duration_s: number };
}

/** What the simulator says of the same, played in this process. */
function simulatedJson(text: string) {
  const { result } = simulate(parseScenario(parse(text) as object));
  return JSON.parse(JSON.stringify(resultJson(result, 0))) as { flows: Flow[]; links: { name: string }[] };
}

/** What labs have left in the directory for temporary files. */
async function leftovers(): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('xpass-lab-'));
}

function isRunning({ pid }: Process): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A lab of two hosts that runs for a minute, and its processes. */
async function endlessLab(...args: string[]) {
  const text = 'topology: { name: star, hosts: 2, rate: 10mbit }\nduration: 60s\nflows: [{ from: 1, to: 2 }]\n';
  const running = new XpassProcess(['lab', await scenarioFile(text), '--json', ...args]);
  const parent = running.pid as number;
  const children = await untilSo(
    () => childrenOf(parent),
    ({ length }) => length === 3,
    'three processes',
  );
  return { running, parent, children };
}

describe('a lab', () => {
  it('plays the flows that the simulator plays, and says the same of them', async () => {
    const real = await labJson(TWO_FLOWS);
    const simulated = simulatedJson(TWO_FLOWS);
    expect(Object.keys(real)).toEqual(Object.keys(simulated));
    const facts = ({ id, src, dst, bytes, delivered_bytes, error }: Flow) => {
      return { id, src, dst, bytes, delivered_bytes, error };
    };
    expect(real.flows.map(facts)).toEqual(simulated.flows.map(facts));
    expect(real.flows.map(facts)).toEqual([
      { id: 0, src: 'h1', dst: 'h3', bytes: 300_000, delivered_bytes: 300_000, error: null },
      { id: 1, src: 'h2', dst: 'h3', bytes: 200_000, delivered_bytes: 200_000, error: null },
    ]);
    expect(Object.keys(real.flows[0])).toEqual(Object.keys(simulated.flows[0]));
    for (const { fct_s } of real.flows) {
      // 300 kB take 25 ms on the link; more than a second is a flow that lay idle.
      expect(fct_s).toBeGreaterThan(0.015);
      expect(fct_s).toBeLessThan(1);
    }
    expect(real.links.map(({ name }) => name)).toEqual(simulated.links.map(({ name }: { name: string }) => name));
    expect(Object.keys(real.links[0])).toEqual(Object.keys(simulated.links[0]));
    expect(await leftovers()).toEqual([]);
  });

  it('plays another plan with another seed, as the simulator does', async () => {
    const text = 'topology: { name: star, hosts: 4 , rate: 100mbit }\nflows: [{ kind: permutation, bytes: 20kB }]\n';
    const path = await scenarioFile(text);
    const pairs = (played: { flows: Pick<Flow, 'src' | 'dst'>[] }) =>
      played.flows.map(({ src, dst }) => `${src}->${dst}`);
    const args = ['--seed', '3', '--set', 'flows.0.bytes=30kB', '--json'];
    const { stdout } = await runHere('lab', path, '--rehearsal', '100ms', ...args);
    const real = JSON.parse(stdout) as { flows: Flow[] };
    expect(pairs(real)).toEqual(pairs(simulatedJson(`${text}seed: 3\n`)));
    expect(pairs(real)).not.toEqual(pairs(simulatedJson(text)));
    expect(real.flows[0].delivered_bytes).toBe(30_000);
  });

  it('moves data by every kind of algorithm', async () => {
    const windows = ['dctcp', 'swift', 'cubic', 'timely', 'hull', 'dx'];
    const { flows } = await labJson(`
topology: { name: star, hosts: 9, rate: 100mbit, frameSize: 8972, dataQueue: 1MiB, phantomDrain: 0.95 }
hosts:
${windows.map((algorithm, at) => `  - { hosts: ${at + 2}, algorithm: ${algorithm} }`).join('\n')}
  - { hosts: 9, algorithm: ec4 }
flows:
  - { from: 2-7, to: 1, bytes: 200kB }
  - { from: 8, to: 1, bytes: 200kB }
  - { from: 8, to: 9, bytes: 200kB }
`);
    expect(flows.map(({ delivered_bytes, error }) => [delivered_bytes, error])).toEqual(
      new Array(windows.length + 2).fill([200_000, null]),
    );
    expect(flows.map(({ credits }) => credits.used > 0)).toEqual([...windows.map(() => false), true, true]);
  });

  it('sprays the credits of a flow over the paths of a topology', async () => {
    const files = ['--set', 'flows=[{ from: 1, to: 5, bytes: 2MB }]', '--set', 'faults=[]', '--set', 'duration=20s'];
    const { code, stdout, stderr } = await runHere('lab', FOUR_PATHS_FILE, '--rehearsal', '200ms', '--json', ...files);
    expect(code, stderr).toBe(0);
    const { flows, links } = JSON.parse(stdout);
    expect(flows[0]).toMatchObject({ delivered_bytes: 2_000_000, error: null });
    const up = links.filter(({ name }: { name: string }) => name.startsWith('leaf1->spine'));
    expect(up.map(({ utilisation }: { utilisation: number }) => utilisation > 0.05)).toEqual([true, true, true, true]);
  });
});

describe('the files of a lab', () => {
  it('are those of xpass sim, with what was sampled over time, beside its summary for people', async () => {
    const [csv, report] = [join(temporary, 'csv'), join(temporary, 'lab.html')];
    const text = `
topology: { name: star, hosts: 3, rate: 20mbit }
duration: 1s
warmUp: 200ms
flows: [{ kind: incast, to: 3 }]
probes: { interval: 50ms, links: [s1->h3, h1->s1] }
`;
    const { stdout } = await lab(text, '--csv', csv, '--report', report);
    expect(stdout).toContain('scenario: steady, seed 1');
    expect(stdout).toContain('flows            2, ');
    expect(stdout).toMatch(/s1->h3 +20\.0+ Mbit\/s/);
    const lines = async (name: string) => (await readFile(join(csv, name), 'utf8')).trimEnd().split('\n');
    expect(await lines('flows.csv')).toHaveLength(3);
    expect(await lines('links.csv')).toHaveLength(7);
    const [titles, ...queues] = await lines('queues.csv');
    expect(titles).toBe('time_s,link,data_queue_bytes_max,credit_queue_frames_max,utilisation');
    expect(queues).toHaveLength(40);
    for (const [, link, , , utilisation] of queues.slice(10).map((line) => line.split(','))) {
      expect(Number(utilisation), link).toBeGreaterThan(0);
      expect(Number(utilisation), link).toBeLessThan(1.5);
    }
    const rates = (await lines('rates.csv')).slice(1).map((line) => line.split(','));
    expect(rates).toHaveLength(40);
    const sent = rates.reduce((sum, [, , , , goodputBps]) => sum + (Number(goodputBps) * 0.05) / 8, 0);
    const flows = (await lines('flows.csv')).slice(1).map((line) => Number(line.split(',')[9]));
    expect(sent).toBeCloseTo(flows[0] + flows[1], -5);
    expect(await readFile(report, 'utf8')).toContain('xpass lab ');
  });
});

describe('the faults of a lab', () => {
  it('restart the switch, and flows go on', async () => {
    const { flows, duration_s } = await labJson(`
topology: { name: star, hosts: 3, rate: 20mbit }
payload: bytes
flows: [{ kind: incast, to: 3, bytes: 1MB }]
faults: [{ at: 200ms, restart: s1, for: 100ms }]
`);
    expect(flows.map(({ delivered_bytes, error }) => [delivered_bytes, error])).toEqual([
      [1_000_000, null],
      [1_000_000, null],
    ]);
    // Two megabytes take 0.85 s on the link, and the switch was away for a part of it.
    expect(duration_s).toBeGreaterThan(0.9);
  });

  it('stop one switch of several, lose frames on links, and slow readers down', async () => {
    const { flows, links } = await labJson(`
topology: { name: dumbbell, pairs: 2, rate: 20mbit }
payload: bytes
flows: [{ kind: pairs, bytes: 500kB }]
faults:
  - { at: 50ms, restart: left, for: 50ms }
  - { at: 120ms, link: left->right, loss: 10%, for: 2s }
  - { at: 230ms, link: h1, down: true, for: 50ms }
  - { at: 300ms, reader: 4, rate: 4mbit }
`);
    expect(flows.map(({ delivered_bytes, error }) => [delivered_bytes, error])).toEqual([
      [500_000, null],
      [500_000, null],
    ]);
    const lost = (name: string) => links.find((link) => link.name === name)?.lost;
    expect(lost('left->right')).toBeGreaterThan(0);
  });

  it('crash hosts, whose flows end, and which come back with the flows that are still to start', async () => {
    const { flows } = await labJson(`
topology: { name: star, hosts: 3, rate: 20mbit }
duration: 4s
flows:
  - { from: 1, to: 3, bytes: 10MB }
  - { from: 2, to: 1, bytes: 10MB }
  - { from: 1, to: 3, bytes: 10kB, start: 350ms }
  - { from: 1, to: 3, bytes: 10kB, start: 2s }
  - { from: 3, to: 1, bytes: 10kB, start: 2s }
faults: [{ at: 300ms, crash: 1, for: 500ms }]
`);
    expect(flows.map(({ error }) => error)).toEqual(['hostCrash', 'reset', 'hostDown', null, null]);
    expect(flows.map(({ fct_s }) => fct_s !== null)).toEqual([false, false, false, true, true]);
    expect(flows[0].delivered_bytes).toBeGreaterThan(0);
    expect(flows[0].delivered_bytes).toBeLessThan(3_000_000);
  });
});

describe('the end of a lab', () => {
  it('comes in order by Ctrl-C', async () => {
    const { running, children } = await endlessLab();
    const { code, stdout, stderr } = await running.stop('SIGINT');
    expect([code, stdout, stderr]).toEqual([1, '', 'xpass lab: interrupted by SIGINT\n']);
    expect([children.filter(isRunning), await leftovers()]).toEqual([[], []]);
  });

  it('comes with the parent, also when that is killed', async () => {
    const { parent, children } = await endlessLab();
    process.kill(parent, 'SIGKILL');
    await untilSo(
      () => children.filter(isRunning),
      ({ length }) => length === 0,
      'the end of all processes',
    );
  });

  it('comes before the beginning where the port is taken', async () => {
    const port = await silentPort();
    const { code, stderr } = await runHere('lab', await scenarioFile(TWO_FLOWS), '--listen', `127.0.0.1:${port}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${port}`);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    [[], "'/nowhere/at/all.yaml'"],
    [['--set', 'hosts.0.clockDrift=10ppm'], 'clockDrift of host 1 is 10 ppm; allowed: 0'],
    [['--csv', join(process.execPath, 'csv')], `'${process.execPath}' is a file: a directory is needed`],
  ])('comes with what is wrong: %j', async (args, sentence) => {
    const path = args.length === 0 ? '/nowhere/at/all.yaml' : await scenarioFile(TWO_FLOWS);
    const { code, stdout, stderr } = await runHere('lab', path, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });
});

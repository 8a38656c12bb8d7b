// Tested by test/loopback/bench.test.ts

import type { SwitchControl, SwitchReport } from '../../services/control/client.js';
import { creditShare, Data, DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import type { Child } from '../shared/companion.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import type { Workbench } from './workbench.js';

/** Shorter averages vary with what the flows did just then, and a flow that joins has had its share after less (ours). */
const LEAST_SECONDS = 3;
const SENDERS = [4, 8, 16];
const ALGORITHMS = ['naive', 'steady'];
const DATA_WIRE_BYTES = wireBytes(DEFAULT_FRAME_BYTES);

/** What the algorithms do in networks of processes. */
export const NETWORKS: readonly Benchmark[] = [
  ...ALGORITHMS.map((name) => benchmark('parking-lot', name, (bench) => measureParkingLot(bench, name))),
  ...SENDERS.map((senders) => benchmark('demo', `${senders}`, (bench) => measureDemo(bench, senders))),
  benchmark('joining', null, measureJoining),
];

function benchmark(group: string, choice: string | null, run: Benchmark['run']): Benchmark {
  return { name: choice === null ? group : `${group}/${choice}`, group, mostRuns: 1, isSlow: true, run };
}

const PARKING_LOT = {
  /** Half of the demonstration's: seven processes share the cores, and the algorithms are what is measured (ours). */
  rateBps: 50e6,
  /** Both bottlenecks, in the direction of the data. */
  links: ['s1->s2', 's2->s3'],
  /** Sender and receiver of the flow over both links, and of the flow over each. */
  flows: [
    [1, 2],
    [3, 4],
    [5, 6],
  ],
  /** How long all flows may take to begin on a busy machine (ours). */
  startS: 30,
  /** Between looks at whether all receivers have data (ours). */
  lookS: 0.05,
  /** Looks in a row with data of every flow. One may see no more than a flow's first burst, which needs no credits (ours). */
  looks: 3,
};

/** The paper's Figure 3: the lowest utilisation of two bottlenecks in a row, as part of what data may have of a link. */
async function measureParkingLot(bench: Workbench, algorithm: string): Promise<BenchRow[]> {
  const { rateBps, flows } = PARKING_LOT;
  const shape = ['--topology', 'parking-lot', '--bottlenecks', '2', '--link-rate', `${rateBps}`];
  const { address, control } = await bench.listen('switch', '--listen', ':0', ...shape);
  // The paper has no bound on the queue, which holds naive credits back.
  const how = ['--switch', address, '--algorithm', algorithm, '--queue-bound', 'none'];
  await Promise.all(flows.map(([, receiver]) => bench.listen('perf', '-s', ...how, '--host-id', `${receiver}`)));
  const seconds = bench.secondsOf(LEAST_SECONDS);
  const durationS = PARKING_LOT.startS + bench.perfSeconds(seconds);
  const clients = flows.map(([sender, receiver]) =>
    bench
      .start('perf', '-c', `${receiver}`, ...how, '--host-id', `${sender}`, '-t', `${durationS}s`, '--json')
      .result({ takesMs: 1e3 * durationS }),
  );
  // A client that fails ends the benchmark at once. The workbench stops those that still run.
  const tooLate = Promise.race(clients).then(() => Number.NaN);
  const value = await Promise.race([lowestUtilisation(bench, control, seconds), tooLate]);
  const note = Number.isNaN(value) ? { note: 'a flow ended before the others had begun' } : {};
  return [{ value, unit: 'of the data share', ...note }];
}

async function lowestUtilisation(bench: Workbench, controlAddress: string, seconds: number): Promise<number> {
  const control = await bench.connect(controlAddress);
  try {
    await untilCarrying(bench, control);
    await bench.sleep(bench.warmUpSeconds);
    const before = await control.ports();
    await bench.sleep(seconds);
    const after = await control.ports();
    return Math.min(...PARKING_LOT.links.map((link) => utilisation(link, before, after)));
  } finally {
    control.close();
  }
}

/** Until every receiver has data, which takes as long as the machine needs, and ends with the clients. */
async function untilCarrying(bench: Workbench, control: SwitchControl): Promise<void> {
  let before = await control.ports();
  for (let looks = 0; looks < PARKING_LOT.looks; ) {
    await bench.sleep(PARKING_LOT.lookS);
    const now = await control.ports();
    const isFed = ([, receiver]: number[]) => sentBytes(`->h${receiver}`, now) > sentBytes(`->h${receiver}`, before);
    looks = PARKING_LOT.flows.every(isFed) ? looks + 1 : 0;
    before = now;
  }
}

/** By the port, or the end of its name. */
function sentBytes(port: string, { ports }: SwitchReport): number {
  return ports.find(({ name }) => name.endsWith(port))?.data.wireBytes ?? 0;
}

function utilisation(link: string, before: SwitchReport, after: SwitchReport): number {
  const shareBps = (PARKING_LOT.rateBps * DATA_WIRE_BYTES) / (MEAN_CREDIT_WIRE_BYTES + DATA_WIRE_BYTES);
  return ((sentBytes(link, after) - sentBytes(link, before)) * 8e9) / (after.atNs - before.atNs) / shareBps;
}

/** What `xpass demo --json` prints, as far as it is used here. */
interface DemoOutcome {
  readonly utilisation: number | null;
  readonly jain: number | null;
  readonly files: readonly { verified: boolean }[];
  readonly ports: readonly { name: string; data_drops: number; data_queue_bytes_max: number }[];
}

const BOTTLENECK = 's1->h1';
/** How often the demonstration is asked whether it is there (ours). */
const HEARTBEAT_MS = 1_000;

/** The demonstration, as `npm start` runs it. */
async function measureDemo(bench: Workbench, senders: number): Promise<BenchRow[]> {
  const outcome = await outcomeOf(bench, bench.start('demo', '--senders', `${senders}`, '--json'));
  const { utilisation, jain, files, ports } = outcome;
  const bottleneck = ports.find(({ name }) => name === BOTTLENECK);
  const queueFrames = (bottleneck?.data_queue_bytes_max ?? Number.NaN) / DATA_WIRE_BYTES;
  return [
    { part: 'utilisation', value: utilisation ?? Number.NaN, unit: 'of the data share' },
    { part: 'jain', value: jain ?? Number.NaN, unit: 'over 1 s' },
    { part: 'queue', value: queueFrames, unit: 'full frames at most' },
    { part: 'dropped', value: bottleneck?.data_drops ?? Number.NaN, unit: 'data frames' },
    { part: 'verified', value: files.filter(({ verified }) => verified).length, unit: 'files', raw: senders },
  ];
}

/** It bounds its own waits, so it may take as long as it answers. */
async function outcomeOf(bench: Workbench, demo: Child): Promise<DemoOutcome> {
  let answers = 0;
  const count = (): void => void answers++;
  const timer = setInterval(() => void bench.usage().then(count, () => undefined), HEARTBEAT_MS);
  try {
    return (await demo.result({ progress: () => answers })) as unknown as DemoOutcome;
  } finally {
    clearInterval(timer);
  }
}

const JOINING = {
  rateBps: 100e6,
  /** The length of the averages. */
  interval: '100ms',
  /** Near the fair share is what is within this part of it. */
  tolerance: 0.1,
};

/** How long a flow that joins a running one takes until it first has its fair share, within 10 % over 100 ms. */
async function measureJoining(bench: Workbench): Promise<BenchRow[]> {
  const shape = ['--topology', 'star', '--hosts', '3', '--link-rate', `${JOINING.rateBps}`, '--spin', 'never'];
  const { address } = await bench.listen('switch', '--listen', ':0', ...shape);
  const host = (id: number): string[] => ['--switch', address, '--host-id', `${id}`, '--spin', 'never'];
  await bench.listen('perf', '-s', ...host(1));
  const seconds = bench.secondsOf(LEAST_SECONDS);
  const client = (id: number, lastsS: number) =>
    bench
      .start('perf', '-c', '1', ...host(id), '-t', `${lastsS}s`, '-i', JOINING.interval, '--json')
      .result({ takesMs: 1e3 * lastsS });
  const running = client(2, bench.warmUpSeconds + seconds + 1);
  await bench.sleep(bench.warmUpSeconds);
  const joined = client(3, seconds);
  // The one that fails first ends the benchmark.
  const [{ intervals }] = await Promise.all([joined, running]);
  return [{ value: secondsToShare(intervals as readonly Interval[]), unit: 's' }];
}

interface Interval {
  readonly sum: { readonly end: number; readonly bits_per_second: number };
}

function secondsToShare(intervals: readonly Interval[]): number {
  const payload = (DEFAULT_FRAME_BYTES - Data.overheadBytes) / DATA_WIRE_BYTES;
  const fairBps = (JOINING.rateBps * (1 - creditShare(DEFAULT_FRAME_BYTES)) * payload) / 2;
  const reached = intervals.find(({ sum }) => sum.bits_per_second >= fairBps * (1 - JOINING.tolerance));
  return reached?.sum.end ?? Number.NaN;
}

// The measurement of docs/PERF-LOG.md, "Simulator": what two threads could gain for one simulation of the fat tree of 192 hosts.
// node deploy/measurements/sim-partition.mjs [flows]
//
// One thread plays the scenario and counts the events of two halves of the tree (pods and core switches) in windows as long as a link's delay: within one,
// nothing that a half does reaches the other. The slower half of each window is what two threads need. Then two threads hand each other as many frames at
// the end of as many windows, each looking at a counter until the other is there: on cores that others use, this takes ten times as long.
import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { bundleSources } from './sources.mjs';

const SELF = fileURLToPath(import.meta.url);
const MODULES = ['sim/simulate', 'sim/network', 'switch/fabric', 'switch/port-record', 'scenario/parse-scenario'];
/** Of the fat tree: hosts, ToR, aggregation and core switches in a half. */
const IN_HALF = { h: 96, tor: 16, agg: 8, core: 4 };
/** A link's delay, and the shortest frame at 10 Gbit/s: it is at the far end that long after its transmission has begun. */
const WINDOW_NS = 4_000 + 67.2;
/** A frame's 64 bytes and its times. */
const FRAME_DOUBLES = 10;
const LEAST_EXCHANGES = 10_000;

/** 0 or 1, by the name of a node. */
function halfOf(name) {
  const [, kind, digits] = /^([a-z]+)(\d+)$/.exec(name);
  return digits <= IN_HALF[kind] ? 0 : 1;
}

class Windows {
  /** By window: events of each half. */
  counts = [];
  crossings = 0;
  /** Frames from the other half that came to a switch at the very time of another frame: one thread knows which goes first, two do not. */
  ties = 0;
  endNs = Number.NEGATIVE_INFINITY;
  latest = new Map();
  /** What happens in the fabric at the latest time, by half: whether it is a frame from the other half, and when its deadline was set. */
  present = { atNs: Number.NEGATIVE_INFINITY, ofHalf: [[], []] };
  /** Frames from the other half that come at the very time of another event of this half; those of them whose deadlines were set at one time too. */
  equal = 0;
  undecided = 0;

  noteEqual(atNs, half, { isCrossing, setNs }) {
    if (atNs !== this.present.atNs) {
      for (const events of this.present.ofHalf) this.countEqual(events);
      this.present = { atNs, ofHalf: [[], []] };
    }
    this.present.ofHalf[half].push({ isCrossing, setNs });
  }

  countEqual(events) {
    for (const event of events) {
      if (!event.isCrossing || events.length < 2) continue;
      this.equal++;
      if (events.some((other) => other !== event && other.setNs === event.setNs)) this.undecided++;
    }
  }

  note(nowNs, half) {
    if (nowNs >= this.endNs) {
      this.counts.push([0, 0]);
      this.endNs = nowNs + WINDOW_NS;
    }
    this.counts[this.counts.length - 1][half]++;
  }

  noteArrival(nowNs, node, isCrossing) {
    const latest = this.latest.get(node);
    if (isCrossing) this.crossings++;
    if (latest?.atNs === nowNs && (isCrossing || latest.isCrossing)) this.ties++;
    this.latest.set(node, { atNs: nowNs, isCrossing });
  }
}

/** Notes when each deadline was set, and what happens at one time. */
function watchTies({ Fabric, PortField }, windows) {
  const { schedule, service } = Fabric.prototype;
  const setNs = new Map();
  Fabric.prototype.schedule = function (direction) {
    const beforeNs = direction.deadlineNs;
    schedule.call(this, direction);
    if (direction.deadlineNs !== beforeNs) setNs.set(direction, this.timeNs);
  };
  Fabric.prototype.service = function (direction) {
    const { numbers, at, place } = direction;
    const halves = [place.from, place.to].map(halfOf);
    const isCut = halves[0] !== halves[1];
    const event = { setNs: setNs.get(direction) };
    const arrives = numbers[at + PortField.nextArrivalNs] <= this.timeNs;
    const starts = numbers[at + PortField.nextStartNs] <= this.timeNs;
    if (arrives) windows.noteEqual(this.timeNs, halves[1], { ...event, isCrossing: isCut });
    if (starts && (isCut || !arrives)) windows.noteEqual(this.timeNs, halves[0], { ...event, isCrossing: false });
    return service.call(this, direction);
  };
}

function watch({ Fabric, Network }, windows) {
  const { arrive } = Fabric.prototype;
  Fabric.prototype.arrive = function (direction, frame) {
    const { from, to } = direction.place;
    windows.note(this.timeNs, halfOf(to));
    windows.noteArrival(this.timeNs, to, halfOf(from) !== halfOf(to));
    return arrive.call(this, direction, frame);
  };
  const { advanceHost } = Network.prototype;
  Network.prototype.advanceHost = function (port, nowNs) {
    windows.note(nowNs, halfOf(`h${this.hosts[port].id}`));
    return advanceHost.call(this, port, nowNs);
  };
}

async function player(bundle, flows) {
  const { parseScenario, simulate, ...classes } = await import(pathToFileURL(bundle));
  const scenario = parseScenario({
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us' },
    flows: [{ kind: 'poisson', workload: 'web-server', load: 0.6, loadRate: '640gbit', flows }],
  });
  return { classes, play: () => simulate(scenario, { slowdowns: false }) };
}

/** Two threads: each writes `frames` frames, waits for the other, and reads its frames. us a round, of the second half of the rounds. */
function exchange({ memory, rounds, frames, side }) {
  const turns = new Int32Array(memory, 0, 2);
  const boxOf = (owner) => new Float64Array(memory, 64 + 8 * owner * frames * FRAME_DOUBLES, frames * FRAME_DOUBLES);
  const [own, other] = [boxOf(side), boxOf(1 - side)];
  const meet = (turn) => {
    Atomics.store(turns, side, turn);
    while (Atomics.load(turns, 1 - side) < turn);
  };
  let fromMs = 0;
  for (let round = 0; round < 2 * rounds; round++) {
    if (round === rounds) fromMs = performance.now();
    own.fill(round);
    meet(2 * round + 1);
    if (other.some((number) => number !== round)) throw new Error('a frame of another round');
    meet(2 * round + 2);
  }
  return ((performance.now() - fromMs) * 1e3) / rounds;
}

async function exchangeUs(rounds, frames) {
  const memory = new SharedArrayBuffer(64 + 16 * frames * FRAME_DOUBLES);
  new Worker(SELF, { workerData: { memory, rounds, frames, side: 1 } });
  return exchange({ memory, rounds, frames, side: 0 });
}

async function main() {
  const bundle = await bundleSources('sim-partition', MODULES, ['zod', 'yaml']);
  const { classes, play } = await player(bundle, Number(process.argv[2] ?? 3_000)).finally(() => rmSync(bundle));
  // Once to compile it.
  play();
  const fromMs = performance.now();
  play();
  const oneMs = performance.now() - fromMs;
  const windows = new Windows();
  watch(classes, windows);
  watchTies(classes, windows);
  play();
  const { counts, crossings, ties } = windows;
  const events = counts.reduce((sum, [one, other]) => sum + one + other, 0);
  const part = counts.reduce((sum, [one, other]) => sum + Math.max(one, other), 0) / events;
  const frames = Math.ceil(crossings / counts.length / 2);
  const us = await exchangeUs(Math.max(counts.length, LEAST_EXCHANGES), frames);
  const exchangesMs = (counts.length * us) / 1e3;
  const bound = oneMs / (oneMs * part + exchangesMs);
  console.log(
    `${counts.length} windows of ${(events / counts.length).toFixed(0)} events; slower half: ${part.toFixed(3)} of all`,
  );
  console.log(`${crossings} frames cross, ${ties} of them come to a switch at the very time of another`);
  console.log(
    `${windows.equal} at the time of another event of their half, ${windows.undecided} of them with deadlines that were set at one time too`,
  );
  console.log(
    `one thread: ${oneMs.toFixed(0)} ms; ${frames} frames each way a window: ${us.toFixed(1)} us, ${exchangesMs.toFixed(0)} ms in all`,
  );
  console.log(`two threads: ${bound.toFixed(2)} times as fast at most`);
}

if (isMainThread) await main();
else exchange(workerData);

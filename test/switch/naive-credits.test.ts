import { describe, expect, it } from 'vitest';
import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { SeededRandom } from '../../src/base/random.js';
import { transmissionNs } from '../../src/base/time.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { Fabric } from '../../src/switch/fabric.js';
import { DEFAULT_PORT, Port } from '../../src/switch/port.js';
import type { Topology } from '../../src/switch/topology.js';
import { frameType, sourceHost } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { creditShare, DEFAULT_FRAME_BYTES, FrameType } from '../../src/wire/layout.js';
import { TEST_SEED } from '../harness/seeds.js';
import { CountingPool, creditFrame, dataFrame, FULL_WIRE_BYTES } from './frames.js';

interface NaiveFlow {
  /** Host ids. */
  sender: number;
  receiver: number;
}

interface NaiveOptions {
  topology: Topology;
  flows: readonly NaiveFlow[];
  seed: number;
  /** Of every link. */
  rateBps: number;
  /** Credits take 84 to this many wire bytes, uniformly. */
  maxCreditWireBytes: number;
  /** Share of the gap between credits by which it varies either way. */
  jitter: number;
}

/**
 * Receivers that send credits at the link's rate whatever becomes of them, and senders that answer each with a full frame: the naive scheme of ExpressPass
 * 2016, without any of `src/core`. It shows what ports and fabrics do to credits and data under the most credits that there can be.
 */
class NaiveCredits {
  readonly pool = new CountingPool();
  readonly fabric: Fabric;
  /** Data frames that arrived, by flow. */
  readonly arrived: number[];
  private readonly options: NaiveOptions;
  private readonly random: SeededRandom;
  private readonly nics: Port[];
  /** Slots: flows, then NICs, then the fabric. */
  private readonly events = new DeadlineHeap();
  private readonly fabricSlot: number;
  private readonly flowOfReceiver: Map<number, number>;

  constructor(options: NaiveOptions) {
    const { topology, flows, seed, rateBps } = options;
    this.options = options;
    this.random = new SeededRandom(seed);
    this.fabric = new Fabric({ topology, random: this.random, pool: this.pool, earlyNs: 0 });
    this.nics = topology.hosts.map(() => new Port({ ...DEFAULT_PORT, rateBps }));
    this.fabricSlot = flows.length + this.nics.length;
    this.arrived = flows.map(() => 0);
    this.flowOfReceiver = new Map(flows.map(({ receiver }, flow) => [receiver, flow]));
    flows.forEach((_, flow) => {
      this.events.set(flow, this.random.next() * this.gapNs());
    });
  }

  run(untilNs: number): void {
    while (this.events.peekDeadline() <= untilNs) this.step(this.events.peekSlot(), this.events.peekDeadline());
  }

  private step(slot: number, nowNs: number): void {
    const flow = this.options.flows[slot];
    if (flow !== undefined) {
      this.sendCredit(flow, nowNs);
      this.events.set(slot, nowNs + this.gapNs());
    } else if (slot === this.fabricSlot) {
      this.fabric.advance(nowNs);
    } else {
      this.drainNic(slot - this.options.flows.length, nowNs);
    }
    for (let frame = this.fabric.poll(); frame !== null; frame = this.fabric.poll()) this.receive(frame, nowNs);
    this.events.set(this.fabricSlot, this.fabric.nextTimeout());
  }

  private gapNs(): number {
    const gapNs = transmissionNs(88 + FULL_WIRE_BYTES, this.options.rateBps);
    return gapNs * (1 + this.options.jitter * (2 * this.random.next() - 1));
  }

  private sendCredit({ sender, receiver }: NaiveFlow, nowNs: number): void {
    const sizes = this.options.maxCreditWireBytes - 84 + 1;
    const wireBytes = 84 + Math.floor(this.random.next() * sizes);
    const into = this.pool.take();
    this.send(
      receiver,
      creditFrame({ source: receiver, destination: sender, flowId: receiver, wireBytes, into }),
      nowNs,
    );
  }

  private send(host: number, frame: Frame, nowNs: number): void {
    if (this.nics[host - 1].enqueue(frame, nowNs) !== 0) this.pool.give(frame);
    this.drainNic(host - 1, nowNs);
  }

  private drainNic(index: number, nowNs: number): void {
    const nic = this.nics[index];
    nic.advance(nowNs);
    for (let frame = nic.dequeue(); frame !== null; frame = nic.dequeue()) {
      this.fabric.handleDeparture(index, frame, nowNs);
    }
    this.events.set(this.options.flows.length + index, nic.nextTimeout());
  }

  /** Hosts are in the order of their ids. */
  private receive(frame: Frame, nowNs: number): void {
    const host = frame.port + 1;
    if (frameType(frame.bytes) === FrameType.credit) {
      const receiver = sourceHost(frame.bytes);
      this.send(
        host,
        dataFrame({ source: host, destination: receiver, flowId: receiver, unchecked: true, into: frame }),
        nowNs,
      );
      return;
    }
    this.arrived[this.flowOfReceiver.get(host) ?? 0]++;
    this.pool.give(frame);
  }
}

const RATE_BPS = 1e10;
const WARM_UP_NS = 3e6;
const END_NS = 13e6;
/** Wire bytes of data that a link carries in the measured time when every credit that it lets through is used. */
const DATA_SHARE_BYTES = ((1 - creditShare(DEFAULT_FRAME_BYTES)) * RATE_BPS * (END_NS - WARM_UP_NS)) / 8e9;
const seed = TEST_SEED;
/** Each test takes a second of a core, which may be shared with other tests. */
const SLOW_MACHINE_MS = 30_000;

/** The chain's links under one flow over all of them and one over each; links of 4 us as in the authors' runs. */
function parkingLot(bottlenecks: number, runSeed: number) {
  const flows: NaiveFlow[] = [{ sender: 1, receiver: 2 }];
  for (let link = 1; link <= bottlenecks; link++) flows.push({ sender: 2 * link + 1, receiver: 2 * link + 2 });
  const topology = builtinTopology('parking-lot', { bottlenecks, rateBps: RATE_BPS, delayNs: 4000 });
  const options = { topology, flows, seed: runSeed, rateBps: RATE_BPS, maxCreditWireBytes: 92, jitter: 0.1 };
  const world = new NaiveCredits(options);
  world.run(WARM_UP_NS);
  world.fabric.resetStatistics(WARM_UP_NS);
  world.run(END_NS);
  const ports = world.fabric.statistics(END_NS).filter(({ name }) => /^s\d+->s\d+$/.test(name));
  const forward = ports.filter(({ data }) => data.frames > 0);
  return { utilisations: forward.map(({ data }) => data.wireBytes / DATA_SHARE_BYTES), ports, forward };
}

describe('credits at full rate, whatever becomes of them', () => {
  it(
    'fill one bottleneck with data and nothing more',
    () => {
      const { utilisations, ports, forward } = parkingLot(1, seed);
      expect(utilisations[0], `seed ${seed}`).toBeGreaterThan(0.995);
      expect(utilisations[0], `seed ${seed}`).toBeLessThan(1.005);
      expect(forward[0].dataQueueBytesMax, `seed ${seed}`).toBeLessThanOrEqual(2 * FULL_WIRE_BYTES);
      const credits = ports.find(({ credit }) => credit.frames > 0);
      expect(credits?.creditQueueFramesMax).toBe(8);
      expect(credits?.drops.creditQueueFull, `seed ${seed}`).toBeGreaterThan(1000);
    },
    SLOW_MACHINE_MS,
  );

  // Means of four seeds. One run has a standard deviation of 0.04 (16 seeds), so that 0.1 is five of a mean's. The authors' code
  // gives 0.79 and 0.57 with credits of 76 to 92 B, the paper 0.83 and 0.60; credits of 84 to 92 B are more alike and drop more in step.
  it.each([
    [2, 0.77],
    [6, 0.51],
  ])(
    'waste what several bottlenecks in a row drop: the lowest of %i links is about %d full',
    (links, expected) => {
      const lowest = [0, 1, 2, 3].map((run) => {
        const { utilisations, forward } = parkingLot(links, seed + run);
        expect(Math.max(...utilisations), `seed ${seed + run}`).toBeLessThan(1.005);
        for (const { drops } of forward) expect(drops.dataQueueFull).toBeUndefined();
        return Math.min(...utilisations);
      });
      const mean = lowest.reduce((sum, one) => sum + one) / lowest.length;
      expect(Math.abs(mean - expected), `seed ${seed}`).toBeLessThan(0.1);
    },
    SLOW_MACHINE_MS,
  );
});

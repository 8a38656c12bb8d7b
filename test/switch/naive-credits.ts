import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { SeededRandom } from '../../src/base/random.js';
import { transmissionNs } from '../../src/base/time.js';
import { Fabric } from '../../src/switch/fabric.js';
import { DEFAULT_PORT, Port } from '../../src/switch/port.js';
import type { Topology } from '../../src/switch/topology.js';
import { frameType, sourceHost } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { FrameType } from '../../src/wire/layout.js';
import { CountingPool, creditFrame, dataFrame, FULL_WIRE_BYTES } from './frames.js';

export interface NaiveFlow {
  /** Host ids. */
  sender: number;
  receiver: number;
}

export interface NaiveOptions {
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
export class NaiveCredits {
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

// Tested by test/sim/parts/parts.test.ts
import type { Clockwork } from '../clockwork.js';
import type { FlowRun } from '../flow-run.js';
import type { Scenario } from '../scenario.js';
import { type PartRun, type RunPart, Simulation } from '../simulate.js';
import type { TrafficPlayer } from '../traffic-player.js';
import type { MakeFabric, World } from '../world.js';
import { Exchange, type ExchangeMemory } from './exchange.js';
import { FrameBox } from './frame-box.js';
import { OnlyWhole } from './only-whole.js';
import { PartFabric } from './part-fabric.js';
import { PartLoop } from './part-loop.js';
import { type Partition, partitionOf } from './partition.js';

/** Faults that reach no program: what these do to a flow, its other end would have to know at once. */
const PLAYED_FAULTS = new Set(['link', 'switchRestart', 'clock']);

/** Throws OnlyWhole if the scenario cannot be played in `parts` parts. */
export function checkedPartition(scenario: Scenario, parts: number): Partition {
  const fault = scenario.faults.find(({ kind }) => !PLAYED_FAULTS.has(kind));
  if (fault !== undefined) throw new OnlyWhole(`it has a fault of the kind '${fault.kind}'`);
  if (scenario.probes.intervalNs > 0) throw new OnlyWhole('it is sampled along the way');
  if (scenario.ties !== 'places') throw new OnlyWhole('its ties are not those of places (--set ties=places)');
  return partitionOf(scenario, parts);
}

export interface PartOptions {
  readonly partition: Partition;
  readonly part: number;
  readonly memory: ExchangeMemory;
  readonly onWindow?: (nowNs: number) => void;
}

/** One part of a world, for a thread of its own: it knows all of it and plays what is its own. */
export class Part implements RunPart {
  readonly exchange: Exchange;
  private readonly options: PartOptions;
  private readonly partition: Partition;
  private readonly part: number;
  /** By round, even or odd, then by other part. */
  private readonly sent: readonly ReadonlyMap<number, FrameBox>[];
  private readonly received: readonly ReadonlyMap<number, FrameBox>[];
  private sending: ReadonlyMap<number, FrameBox>;
  private fabric: PartFabric | null = null;

  constructor(options: PartOptions) {
    const { partition, part, memory } = options;
    this.options = options;
    this.partition = partition;
    this.part = part;
    this.exchange = new Exchange(memory, part);
    const { others } = this.exchange;
    const boxes = (memoryOf: (other: number) => readonly SharedArrayBuffer[]) =>
      [0, 1].map((parity) => new Map(others.map((other) => [other, new FrameBox(memoryOf(other)[parity])])));
    this.sent = boxes((other) => memory.boxes[part][other]);
    this.received = boxes((other) => memory.boxes[other][part]);
    this.sending = this.sent[0];
  }

  /** Yields while it waits for other parts. Throws OnlyWhole, or Abandoned where another part has thrown. */
  *play(scenario: Scenario): Generator<number, PartRun> {
    try {
      return yield* new Simulation(scenario, { part: this, makeFabric: this.makeFabric }).play();
    } catch (error) {
      this.exchange.abandon();
      throw error;
    }
  }

  owns(port: number): boolean {
    return this.partition.ofPort[port] === this.part;
  }

  opened({ plan, toPort }: FlowRun, wireId: number): void {
    this.boxFor(this.partition.ofPort[toPort]).putOpened(plan.id, wireId);
  }

  failed({ fromPort, toPort, error }: FlowRun): void {
    if (!this.owns(fromPort) || !this.owns(toPort)) throw new OnlyWhole(`a flow between its parts failed (${error})`);
  }

  clockwork({ network }: World, player: TrafficPlayer): Clockwork {
    checkFlows(player.runs);
    const runs = new Map(player.runs.map((run) => [run.plan.id, run]));
    const fabric = this.fabric as PartFabric;
    const reader = {
      frame: (direction: number, box: FrameBox) => fabric.bring(direction, box),
      opened: (plan: number, wireId: number) => player.expect(runs.get(plan) as FlowRun, wireId),
    };
    const { onWindow = () => {} } = this.options;
    const { windowNs } = this.partition;
    return new PartLoop({
      ...{ network, windowNs, onWindow, exchange: this.exchange },
      close: () => {
        for (const box of this.sending.values()) box.end();
        return fabric.takeEarliestSent();
      },
      open: (round) => {
        this.sending = this.sent[round & 1];
        for (const box of this.sending.values()) box.begin();
        for (const box of this.received[(round - 1) & 1].values()) box.read(reader);
      },
    });
  }

  private readonly makeFabric: MakeFabric = (options) => {
    const { partition, part } = this;
    this.fabric = new PartFabric({ ...options, partition, part, boxFor: this.boxFor });
    return this.fabric;
  };

  private readonly boxFor = (part: number): FrameBox => this.sending.get(part) as FrameBox;
}

/** What one end of a flow does at once when the other has come to something has to be in one part. */
function checkFlows(runs: readonly FlowRun[]): void {
  for (const { plan } of runs) {
    if (plan.afterId !== undefined) throw new OnlyWhole('flows start when others have ended');
    if (plan.stopNs !== Number.POSITIVE_INFINITY) throw new OnlyWhole('a flow is stopped at a time');
  }
}

// Tested by test/sim/simulate.test.ts
import type { LinkDirection } from '../../switch/link-direction.js';
import type { PortConfig } from '../../switch/port.js';
import { PortDrop, type PortSnapshot, type PortStatistics } from '../../switch/port-statistics.js';
import type { LinkResult } from '../result.js';
import { dataUtilisation } from './utilisation.js';

/** Reasons of drops that are the link's, not the port's. */
const LOSSES = ['down', 'mtu', 'lost', 'burstLost', 'corrupted', 'lineFull', 'switchDown'] as const;

/** What one sample of a link says. */
export interface LinkSample {
  queueBytes: number;
  creditQueueFrames: number;
  creditDrops: number;
  utilisation: number;
}

/** Reads one direction of a link: counts of the port that sends into it, of a switch or a NIC, and losses on the way. */
export class LinkProbe {
  readonly name: string;
  private readonly direction: LinkDirection;
  private readonly sending: PortStatistics;
  private readonly config: () => Readonly<PortConfig>;
  private queueBytesMaxBefore = 0;
  private sampledDataBytes = 0;
  private sampledCreditDrops = 0;

  constructor(direction: LinkDirection, sending: PortStatistics, config: () => Readonly<PortConfig>) {
    this.name = direction.place.name;
    this.direction = direction;
    this.sending = sending;
    this.config = config;
  }

  /** null: unlimited. */
  get rateBps(): number | null {
    return rateOf(this.config());
  }

  /** The measured time begins. */
  reset(nowNs: number): void {
    this.queueBytesMaxBefore = this.sending.snapshot(nowNs).dataQueueBytesMax;
    // The sample under way keeps what was carried in it so far.
    this.sampledDataBytes -= this.sending.dataWireBytes;
    this.sampledCreditDrops -= this.creditDrops;
    this.sending.reset(nowNs);
    if (this.direction.statistics !== this.sending) this.direction.statistics.reset(nowNs);
  }

  /** The `intervalNs` since the last sample. */
  sample(intervalNs: number): LinkSample {
    const dataBytes = this.sending.dataWireBytes;
    const utilisation = this.utilisation(dataBytes - this.sampledDataBytes, intervalNs);
    this.sampledDataBytes = dataBytes;
    const dropsBefore = this.sampledCreditDrops;
    this.sampledCreditDrops = this.creditDrops;
    return {
      queueBytes: this.sending.takeQueuePeak(),
      creditQueueFrames: this.sending.creditQueueLength,
      creditDrops: this.sampledCreditDrops - dropsBefore,
      utilisation,
    };
  }

  /** Over `measuredNs` that end now. */
  result(nowNs: number, measuredNs: number): LinkResult {
    const port = this.sending.snapshot(nowNs);
    const line = this.direction.statistics === this.sending ? port : this.direction.statistics.snapshot(nowNs);
    const { name, queueBytesMaxBefore } = this;
    return linkResult({ name, config: this.config(), port, line, measuredNs, queueBytesMaxBefore });
  }

  /** Of both classes, since the last reset. */
  private get creditDrops(): number {
    const { drops } = this.sending;
    return drops[PortDrop.creditQueueFull] + drops[PortDrop.lowCreditQueueFull];
  }

  private utilisation(dataWireBytes: number, timeNs: number): number {
    const { rateBps, maxFrameBytes } = this.config();
    return dataUtilisation(dataWireBytes, timeNs, { rateBps, maxFrameBytes });
  }
}

export interface LinkCounts {
  readonly name: string;
  readonly config: Readonly<PortConfig>;
  /** What was counted by the port that sends into the direction. */
  readonly port: PortSnapshot;
  /** What was counted on the way, which is the same where the port belongs to a switch. */
  readonly line: PortSnapshot;
  readonly measuredNs: number;
  /** The largest data queue before the measured time. */
  readonly queueBytesMaxBefore: number;
}

/** What one direction of a link came to. */
export function linkResult({ name, config, port, line, measuredNs, queueBytesMaxBefore }: LinkCounts): LinkResult {
  const creditDrops = count(port, 'creditQueueFull') + count(port, 'lowCreditQueueFull');
  return {
    name,
    rateBps: rateOf(config),
    utilisation: dataUtilisation(port.data.wireBytes, measuredNs, config),
    dataQueueBytesMaxEver: Math.max(port.dataQueueBytesMax, queueBytesMaxBefore),
    dataQueueBytesMax: port.dataQueueBytesMax,
    dataQueueBytesMean: port.dataQueueBytesMean,
    creditsOffered: port.credit.frames + creditDrops,
    creditDrops,
    dataDrops: count(port, 'dataQueueFull'),
    speculativeDrops: count(port, 'speculative'),
    lost: lostOnTheWay(line),
    ecnMarks: port.ecnMarks,
  };
}

function rateOf({ rateBps }: Readonly<PortConfig>): number | null {
  return Number.isFinite(rateBps) ? rateBps : null;
}

function count({ drops }: PortSnapshot, reason: string): number {
  return drops[reason] ?? 0;
}

function lostOnTheWay(snapshot: PortSnapshot): number {
  return LOSSES.reduce((sum, reason) => sum + count(snapshot, reason), 0);
}

// Tested by test/switch/fabric.test.ts

import type { Random } from '../base/random.js';
import * as time from '../base/time.js';
import { DelayLine } from './delay-line.js';
import type { Impairment, ImpairmentConfig } from './impairment.js';
import { Port, type PortConfig } from './port.js';
import type { PortRecords } from './port-record.js';
import * as portRecord from './port-record.js';
import { type PortSnapshot, PortStatistics } from './port-statistics.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { PortField: F } = portRecord;

/** Where one direction of a link runs. */
export interface DirectionPlace {
  /** `from->to`, unique in the fabric. */
  readonly name: string;
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** Its place in the fabric's table. */
  readonly index: number;
  /** The switch that it leads to; -1 where it leaves the fabric. */
  readonly toSwitch: number;
  /** The fabric's port by which it leaves; -1 where it leads to a switch. */
  readonly exitPort: number;
  /** Neither end is a host; what is behind a trunk are switches. */
  readonly isBetweenSwitches: boolean;
  /** False where the sending end is in another process, whose own port has metered and serialised. */
  readonly hasPort: boolean;
  /** False where a trunk comes in: the process at its other end adds the delay of what it sends, as this one does. */
  readonly addsDelay: boolean;
}

/** One direction of a link as plain JSON. */
export interface DirectionSnapshot extends PortSnapshot {
  name: string;
  link: string;
  from: string;
  to: string;
  /** null: unlimited. */
  rateBps: number | null;
  delayNs: number;
  impairment: ImpairmentConfig;
}

export interface DirectionOptions {
  config: PortConfig;
  impairment: Impairment;
  /** For marking credits. */
  random: Random;
  /** How long before its arrival a frame that leaves the fabric is handed over. */
  earlyNs: number;
  /** Of the fabric. */
  records: PortRecords;
}

/** One direction of a link: the port that sends into it, what it does to frames, and the frames on their way along it. Port, line and statistics share a record. */
export class LinkDirection {
  // What each frame needs comes first, as in a port.
  readonly numbers: Float64Array;
  readonly at: number;
  readonly line: DelayLine;
  /** Its impairment does something. */
  isImpaired: boolean;
  readonly port: Port | null;
  /** Of its place. */
  readonly index: number;
  readonly toSwitch: number;
  readonly exitPort: number;
  readonly earlyNs: number;
  readonly place: DirectionPlace;
  readonly impairment: Impairment;
  readonly statistics: PortStatistics;
  private config: PortConfig;

  constructor(place: DirectionPlace, { config, impairment, random, earlyNs, records }: DirectionOptions) {
    const record = records.take();
    const statistics = new PortStatistics(record);
    this.numbers = record.numbers;
    this.at = record.at;
    this.earlyNs = place.exitPort < 0 ? 0 : earlyNs;
    this.line = new DelayLine(record, this.earlyNs);
    this.isImpaired = impairment.active;
    this.port = place.hasPort ? new Port(config, statistics, random) : null;
    this.index = place.index;
    this.toSwitch = place.toSwitch;
    this.exitPort = place.exitPort;
    this.place = place;
    this.impairment = impairment;
    this.statistics = statistics;
    this.config = config;
    this.numbers[this.at + F.deadlineNs] = this.numbers[this.at + F.nextStartNs] = NEVER;
    this.numbers[this.at + F.linkDelayNs] = place.addsDelay ? config.delayNs : 0;
  }

  get settings(): Readonly<PortConfig> {
    return this.config;
  }

  /** Propagation from one end to the other, as far as it is added here. */
  get delayNs(): number {
    return this.numbers[this.at + F.linkDelayNs];
  }

  /** Its impairment loses everything. */
  get isCut(): boolean {
    return this.impairment.settings.down;
  }

  /** Paths may go through it, since it is not a host's; a trunk leads to switches of another process. */
  get isBetweenSwitches(): boolean {
    return this.place.isBetweenSwitches;
  }

  /** What the fabric's heap holds for this direction. */
  get deadlineNs(): number {
    return this.numbers[this.at + F.deadlineNs];
  }

  configure(port: Partial<PortConfig>, impairment: Partial<ImpairmentConfig>, nowNs: number): void {
    this.config = { ...this.config, ...port };
    this.numbers[this.at + F.linkDelayNs] = this.place.addsDelay ? this.config.delayNs : 0;
    this.impairment.configure(impairment);
    this.isImpaired = this.impairment.active;
    this.port?.configure(port, nowNs);
  }

  /** When something happens here next: a transmission starts or a frame arrives. */
  nextTimeout(): number {
    return Math.min(this.numbers[this.at + F.nextArrivalNs], this.numbers[this.at + F.nextStartNs]);
  }

  snapshot(nowNs: number): DirectionSnapshot {
    const { name, link, from, to } = this.place;
    const rateBps = Number.isFinite(this.config.rateBps) ? this.config.rateBps : null;
    const impairment = this.impairment.settings;
    return { name, link, from, to, rateBps, delayNs: this.delayNs, impairment, ...this.statistics.snapshot(nowNs) };
  }
}

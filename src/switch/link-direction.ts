// Tested by test/switch/fabric.test.ts

import { NEVER } from '../base/time.js';
import { DelayLine } from './delay-line.js';
import type { Impairment, ImpairmentConfig } from './impairment.js';
import { Port, type PortConfig } from './port.js';
import { type PortSnapshot, PortStatistics } from './port-statistics.js';

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
  /** How long before its arrival a frame that leaves the fabric is handed over. */
  earlyNs: number;
}

/** One direction of a link: the port that sends into it, what it does to frames, and the frames on their way along it. */
export class LinkDirection {
  readonly place: DirectionPlace;
  readonly port: Port | null;
  readonly impairment: Impairment;
  readonly line = new DelayLine();
  readonly statistics = new PortStatistics();
  readonly earlyNs: number;
  /** What the fabric's heap holds for this direction. */
  deadlineNs = NEVER;
  /** Propagation from one end to the other, as far as it is added here. */
  delayNs: number;
  private config: PortConfig;

  constructor(place: DirectionPlace, { config, impairment, earlyNs }: DirectionOptions) {
    this.place = place;
    this.config = config;
    this.impairment = impairment;
    this.earlyNs = place.exitPort < 0 ? 0 : earlyNs;
    this.delayNs = place.addsDelay ? config.delayNs : 0;
    this.port = place.hasPort ? new Port(config, this.statistics) : null;
  }

  get settings(): Readonly<PortConfig> {
    return this.config;
  }

  configure(port: Partial<PortConfig>, impairment: Partial<ImpairmentConfig>, nowNs: number): void {
    this.config = { ...this.config, ...port };
    this.delayNs = this.place.addsDelay ? this.config.delayNs : 0;
    this.impairment.configure(impairment);
    this.port?.configure(port, nowNs);
  }

  /** When something happens here next: a transmission starts or a frame arrives. */
  nextTimeout(): number {
    const arrivalNs = this.nextArrivalNs();
    return this.port === null ? arrivalNs : Math.min(arrivalNs, this.port.nextTimeout());
  }

  /** When the next frame is at the far end, or may be handed over; NEVER when none is on its way. */
  nextArrivalNs(): number {
    const arrivalNs = this.line.nextNs();
    return arrivalNs === NEVER ? NEVER : arrivalNs - this.earlyNs;
  }

  snapshot(nowNs: number): DirectionSnapshot {
    const { name, link, from, to } = this.place;
    const rateBps = Number.isFinite(this.config.rateBps) ? this.config.rateBps : null;
    const impairment = this.impairment.settings;
    return { name, link, from, to, rateBps, delayNs: this.delayNs, impairment, ...this.statistics.snapshot(nowNs) };
  }
}

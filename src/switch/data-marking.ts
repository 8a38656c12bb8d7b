import { NEVER } from '../base/time.js';
import { wireBytes } from '../wire/layout.js';

/** K > C * RTT / 7 keeps a link busy: Alizadeh and others, SIGCOMM 2010, section 3.4; EC4, equation 1. */
const ROUND_TRIPS_OF_K = 1 / 7;

/** What of a port's settings (`PortConfig`) says when it marks. */
export interface MarkingConfig {
  rateBps: number;
  maxFrameBytes: number;
  ecnThresholdBytes: number;
  ecnRttNs: number;
  ecnRampBytes: number;
  phantomDrainShare: number;
}

/** K in wire bytes: what the settings say, or C * RTT / 7 and one frame at least; Infinity for never. */
export function thresholdBytes({ rateBps, maxFrameBytes, ecnThresholdBytes, ecnRttNs }: MarkingConfig): number {
  if (ecnThresholdBytes !== NEVER || ecnRttNs === 0) return ecnThresholdBytes;
  return Math.max((rateBps * ecnRttNs * ROUND_TRIPS_OF_K) / 8e9, wireBytes(maxFrameBytes));
}

/**
 * Marks frames that find more than K in the data queue, or in a phantom queue that drains slower than the link (HULL, NSDI 2012). With a ramp, a part that
 * grows with the queue as in RED, spread evenly without chance. PROTOCOL §9.3, §9.5
 */
export class DataMarking {
  private readonly thresholdBytes: number;
  private readonly rampBytes: number;
  private readonly drainBps: number;
  /** The phantom queue, wire bytes, as it was at `phantomNs`. */
  private phantomBytes = 0;
  private phantomNs = 0;
  /** Parts of marks that are owed. */
  private owed = 0;

  constructor(config: MarkingConfig) {
    this.thresholdBytes = thresholdBytes(config);
    this.rampBytes = config.ecnRampBytes;
    this.drainBps = config.phantomDrainShare * config.rateBps;
  }

  /** Nothing is ever marked. */
  get isOff(): boolean {
    return this.thresholdBytes === NEVER;
  }

  /** A frame has to be shown even where it finds the link idle. */
  get isPhantom(): boolean {
    return this.drainBps > 0 && this.drainBps < Number.POSITIVE_INFINITY;
  }

  /** Whether to mark a frame of `bytes` that comes at `nowNs` and finds `queuedBytes` in the data queue. */
  marks(bytes: number, queuedBytes: number, nowNs: number): boolean {
    const excessBytes = (this.isPhantom ? this.enterPhantom(bytes, nowNs) : queuedBytes) - this.thresholdBytes;
    if (excessBytes <= 0) return false;
    if (excessBytes >= this.rampBytes) return true;
    this.owed += excessBytes / this.rampBytes;
    if (this.owed < 1) return false;
    this.owed--;
    return true;
  }

  /** What a frame of `bytes` finds in the phantom queue. */
  private enterPhantom(bytes: number, nowNs: number): number {
    const drainedBytes = ((nowNs - this.phantomNs) * this.drainBps) / 8e9;
    const foundBytes = Math.max(0, this.phantomBytes - drainedBytes);
    this.phantomBytes = foundBytes + bytes;
    this.phantomNs = nowNs;
    return foundBytes;
  }
}

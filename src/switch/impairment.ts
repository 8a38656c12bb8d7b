import type { Random } from '../base/random.js';
import type { Frame } from '../wire/frame.js';
import { CONTROL_CODES, FrameType } from '../wire/layout.js';
import { PortDrop } from './port-statistics.js';

/** What one direction of a link does to frames besides carrying them. Every rate is a probability per frame. */
export interface ImpairmentConfig {
  /** Loses everything. */
  down: boolean;
  /** Loses what has a longer UDP payload, and nobody is told: a black hole; 0: nothing. Whatever `frameTypes` says. */
  mtuBytes: number;
  lossRate: number;
  /**
   * Burst loss (Gilbert 1960, Elliott 1963): each frame moves the link into its bad state with `burstEnterRate` and out with `burstLeaveRate`; a bad link loses
   * frames with `burstLossRate`. Mean burst: 1 / burstLeaveRate frames.
   */
  burstEnterRate: number;
  burstLeaveRate: number;
  burstLossRate: number;
  duplicateRate: number;
  /** Frames held back by `reorderDelayNs`, while those behind them pass. */
  reorderRate: number;
  reorderDelayNs: number;
  corruptRate: number;
  /** On top of the link's own delay, for every frame. */
  extraDelayNs: number;
  /** Uniform from 0 to this, for each frame; frames keep their order, as on a real link. */
  jitterNs: number;
  /** The frame types that loss, duplication, reordering and corruption befall; null: all. */
  frameTypes: readonly FrameTypeName[] | null;
}

export type FrameTypeName = keyof typeof FrameType;

export const NO_IMPAIRMENT: ImpairmentConfig = {
  down: false,
  mtuBytes: 0,
  lossRate: 0,
  burstEnterRate: 0,
  burstLeaveRate: 0.25,
  burstLossRate: 1,
  duplicateRate: 0,
  reorderRate: 0,
  reorderDelayNs: 1e6,
  corruptRate: 0,
  extraDelayNs: 0,
  jitterNs: 0,
  frameTypes: null,
};

/** Bits of a verdict above the PortDrop code, which takes the lowest eight. */
export const Verdict = { dropMask: 0xff, duplicate: 0x100, reorder: 0x200, corrupt: 0x400 } as const;

/** Bits that one corruption flips: 1 to this many (ours: few enough that a weak check could miss them). */
const MAX_FLIPPED_BITS = 3;
const ALL_TYPES = 0xffff;

/** Decides each frame's fate on one direction of a link. It draws only for what is switched on, so a seed gives the same run again. */
export class Impairment {
  private readonly random: Random;
  private config = NO_IMPAIRMENT;
  private typeMask = ALL_TYPES;
  private bad = false;
  private anything = false;

  constructor(random: Random) {
    this.random = random;
  }

  /** False while every frame passes untouched, so that callers can skip the rest. */
  get active(): boolean {
    return this.anything;
  }

  get settings(): Readonly<ImpairmentConfig> {
    return this.config;
  }

  configure(changes: Partial<ImpairmentConfig>): void {
    const config = { ...this.config, ...changes };
    this.config = config;
    this.typeMask = typeMask(config.frameTypes);
    if (config.burstEnterRate === 0) this.bad = false;
    const rates = config.lossRate + config.burstEnterRate + config.duplicateRate + config.reorderRate;
    this.anything =
      config.down || config.mtuBytes > 0 || rates + config.corruptRate + config.extraDelayNs + config.jitterNs > 0;
  }

  /** What befalls a frame of this type with so many bytes of UDP payload: a PortDrop code, or 0 with bits of `Verdict`. */
  judge(type: number, payloadBytes: number): number {
    const config = this.config;
    if (config.down) return PortDrop.down;
    if (config.mtuBytes > 0 && payloadBytes > config.mtuBytes) return PortDrop.mtu;
    if ((this.typeMask & (1 << (type < CONTROL_CODES ? type : FrameType.control))) === 0) return 0;
    if (config.burstEnterRate > 0 && this.isLostInBurst()) return PortDrop.burstLost;
    if (this.happens(config.lossRate)) return PortDrop.lost;
    let verdict = 0;
    if (this.happens(config.duplicateRate)) verdict |= Verdict.duplicate;
    if (this.happens(config.reorderRate)) verdict |= Verdict.reorder;
    if (this.happens(config.corruptRate)) verdict |= Verdict.corrupt;
    return verdict;
  }

  /** What the next frame needs on top of the link's delay. */
  drawDelayNs(): number {
    const jitterNs = this.config.jitterNs > 0 ? this.random.next() * this.config.jitterNs : 0;
    return this.config.extraDelayNs + jitterNs;
  }

  /** Flips one to three random bits, all different, of the bytes that there are. */
  corrupt(frame: Frame): void {
    const flips = 1 + Math.floor(this.random.next() * MAX_FLIPPED_BITS);
    const bits = frame.length * 8;
    let previous = -1;
    for (let flip = 0; flip < flips; flip++) {
      const bit = previous < 0 ? this.below(bits) : (previous + 1 + this.below(Math.floor(bits / 4))) % bits;
      frame.bytes[bit >>> 3] ^= 1 << (bit & 7);
      previous = bit;
    }
  }

  private isLostInBurst(): boolean {
    this.bad = this.bad ? !this.happens(this.config.burstLeaveRate) : this.happens(this.config.burstEnterRate);
    return this.bad && this.happens(this.config.burstLossRate);
  }

  private happens(rate: number): boolean {
    return rate > 0 && this.random.next() < rate;
  }

  private below(bound: number): number {
    return Math.floor(this.random.next() * bound);
  }
}

function typeMask(names: readonly FrameTypeName[] | null): number {
  if (names === null) return ALL_TYPES;
  return names.reduce((mask, name) => mask | (1 << FrameType[name]), 0);
}

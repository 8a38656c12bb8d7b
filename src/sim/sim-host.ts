// Tested by test/sim/network.test.ts

import type { Random } from '../base/random.js';
import { NEVER } from '../base/time.js';
import type { Host } from '../core/host.js';
import { sourceHost } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import type { HostSpec } from './scenario.js';

/** A host's clock: faster than the world's by `driftPpm`, without jumps. A clock that never drifted is exact. */
export class HostClock {
  /** The world's time and the clock's own when it last changed its speed. */
  private worldNs = 0;
  private ownNs = 0;
  private speed: number;
  /** It shows the world's time. */
  isExact: boolean;

  constructor(driftPpm = 0) {
    this.speed = 1 + driftPpm / 1e6;
    this.isExact = this.speed === 1;
  }

  /** Runs at another speed from `nowNs` of the world on. */
  setDrift(driftPpm: number, nowNs: number): void {
    this.ownNs = this.toOwn(nowNs);
    this.worldNs = nowNs;
    this.speed = 1 + driftPpm / 1e6;
    this.isExact = this.speed === 1 && this.ownNs === this.worldNs;
  }

  toOwn(worldNs: number): number {
    return this.isExact ? worldNs : this.ownNs + (worldNs - this.worldNs) * this.speed;
  }

  /** NEVER stays NEVER. */
  toWorld(ownNs: number): number {
    return this.isExact ? ownNs : this.worldNs + (ownNs - this.ownNs) / this.speed;
  }
}

/** Frames that a host has received and not looked at yet, at most: beyond, they are dropped as by a full socket buffer (ours). */
const MAX_UNPROCESSED = 65_536;

export interface SimHostParts {
  /** Makes the endpoint and the NIC, anew after each crash. */
  readonly make: () => Host;
  readonly random: Random;
  readonly pool: FramePool;
}

/**
 * A simulated host: the endpoint and NIC that run behind sockets too, processing time, and a clock. All verbs take the world's time; the machine inside sees
 * its own.
 */
export class SimHost {
  private machine: Host;
  /** The host is up, takes no time over a frame and has an exact clock: a step then needs only this object's first cache line. */
  private isPlain = true;
  private readonly pool: FramePool;
  readonly id: number;
  readonly clock: HostClock;
  /** Frames dropped because the host was down, or had too many to look at. */
  dropped = 0;
  private readonly parts: SimHostParts;
  private readonly processing: HostSpec['processing'];
  private readonly unprocessed: FrameQueue;
  private lastProcessedNs: number;
  /** When the work on the frames that are there will be done. */
  private workedNs: number;
  private isUp = true;

  constructor(spec: HostSpec, parts: SimHostParts) {
    this.machine = parts.make();
    this.pool = parts.pool;
    this.id = spec.id;
    this.parts = parts;
    this.processing = spec.processing;
    this.clock = new HostClock(spec.clockDriftPpm);
    this.unprocessed = new FrameQueue();
    this.lastProcessedNs = 0;
    this.workedNs = 0;
    this.notePlain();
  }

  get host(): Host {
    return this.machine;
  }

  get up(): boolean {
    return this.isUp;
  }

  /** Frames that have reached the host and wait for it. */
  get unprocessedFrames(): number {
    return this.unprocessed.length;
  }

  /** What its own clock shows at `nowNs` of the world. */
  toOwn(nowNs: number): number {
    return this.isPlain ? nowNs : this.clock.toOwn(nowNs);
  }

  /** A frame has reached the host. */
  receive(frame: Frame, nowNs: number): void {
    if (this.isPlain) this.process(frame, nowNs);
    else if (!this.isUp) this.drop(frame);
    else if (this.takesTime) this.queue(frame, nowNs);
    else this.process(frame, this.clock.toOwn(nowNs));
  }

  /** Does what is due at the host by `nowNs`; then `poll` until null. */
  advance(nowNs: number): void {
    if (this.isPlain) this.machine.advance(nowNs);
    else if (this.isUp) this.advanceByOwnClock(nowNs);
  }

  /** The next frame that the NIC has begun to send; `atNs` is when its last bit leaves. */
  poll(): Frame | null {
    if (this.isPlain) return this.machine.poll();
    const frame = this.isUp ? this.machine.poll() : null;
    if (frame !== null) frame.atNs = this.clock.toWorld(frame.atNs);
    return frame;
  }

  /** When `advance` has to be called. */
  nextTimeout(): number {
    if (this.isPlain) return this.machine.nextTimeout();
    const machineNs = this.isUp ? this.clock.toWorld(this.machine.nextTimeout()) : NEVER;
    return this.unprocessed.length === 0 ? machineNs : Math.min(machineNs, this.firstUnprocessedNs);
  }

  /** Its clock runs at another speed from `nowNs` of the world on. */
  setDrift(driftPpm: number, nowNs: number): void {
    this.clock.setDrift(driftPpm, nowNs);
    this.notePlain();
  }

  /** Forgets everything and hears nothing until `restart`. */
  crash(): void {
    this.isUp = false;
    this.notePlain();
    for (let frame = this.unprocessed.shift(); frame !== null; frame = this.unprocessed.shift()) this.drop(frame);
  }

  restart(): void {
    this.isUp = true;
    this.machine = this.parts.make();
    this.notePlain();
  }

  private get takesTime(): boolean {
    const { delayNs, jitterNs, workNs = 0 } = this.processing;
    return delayNs > 0 || jitterNs > 0 || workNs > 0;
  }

  private notePlain(): void {
    this.isPlain = this.isUp && !this.takesTime && this.clock.isExact;
  }

  private advanceByOwnClock(nowNs: number): void {
    const ownNs = this.clock.toOwn(nowNs);
    while (this.unprocessed.length > 0 && this.firstUnprocessedNs <= nowNs) {
      const frame = this.unprocessed.shift() as Frame;
      this.process(frame, ownNs);
      frame.arrivedNs = Number.POSITIVE_INFINITY;
    }
    this.machine.advance(ownNs);
    if (!this.clock.isExact) this.catchUp(nowNs);
  }

  /** The way from the own time of a deadline to the world's and back may round to just before it: what is due by either clock is done. */
  private catchUp(nowNs: number): void {
    for (;;) {
      const dueNs = this.machine.nextTimeout();
      if (dueNs === NEVER || this.clock.toWorld(dueNs) > nowNs) return;
      this.machine.advance(dueNs);
    }
  }

  private get firstUnprocessedNs(): number {
    return (this.unprocessed.peek() as Frame).atNs;
  }

  private queue(frame: Frame, nowNs: number): void {
    const { delayNs, jitterNs, workNs = 0 } = this.processing;
    frame.arrivedNs = this.clock.toOwn(nowNs);
    this.workedNs = Math.max(nowNs, this.workedNs) + workNs;
    const readyNs = this.workedNs + delayNs + (jitterNs > 0 ? jitterNs * this.parts.random.next() : 0);
    frame.atNs = this.lastProcessedNs = Math.max(readyNs, this.lastProcessedNs);
    if (this.unprocessed.length < MAX_UNPROCESSED) this.unprocessed.push(frame);
    else this.drop(frame);
  }

  private process(frame: Frame, ownNs: number): void {
    frame.peer = sourceHost(frame.bytes);
    this.machine.handleFrame(frame, ownNs);
    this.pool.give(frame);
  }

  private drop(frame: Frame): void {
    this.dropped++;
    frame.arrivedNs = Number.POSITIVE_INFINITY;
    this.pool.give(frame);
  }
}

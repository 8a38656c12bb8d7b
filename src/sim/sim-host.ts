// Tested by test/sim/network.test.ts

import type { Random } from '../base/random.js';
import { NEVER } from '../base/time.js';
import type { Host } from '../core/host.js';
import { sourceHost } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { HostClock } from './host-clock.js';
import type { HostSpec } from './scenario.js';

/** Frames that a host has received and not looked at yet, at most: beyond, they are dropped as by a full socket buffer (ours). */
const MAX_UNPROCESSED = 65_536;

export interface SimHostParts {
  /** Makes the endpoint and the NIC, anew after each crash. */
  readonly make: () => Host;
  readonly random: Random;
  readonly pool: FramePool;
}

/**
 * A host of the simulated world: the endpoint and NIC that run behind sockets too, the time that the host takes over a frame, and a clock of its own.
 * Times are the world's in every verb; the machine inside sees its own.
 */
export class SimHost {
  readonly id: number;
  readonly clock: HostClock;
  /** Frames dropped because the host was down, or had too many to look at. */
  dropped = 0;
  private readonly parts: SimHostParts;
  private readonly processing: HostSpec['processing'];
  private readonly takesTime: boolean;
  private readonly unprocessed = new FrameQueue();
  private lastProcessedNs = 0;
  private machine: Host;
  private isUp = true;

  constructor(spec: HostSpec, parts: SimHostParts) {
    this.id = spec.id;
    this.parts = parts;
    this.processing = spec.processing;
    this.takesTime = spec.processing.delayNs > 0 || spec.processing.jitterNs > 0;
    this.clock = new HostClock(spec.clockDriftPpm);
    this.machine = parts.make();
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

  /** A frame has reached the host. */
  receive(frame: Frame, nowNs: number): void {
    frame.arrivedNs = this.clock.toOwn(nowNs);
    if (!this.isUp) this.drop(frame);
    else if (this.takesTime) this.queue(frame, nowNs);
    else this.process(frame, nowNs);
  }

  /** Does what is due at the host by `nowNs`; then `poll` until null. */
  advance(nowNs: number): void {
    if (this.takesTime) this.processDue(nowNs);
    if (!this.isUp) return;
    this.machine.advance(this.clock.toOwn(nowNs));
    if (!this.clock.isExact) this.catchUp(nowNs);
  }

  private processDue(nowNs: number): void {
    while (this.unprocessed.length > 0 && this.firstUnprocessedNs <= nowNs) {
      this.process(this.unprocessed.shift() as Frame, nowNs);
    }
  }

  /** The way from the own time of a deadline to the world's and back may round to just before it: what is due by either clock is done. */
  private catchUp(nowNs: number): void {
    for (;;) {
      const dueNs = this.machine.nextTimeout();
      if (dueNs === NEVER || this.clock.toWorld(dueNs) > nowNs) return;
      this.machine.advance(dueNs);
    }
  }

  /** The next frame that the NIC has begun to send; `atNs` is when its last bit leaves. */
  poll(): Frame | null {
    if (!this.isUp) return null;
    const frame = this.machine.poll();
    if (frame !== null && !this.clock.isExact) frame.atNs = this.clock.toWorld(frame.atNs);
    return frame;
  }

  /** When `advance` has to be called. */
  nextTimeout(): number {
    const machineNs = this.isUp ? this.clock.toWorld(this.machine.nextTimeout()) : NEVER;
    if (!this.takesTime || this.unprocessed.length === 0) return machineNs;
    return Math.min(machineNs, this.firstUnprocessedNs);
  }

  /** Forgets everything and hears nothing until `restart`. */
  crash(): void {
    this.isUp = false;
    for (let frame = this.unprocessed.shift(); frame !== null; frame = this.unprocessed.shift()) this.drop(frame);
  }

  restart(): void {
    this.isUp = true;
    this.machine = this.parts.make();
  }

  private get firstUnprocessedNs(): number {
    return (this.unprocessed.peek() as Frame).atNs;
  }

  private queue(frame: Frame, nowNs: number): void {
    const { delayNs, jitterNs } = this.processing;
    const readyNs = nowNs + delayNs + (jitterNs > 0 ? jitterNs * this.parts.random.next() : 0);
    frame.atNs = this.lastProcessedNs = Math.max(readyNs, this.lastProcessedNs);
    if (this.unprocessed.length < MAX_UNPROCESSED) this.unprocessed.push(frame);
    else this.drop(frame);
  }

  private process(frame: Frame, nowNs: number): void {
    frame.peer = sourceHost(frame.bytes);
    this.machine.handleFrame(frame, this.clock.toOwn(nowNs));
    this.parts.pool.give(frame);
  }

  private drop(frame: Frame): void {
    this.dropped++;
    this.parts.pool.give(frame);
  }
}

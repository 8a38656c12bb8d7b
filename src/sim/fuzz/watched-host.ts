// Tested by test/sim/fuzz/planted-doors.test.ts
import { Host } from '../../core/host.js';
import type { Frame } from '../../wire/frame.js';
import type { HostParts } from '../world.js';
import type { DoorWatch } from './door-watch.js';

/** What time it is at a host, for those whom it calls. */
export interface OwnClock {
  nowNs: number;
}

/** An honest host whose door is watched. */
export class WatchedHost extends Host {
  private readonly watch: DoorWatch | null;
  private readonly clock: OwnClock;

  constructor({ endpoint, nic, door }: HostParts, watch: DoorWatch | null, clock: OwnClock) {
    super(endpoint, nic, door);
    this.watch = watch;
    this.clock = clock;
  }

  override handleFrame(frame: Frame, nowNs: number): void {
    this.clock.nowNs = nowNs;
    const { door, endpoint, watch } = this;
    if (door === null || watch === null) endpoint.handleFrame(frame, nowNs);
    else if (watch.admit(frame, nowNs, () => door.admit(frame, nowNs))) {
      door.judge(frame, endpoint.handleFrame(frame, nowNs));
    }
  }

  override advance(nowNs: number): void {
    this.clock.nowNs = nowNs;
    super.advance(nowNs);
    this.watch?.advanced(nowNs);
  }

  override poll(): Frame | null {
    const { door, nic, watch } = this;
    if (door === null || watch === null) return super.poll();
    const waited = door.poll();
    if (waited !== null) return left(watch, waited);
    for (let frame = nic.dequeue(); frame !== null; frame = nic.dequeue()) {
      watch.beforeOut(frame);
      if (door.letOut(frame)) return left(watch, frame);
    }
    const frame = door.poll();
    return frame === null ? null : left(watch, frame);
  }
}

function left(watch: DoorWatch, frame: Frame): Frame {
  watch.out(frame);
  return frame;
}

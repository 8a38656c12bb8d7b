// Tested by test/sim/fuzz/planted-doors.test.ts
import { type Door, isOfFlow } from '../../core/door.js';
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

  protected override letOut(door: Door, frame: Frame): boolean {
    const { watch } = this;
    if (isOfFlow(frame.type)) watch?.beforeOut(frame);
    const mayLeave = super.letOut(door, frame);
    if (mayLeave) watch?.out(frame);
    return mayLeave;
  }
}

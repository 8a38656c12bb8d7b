// Tested by test/sim/fuzz/planted-doors.test.ts
import type { Door } from '../../core/door.js';
import { frameType } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import { isOfDoor } from './frame-audit.js';
import { fail } from './violation.js';

/** Books of one door: every frame that comes is for the endpoint or is kept, every frame that goes is sent, held, or dropped and counted. */
export class DoorBooks {
  /** Frames that the endpoint did not get. */
  notAdmitted = 0;
  /** Frames that the door has made. */
  made = 0;
  private readonly name: string;
  private readonly door: Door;

  constructor(name: string, door: Door) {
    this.name = name;
    this.door = door;
    const admit = door.admit.bind(door);
    door.admit = (frame, nowNs) => {
      const isAdmitted = admit(frame, nowNs);
      if (!isAdmitted) this.notAdmitted++;
      return isAdmitted;
    };
    const { output } = door.handshakes;
    const push = output.push.bind(output);
    output.push = (frame: Frame) => {
      if (isOfDoor(frameType(frame.bytes))) this.made++;
      push(frame);
    };
  }

  /** Frames of the endpoint that have not left. */
  get keptFrames(): number {
    const { heldFrames, counters } = this.door;
    return heldFrames + counters.heldDropped;
  }

  check(): void {
    const { name, door } = this;
    const { heldFrames, handshakes } = door;
    if (heldFrames < 0 || heldFrames > MOST_HELD) fail('bounds', `the door of ${name} holds ${heldFrames} frames`);
    const { associations } = handshakes.counters;
    if (associations < 0 || associations > handshakes.known) {
      fail('bounds', `the door of ${name} counts ${associations} associations of ${handshakes.known} peers`);
    }
    if (handshakes.output.length > 0) fail('door', `the door of ${name} has frames that nobody takes`);
  }

  /** Everybody has been silent for long. */
  checkEmpty(): void {
    const { heldFrames, handshakes } = this.door;
    const { associations } = handshakes.counters;
    if (heldFrames + handshakes.known + associations === 0) return;
    fail(
      'leftovers',
      `the door of ${this.name} knows ${handshakes.known} peers, ${associations} of them proved, and holds ${heldFrames} frames`,
    );
  }
}

/** PROTOCOL §7; written anew, as the timeouts of time-bound.ts. */
const MOST_HELD = 4_096;

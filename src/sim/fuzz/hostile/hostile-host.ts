// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import { crc32 } from '../../../base/crc32.js';
import { XpassError } from '../../../base/errors.js';
import { NEVER, transmissionNs } from '../../../base/time.js';
import { Host } from '../../../core/host.js';
import type { SenderFlow } from '../../../core/sender-flow.js';
import type { Port } from '../../../switch/port.js';
import { write16, write32 } from '../../../wire/bytes.js';
import {
  destinationHost,
  flowId,
  frameType,
  peekHeader,
  SMALLEST_FRAME_BYTES,
  sourceHost,
} from '../../../wire/decode.js';
import type { FlowHeader } from '../../../wire/encode.js';
import type { Frame } from '../../../wire/frame.js';
import { FrameQueue } from '../../../wire/frame-queue.js';
import { CHECK_BYTES, Credit, FrameType, Header } from '../../../wire/layout.js';
import type { HostileSpec } from '../../scenario.js';
import type { HostParts } from '../../world.js';
import { Dice } from '../dice.js';
import { isOfDoor } from '../frame-audit.js';
import { LIES, type LieName } from './lies.js';
import type { Sight } from './sight.js';

/** Frames of one trick (ours): a flood is many tricks. */
const MOST_AT_ONCE = 12;
/** Flows of its own that a liar opens in all (ours): the worlds have some dozens of honest ones. */
const MOST_OPENED = 40;
const MOST_WRITTEN_BYTES = 20_000;
/** Of the frames that could bear the mask of an association, those that do: the others show that it counts. */
const SEALED_SHARE = 0.8;
/** Bytes that fit every lie, in worlds of small frames too. */
const LONGEST_LIE_BYTES = 512;
const NOTHING = { onWritable: () => {}, onClosed: () => {} };

export interface HostileOptions {
  readonly spec: HostileSpec;
  readonly sight: Sight;
  /** Ids of the hosts that it lies to. */
  readonly victims: readonly number[];
}

/**
 * A host that breaks every rule. Its own endpoint and door speak the protocol, so that it has associations and flows; what they send it changes at times, and
 * its tricks come on top.
 */
export class HostileHost extends Host {
  private readonly options: HostileOptions;
  private readonly dice: Dice;
  private readonly link: Port;
  private readonly lies = new FrameQueue();
  /** Lies that wait in its NIC. */
  private readonly metered = new Set<Frame>();
  private nextNs: number;
  private busyUntilNs = 0;
  private opened = 0;
  private hasRetired = false;
  /** It says and hears nothing any more. */
  isDead = false;

  constructor(parts: HostParts, options: HostileOptions) {
    super(parts.endpoint, parts.nic, parts.door);
    this.options = options;
    this.link = parts.nic;
    this.dice = new Dice(options.spec.seed);
    this.nextNs = options.spec.fromNs;
  }

  /** Lies that have not left; none but when it has died. */
  get liesHeld(): number {
    return this.lies.length;
  }

  override handleFrame(frame: Frame, nowNs: number): void {
    this.options.sight.see(frame);
    if (!this.isDead) super.handleFrame(frame, nowNs);
  }

  override advance(nowNs: number): void {
    const { spec } = this.options;
    while (this.nextNs <= nowNs) {
      this.doTrick(nowNs);
      this.nextNs = this.afterNs(this.nextNs + spec.gapNs * this.dice.between(0, 2) + 1);
    }
    if (nowNs >= attackEndNs(spec) && !this.hasRetired) this.retire(nowNs);
    if (!this.isDead) super.advance(nowNs);
  }

  override poll(): Frame | null {
    const { nic, door } = this;
    if (this.isDead) return null;
    for (let frame = nic.dequeue(); frame !== null; frame = nic.dequeue()) {
      if (this.metered.delete(frame)) return frame;
      this.options.sight.see(frame);
      this.change(frame);
      if (door === null || door.letOut(frame)) return frame;
    }
    return door?.poll() ?? this.lies.shift();
  }

  override nextTimeout(): number {
    if (this.isDead) return NEVER;
    const scriptNs = this.hasRetired ? NEVER : Math.min(this.nextNs, attackEndNs(this.options.spec));
    return Math.min(super.nextTimeout(), scriptNs);
  }

  /** Falls silent in the middle of everything, or gives its flows up and is as honest as others. */
  private retire(nowNs: number): void {
    this.hasRetired = true;
    this.isDead = this.dice.chance(0.5);
    this.endpoint.closeAll(nowNs, this.isDead ? new XpassError('reset', 'the liar has left') : null);
  }

  /** The next time of the script, where the last one was at `this.nextNs`. */
  private afterNs(nextNs: number): number {
    const { untilNs, lateNs } = this.options.spec;
    return nextNs < untilNs ? nextNs : (lateNs.find((atNs) => atNs > Math.max(this.nextNs, untilNs)) ?? NEVER);
  }

  private doTrick(nowNs: number): void {
    const { dice, options } = this;
    const trick = dice.pick(options.spec.tricks);
    for (let left = dice.chance(0.7) ? 1 : dice.whole(2, MOST_AT_ONCE); left > 0; left--) {
      if (trick === 'open') this.open(nowNs);
      else this.lie(trick, nowNs);
    }
  }

  /** Opens a flow, writes a little or nothing, and forgets it; or ends it. */
  private open(nowNs: number): void {
    const { dice, endpoint, options } = this;
    if (this.opened++ >= MOST_OPENED || endpoint.flowCount >= endpoint.config.maxFlows) return;
    const flow: SenderFlow = endpoint.open(dice.pick(options.victims), NOTHING, {}, nowNs);
    if (dice.chance(0.8)) flow.write(new Uint8Array(dice.whole(1, MOST_WRITTEN_BYTES)), nowNs);
    if (dice.chance(0.4)) flow.end(nowNs);
    else if (dice.chance(0.2)) flow.reset(nowNs);
  }

  private lie(trick: string, nowNs: number): void {
    const frame = this.endpoint.pool.take();
    frame.reserve(LONGEST_LIE_BYTES);
    frame.peer = this.dice.pick(this.options.victims);
    if (trick in LIES) this.write(trick as LieName, frame);
    else this.repeat(trick, frame);
    if (frame.length < SMALLEST_FRAME_BYTES) this.endpoint.pool.give(frame);
    else this.send(frame, nowNs);
  }

  private write(trick: LieName, frame: Frame): void {
    const { dice, options } = this;
    const header = this.header(frame.peer);
    const maxFrameBytes = Math.min(this.endpoint.config.frameBytes, frame.bytes.length);
    frame.length = LIES[trick](frame.bytes, header, { dice, sight: options.sight, maxFrameBytes });
    if (dice.chance(0.1)) this.spoil(frame);
    this.sealOwn(frame);
  }

  /** In its own name, or in that of another where nobody looks; of a flow that exists, most of the time. */
  private header(victim: number): FlowHeader {
    const { dice, options } = this;
    const { spec, victims, sight } = options;
    const isOther = spec.spoofs && dice.chance(0.5);
    const others = victims.filter((id) => id !== victim);
    const source = isOther
      ? others.length > 0 && dice.chance(0.9)
        ? dice.pick(others)
        : dice.whole(1, 60_000)
      : spec.host;
    const flows = sight.flows.filter(({ from, to }) => from === victim || to === victim);
    const id = flows.length > 0 && dice.chance(0.8) ? dice.pick(flows).id : dice.uint32();
    return { destination: victim, source, flowId: id === 0 ? 1 : id };
  }

  /** A frame that it has seen: as it was, back to who sent it, or a little changed. */
  private repeat(trick: string, frame: Frame): void {
    const { dice, options } = this;
    const { sight, spec } = options;
    if (sight.frames.length === 0) return;
    const seen = dice.pick(sight.frames);
    frame.reserve(seen.length);
    frame.bytes.set(seen);
    frame.length = seen.length;
    const { bytes } = frame;
    const [source, destination] = [sourceHost(bytes), destinationHost(bytes)];
    const before = sum(frame);
    if (trick === 'reflect') {
      write16(bytes, Header.source, destination);
      write16(bytes, Header.destination, source);
    }
    if (!spec.spoofs) write16(bytes, Header.source, spec.host);
    // A check is a sum, so its mask stays on it.
    change(frame, before ^ sum(frame));
    frame.peer = destinationHost(bytes);
    if (trick === 'mutate') {
      this.spoil(frame);
      this.sealOwn(frame);
    }
  }

  /** Changes a field or a few, with a check that fits. */
  private spoil(frame: Frame): void {
    const { dice } = this;
    const { bytes } = frame;
    for (let left = dice.whole(1, 3); left > 0; left--) {
      const at = dice.whole(Header.flags, Math.min(frame.length - 1, 60));
      // Where it goes and who sends it stay as they are.
      if (at >= Header.destination && at < Header.flowId) continue;
      if (dice.chance(0.5)) bytes[at] = dice.whole(0, 255);
      else bytes[at] += dice.chance(0.5) ? 1 : 255;
    }
    if (dice.chance(0.1)) frame.length = Math.max(SMALLEST_FRAME_BYTES, frame.length - dice.whole(1, 30));
    check(frame);
  }

  /** With the mask of its association with the victim, if any. */
  private sealOwn(frame: Frame): void {
    const { door, dice, options } = this;
    const { bytes } = frame;
    if (door === null || sourceHost(bytes) !== options.spec.host || isOfDoor(frameType(bytes))) return;
    const who = door.handshakes.find(frame.peer);
    const seals = who === null ? null : (who.agreed ?? who.offered);
    if (seals !== null && dice.chance(SEALED_SHARE)) seals.seal.seal(frame);
  }

  /** What its own endpoint sends. */
  private change(frame: Frame): void {
    const { dice, options } = this;
    if (this.hasRetired || !dice.chance(options.spec.changeShare)) return;
    if (dice.chance(0.3)) {
      const id = dice.chance(0.5) ? dice.uint32() : flowId(frame.bytes) ^ 1;
      write32(frame.bytes, Header.flowId, id === 0 ? 1 : id);
      check(frame);
    } else this.spoil(frame);
  }

  /** No faster than its link; through its meter where the spec says so. */
  private send(frame: Frame, nowNs: number): void {
    frame.phantomBytes = 0;
    frame.arrivedNs = Number.POSITIVE_INFINITY;
    frame.atNs = nowNs;
    const { isMetered, load } = this.options.spec;
    if (load < 1 && this.busyUntilNs > nowNs) {
      this.endpoint.pool.give(frame);
      return;
    }
    const bps = this.link.settings.rateBps * load;
    this.busyUntilNs = Math.max(nowNs, this.busyUntilNs) + transmissionNs(frame.wireBytes, bps);
    if (isMetered) {
      this.metered.add(frame);
      if (this.link.enqueueStamped(frame) === 0) return;
      this.metered.delete(frame);
      this.endpoint.pool.give(frame);
      return;
    }
    frame.atNs = this.busyUntilNs;
    this.lies.push(frame);
  }
}

/** When the script is over. */
export function attackEndNs({ untilNs, lateNs }: HostileSpec): number {
  return Math.max(untilNs, ...lateNs) + 1;
}

/** A check that fits what the frame says now. */
function check(frame: Frame): void {
  const { bytes, length } = frame;
  if (isCredit(frame)) bytes.fill(0, Credit.check, Credit.check + 2);
  else bytes.fill(0, length - CHECK_BYTES, length);
  change(frame, sum(frame));
}

function isCredit({ bytes, length }: Frame): boolean {
  return peekHeader(bytes, length) === FrameType.credit;
}

/** What the check of the frame should be. */
function sum(frame: Frame): number {
  return crc32(frame.bytes, 1, isCredit(frame) ? Credit.check : frame.length - CHECK_BYTES);
}

/** Changes the bits of the frame's check that are set in `difference`. */
function change(frame: Frame, difference: number): void {
  const { bytes, length } = frame;
  if (isCredit(frame)) {
    bytes[Credit.check] ^= difference >>> 8;
    bytes[Credit.check + 1] ^= difference;
    return;
  }
  for (let at = 0; at < CHECK_BYTES; at++) bytes[length - CHECK_BYTES + at] ^= difference >>> (8 * at);
}

// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { Fabric } from '../../switch/fabric.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import { PortField } from '../../switch/port-record.js';
import { destinationHost, flags, flowId, frameType, pathId, sourceHost } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import { MtuProbe, MtuProbed } from '../../wire/frames.js';
import { CONTROL_CODES, Credits, FrameType, TYPE_CODES } from '../../wire/layout.js';
import type { AuditedPool } from './audited-pool.js';
import { FlowTrail } from './flow-trail.js';
import { fail } from './violation.js';

/** Rounding of times that went through a clock that drifts. */
const ROUNDING_NS = 1e-3;

/** Of a frame that need not keep to the path and the order of a flow. */
const NO_ORDER = 0;

/** One frame on its way through the fabric. */
interface Passage {
  readonly trail: FlowTrail;
  readonly type: number;
  readonly source: number;
  readonly destination: number;
  readonly pathId: number;
  /** A CREDIT's class stands there: one that is damaged may wait in the other queue. */
  readonly flags: number;
  /** Counts the frames that entered; NO_ORDER for a copy that the network made. */
  readonly order: number;
  readonly enteredNs: number;
  /** Changes of the live links before it went in. */
  readonly epoch: number;
  /** Directions that it took, in their order. */
  readonly path: number[];
}

export interface AuditedHosts {
  /** By port. */
  readonly hostIds: readonly number[];
  readonly liars?: ReadonlySet<number>;
}

/** A frame of a handshake, or VERSION. */
export function isOfDoor(type: number): boolean {
  if (type === Credits.type || type === MtuProbe.type || type === MtuProbed.type) return false;
  return type >= CONTROL_CODES || type === FrameType.version;
}

/**
 * Books of every frame in a fabric: it comes out once, at its host, by its flow's path, in order and no earlier than links allow; or it is dropped and counted.
 * Stands between the fabric and its driver.
 */
export class FrameAudit {
  /** Frames that came in and went out, by type. */
  readonly entered = new Float64Array(TYPE_CODES);
  readonly left = new Float64Array(TYPE_CODES);
  /** The same by port. */
  readonly enteredBy: Float64Array;
  readonly leftBy: Float64Array;
  /** Frames that the fabric gave back to the pool, and those that it made. */
  readonly dropped = new Float64Array(TYPE_CODES);
  readonly copied = new Float64Array(TYPE_CODES);
  /** Flows whose frames went in or out since the list was emptied. */
  readonly touched = new Set<FlowTrail>();
  /** Told of each frame that comes in. */
  onEnter: (frame: Frame) => void = () => {};
  private readonly fabric: Fabric;
  private readonly hostIds: readonly number[];
  private readonly liars: ReadonlySet<number>;
  private readonly inside = new Map<Frame, Passage>();
  private readonly trails = new Map<string, FlowTrail>();
  private frames = 0;
  private nowNs = 0;

  /** `liars`: ports from which any frame may come. */
  constructor(fabric: Fabric, pool: AuditedPool, { hostIds, liars = new Set() }: AuditedHosts) {
    this.fabric = fabric;
    this.liars = liars;
    this.hostIds = hostIds;
    this.enteredBy = new Float64Array(hostIds.length);
    this.leftBy = new Float64Array(hostIds.length);
    pool.onGive = (frame) => this.onGive(frame);
    this.watchEnds();
    for (const direction of fabric.linkDirections) this.watchLine(direction);
  }

  /** Frames in the fabric. */
  get insideCount(): number {
    return this.inside.size;
  }

  /** The network has damaged a frame, and said so. */
  get hasCorrupted(): boolean {
    return this.fabric.linkDirections.some(({ statistics }) => statistics.read(PortField.corrupted) > 0);
  }

  /** The flow of this id between two hosts. */
  trailOf(source: number, destination: number, id: number): FlowTrail {
    const key = source < destination ? `${source} ${destination} ${id}` : `${destination} ${source} ${id}`;
    let trail = this.trails.get(key);
    if (trail === undefined) {
      trail = new FlowTrail(Math.min(source, destination), Math.max(source, destination), id);
      this.trails.set(key, trail);
    }
    return trail;
  }

  private watchEnds(): void {
    const { fabric } = this;
    const handleDeparture = fabric.handleDeparture.bind(fabric);
    const poll = fabric.poll.bind(fabric);
    fabric.handleDeparture = (port, frame, nowNs) => {
      this.enter(port, frame, nowNs);
      handleDeparture(port, frame, nowNs);
    };
    fabric.poll = () => {
      const frame = poll();
      if (frame !== null) this.leave(frame);
      return frame;
    };
  }

  /** Every frame that goes along a direction passes one of these two. */
  private watchLine({ place: { index }, line }: LinkDirection): void {
    const keepOrder = line.keepOrder.bind(line);
    const hold = line.hold.bind(line);
    line.keepOrder = (frame) => {
      this.passageOf(frame).path.push(index);
      keepOrder(frame);
    };
    line.hold = (frame) => {
      this.passageOf(frame).path.push(index);
      return hold(frame);
    };
  }

  private enter(port: number, frame: Frame, nowNs: number): void {
    if (this.inside.has(frame)) fail('frames', 'a frame went into the fabric that was in it');
    this.nowNs = nowNs;
    this.onEnter(frame);
    // An answer to a damaged frame of an unknown version may go anywhere (PROTOCOL §3.13).
    const isLie = this.liars.has(port);
    const isOwn = sourceHost(frame.bytes) === this.hostIds[port] && !isLie;
    if (!isOwn && !isLie && !this.hasCorrupted) {
      fail('frames', `host ${this.hostIds[port]} sent a frame of host ${sourceHost(frame.bytes)}`);
    }
    const passage = this.note(frame, isOwn ? ++this.frames : NO_ORDER);
    this.entered[passage.type]++;
    this.enteredBy[port]++;
    if (!isLie) noteEntry(passage);
    this.touched.add(passage.trail);
  }

  private leave(frame: Frame): void {
    const passage = this.passageOf(frame);
    const { port } = frame;
    this.inside.delete(frame);
    this.left[passage.type]++;
    this.leftBy[port]++;
    if (passage.type === FrameType.credit) passage.trail.creditsLeft++;
    if (passage.type === FrameType.data) passage.trail.dataLeft++;
    if (passage.type === FrameType.speculativeData) passage.trail.speculativeLeft++;
    this.touched.add(passage.trail);
    if (this.isAsItWas(frame, passage)) this.checkArrival(frame, passage);
  }

  private onGive(frame: Frame): void {
    const passage = this.inside.get(frame);
    if (passage === undefined) return;
    this.inside.delete(frame);
    this.dropped[passage.type]++;
  }

  private checkArrival(frame: Frame, passage: Passage): void {
    const { trail, type, destination, source, pathId: by, order, enteredNs, path } = passage;
    const hostId = this.hostIds[frame.port];
    if (hostId !== destination) {
      fail('destination', `a frame for host ${destination} came to host ${hostId}`);
    }
    if (order === NO_ORDER || !this.keepsPath(passage)) return;
    const towardsHigher = source < destination;
    if (!trail.isPath(by, path, { towardsHigher, epoch: passage.epoch })) {
      fail(
        'path',
        `a frame of flow ${trail.name} took the links ${this.names(path)}, others ${this.names(trail.links(by))}`,
      );
    }
    const earliestNs = enteredNs + path.reduce((sum, index) => sum + this.direction(index).settings.delayNs, 0);
    if (frame.atNs < earliestNs - ROUNDING_NS) {
      fail('time', `a frame was across its links at ${frame.atNs} ns that could not be before ${earliestNs} ns`);
    }
    // A liar's requests may change the class of a flow's credits in its middle.
    const hasLiar = this.isLiar(source) || this.isLiar(destination);
    const mayOvertake = hasLiar || path.some((index) => this.direction(index).statistics.read(PortField.reordered) > 0);
    if (!trail.follows(by, order, { towardsHigher, isCredit: type === FrameType.credit }) && !mayOvertake) {
      fail('order', `a frame of flow ${trail.name} came after one that was sent later`);
    }
  }

  /** Not where the live links changed on its way, nor where its path id may be a dead path's, which is spread over the live ones. PROTOCOL §9.4 */
  private keepsPath({ epoch, pathId: by }: Passage): boolean {
    const { routes, unusedLinks } = this.fabric;
    return epoch === routes.changes && (by === 0 || unusedLinks.length === 0);
  }

  /** False once a corruption has changed what it says about itself. */
  private isAsItWas({ bytes }: Frame, passage: Passage): boolean {
    const { trail, type, source, destination, pathId: by } = passage;
    const isSame =
      frameType(bytes) === type &&
      flags(bytes) === passage.flags &&
      sourceHost(bytes) === source &&
      destinationHost(bytes) === destination &&
      pathId(bytes) === by &&
      flowId(bytes) === trail.id;
    if (!isSame && !this.hasCorrupted) {
      fail('header', `the header of a frame of flow ${trail.name} changed on its way`);
    }
    return isSame;
  }

  /** A frame that nobody sent is a copy, which the fabric has to have counted. */
  private passageOf(frame: Frame): Passage {
    const passage = this.inside.get(frame);
    if (passage !== undefined) return passage;
    const copy = this.note(frame, NO_ORDER);
    this.copied[copy.type]++;
    return copy;
  }

  private note(frame: Frame, order: number): Passage {
    const { bytes } = frame;
    const [source, destination] = [sourceHost(bytes), destinationHost(bytes)];
    const trail = this.trailOf(source, destination, flowId(bytes));
    const enteredNs = Math.max(frame.atNs, this.nowNs);
    const type = frameType(bytes);
    const epoch = this.fabric.routes.changes;
    const header = { type, source, destination, pathId: pathId(bytes), flags: flags(bytes) };
    const passage = { ...header, trail, order, enteredNs, epoch, path: [] };
    this.inside.set(frame, passage);
    return passage;
  }

  private isLiar(hostId: number): boolean {
    return this.liars.has(this.hostIds.indexOf(hostId));
  }

  private direction(index: number): LinkDirection {
    return this.fabric.linkDirections[index];
  }

  private names(path: readonly number[]): string {
    return path.map((index) => this.direction(index).place.name).join(', ');
  }
}

function noteEntry({ type, trail }: Passage): void {
  if (type === FrameType.credit) trail.creditsEntered++;
  if (type === FrameType.data) trail.dataEntered++;
  if (type === FrameType.speculativeData) trail.speculativeEntered++;
}

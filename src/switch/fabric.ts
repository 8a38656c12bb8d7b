import { assert } from '../base/assert.js';
import { ConfigError, listNames, showValue } from '../base/config-error.js';
import { DeadlineHeap, type TieOrder } from '../base/deadline-heap.js';
import type { Random } from '../base/random.js';
import { frameType, hopLimit, pathId } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { setHopLimit } from '../wire/rewrite.js';
import { DeadLinks } from './dead-links.js';
import { buildDirections } from './fabric-directions.js';
import { EXIT, NO_ROUTE, Routes } from './forwarding.js';
import { type ImpairmentConfig, Verdict } from './impairment.js';
import type { DirectionSnapshot, LinkDirection } from './link-direction.js';
import type { PortConfig } from './port.js';
import { PortField as F } from './port-record.js';
import { countFrame, PortDrop } from './port-statistics.js';
import { linkOf } from './shortest-paths.js';
import type { Topology } from './topology.js';

/** Frames that wait for `poll` at most; a driver polls until null after each call (ours). */
const MAX_OUTPUT_FRAMES = 65_536;
/** `Frame.port` of a frame that has not met its first switch; stale from the start. */
export const UNROUTED = -1;

export interface FabricOptions {
  topology: Topology;
  /** Seeds the impairments and the marking of credits, each direction of each link with generators of its own. */
  random: Random;
  /** Dropped frames go back to it, and duplicates come from it. */
  pool: FramePool;
  /**
   * How long before its last bit arrives a frame may leave by `poll`. Infinity, the default: when its transmission starts; the caller holds it until `atNs`. 0:
   * at `atNs`, in order of arrival.
   */
  earlyNs?: number;
  /** False in worlds whose frames carry no checks: a corrupted frame is dropped at once, as its receiver would. */
  checked?: boolean;
  /** Order of directions whose deadlines are equal; `deadlines` by default. */
  ties?: TieOrder | undefined;
}

/** Anything that can be set on a link while it runs. */
export interface LinkChanges {
  port?: Partial<PortConfig>;
  impairment?: Partial<ImpairmentConfig>;
}

/**
 * Switches of one process and the links between them and to their hosts. Ports are numbered: hosts in the topology's order, then trunks. Virtual time decides
 * everything, however late the caller comes. An uplink adds only delay and impairments: the host's NIC has metered and serialised.
 *
 * Call `handleFrame` or `advance`, then `poll` until null, then `nextTimeout`. The fabric owns a frame from `handleFrame` to `poll`.
 */
export class Fabric {
  readonly routes: Routes;
  protected readonly pool: FramePool;
  private readonly checked: boolean;
  protected readonly directions: readonly LinkDirection[];
  /** By port: the direction into the fabric and the one out of it. */
  private readonly entries: readonly LinkDirection[];
  private readonly exits: readonly LinkDirection[];
  private readonly heap: DeadlineHeap;
  private readonly output = new FrameQueue();
  private readonly switchNames: readonly string[];
  /** Indices of switches that are stopped. */
  private readonly stopped = new Set<number>();
  private readonly deadLinks: DeadLinks;
  private timeNs = 0;
  /** Frames that came to the end of a direction, since the start. */
  events = 0;

  constructor({ topology, random, pool, earlyNs = Number.POSITIVE_INFINITY, checked = true, ties }: FabricOptions) {
    assert(earlyNs >= 0, 'a frame cannot leave after its arrival');
    this.routes = new Routes(topology);
    this.switchNames = topology.switches.map(({ name }) => name);
    this.pool = pool;
    this.checked = checked;
    this.heap = new DeadlineHeap(ties);
    const built = buildDirections({ topology, earlyNs, makeSeed: () => random.uint32() });
    this.directions = built.directions;
    this.entries = built.entries;
    this.exits = built.exits;
    this.deadLinks = new DeadLinks(topology.failoverDelayNs);
    // A link that is down from the start has been so for long.
    if (Number.isFinite(topology.failoverDelayNs)) this.watchLinks(this.directions, -topology.failoverDelayNs);
    if (this.deadLinks.nextNs <= this.timeNs) this.reroute();
  }

  /** Takes a frame from the host or trunk at `port`, whose NIC has sent its last bit at `nowNs`. */
  handleFrame(port: number, frame: Frame, nowNs: number): void {
    this.advance(nowNs);
    frame.atNs = this.timeNs;
    this.enter(this.entries[port], frame);
  }

  /** The same for a frame whose last bit leaves the NIC at `frame.atNs`, which may lie ahead: saves simulations an event. */
  handleDeparture(port: number, frame: Frame, nowNs: number): void {
    this.advance(nowNs);
    frame.atNs = Math.max(frame.atNs, this.timeNs);
    this.enter(this.entries[port], frame);
  }

  /** Lets everything happen that happens up to `nowNs`. */
  advance(nowNs: number): void {
    while (this.heap.peekDeadline() <= nowNs) this.serviceNext();
    if (nowNs > this.timeNs) this.timeNs = nowNs;
  }

  /** Lets everything happen that happens at `nextTimeout()`, which is not NEVER. */
  step(): void {
    do this.serviceNext();
    while (this.heap.peekDeadline() <= this.timeNs);
  }

  /** The next frame that leaves: by `frame.port`, its last bit arriving at `frame.atNs`. Null when there is none. */
  poll(): Frame | null {
    return this.output.shift();
  }

  /** When something happens next; NEVER when no frame is on its way and no link is about to be left out or used again. */
  nextTimeout(): number {
    return this.heap.peekDeadline();
  }

  /** Both directions of every link and trunk, as the topology lists them; for reading. */
  get linkDirections(): readonly LinkDirection[] {
    return this.directions;
  }

  /** Settings of the link at a host's or trunk's port. */
  portSettings(port: number): Readonly<PortConfig> {
    return this.exits[port].settings;
  }

  /** Takes back a frame that came out by `poll` and finds nobody there. */
  dropUndeliverable(frame: Frame): void {
    this.drop(this.exits[frame.port], frame, PortDrop.notAttached);
  }

  /**
   * Changes a running link by its name, or one direction by `from->to`, to values checked by `linkChanges`. Returns the changed directions; throws a
   * ConfigError for an unknown name.
   */
  configureLink(name: string, { port = {}, impairment = {} }: LinkChanges, nowNs: number): readonly LinkDirection[] {
    const named = this.directions.filter(({ place }) => place.link === name || place.name === name);
    if (named.length === 0) {
      const links = new Set(this.directions.map(({ place }) => place.link));
      throw new ConfigError(`unknown link ${showValue(name)}; known links: ${listNames([...links])}`);
    }
    this.advance(nowNs);
    for (const direction of named) {
      direction.configure(port, impairment, this.timeNs);
      this.drain(direction);
      this.schedule(direction);
    }
    this.watchLinks(named, this.timeNs);
    return named;
  }

  /** The switch loses what its ports hold, and everything that comes to it until `startSwitch`. Throws a ConfigError for an unknown name. */
  stopSwitch(name: string, nowNs: number): void {
    this.advance(nowNs);
    this.stopped.add(this.switchIndex(name));
    for (const direction of this.directions) {
      if (direction.place.from !== name) continue;
      direction.port?.flush((frame) => this.drop(direction, frame, PortDrop.switchDown), this.timeNs);
      this.drain(direction);
      this.schedule(direction);
    }
    this.watchLinks(this.directions, this.timeNs);
  }

  startSwitch(name: string, nowNs: number): void {
    this.advance(nowNs);
    this.stopped.delete(this.switchIndex(name));
    this.watchLinks(this.directions, this.timeNs);
  }

  /** Names of the links and trunks that no path uses now, because they have been dead for the failover delay. */
  get unusedLinks(): string[] {
    return [...this.deadLinks.leftOut].map((link) => this.directions[2 * link].place.link);
  }

  statistics(nowNs: number): DirectionSnapshot[] {
    this.advance(nowNs);
    return this.directions.map((direction) => direction.snapshot(this.timeNs));
  }

  resetStatistics(nowNs: number): void {
    this.advance(nowNs);
    for (const { statistics } of this.directions) statistics.reset(this.timeNs);
  }

  private switchIndex(name: string): number {
    const index = this.switchNames.indexOf(name);
    if (index < 0)
      throw new ConfigError(`unknown switch ${showValue(name)}; known switches: ${listNames(this.switchNames)}`);
    return index;
  }

  /** Notes which of these links between switches, and trunks, are dead: either direction is down, or the switch at either end is. */
  private watchLinks(changed: readonly LinkDirection[], nowNs: number): void {
    const { stopped } = this;
    for (const direction of changed) {
      const { index, isBetweenSwitches } = direction;
      const back = this.directions[index ^ 1];
      const isStopped = stopped.has(direction.toSwitch) || stopped.has(back.toSwitch);
      if (isBetweenSwitches) this.deadLinks.note(linkOf(index), direction.isCut || back.isCut || isStopped, nowNs);
    }
    this.heap.set(this.directions.length, this.deadLinks.nextNs);
  }

  private reroute(): void {
    const { deadLinks } = this;
    deadLinks.advance(this.timeNs);
    this.routes.useWithout(deadLinks.leftOut);
    this.heap.set(this.directions.length, deadLinks.nextNs);
  }

  private enter(direction: LinkDirection, frame: Frame): void {
    const { numbers, at } = direction;
    readHeader(frame);
    countFrame(numbers, at, frame.type, frame.wireBytes);
    // Its bytes are at hand now; at the first switch they would have to be fetched. Where they may change on the way there, the way is looked for there.
    if (direction.isImpaired) frame.port = UNROUTED;
    else this.route(frame, direction.toSwitch);
    frame.atNs += numbers[at + F.linkDelayNs];
    this.launch(direction, frame);
    this.schedule(direction);
  }

  private route(frame: Frame, at: number): void {
    const exitPort = this.routes.exitPort(frame.bytes);
    frame.exitPort = exitPort;
    frame.port = this.routes.find(frame.bytes, at, exitPort);
  }

  private serviceNext(): void {
    this.timeNs = Math.max(this.timeNs, this.heap.peekDeadline());
    const slot = this.heap.peekSlot();
    if (slot < this.directions.length) this.service(this.directions[slot]);
    else this.reroute();
  }

  private service(direction: LinkDirection): void {
    const { port, line, numbers, at } = direction;
    if (port !== null && numbers[at + F.nextStartNs] <= this.timeNs) {
      port.advance(this.timeNs);
      this.drain(direction);
    }
    while (numbers[at + F.nextArrivalNs] <= this.timeNs) {
      const frame = line.shift();
      if (frame !== null) this.arrive(direction, frame);
    }
    this.schedule(direction);
  }

  protected schedule(direction: LinkDirection): void {
    const { numbers, at } = direction;
    const deadlineNs = Math.min(numbers[at + F.nextArrivalNs], numbers[at + F.nextStartNs]);
    if (deadlineNs === numbers[at + F.deadlineNs]) return;
    numbers[at + F.deadlineNs] = deadlineNs;
    this.heap.setFrom(direction.index, numbers, at + F.deadlineNs);
  }

  /** Puts on the line what the port has started to send. */
  private drain(direction: LinkDirection): void {
    const port = direction.port;
    if (port === null) return;
    for (let frame = port.dequeue(); frame !== null; frame = port.dequeue()) this.launch(direction, frame);
  }

  /** A frame that would arrive at `atNs` starts along the link. */
  private launch(direction: LinkDirection, frame: Frame): void {
    if (direction.isImpaired) this.impair(direction, frame);
    else {
      if (direction.tap !== null) direction.tap.sent(frame, frame.atNs - direction.delayNs);
      this.carry(direction, frame);
    }
  }

  private impair(direction: LinkDirection, frame: Frame): void {
    const impairment = direction.impairment;
    const verdict = impairment.judge(frame.type, frame.length + frame.phantomBytes);
    const drop = verdict & Verdict.dropMask;
    if (drop !== 0) {
      this.drop(direction, frame, drop);
      return;
    }
    const sentNs = frame.atNs - direction.delayNs;
    frame.atNs += impairment.drawDelayNs();
    const duplicate = (verdict & Verdict.duplicate) === 0 ? null : this.copy(frame);
    if ((verdict & Verdict.corrupt) === 0 || this.corrupt(direction, frame)) {
      direction.tap?.sent(frame, sentNs);
      if ((verdict & Verdict.reorder) === 0) this.carry(direction, frame);
      else this.holdBack(direction, frame);
    }
    if (duplicate === null) return;
    direction.statistics.count(F.duplicated);
    direction.tap?.sent(duplicate, sentNs);
    this.carry(direction, duplicate);
  }

  /** False where the frame is dropped for it. */
  private corrupt(direction: LinkDirection, frame: Frame): boolean {
    direction.statistics.count(F.corrupted);
    if (this.checked && frame.phantomBytes === 0) {
      setHopLimit(frame.bytes, frame.hopLimit);
      direction.impairment.corrupt(frame);
      readHeader(frame);
      frame.exitPort = this.routes.exitPort(frame.bytes);
      return true;
    }
    this.drop(direction, frame, PortDrop.corrupted);
    return false;
  }

  protected carry(direction: LinkDirection, frame: Frame): void {
    const line = direction.line;
    line.keepOrder(frame);
    if (line.isClear && frame.atNs - direction.earlyNs <= this.timeNs) this.arrive(direction, frame);
    else if (!line.push(frame)) this.drop(direction, frame, PortDrop.lineFull);
  }

  private holdBack(direction: LinkDirection, frame: Frame): void {
    direction.statistics.count(F.reordered);
    frame.atNs += direction.impairment.settings.reorderDelayNs;
    if (frame.atNs - direction.earlyNs <= this.timeNs) this.arrive(direction, frame);
    else if (!direction.line.hold(frame)) this.drop(direction, frame, PortDrop.lineFull);
  }

  /** The frame is at the far end of the direction, or may be handed over to whoever is there. */
  private arrive(direction: LinkDirection, frame: Frame): void {
    this.events++;
    const { exitPort } = direction;
    if (exitPort < 0) {
      this.forward(direction, frame);
      return;
    }
    setHopLimit(frame.bytes, frame.hopLimit);
    frame.port = exitPort;
    if (this.output.length < MAX_OUTPUT_FRAMES) this.output.push(frame);
    else this.drop(direction, frame, PortDrop.outputFull);
  }

  /** What a switch does with a frame that came along `from`. While a frame is in the fabric, `port` is the offset of its next hop. */
  private forward(from: LinkDirection, frame: Frame): void {
    if (frame.hopLimit === 0) {
      this.drop(from, frame, PortDrop.hopLimit);
      return;
    }
    frame.hopLimit--;
    const at = from.toSwitch;
    if (this.stopped.size > 0 && this.stopped.has(at)) {
      this.drop(from, frame, PortDrop.switchDown);
      return;
    }
    if (this.routes.isStale(frame.port)) this.route(frame, at);
    const next = frame.port === NO_ROUTE ? null : this.nextDirection(frame, at);
    if (next === null) {
      this.drop(from, frame, PortDrop.noRoute);
      return;
    }
    frame.port++;
    this.send(next, frame);
  }

  private nextDirection(frame: Frame, at: number): LinkDirection | null {
    const hop = this.routes.hop(frame.port);
    if (hop !== EXIT) return this.directions[hop];
    const port = frame.exitPort;
    // A destination that was corrupted on the way may be at another switch.
    return port >= 0 && this.routes.switchAt(port) === at ? this.exits[port] : null;
  }

  private send(direction: LinkDirection, frame: Frame): void {
    const port = direction.port;
    assert(port !== null, 'a switch sends by a port');
    frame.atNs = this.timeNs;
    if (port.enqueueRead(frame) !== 0) this.pool.give(frame);
    this.drain(direction);
    this.schedule(direction);
  }

  /** Buffers of a pool may differ in size where a driver swaps them, so a copy may need one of its own. */
  private copy(frame: Frame): Frame {
    const copy = this.pool.take();
    if (copy.bytes.length < frame.length) copy.bytes = new Uint8Array(frame.length);
    copy.bytes.set(frame.bytes.subarray(0, frame.length));
    copy.length = frame.length;
    copy.phantomBytes = frame.phantomBytes;
    copy.peer = frame.peer;
    copy.port = frame.port;
    copy.type = frame.type;
    copy.pathId = frame.pathId;
    copy.hopLimit = frame.hopLimit;
    copy.exitPort = frame.exitPort;
    copy.atNs = frame.atNs;
    return copy;
  }

  private drop(direction: LinkDirection, frame: Frame, code: number): void {
    direction.statistics.countDrop(code);
    direction.tap?.dropped(frame, code, this.timeNs);
    this.pool.give(frame);
  }
}

/** What the fabric has to know of a frame's bytes from here on; they come back into the cache only where it leaves. */
function readHeader(frame: Frame): void {
  frame.type = frameType(frame.bytes);
  frame.pathId = pathId(frame.bytes);
  frame.hopLimit = hopLimit(frame.bytes);
}

// Tested by test/core/path-mtu.test.ts
import type { Crc32 } from '../base/crc32.js';
import { DeadlineHeap } from '../base/deadline-heap.js';
import { counter, initialValues, type Values } from '../base/metric.js';
import type { Random } from '../base/random.js';
import { NEVER } from '../base/time.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { MtuProbe, MtuProbed } from '../wire/frames.js';
import type { EndpointConfig } from './config.js';
import { BASE_BYTES, LEAST_BYTES, type MtuProbing, type MtuSizes, PathMtu } from './path-mtu.js';
import { RateLimit } from './rate-limit.js';

/** PROTOCOL §7.9 */
export const MTU_METRICS = {
  probes: counter('frames', 'MTU_PROBEs sent'),
  probesAnswered: counter('frames', 'Answers to them that counted'),
  probesLost: counter('frames', 'MTU_PROBEs without an answer in their time'),
  blackHoles: counter('events', 'Times that the size in use no longer passed'),
  tooLong: counter('frames', 'Frames that the own system did not send because they were too long'),
  answers: counter('frames', 'MTU_PROBEDs sent'),
  suppressed: counter('frames', 'MTU_PROBEs without an answer, by the rate limit'),
  unasked: counter('frames', 'Dropped: MTU_PROBEDs that answer no probe under way'),
  evictions: counter('peers', 'Peers whose sizes were forgotten in favour of others'),
};

/** Counts of the sizes of one host's paths since it was made. docs/METRICS.md, "Path MTU", has the meaning of each. */
export type MtuCounters = Values<typeof MTU_METRICS>;

export function newMtuCounters(): MtuCounters {
  return initialValues(MTU_METRICS);
}

/** Answers a second to all peers together (ours): 70 searches at a time, and less than a hundredth of a core. */
const ANSWERS_PER_SECOND = 1_000;
/** Peers without flows whose sizes are kept (ours): 200 bytes each. */
const MAX_RESTING = 4_096;

/** What the paths use of their endpoint: parts of a `FlowContext`. */
export interface MtuContext {
  readonly config: EndpointConfig;
  readonly random: Random;
  readonly check: Crc32 | null;
  readonly pool: FramePool;
  emit(frame: Frame, nowNs: number): void;
  arm(slot: number, deadlineNs: number): void;
}

/** What whoever runs the endpoint knows of its paths. */
export interface MtuParts {
  /** Sizes up to the largest frame are known to reach this peer. */
  isLocal(peer: number): boolean;
  /** The search for the size of frames to `peer` is over, and found less than was asked for; `frameBytes` with the seal. */
  onLimited(peer: number, frameBytes: number): void;
}

/** No peer is local, and nobody hears of a small path. */
const UNKNOWN_PATHS: MtuParts = { isLocal: () => false, onLimited: () => {} };

/** What a flow's sender knows of its path: how much a data frame may carry, and whom to tell when nothing gets through. */
export interface FlowPath {
  readonly payloadBytes: number;
}

/** Where nothing is discovered. */
export const OPEN_PATH: FlowPath = { payloadBytes: Number.POSITIVE_INFINITY };

class PeerMtu {
  flows = 0;
  toldBytes = 0;
  readonly peer: number;
  readonly slot: number;
  readonly path: PathMtu;

  constructor(peer: number, slot: number, path: PathMtu) {
    this.peer = peer;
    this.slot = slot;
    this.path = path;
  }
}

/** The path MTUs to the peers of one endpoint, and the answers to the probes of others. No search begins without a flow to the peer. */
export class PathMtus {
  readonly counters = newMtuCounters();
  private readonly context: MtuContext;
  private readonly parts: MtuParts;
  /** Of its timer. */
  private readonly slot: number;
  private readonly peers = new Map<number, PeerMtu>();
  /** Those without flows, the one that has rested longest first. */
  private readonly resting = new Set<PeerMtu>();
  private readonly bySlot: (PeerMtu | null)[] = [];
  private readonly freeSlots: number[] = [];
  private readonly deadlines = new DeadlineHeap();
  private readonly answers = new RateLimit(ANSWERS_PER_SECOND);

  /** `slot`: its timer among those of flows. */
  constructor(context: MtuContext, slot: number, parts = UNKNOWN_PATHS) {
    this.context = context;
    this.slot = slot;
    this.parts = parts;
  }

  /** A flow to `peer` begins; `leave` follows when it is closed. */
  join(peer: number): FlowPath {
    const known = this.peers.get(peer) ?? this.add(peer);
    known.flows++;
    this.resting.delete(known);
    this.rearm(known);
    return known.path;
  }

  leave(peer: number): void {
    const known = this.peers.get(peer);
    if (known === undefined) return;
    known.flows--;
    this.rearm(known);
    if (known.flows === 0) this.resting.add(known);
    if (this.resting.size <= MAX_RESTING) return;
    const [oldest] = this.resting;
    this.counters.evictions++;
    this.remove(oldest);
  }

  /** The peer has answered a flow. */
  begin(peer: number, nowNs: number): void {
    this.tell(peer, nowNs, (path) => path.begin(nowNs));
  }

  /** A flow gets nothing through to `peer`. */
  suspect(peer: number, nowNs: number): void {
    this.tell(peer, nowNs, (path) => path.suspect(nowNs));
  }

  /** The system did not send a frame to `peer` because it was too long; `frameBytes` without a seal. */
  tooLong(peer: number, frameBytes: number, nowNs: number): void {
    this.counters.tooLong++;
    this.tell(peer, nowNs, (path) => path.tooLong(frameBytes, nowNs));
  }

  /** Another path leads to `peer` from now on. */
  moved(peer: number, nowNs: number): void {
    this.tell(peer, nowNs, (path) => path.restart(nowNs));
  }

  /** The number `peer` may come to stand for another host. */
  forget(peer: number): void {
    const known = this.peers.get(peer);
    if (known?.flows === 0) this.remove(known);
  }

  /** Answers an MTU_PROBE. */
  handleProbe({ bytes, peer }: Frame, nowNs: number): void {
    if (!this.answers.allow(nowNs)) {
      this.counters.suppressed++;
      return;
    }
    this.counters.answers++;
    const fields = { size: MtuProbe.read.size(bytes), probeNumber: MtuProbe.read.probeNumber(bytes) };
    const frame = this.context.pool.take();
    frame.length = MtuProbed.encode(frame.bytes, this.headerTo(peer), fields, this.context.check);
    this.emit(frame, peer, nowNs);
  }

  /** Takes an MTU_PROBED. */
  handleProbed({ bytes, peer }: Frame, nowNs: number): void {
    const known = this.peers.get(peer);
    const [number, size] = [MtuProbed.read.probeNumber(bytes), MtuProbed.read.size(bytes)];
    if (known === undefined || !known.path.answer(number, size, nowNs)) this.counters.unasked++;
    else this.settle(known, nowNs);
  }

  /** Fires what is due; returns the next deadline. */
  onTimer(nowNs: number): number {
    while (this.deadlines.peekDeadline() <= nowNs) {
      const known = this.bySlot[this.deadlines.peekSlot()] as PeerMtu;
      known.path.advance(nowNs);
      this.settle(known, nowNs);
    }
    return this.deadlines.peekDeadline();
  }

  private tell(peer: number, nowNs: number, say: (path: PathMtu) => void): void {
    const known = this.peers.get(peer);
    if (known === undefined) return;
    say(known.path);
    this.settle(known, nowNs);
  }

  /** After each input: what it wants to send goes out. */
  private settle(known: PeerMtu, nowNs: number): void {
    const { path, peer } = known;
    for (let probe = path.poll(); probe !== null; probe = path.poll()) this.sendProbe(peer, probe, nowNs);
    this.rearm(known);
    if (!path.isLimited || path.frameBytes === known.toldBytes) return;
    known.toldBytes = path.frameBytes;
    this.parts.onLimited(peer, path.frameBytes + this.context.config.sealBytes);
  }

  private rearm({ slot, path, flows }: PeerMtu): void {
    // A search that is under way goes on to its end.
    this.deadlines.set(slot, flows === 0 && !path.isProbing ? NEVER : path.nextTimeout());
    const nextNs = this.deadlines.peekDeadline();
    if (nextNs !== NEVER) this.context.arm(this.slot, nextNs);
  }

  private sendProbe(peer: number, { number, size }: MtuProbing, nowNs: number): void {
    const frame = this.context.pool.take();
    // In simulations of lengths buffers are shorter.
    frame.reserve(size);
    const fields = { size, probeNumber: number };
    frame.length = MtuProbe.encode(frame.bytes, this.headerTo(peer), fields, this.context.check);
    this.emit(frame, peer, nowNs);
  }

  private emit(frame: Frame, peer: number, nowNs: number): void {
    frame.peer = peer;
    this.context.emit(frame, nowNs);
  }

  private headerTo(peer: number): FlowHeader {
    const { hostId } = this.context.config;
    return { destination: hostId === 0 ? 0 : peer, source: hostId, flowId: 0 };
  }

  private add(peer: number): PeerMtu {
    const { config, random } = this.context;
    const sizes = mtuSizes(config, this.parts.isLocal(peer));
    const slot = this.freeSlots.pop() ?? this.bySlot.length;
    const path = new PathMtu(sizes, config, this.counters, () => random.uint32());
    const known = new PeerMtu(peer, slot, path);
    this.bySlot[slot] = known;
    this.peers.set(peer, known);
    return known;
  }

  /** One without flows. */
  private remove(known: PeerMtu): void {
    this.resting.delete(known);
    this.peers.delete(known.peer);
    this.bySlot[known.slot] = null;
    this.freeSlots.push(known.slot);
    this.deadlines.remove(known.slot);
  }
}

/** All sizes are those of plain frames: a seal adds its bytes. PROTOCOL §7.5 */
function mtuSizes({ frameBytes, sealBytes, unprobedFrameBytes }: EndpointConfig, isLocal: boolean): MtuSizes {
  const upTo = (bytes: number) => Math.min(frameBytes, bytes - sealBytes);
  const startBytes = isLocal ? frameBytes : upTo(unprobedFrameBytes);
  return {
    leastBytes: upTo(LEAST_BYTES),
    baseBytes: upTo(BASE_BYTES),
    startBytes,
    targetBytes: frameBytes,
    isStartKnown: isLocal,
  };
}

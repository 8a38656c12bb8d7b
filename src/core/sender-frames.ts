// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
import { tableEnd } from '../wire/chunks.js';
import {
  type DataFields,
  encodeData,
  encodeSpeculativeData,
  type FlowHeader,
  type SpeculativeFields,
  seal,
} from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import type { ValuesOf } from '../wire/frame-kind.js';
import { CreditRequest, CreditStop, Fin, Reset } from '../wire/frames.js';
import { CHECK_BYTES, DataFlag } from '../wire/layout.js';
import type { FlowContext } from './context.js';
import type { FrameFiller } from './frame-filler.js';
import type { SendBuffer } from './send-buffer.js';

/** PROTOCOL §2.4 */
const MAX_PATH_ID = 255;

/** Writes the frames that a flow's sender sends. */
export class SenderFrames implements FlowHeader {
  private readonly context: FlowContext;
  // It is its own header: one object less to touch for each frame.
  readonly destination: number;
  readonly source: number;
  readonly flowId: number;
  /** Of every frame but data. */
  pathId: number;
  readonly peer: number;
  private known: { latestId: number } | null = null;

  constructor(context: FlowContext, header: FlowHeader, peer: number) {
    this.context = context;
    this.destination = header.destination;
    this.source = header.source;
    this.flowId = header.flowId;
    this.pathId = header.pathId ?? 0;
    this.peer = peer;
  }

  /** A credit came by this path: every frame but data goes by it from now on, and so do the first frames of the next flow to the peer. */
  setPath(pathId: number): void {
    this.pathId = pathId;
    this.known ??= this.context.peerPaths.of(this.peer);
    this.known.latestId = pathId;
  }

  /** The path by which the latest credit from the peer came, whichever flow it was for. */
  usePeersPath(): void {
    this.pathId = this.context.peerPaths.latestId(this.peer);
  }

  /** What went by the path got no answer: another one, if the flow has one. */
  changePath(): void {
    if (this.pathId !== 0) this.pathId = 1 + Math.floor(this.context.random.next() * MAX_PATH_ID);
  }

  /** `count` bytes of `buffer` from `fields.offset`. */
  data(fields: DataFields, buffer: SendBuffer, count: number, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = encodeData(frame.bytes, this, fields);
    this.fill(frame, buffer, fields.offset, count);
    this.send(frame, nowNs);
  }

  /** The frame that `filler` has filled, whose own bytes are those of `buffer` from `fields.offset`. */
  filled(fields: DataFields, buffer: SendBuffer, filler: FrameFiller, nowNs: number): void {
    const frame = this.context.pool.take();
    // Where payloads are only counted, buffers are shorter than that.
    frame.reserve(tableEnd(filler.chunks));
    fields.flags |= DataFlag.chunks;
    encodeData(frame.bytes, this, fields);
    filler.write(frame, buffer, fields.offset, this.context.check);
    this.send(frame, nowNs);
  }

  /** The same without a credit, in a frame that was due at `dueNs`. */
  speculative(fields: SpeculativeFields, buffer: SendBuffer, count: number, dueNs: number): void {
    const frame = this.context.pool.take();
    frame.length = encodeSpeculativeData(frame.bytes, this, fields);
    this.fill(frame, buffer, fields.offset, count);
    frame.peer = this.peer;
    this.context.emitDue(frame, dueNs);
  }

  request(fields: ValuesOf<typeof CreditRequest.fields>, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = CreditRequest.encode(frame.bytes, this, fields, this.context.check);
    this.send(frame, nowNs);
  }

  stop(fields: ValuesOf<typeof CreditStop.fields>, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = CreditStop.encode(frame.bytes, this, fields, this.context.check);
    this.send(frame, nowNs);
  }

  fin(finalOffset: number, probe: number, unused: number, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = Fin.encode(frame.bytes, this, { finalOffset, probe, unused }, this.context.check);
    this.send(frame, nowNs);
  }

  reset(code: number, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = Reset.encode(frame.bytes, this, { code, flags: 0 }, this.context.check);
    this.send(frame, nowNs);
  }

  /** Puts `count` bytes of `buffer` from `offset` behind what the frame has. */
  private fill(frame: Frame, buffer: SendBuffer, offset: number, count: number): void {
    if (buffer.isLengths) {
      frame.phantomBytes = count + CHECK_BYTES;
      return;
    }
    const at = frame.length;
    buffer.copy(offset, count, frame.bytes, at);
    frame.length = seal(frame.bytes, at + count, this.context.check);
  }

  private send(frame: Frame, nowNs: number): void {
    frame.peer = this.peer;
    this.context.emit(frame, nowNs);
  }
}

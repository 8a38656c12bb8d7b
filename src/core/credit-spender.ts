// Tested by test/core/sender-flow.test.ts, test/core/frame-filler.test.ts and test/core/held-credit.test.ts
import type { DataFields } from '../wire/encode.js';
import type { FrameFiller, PiggybackFlow } from './frame-filler.js';
import { echoOf, type HeldCredit, KeptCredits } from './held-credit.js';
import { SenderFlow } from './sender-flow.js';

/** What credits release at the sender: own data (PROTOCOL §4.3), else other flows' to the same peer (§13), else they are kept or unused. */
export abstract class CreditSpender extends SenderFlow implements PiggybackFlow {
  /** Credits that found no data, kept ones left out. */
  protected unused = 0;
  /** The same, as the receiver was told. */
  protected toldUnused = 0;
  /** Pieces of the stream that went as chunks. */
  protected chunks = 0;
  /** Made for the first credit that is kept. */
  protected kept: KeptCredits | null = null;

  /** The receiver knows the flow, or will before another frame, and has room; nothing under way would be overtaken. */
  protected abstract get mayPiggyback(): boolean;

  /** A credit has released data. */
  protected abstract noteSpent(): void;

  /** Everything is sent. */
  protected abstract ranDry(nowNs: number): void;

  /** Nothing is left to ask for or to spend credits on. */
  protected abstract settle(nowNs: number): void;

  /** Puts all that waits into another flow's frame. Losses wait for an own credit: the receiver may have had no room. PROTOCOL §13.1 */
  piggyback(filler: FrameFiller, nowNs: number): boolean {
    const { stream, buffer } = this;
    if (!stream.hasData) return false;
    if (!this.mayPiggyback || stream.unsentBytes > filler.roomBytes || !filler.fits(buffer)) return true;
    filler.add(this.frames.flowId, stream.takePiggybacked(nowNs), buffer, stream);
    this.chunks++;
    return false;
  }

  onPiggybacked(nowNs: number): void {
    if (this.isClosed) return;
    if (!this.opened || this.stream.hasData) this.arm();
    else this.settle(nowNs);
    // No credit tells a program that writes as its credits come.
    this.observer.onAck(nowNs);
  }

  /** Credits come by several paths; the latest works. */
  protected spread(path: number): void {
    this.stream.spread();
    this.frames.setPath(path);
  }

  /** Sends one data frame for a credit. PROTOCOL §4.3 */
  protected spend(credit: HeldCredit, nowNs: number): void {
    const { stream } = this;
    const offset = stream.take(nowNs);
    const fields = this.echo(credit, offset, stream.takenFlags | this.requests.tellMore());
    const { filler } = this.context;
    if (filler === null) this.frames.data(fields, this.buffer, stream.takenBytes, nowNs);
    else this.sendFilled(filler, fields, nowNs);
    this.noteSpent();
    if (!stream.hasData) this.ranDry(nowNs);
    filler?.settle(nowNs);
  }

  /** Sends the bytes that the stream has given out last, and what else fits into the frame: the flow's own, then those of other flows. */
  private sendFilled(filler: FrameFiller, fields: DataFields, nowNs: number): void {
    const { stream, buffer, frames } = this;
    const { takenBytes } = stream;
    filler.begin(takenBytes, buffer, stream.payloadBytes);
    while (stream.hasData && filler.roomBytes > 0) {
      filler.add(frames.flowId, stream.take(nowNs, filler.roomBytes), buffer, stream);
      this.chunks++;
    }
    filler.fill(this, nowNs);
    if (filler.chunks === 0) frames.data(fields, buffer, takenBytes, nowNs);
    else frames.filled(fields, buffer, filler, nowNs);
  }

  /** The flow cannot use the credit: it releases bytes of other flows to the same peer. False where they have none. */
  protected lend(filler: FrameFiller, credit: HeldCredit, nowNs: number): boolean {
    filler.begin(0, this.buffer, this.stream.payloadBytes);
    // Who counted the credit may have closed the flow.
    if (!this.isClosed) filler.fill(this, nowNs);
    if (filler.chunks === 0) return false;
    this.frames.filled(this.echo(credit, this.stream.sentOffset, 0), this.buffer, filler, nowNs);
    filler.settle(nowNs);
    return true;
  }

  private echo(credit: HeldCredit, offset: number, flagBits: number): DataFields {
    this.dataFrames++;
    this.toldUnused = this.unused;
    return echoOf(credit, offset, this.unused, flagBits);
  }

  /** False where there is no room. */
  protected keep(credit: HeldCredit): boolean {
    this.kept ??= new KeptCredits(this.context.config.keptCredits);
    return this.kept.push(credit);
  }

  /** Data for credits that waited for it. */
  protected spendKept(kept: KeptCredits, nowNs: number): void {
    while (this.stream.hasData && !this.isClosed && kept.shift()) this.spend(kept, nowNs);
  }

  /** They go as unused: the flow stops its credits. */
  protected dropKept(): void {
    if (this.kept !== null) this.unused += this.kept.clear();
  }
}

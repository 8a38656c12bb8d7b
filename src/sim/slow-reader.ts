import { assert } from '../base/assert.js';
import { Ring } from '../base/ring.js';
import { NEVER, transmissionNs } from '../base/time.js';

/** Upper bound of pieces that wait to be read; all windows of a host hold fewer (ours). */
const MAX_PIECES = 1_048_576;

interface Piece<Flow> {
  readonly flow: Flow;
  readonly bytes: number;
}

/** How a reader reads and gets its turns. */
export interface ReaderOptions<Flow> {
  /** `bytes` of the flow are read at `atNs`. */
  readonly read: (flow: Flow, bytes: number, atNs: number) => void;
  /** Asks for a call of `readNext` at `atNs`; of several the latest counts. */
  readonly schedule: (atNs: number) => void;
}

/** The program that reads what arrives at one host: at once, or at a rate, in the order of arrival over all flows. */
export class SlowReader<Flow> {
  private readonly options: ReaderOptions<Flow>;
  private readonly pieces = new Ring<Piece<Flow>>(MAX_PIECES);
  private rateBps = Number.POSITIVE_INFINITY;
  /** When the first piece is read; NEVER where nothing waits. */
  dueNs = NEVER;

  constructor(options: ReaderOptions<Flow>) {
    this.options = options;
  }

  /** `bytes` of the flow have arrived in order. */
  take(flow: Flow, bytes: number, nowNs: number): void {
    if (this.rateBps === Number.POSITIVE_INFINITY && this.pieces.length === 0) {
      this.options.read(flow, bytes, nowNs);
      return;
    }
    assert(this.pieces.push({ flow, bytes }), 'receive windows bound what waits to be read');
    if (this.pieces.length === 1) this.planNext(nowNs);
  }

  /** Reads at `rateBps` from now on: 0: nothing, Infinity: at once. */
  setRate(rateBps: number, nowNs: number): void {
    this.rateBps = rateBps;
    if (this.pieces.length > 0) this.planNext(nowNs);
  }

  /** The host has crashed, and what it had to read with it. */
  clear(): void {
    this.pieces.clear();
    this.dueNs = NEVER;
  }

  /** Reads the first piece, which is due. */
  readNext(): void {
    const { flow, bytes } = this.pieces.shift() as Piece<Flow>;
    const atNs = this.dueNs;
    this.dueNs = NEVER;
    this.options.read(flow, bytes, atNs);
    if (this.pieces.length > 0) this.planNext(atNs);
  }

  private planNext(fromNs: number): void {
    const { bytes } = this.pieces.peek() as Piece<Flow>;
    this.dueNs = fromNs + transmissionNs(bytes, this.rateBps);
    this.options.schedule(this.dueNs);
  }
}

// Tested by test/sim/simulate.test.ts
import { assert } from '../base/assert.js';
import { Ring } from '../base/ring.js';
import { transmissionNs } from '../base/time.js';
import type { FlowRun } from './flow-run.js';
import type { Network } from './network.js';

/** Pieces that wait to be read at most; what all windows of a host hold is fewer (ours). */
const MAX_PIECES = 1_048_576;

interface Piece {
  readonly run: FlowRun;
  readonly bytes: number;
}

/** The program that reads what arrives at one host: at once, or at a rate, in the order of arrival over all flows. */
export class SlowReader {
  private readonly network: Network;
  private readonly port: number;
  private readonly pieces = new Ring<Piece>(MAX_PIECES);
  private rateBps = Number.POSITIVE_INFINITY;
  /** Counts the changes of rate, so that what was planned before one is not done. */
  private generation = 0;

  constructor(network: Network, port: number) {
    this.network = network;
    this.port = port;
  }

  /** `bytes` have arrived in order. Called from inside the flow. */
  take(run: FlowRun, bytes: number): void {
    if (this.rateBps === Number.POSITIVE_INFINITY && this.pieces.length === 0) this.read(run, bytes);
    else this.queue({ run, bytes });
  }

  setRate(rateBps: number): void {
    this.rateBps = rateBps;
    this.generation++;
    if (this.pieces.length > 0) this.planNext();
  }

  /** The host has crashed, and what it had to read with it. */
  clear(): void {
    this.generation++;
    this.pieces.clear();
  }

  private queue(piece: Piece): void {
    const isTaken = this.pieces.push(piece);
    assert(isTaken, 'receive windows bound what waits to be read');
    if (this.pieces.length === 1) this.planNext();
  }

  private planNext(): void {
    const { bytes } = this.pieces.peek() as Piece;
    const { generation, network } = this;
    network.agenda.at(network.nowNs + transmissionNs(bytes, this.rateBps), () => {
      if (generation === this.generation) this.readNext();
    });
  }

  private readNext(): void {
    const { run, bytes } = this.pieces.shift() as Piece;
    this.read(run, bytes);
    if (this.pieces.length > 0) this.planNext();
    this.network.drain(this.port);
  }

  private read(run: FlowRun, bytes: number): void {
    run.receiver?.release(bytes, this.network.hosts[this.port].clock.toOwn(this.network.nowNs));
  }
}

// Tested by test/core/receiver-data.test.ts
import { wireBytes } from '../wire/layout.js';

/**
 * Keeps a forged CREDIT_REQUEST from aiming more at its victim than it cost: until a data frame has echoed one of the credits, a receiver sends at most so
 * many wire bytes for each that it received. PROTOCOL §4.6
 */
export class PathProof {
  private readonly limit: number;
  private receivedWireBytes = 0;
  private isProved = false;

  constructor(amplificationLimit: number) {
    this.limit = amplificationLimit;
  }

  received(bytesOnWire: number): void {
    if (!this.isProved) this.receivedWireBytes += bytesOnWire;
  }

  get isGiven(): boolean {
    return this.isProved;
  }

  /** A valid echo has come: what the flow sends reaches whoever asked for it. */
  prove(): void {
    this.isProved = true;
  }

  /** Whether a frame of `frameBytes` may be sent after `sentWireBytes`. */
  maySend(frameBytes: number, sentWireBytes: number): boolean {
    return this.isProved || sentWireBytes + wireBytes(frameBytes) <= this.receivedWireBytes * this.limit;
  }
}

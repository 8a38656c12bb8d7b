// Tested by test/core/speculation.test.ts and test/core/resumed-burst.test.ts
import { transmissionNs } from '../base/time.js';
import { Data, wireBytes } from '../wire/layout.js';
import type { EndpointConfig } from './config.js';
import { ProvedPaths } from './proved-path.js';

/** What a flow sends without credits at most where its host's link has no rate: the least receive window (PROTOCOL §12.1). */
const UNLIMITED_BUDGET_BYTES = 65_536;

/** One host's speculative frames (PROTOCOL §12): the bytes that a flow may send without credits, spaced so that all fit the link. */
export class Speculation {
  /** Payload bytes of a flow, a whole frame at least. */
  budgetBytes = 0;
  /** What of that goes to each peer; null where the network needs no proof. */
  readonly paths: ProvedPaths | null;
  private rateBps = 0;
  private readonly config: EndpointConfig;
  /** When the latest speculative frame is across the link. */
  private freeNs = 0;

  constructor(config: EndpointConfig) {
    this.config = config;
    this.paths = config.unprovedFrames === Number.POSITIVE_INFINITY ? null : new ProvedPaths(config);
    this.setLinkRate(config.rateBps);
  }

  /** The host's link has another rate; flows that have begun keep their bytes. */
  setLinkRate(rateBps: number): void {
    const { speculativeRttNs, frameBytes } = this.config;
    this.rateBps = rateBps;
    const productBytes = (rateBps * speculativeRttNs) / 8e9;
    const payloadBytes = frameBytes - Data.overheadBytes;
    const frames = Math.max(1, Math.floor(productBytes / wireBytes(frameBytes)));
    this.budgetBytes = Number.isFinite(productBytes) ? frames * payloadBytes : UNLIMITED_BUDGET_BYTES;
  }

  /** When a frame that is ready at `nowNs` may leave. */
  readyNs(nowNs: number): number {
    return Math.max(nowNs, this.freeNs);
  }

  /** Sends a frame due at `dueNs` at `nowNs`; returns the time that counts. A late host makes up for its catch-up bound only. */
  take(bytesOnWire: number, dueNs: number, nowNs: number): number {
    const startNs = Math.max(dueNs, this.freeNs, nowNs - this.config.catchUpNs);
    this.freeNs = startNs + transmissionNs(bytesOnWire, this.rateBps);
    return startNs;
  }
}

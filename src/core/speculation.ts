import { transmissionNs } from '../base/time.js';
import * as layout from '../wire/layout.js';
import { wireBytes } from '../wire/layout.js';
import type { EndpointConfig } from './config.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Data } = layout;

/** What a flow sends without credits at most where its host's link has no rate: the least receive window (PROTOCOL §12.1). */
const UNLIMITED_BUDGET_BYTES = 65_536;

/**
 * The speculative frames of one host (PROTOCOL §12): how many bytes each flow may send without credits, and when its next frame may leave, so that those of all flows
 * together fill the host's link and no more. What its own credits release at the same time comes on top; the NIC drops what does not fit.
 */
export class Speculation {
  /** Payload bytes of a flow, a whole frame at least. */
  budgetBytes = 0;
  private rateBps = 0;
  private readonly config: EndpointConfig;
  /** When the latest speculative frame is across the link. */
  private freeNs = 0;

  constructor(config: EndpointConfig) {
    this.config = config;
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

  /**
   * A frame of `bytesOnWire` that was due at `dueNs` leaves when the host is awake at `nowNs`; returns when it is taken to have left. A host that wakes late makes up for its
   * catch-up bound and forgets the rest.
   */
  take(bytesOnWire: number, dueNs: number, nowNs: number): number {
    const startNs = Math.max(dueNs, this.freeNs, nowNs - this.config.catchUpNs);
    this.freeNs = startNs + transmissionNs(bytesOnWire, this.rateBps);
    return startNs;
  }
}

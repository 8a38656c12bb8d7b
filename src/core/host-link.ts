// Tested by test/core/host.test.ts
import { transmissionNs } from '../base/time.js';
import { MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../wire/layout.js';
import { type EndpointConfig, UNLIMITED_MAX_RATE_BPS } from './config.js';
import type { CreditLink } from './credit/algorithm.js';
import type { WindowLink } from './window/algorithm.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The host's link as the algorithms of its flows see it. Its rate may change while they run: they keep these objects. */
export class HostLink {
  private readonly creditLink: Writable<CreditLink>;
  private readonly windowLink: Writable<WindowLink>;

  constructor({ rateBps, frameBytes, catchUpNs }: Pick<EndpointConfig, 'rateBps' | 'frameBytes' | 'catchUpNs'>) {
    const maxRateBps = Math.min(rateBps, UNLIMITED_MAX_RATE_BPS);
    const frameWireBytes = wireBytes(frameBytes);
    this.creditLink = { maxRateBps, bytesPerCredit: MEAN_CREDIT_WIRE_BYTES + frameWireBytes };
    this.windowLink = { maxRateBps, frameWireBytes, latenessNs: catchUpNs };
  }

  get credit(): CreditLink {
    return this.creditLink;
  }

  get window(): WindowLink {
    return this.windowLink;
  }

  /** Time that a credit and its data take on the link, ns. */
  get creditNs(): number {
    return transmissionNs(this.creditLink.bytesPerCredit, this.creditLink.maxRateBps);
  }

  setRate(rateBps: number): void {
    const maxRateBps = Math.min(rateBps, UNLIMITED_MAX_RATE_BPS);
    this.creditLink.maxRateBps = maxRateBps;
    this.windowLink.maxRateBps = maxRateBps;
  }
}

import type { DueSource } from '../core/context.js';
import { CreditIssuer } from '../core/credit-issuer.js';
import type { CreditMeter } from '../core/credit-meter.js';
import type { Endpoint } from '../core/endpoint.js';
import type { Host, Nic } from '../core/host.js';
import type { ReceiverFrames } from '../core/receiver-frames.js';
import type { SimHost } from './sim-host.js';

/**
 * The objects that a host's next credit needs, side by side, to bring them into the caches before the host is advanced. Its way leads from one to the next, and each that is not in a cache is a wait of its own;
 * from here the processor fetches all at once. It follows the flow that sent last, which is the only one that most hosts have.
 */
export class CreditWay {
  private readonly host: SimHost;
  private machine: Host;
  private endpoint: Endpoint;
  private nic: Nic;
  private source: DueSource | null = null;
  /** Of `source`; null where that is no receiver with credits. The same holds for the next two. */
  private issuer: CreditIssuer | null = null;
  private meter: CreditMeter | null = null;
  private frames: ReceiverFrames | null = null;

  constructor(host: SimHost) {
    this.host = host;
    this.machine = host.host;
    this.endpoint = this.machine.endpoint;
    this.nic = this.machine.nic;
  }

  /** Reads a word of each cache line; the result means nothing. */
  prefetch(): number {
    const { host, machine, endpoint, nic, issuer, meter, frames } = this;
    const hostLines = endpoint.prefetch() ^ nic.prefetch();
    const flowLines =
      issuer === null
        ? 0
        : issuer.prefetch() ^ (meter as CreditMeter).prefetch() ^ (frames as ReceiverFrames).prefetch();
    if (host.host !== machine) this.followMachine(host.host);
    if (endpoint.dueSource !== this.source) this.followSource(endpoint.dueSource);
    return hostLines ^ flowLines;
  }

  /** The host has another since it crashed. */
  private followMachine(machine: Host): void {
    this.machine = machine;
    this.endpoint = machine.endpoint;
    this.nic = machine.nic;
  }

  private followSource(source: DueSource | null): void {
    this.source = source;
    this.issuer = source instanceof CreditIssuer ? source : null;
    this.meter = this.issuer?.meter ?? null;
    this.frames = this.issuer?.frames ?? null;
  }
}

import type { ExitCode } from '../../base/exit-codes.js';
import type { EndpointConfig } from '../../core/config.js';
import type { CreditTotals } from '../../core/credit-totals.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { PortConfig } from '../../switch/port.js';
import type { PortSnapshot } from '../../switch/port-statistics.js';
import type { HostSamples, SampleOrder } from './host-sampler.js';

/**
 * What the lab and the processes of its hosts say to each other, as structured clones: numbers may be Infinity. Instants are nanoseconds of the
 * system's monotonic clock, which all processes of a machine share; other times are ns since the start of the run.
 */

/** Bytes by window of a fixed length: what Jain's index is made of. Windows before the first byte are not kept. */
export interface WindowCounts {
  readonly windowNs: number;
  /** The window of the first count; windows are numbered from the beginning of the measured time. */
  readonly first: number;
  readonly bytes: readonly number[];
}

/** Everything that a host's process has to know. */
export interface HostOrder {
  readonly hostId: number;
  readonly switchAddress: string;
  /** What differs from a deployed host's settings. */
  readonly endpoint: Partial<EndpointConfig>;
  readonly nic: PortConfig;
  readonly isChecked: boolean;
  readonly windowsNs: readonly number[];
  /** Whether flows come before the run that nobody counts. */
  readonly rehearses: boolean;
  /** How long the switch may refuse, because it still keeps the port of a process that died. */
  readonly attachWithinNs: number;
}

export interface RunOrder {
  /** When the run begins. */
  readonly startAt: number;
  readonly measureNs: number;
  readonly endNs: number;
  /** The flows that this host sends, by their start. */
  readonly flows: readonly FlowPlan[];
  /** null: nothing is sampled. */
  readonly samples: SampleOrder | null;
}

export type ToHost =
  | { readonly order: 'attach'; readonly host: HostOrder }
  /** Sends to these hosts and to nobody in particular, until the run is ordered. */
  | { readonly order: 'rehearse'; readonly to: readonly number[] }
  /** Ends the rehearsal: gives up all its flows. */
  | { readonly order: 'rest' }
  | { readonly order: 'run'; readonly run: RunOrder }
  | { readonly order: 'reader'; readonly rateBps: number }
  | { readonly order: 'report' }
  /** Asks for the flows that are open, for the live page. */
  | { readonly order: 'look' }
  /** Nothing but to say that it is there. */
  | { readonly order: 'answer' };

export type FromHost =
  | { readonly event: 'attached' }
  /** One that this host sent: its receiver has everything, or it failed. */
  | { readonly event: 'flowEnded'; readonly id: number }
  | { readonly event: 'report'; readonly report: HostReport }
  | { readonly event: 'flows'; readonly flows: readonly OpenFlow[] }
  | { readonly event: 'alive' }
  /** It cannot go on; `exitCode` is the lab's. */
  | { readonly event: 'failed'; readonly message: string; readonly exitCode: ExitCode };

/** A flow that a host receives, at one moment. */
export interface OpenFlow {
  /** The sender's host id; with `flowId` it is the flow's name. */
  readonly from: number;
  readonly flowId: number;
  readonly algorithm: string;
  readonly bytes: number;
  readonly rateBps: number;
  readonly rttNs: number;
  /** As JSON has it: null for what is not finite. */
  readonly state: Readonly<Record<string, number | null>>;
}

export interface SentFlow {
  /** As planned. */
  readonly id: number;
  readonly flowId: number;
  readonly startNs: number;
  /** When it was closed at this end; NEVER: it is open. */
  readonly closedNs: number;
  /** Code of what ended it early; null for nothing. */
  readonly error: string | null;
}

export interface ReceivedFlow {
  /** The sender's host id; with `flowId` it is the flow's name. */
  readonly from: number;
  readonly flowId: number;
  readonly deliveredBytes: number;
  readonly measuredBytes: number;
  /** When every byte had arrived; null: they have not. */
  readonly completeNs: number | null;
  /** Offset of the first delivery that was not what had been sent; null: all was well, or not looked at. */
  readonly wrongAtByte: number | null;
  readonly error: string | null;
  readonly credits: CreditTotals;
  readonly windows: readonly WindowCounts[];
}

export interface HostReport {
  readonly hostId: number;
  readonly sent: readonly SentFlow[];
  readonly received: readonly ReceivedFlow[];
  /** The direction into the network, over the `nicSpanNs` that the host was there in the measured time. */
  readonly nic: PortSnapshot;
  readonly nicSpanNs: number;
  /** The largest queue of the NIC before that. */
  readonly nicQueueBytesMaxBefore: number;
  /** Of all flows that it received until the measured time. */
  readonly creditsBefore: CreditTotals;
  readonly samples: HostSamples | null;
  /** Datagrams that came, and the kernel's drops; null where the system does not tell. */
  readonly datagramsIn: number;
  readonly kernelDrops: number | null;
}

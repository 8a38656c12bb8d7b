import type { FlowTrace } from '../core/flow-trace.js';
import type { DatagramTap } from '../udp/tapped-datapath.js';
import type { FrameTap } from '../wire/frame-tap.js';
import type { OnSecret } from './keys.js';

/** Who looks at what a host does, for the commands of this package. */
export interface HostWatch {
  /** Every datagram of its socket. */
  readonly datagrams?: DatagramTap;
  /** What happens to its flows; the host's id behind a switch, 0 in direct mode. */
  readonly flows?: (hostId: number) => FlowTrace;
  /** What its NIC marks and drops. */
  readonly nic?: FrameTap;
  /** What opens the frames of each association with keys. */
  readonly secrets?: OnSecret;
}

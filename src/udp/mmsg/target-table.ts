// Tested by test/loopback/udp-datapath.test.ts
import type { PeerTable } from '../peer-table.js';
import { SOCKADDR_BYTES } from './linux.js';
import { NAME_WORDS } from './message-vector.js';
import type { Target } from './send-batch.js';
import type { SocketNames } from './socket-names.js';

interface Known {
  readonly address: string;
  readonly port: number;
  readonly target: Target;
}

/** The kernel's structures for the addresses of peers, by the peers' numbers. A number may come to stand for another address: then it is made anew. */
export class TargetTable {
  private readonly known: (Known | undefined)[] = [];
  private readonly peers: PeerTable;
  private readonly names: SocketNames;
  private readonly family: 4 | 6;

  constructor(peers: PeerTable, names: SocketNames, family: 4 | 6) {
    this.peers = peers;
    this.names = names;
    this.family = family;
  }

  /** Null when the peer's address is none that the kernel can read. */
  target(peer: number): Target | null {
    const address = this.peers.address(peer);
    const port = this.peers.port(peer);
    const known = this.known[peer];
    if (known !== undefined && known.port === port && known.address === address) return known.target;
    const bytes = this.names.bytesOf(address, port);
    if (bytes === null) return null;
    const target = {
      words: new Int32Array(bytes.buffer, 0, NAME_WORDS),
      bytes: SOCKADDR_BYTES[this.family],
      isFour: isFour(address),
    };
    this.known[peer] = { address, port, target };
    return target;
  }
}

/** Whether packets to this address are IPv4. */
export function isFour(address: string): boolean {
  return !address.includes(':') || address.startsWith('::ffff:');
}

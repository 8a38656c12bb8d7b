// Tested by test/udp/dgram-datapath.test.ts and test/loopback/udp-datapath.test.ts
import { formatAddress } from './address.js';
import type { DatapathOptions } from './datapath.js';
import { explainProblem, ProblemCounts, type SocketProblem } from './socket-errors.js';

/** Counts the errors of one socket and puts them into words that name the peer. */
export class ProblemReport {
  private readonly counts = new ProblemCounts();
  private readonly options: DatapathOptions;

  constructor(options: DatapathOptions) {
    this.options = options;
  }

  /** An error with this code came; when it is one of sending, it may have been for `peer` and a frame of `frameBytes`. */
  problem(code: string, peer: number, frameBytes: number): SocketProblem {
    return { code, message: explainProblem(code, this.nameOf(peer), frameBytes), count: this.counts.add(code) };
  }

  /** Code to count. */
  snapshot(): Record<string, number> {
    return this.counts.snapshot();
  }

  private nameOf(peer: number): string {
    const { remote, peers, bind } = this.options;
    if (remote !== undefined) return formatAddress(remote);
    if (peers === null || !peers.has(peer)) return '';
    return formatAddress({ address: peers.address(peer), port: peers.port(peer), family: bind.family });
  }
}

import { randomBytes } from 'node:crypto';
import { SECOND_NS } from '../base/time.js';

/** What stands for a UDP address while frames flow. */
interface Peer {
  address: string;
  port: number;
  /** Number of the next peer with the same hash; 0 for none. */
  next: number;
  /** When a datagram last came from it. */
  heardNs: number;
  /** Something was sent to it: it may have a flow or an attachment. */
  answered: boolean;
}

export interface PeerTableOptions {
  /** Peers at once; as many as flows (PROTOCOL §6.6) by default. */
  capacity?: number;
  /** A full table forgets a peer silent for this long: above the idle timeout (PROTOCOL §5.7) and four keep-alives (§3.9). */
  silentNs?: number;
}

const DEFAULT_CAPACITY = 65_536;
const DEFAULT_SILENT_NS = 60 * SECOND_NS;
/** The same for a peer that was never answered. Ours: a flood from invented addresses holds its places for a second only. */
const UNANSWERED_NS = 1 * SECOND_NS;
/** Entries that one newcomer looks through for a silent one: bounds the work that a flood can cause for each datagram. */
const SWEEP = 64;
const INITIAL_BUCKETS = 256;
/** The multiplier of the FNV-1a hash, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/** UDP addresses to numbers from 1, and back. Look-ups allocate nothing; the hash is seeded against floods of one chain. */
export class PeerTable {
  /** Newcomers turned away because the table was full of peers that are not silent. */
  refused = 0;
  /** Silent peers that made room. */
  forgotten = 0;
  private readonly capacity: number;
  private readonly silentNs: number;
  private readonly seed = randomBytes(4).readInt32LE(0);
  private readonly peers: Peer[] = [{ address: '', port: 0, next: 0, heardNs: 0, answered: false }];
  private buckets = new Int32Array(INITIAL_BUCKETS);
  private hand = 0;
  private last: Peer = this.peers[0];
  private lastNumber = 0;

  constructor(options: PeerTableOptions = {}) {
    this.capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.silentNs = options.silentNs ?? DEFAULT_SILENT_NS;
  }

  get size(): number {
    return this.peers.length - 1;
  }

  /** The number of an address that a datagram came from or will go to; 0 when it is new and there is no room. */
  number(address: string, port: number, nowNs: number): number {
    if (port === this.last.port && address === this.last.address) {
      this.last.heardNs = nowNs;
      return this.lastNumber;
    }
    const number = this.find(address, port) || this.add(address, port, nowNs);
    if (number !== 0) {
      this.last = this.peers[number];
      this.lastNumber = number;
      this.last.heardNs = nowNs;
    }
    return number;
  }

  /** Whether there is such a peer. */
  has(number: number): boolean {
    return number > 0 && number < this.peers.length;
  }

  /** Something is sent to peer `number`, so it is kept while it is not silent for long. */
  markAnswered(number: number): void {
    this.peers[number].answered = true;
  }

  /** Of a peer that exists. */
  address(number: number): string {
    return this.peers[number].address;
  }

  port(number: number): number {
    return this.peers[number].port;
  }

  private find(address: string, port: number): number {
    let number = this.buckets[this.bucket(address, port)];
    while (number !== 0) {
      const peer = this.peers[number];
      if (peer.port === port && peer.address === address) return number;
      number = peer.next;
    }
    return 0;
  }

  private bucket(address: string, port: number): number {
    let hash = this.seed ^ port;
    for (let at = 0; at < address.length; at++) hash = Math.imul(hash ^ address.charCodeAt(at), FNV_PRIME);
    return (hash ^ (hash >>> 15)) & (this.buckets.length - 1);
  }

  private add(address: string, port: number, nowNs: number): number {
    const number = this.size < this.capacity ? this.peers.length : this.freeSilent(nowNs);
    if (number === 0) {
      this.refused++;
      return 0;
    }
    this.peers[number] = { address, port, next: 0, heardNs: nowNs, answered: false };
    if (this.peers.length > this.buckets.length) this.grow();
    else this.chain(number);
    return number;
  }

  /** Goes on around the table from where the last search ended; 0 when none of the next few peers is silent. */
  private freeSilent(nowNs: number): number {
    for (let step = 0; step < SWEEP; step++) {
      this.hand = (this.hand % this.size) + 1;
      const peer = this.peers[this.hand];
      if (nowNs - peer.heardNs < (peer.answered ? this.silentNs : UNANSWERED_NS)) continue;
      this.unchain(this.hand);
      this.forgotten++;
      return this.hand;
    }
    return 0;
  }

  private chain(number: number): void {
    const peer = this.peers[number];
    const bucket = this.bucket(peer.address, peer.port);
    peer.next = this.buckets[bucket];
    this.buckets[bucket] = number;
  }

  private unchain(number: number): void {
    const gone = this.peers[number];
    if (this.last === gone) {
      this.last = this.peers[0];
      this.lastNumber = 0;
    }
    const bucket = this.bucket(gone.address, gone.port);
    if (this.buckets[bucket] === number) {
      this.buckets[bucket] = gone.next;
      return;
    }
    let before = this.peers[this.buckets[bucket]];
    while (before.next !== number) before = this.peers[before.next];
    before.next = gone.next;
  }

  private grow(): void {
    this.buckets = new Int32Array(this.buckets.length * 2);
    for (let number = 1; number < this.peers.length; number++) this.chain(number);
  }
}

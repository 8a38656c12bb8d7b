import { randomBytes } from 'node:crypto';
import { keyedHash } from '../base/keyed-hash.js';
import { SECOND_NS } from '../base/time.js';
import { networkOf } from './address.js';

/** What stands for a UDP address while frames flow. */
interface Peer {
  address: string;
  port: number;
  /** Number of the next peer with the same hash; 0 for none. */
  next: number;
  /** When a datagram last came from it. */
  heardNs: number;
  /** Flows and associations that count on its number. */
  holders: number;
  /** Place among the strangers; -1: it was held or kept, and its number stands for it until it has been silent for long. */
  place: number;
}

export interface PeerTableOptions {
  /** Peers at once; as many as flows (PROTOCOL §6.6) by default. */
  capacity?: number;
  /** Places of the table for peers that nobody has held yet; a sixteenth of it by default, and one at least. */
  strangers?: number;
  /** A full table forgets a peer that nobody holds and that was silent for this long: above the idle timeout (PROTOCOL §5.7) and four keep-alives (§3.9). */
  silentNs?: number;
}

const DEFAULT_CAPACITY = 65_536;
const DEFAULT_SILENT_NS = 60 * SECOND_NS;
/**
 * Ours: what strangers are told is said at once and keeps no state, so each newcomer takes the place of the oldest of 4,096, and a flood of them
 * leaves fifteen sixteenths of the table alone.
 */
const STRANGERS_SHARE = 16;
/** Entries that one newcomer looks through for a silent one: bounds the work that a flood can cause for each datagram. */
const SWEEP = 64;
const INITIAL_BUCKETS = 256;
/** Port of a peer without an address. */
const NOWHERE = 0;
/** The multiplier of the FNV-1a hash, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/**
 * UDP addresses to numbers from 1, and back. Look-ups allocate nothing; the hash is seeded against floods of one chain.
 *
 * A number that is held (`hold`) stands for its address until it is released and the peer has been silent for `silentNs`. Strangers, whom nobody has held
 * yet, share a small part of the table and make room for each other only.
 */
export class PeerTable {
  /** Newcomers turned away because the table was full of peers that are not silent. */
  refused = 0;
  /** Silent peers that made room. */
  forgotten = 0;
  private readonly capacity: number;
  private readonly silentNs: number;
  private readonly seed = randomBytes(4).readInt32LE(0);
  private readonly peers: Peer[] = [{ address: '', port: 0, next: 0, heardNs: 0, holders: 0, place: -1 }];
  /** Their numbers, in no order. */
  private readonly strangers: Int32Array;
  private strangerCount = 0;
  private strangerHand = 0;
  private buckets = new Int32Array(INITIAL_BUCKETS);
  private hand = 0;
  private last: Peer = this.peers[0];
  private lastNumber = 0;

  constructor(options: PeerTableOptions = {}) {
    this.capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.silentNs = options.silentNs ?? DEFAULT_SILENT_NS;
    this.strangers = new Int32Array(options.strangers ?? Math.max(1, Math.floor(this.capacity / STRANGERS_SHARE)));
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

  /** This host itself wants to talk to peer `number`, which is no stranger any more: its number stands until it has been silent for long. */
  keep(number: number): void {
    const peer = this.peers[number];
    if (peer.place >= 0) this.leaveStrangers(peer);
  }

  /** A flow or an association counts on `number`: it stands for this address until as many calls of `release`. A number that is not in use is left alone. */
  hold(number: number): void {
    if (!this.has(number)) return;
    this.keep(number);
    this.peers[number].holders++;
  }

  /** Undoes one `hold`; does nothing for a number that was in nobody's hands. */
  release(number: number): void {
    if (this.isHeld(number)) this.peers[number].holders--;
  }

  /** Whether anything counts on the number. */
  isHeld(number: number): boolean {
    return this.has(number) && this.peers[number].holders > 0;
  }

  /** Whether the peer has an address: another one may have taken the place at which it was. */
  reaches(number: number): boolean {
    return this.has(number) && this.peers[number].port !== NOWHERE;
  }

  /**
   * `number` stands for the address of `to` from now on. `to`, a stranger who has only told of the move, gets what `number` had; where something counts on
   * `to`, it has no address until it proves one itself.
   */
  move(number: number, to: number): void {
    if (number === to || !this.has(number) || !this.has(to)) return;
    const [moved, there] = [this.peers[number], this.peers[to]];
    const { address, port } = moved;
    this.unchain(number);
    this.unchain(to);
    moved.address = there.address;
    moved.port = there.port;
    there.address = there.holders > 0 ? '' : address;
    there.port = there.holders > 0 ? NOWHERE : port;
    this.chain(number);
    this.chain(to);
  }

  /** Of a peer that exists. */
  address(number: number): string {
    return this.peers[number].address;
  }

  port(number: number): number {
    return this.peers[number].port;
  }

  /** The same number for all peers of one address, and of one network of IPv6: what a limit by source is of. */
  sourceOf(number: number): number {
    return this.has(number) ? this.hash(networkOf(this.peers[number].address), 0) : 0;
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
    return this.hash(address, port) & (this.buckets.length - 1);
  }

  private hash(address: string, port: number): number {
    let hash = this.seed ^ port;
    for (let at = 0; at < address.length; at++) hash = Math.imul(hash ^ address.charCodeAt(at), FNV_PRIME);
    return keyedHash(hash, this.seed);
  }

  private add(address: string, port: number, nowNs: number): number {
    const number = this.roomFor(nowNs);
    if (number === 0) {
      this.refused++;
      return 0;
    }
    this.peers[number] = { address, port, next: 0, heardNs: nowNs, holders: 0, place: this.strangerCount };
    this.strangers[this.strangerCount++] = number;
    if (this.peers.length > this.buckets.length) this.grow();
    else this.chain(number);
    return number;
  }

  /** A number for a newcomer, who is a stranger at first; 0 when there is none. */
  private roomFor(nowNs: number): number {
    if (this.strangerCount === this.strangers.length) return this.freeStranger();
    return this.size < this.capacity ? this.peers.length : this.freeSilent(nowNs);
  }

  /** Goes around the strangers: the next one has had its turn longest ago. */
  private freeStranger(): number {
    this.strangerHand = (this.strangerHand + 1) % this.strangerCount;
    return this.forget(this.strangers[this.strangerHand]);
  }

  /** The same around the whole table, where a peer that nobody holds may be silent. */
  private freeSilent(nowNs: number): number {
    for (let step = 0; step < SWEEP; step++) {
      this.hand = (this.hand % this.size) + 1;
      const peer = this.peers[this.hand];
      const isLetGo = peer.holders === 0 && (peer.place >= 0 || nowNs - peer.heardNs >= this.silentNs);
      if (isLetGo) return this.forget(this.hand);
    }
    return 0;
  }

  private forget(number: number): number {
    const peer = this.peers[number];
    if (peer.place >= 0) this.leaveStrangers(peer);
    this.unchain(number);
    this.forgotten++;
    return number;
  }

  /** The last stranger takes its place. */
  private leaveStrangers(peer: Peer): void {
    const lastNumber = this.strangers[--this.strangerCount];
    this.strangers[peer.place] = lastNumber;
    this.peers[lastNumber].place = peer.place;
    peer.place = -1;
  }

  private chain(number: number): void {
    const peer = this.peers[number];
    if (peer.port === NOWHERE) return;
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
    if (gone.port === NOWHERE) return;
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

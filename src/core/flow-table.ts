import { keyedHash } from '../base/keyed-hash.js';

/** Numbers in an entry: slot + 1 (0: empty), peer, flow id (signed), and one unused, so that no entry crosses a cache line. */
const ENTRY = 4;
const PEER = 1;
const ID = 2;

const INITIAL_CAPACITY = 4;

/**
 * Finds a flow's slot by (peer, flow id): open addressing with linear probing and backward-shift deletion (Knuth, vol. 3, algorithm 6.4R), at most half full.
 * Peers choose ids, so the hash has a key: no peer can aim its flows at one chain. Numbers in a typed array, so that a look-up allocates nothing and
 * strings never come into it. What was found last is found at once: a host with one flow, or with frames that come in a row, does not look into the
 * table.
 */
export class FlowTable {
  private readonly seed: number;
  private capacity = INITIAL_CAPACITY;
  private entries = new Int32Array(this.capacity * ENTRY);
  private used = 0;
  private lastPeer = 0;
  private lastId = 0;
  /** -1: nothing was found since the table changed. */
  private lastSlot = -1;

  /** `seed`: 32 bits that peers do not know; 0 where there are none to fear. */
  constructor(seed = 0) {
    this.seed = seed | 0;
  }

  get size(): number {
    return this.used;
  }

  /** The flow's slot, or -1. */
  get(peer: number, id: number): number {
    const signedId = id | 0;
    if (signedId === this.lastId && peer === this.lastPeer && this.lastSlot >= 0) return this.lastSlot;
    this.lastSlot = this.entries[this.find(peer, signedId)] - 1;
    this.lastPeer = peer;
    this.lastId = signedId;
    return this.lastSlot;
  }

  /** Entries that a look-up passes over. For tests. @internal */
  probesFor(peer: number, id: number): number {
    return this.distance(this.home(peer, id | 0), this.find(peer, id | 0)) / ENTRY;
  }

  /** Adds or replaces. */
  set(peer: number, id: number, slot: number): void {
    if ((this.used + 1) * 2 > this.capacity) this.grow();
    const at = this.find(peer, id | 0);
    if (this.entries[at] === 0) this.used++;
    this.write(at, peer, id | 0, slot);
    this.lastSlot = -1;
  }

  delete(peer: number, id: number): void {
    this.lastSlot = -1;
    let hole = this.find(peer, id | 0);
    const { entries } = this;
    if (entries[hole] === 0) return;
    this.used--;
    for (let next = this.after(hole); entries[next] !== 0; next = this.after(next)) {
      const distance = this.distance(this.home(entries[next + PEER], entries[next + ID]), next);
      if (distance < this.distance(hole, next)) continue;
      this.write(hole, entries[next + PEER], entries[next + ID], entries[next] - 1);
      hole = next;
    }
    entries[hole] = 0;
  }

  /** Where the flow stands, or where it would. */
  private find(peer: number, id: number): number {
    const { entries } = this;
    let at = this.home(peer, id);
    while (entries[at] !== 0 && (entries[at + ID] !== id || entries[at + PEER] !== peer)) at = this.after(at);
    return at;
  }

  /** Peers are small numbers: the multiplier (2^32 over the golden ratio, Knuth 6.4) spreads them before the id comes in. */
  private home(peer: number, id: number): number {
    return (keyedHash(id ^ Math.imul(peer, 0x9e3779b1), this.seed) & (this.capacity - 1)) * ENTRY;
  }

  private after(at: number): number {
    return (at + ENTRY) & (this.entries.length - 1);
  }

  /** From one place on to another, around the end. */
  private distance(from: number, to: number): number {
    return (to - from) & (this.entries.length - 1);
  }

  private write(at: number, peer: number, id: number, slot: number): void {
    const { entries } = this;
    entries[at] = slot + 1;
    entries[at + PEER] = peer;
    entries[at + ID] = id;
  }

  private grow(): void {
    const { entries } = this;
    this.capacity *= 2;
    this.entries = new Int32Array(this.capacity * ENTRY);
    for (let at = 0; at < entries.length; at += ENTRY) {
      if (entries[at] === 0) continue;
      const [peer, id] = [entries[at + PEER], entries[at + ID]];
      this.write(this.find(peer, id), peer, id, entries[at] - 1);
    }
  }
}

const EMPTY = 0;
const TAKEN = 1;

/**
 * Finds a flow's slot by (peer, flow id): open addressing with linear probing and backward-shift deletion (Knuth, vol. 3, algorithm 6.4R), at most half full.
 * Numbers in typed arrays, so that a look-up allocates nothing and strings never come into it.
 */
export class FlowTable {
  private capacity = 64;
  private state = new Uint8Array(this.capacity);
  private peers = new Uint32Array(this.capacity);
  private ids = new Uint32Array(this.capacity);
  private slots = new Int32Array(this.capacity);
  private used = 0;

  get size(): number {
    return this.used;
  }

  /** The flow's slot, or -1. */
  get(peer: number, id: number): number {
    const at = this.find(peer, id);
    return this.state[at] === TAKEN ? this.slots[at] : -1;
  }

  /** Adds or replaces. */
  set(peer: number, id: number, slot: number): void {
    if ((this.used + 1) * 2 > this.capacity) this.grow();
    const at = this.find(peer, id);
    if (this.state[at] === EMPTY) this.used++;
    this.write(at, peer, id, slot);
  }

  delete(peer: number, id: number): void {
    let hole = this.find(peer, id);
    if (this.state[hole] === EMPTY) return;
    this.used--;
    let next = (hole + 1) & (this.capacity - 1);
    while (this.state[next] === TAKEN) {
      const home = this.home(this.peers[next], this.ids[next]);
      const distance = (next - home) & (this.capacity - 1);
      if (distance >= ((next - hole) & (this.capacity - 1))) {
        this.write(hole, this.peers[next], this.ids[next], this.slots[next]);
        hole = next;
      }
      next = (next + 1) & (this.capacity - 1);
    }
    this.state[hole] = EMPTY;
  }

  private find(peer: number, id: number): number {
    let at = this.home(peer, id);
    while (this.state[at] === TAKEN && (this.ids[at] !== id || this.peers[at] !== peer))
      at = (at + 1) & (this.capacity - 1);
    return at;
  }

  /** Multiplicative hashing (Fibonacci); ids are random already, peers are small numbers. */
  private home(peer: number, id: number): number {
    const mixed = Math.imul(id ^ Math.imul(peer, 0x9e3779b1), 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) & (this.capacity - 1);
  }

  private write(at: number, peer: number, id: number, slot: number): void {
    this.state[at] = TAKEN;
    this.peers[at] = peer;
    this.ids[at] = id;
    this.slots[at] = slot;
  }

  private grow(): void {
    const { capacity, state, peers, ids, slots } = this;
    this.capacity = capacity * 2;
    this.state = new Uint8Array(this.capacity);
    this.peers = new Uint32Array(this.capacity);
    this.ids = new Uint32Array(this.capacity);
    this.slots = new Int32Array(this.capacity);
    for (let at = 0; at < capacity; at++) {
      if (state[at] === TAKEN) this.write(this.find(peers[at], ids[at]), peers[at], ids[at], slots[at]);
    }
  }
}

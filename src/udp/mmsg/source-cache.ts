// Tested by test/udp/mmsg/source-cache.test.ts
import type { Source } from '../datapath.js';
import * as linux from './linux.js';
import * as messageVector from './message-vector.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { SOCKADDR_ROOM_BYTES } = linux;
const { NAME_WORDS } = messageVector;

/** Addresses that are remembered (ours): a power of two, several times the hosts that one process talks to. */
const PLACES = 4_096;
/** The multiplier of the FNV-1a hash, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/**
 * The text of an address that a datagram came from, without making it anew for each: a table with one place for each hash, where the last
 * address with that hash is. Two that share a place cost time, not correctness.
 */
export class SourceCache {
  private readonly words = new Int32Array(PLACES * NAME_WORDS);
  private readonly sources: (Source | null)[] = new Array<Source | null>(PLACES).fill(null);
  private readonly read: (name: Uint8Array) => Source;

  /** `read` makes the text of the structure that it gets. */
  constructor(read: (name: Uint8Array) => Source) {
    this.read = read;
  }

  /** The address in `names` from word `at` on; whatever its structure does not fill is 0. */
  source(names: Int32Array, at: number): Source {
    const place = placeOf(names, at);
    const known = this.sources[place];
    return known !== null && this.isAt(place, names, at) ? known : this.learn(place, names, at);
  }

  private isAt(place: number, names: Int32Array, at: number): boolean {
    const base = place * NAME_WORDS;
    for (let word = 0; word < NAME_WORDS; word++) if (this.words[base + word] !== names[at + word]) return false;
    return true;
  }

  private learn(place: number, names: Int32Array, at: number): Source {
    const name = names.subarray(at, at + NAME_WORDS);
    this.words.set(name, place * NAME_WORDS);
    const source = this.read(new Uint8Array(name.buffer, name.byteOffset, SOCKADDR_ROOM_BYTES));
    this.sources[place] = source;
    return source;
  }
}

function placeOf(names: Int32Array, at: number): number {
  let hash = 0;
  for (let word = 0; word < NAME_WORDS; word++) hash = Math.imul(hash ^ names[at + word], FNV_PRIME);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

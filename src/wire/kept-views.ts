import { viewOf } from './bytes.js';

/** Places for views. Ours: a power of two, above the data frames that a driver reads before it uses the same memory again. */
const PLACES = 2_048;

/**
 * Views of parts of arrays that come again and again, as those do that datagrams are read into: a new view takes 60 ns and leaves 100 bytes of garbage. Two
 * arrays that want one place cost time only.
 */
export class KeptViews {
  private readonly arrays: (Uint8Array | null)[] = new Array<Uint8Array | null>(PLACES).fill(null);
  private readonly views: Uint8Array[] = [];

  of(bytes: Uint8Array, at: number, length: number): Uint8Array {
    const place = (bytes.byteOffset >>> 6) & (PLACES - 1);
    if (this.arrays[place] === bytes) {
      const known = this.views[place];
      if (known.length === length && known.byteOffset === bytes.byteOffset + at) return known;
    }
    const made = viewOf(bytes, at, length);
    this.arrays[place] = bytes;
    this.views[place] = made;
    return made;
  }
}

import { DISCARD_KIND } from '../shared/discard.js';
import { encodeMessage } from '../shared/files/message.js';
import type { HashedSource } from './file-transfer.js';

/** A source again and again, under the header of a stream that its receiver reads and forgets: everything that sending a file does, without a file at the other end. */
export class EndlessSource implements HashedSource {
  readonly sha256 = null;
  private readonly open: () => Promise<HashedSource>;
  private current: HashedSource | null = null;
  private isBegun = false;

  constructor(open: () => Promise<HashedSource>) {
    this.open = open;
  }

  async next(): Promise<Uint8Array> {
    if (!this.isBegun) {
      this.isBegun = true;
      return encodeMessage({ kind: DISCARD_KIND });
    }
    for (;;) {
      this.current ??= await this.open();
      const chunk = await this.current.next();
      if (chunk !== null) return chunk;
      await this.close();
    }
  }

  async close(): Promise<void> {
    const { current } = this;
    this.current = null;
    await current?.close();
  }
}

import type { TransferBody } from './file/transfer-reader.js';
import type { ServedStream, StreamService } from './service.js';

/** Streams of this kind are read to their end and forgotten: RFC 863's service. */
export const DISCARD_KIND = 'discard';

/** Takes streams that nobody wants to keep. */
export class DiscardService implements StreamService {
  readonly kind = DISCARD_KIND;

  accept(_header: unknown, stream: ServedStream): TransferBody {
    return {
      bodyBytes: Number.POSITIVE_INFINITY,
      hasTrailer: false,
      onBody: (bytes) => stream.receiver.release(bytes.length),
      onEnd: () => {},
      onFault: () => {},
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

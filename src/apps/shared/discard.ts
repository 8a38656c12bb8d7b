import type { FlowWriter } from '../../core/application.js';
import type { XpassError } from '../../core/errors.js';
import type { SenderFlow } from '../../core/sender-flow.js';
import { encodeMessage } from './files/message.js';
import type { TransferBody } from './files/transfer-reader.js';
import type { ServedStream, StreamService, StreamTransport } from './service.js';

/** Streams of this kind are read to their end and forgotten: RFC 863's service. */
const DISCARD_KIND = 'discard';
/** What is sent to nowhere, again and again (ours: as much as a file source gives at a time). */
const CHUNK_BYTES = 65_536;

/** Takes streams that nobody wants to keep. */
export class DiscardService implements StreamService {
  readonly kind = DISCARD_KIND;

  accept(_header: unknown, stream: ServedStream): TransferBody {
    return {
      bodyBytes: Number.POSITIVE_INFINITY,
      hasTrailer: false,
      onBody: (bytes) => stream.release(bytes.length),
      onEnd: () => {},
      onFault: () => {},
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Sends to a peer's discard service for `durationNs`, then gives the flow up. Both processes have their code compiled and their buffers grown
 * when something begins that counts. Rejects with the XpassError that ended the flow before.
 */
export function sendToNowhere(transport: DiscardTransport, peer: number, durationNs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = new DiscardSource(transport, (error) => {
      clearTimeout(timer);
      if (error === null) resolve();
      else reject(error);
    });
    const timer = setTimeout(() => source.stop(), durationNs / 1e6);
    source.start(peer);
  });
}

/** What is needed of a transport. */
export type DiscardTransport = Pick<StreamTransport, 'run'>;

class DiscardSource implements FlowWriter {
  private readonly transport: DiscardTransport;
  private readonly done: (error: XpassError | null) => void;
  private readonly chunk = new Uint8Array(CHUNK_BYTES);
  private flow: SenderFlow | null = null;
  private isStopping = false;

  constructor(transport: DiscardTransport, done: (error: XpassError | null) => void) {
    this.transport = transport;
    this.done = done;
  }

  start(peer: number): void {
    this.transport.run((nowNs, { endpoint }) => {
      this.flow = endpoint.open(peer, this, {}, nowNs);
      this.flow.write(encodeMessage({ kind: DISCARD_KIND }), nowNs);
    });
    this.onWritable();
  }

  stop(): void {
    this.isStopping = true;
    this.transport.run((nowNs) => this.flow?.reset(nowNs));
  }

  onWritable(): void {
    this.transport.run((nowNs) => {
      while (this.flow?.write(this.chunk, nowNs) === true);
    });
  }

  onClosed(error: XpassError | null): void {
    this.flow = null;
    this.done(this.isStopping ? null : error);
  }
}

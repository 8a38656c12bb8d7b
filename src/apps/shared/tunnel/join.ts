// Tested by test/loopback/tunnel.test.ts

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The part of a Stream that a tunnel uses; a TCP socket has it too. */
export interface TunnelStream extends Duplex {
  resetAndDestroy(): unknown;
}

/** How a joined pair ended. */
export interface JoinOutcome {
  /** Bytes that the TCP program sent, and that it was given. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Null for two directions that ended in order; else who broke off (`stop`: this process, which ends), and the error's code. */
  readonly broken: { readonly by: 'program' | 'peer' | 'stop'; readonly code: string } | null;
}

/**
 * Passes bytes, ends and resets between a TCP socket and a stream until both are closed. Both have to allow half-open. Bytes of the program go at once;
 * those of the stream from `start` on, so that an answer can be read before. Each side takes no more than the other has room for.
 */
export class Join {
  private readonly socket: Socket;
  private readonly stream: TunnelStream;
  private broken: JoinOutcome['broken'] = null;
  private open = 2;

  constructor(socket: Socket, stream: TunnelStream, onClosed: (outcome: JoinOutcome) => void) {
    this.socket = socket;
    this.stream = stream;
    const end = (): void => {
      if (--this.open > 0) return;
      const { bytesRead: sentBytes, bytesWritten: receivedBytes } = socket;
      onClosed({ sentBytes, receivedBytes, broken: this.broken });
    };
    this.watch(socket, 'program', () => stream.resetAndDestroy(), end);
    this.watch(stream, 'peer', () => resetSocket(socket), end);
    socket.pipe(stream);
  }

  /** From now on the program gets what the stream brings. */
  start(): void {
    this.stream.pipe(this.socket);
  }

  /** Ends both with resets. */
  reset(): void {
    this.broken ??= { by: 'stop', code: 'shutdown' };
    resetSocket(this.socket);
    this.stream.resetAndDestroy();
  }

  private watch(side: Duplex, by: 'program' | 'peer', resetOther: () => void, onEnd: () => void): void {
    side.on('error', (error: Error & { code?: string }) => {
      this.broken ??= { by, code: error.code ?? error.name };
    });
    const close = (): void => {
      if (!(side.readableEnded && side.writableFinished)) {
        this.broken ??= { by, code: 'reset' };
        resetOther();
      }
      onEnd();
    };
    // From a turn of its own, so that nobody hears of the end before it has this object.
    if (side.closed) process.nextTick(close);
    else side.once('close', close);
  }
}

/** RST instead of FIN. A socket that is closed already stays as it is. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  socket.on('error', () => undefined);
  socket.resetAndDestroy();
  // By itself it would wait until a program that may never read again has taken what was written.
  if (socket.writableLength > 0) socket.destroy();
}

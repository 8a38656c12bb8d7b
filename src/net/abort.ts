import type { Duplex } from 'node:stream';

/** Destroys the stream with an AbortError once the signal says so. */
export function abortWith(signal: AbortSignal, stream: Duplex): void {
  const abort = (): void => {
    stream.destroy(new DOMException('the stream was aborted', { name: 'AbortError', cause: signal.reason }));
  };
  if (signal.aborted) {
    abort();
    return;
  }
  signal.addEventListener('abort', abort, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', abort));
}

/** Waits for `work`, or rejects with the signal's reason as soon as it aborts; `undo` then follows work that is done all the same. */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal, undo: () => void): Promise<void> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
    signal.throwIfAborted();
  } catch (error) {
    if (signal.aborted) work.then(undo, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

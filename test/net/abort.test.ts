import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { abortWith, unlessAborted } from '../../src/net/abort.js';

const reason = new Error('enough');

describe('work that a signal may end', () => {
  it('is waited for, and fails as it fails', async () => {
    const { signal } = new AbortController();
    await unlessAborted(Promise.resolve(), signal, () => expect.unreachable());
    await expect(unlessAborted(Promise.reject(reason), signal, () => expect.unreachable())).rejects.toBe(reason);
  });

  it('is not waited for once the signal aborts, and is undone when it is done', async () => {
    const controller = new AbortController();
    let finish = (): void => undefined;
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let undone = 0;
    const waiting = unlessAborted(work, controller.signal, () => undone++);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(undone).toBe(0);
    finish();
    await work;
    await Promise.resolve();
    expect(undone).toBe(1);
  });
});

describe('a stream with a signal', () => {
  it.each(['before', 'after'])('is destroyed with an AbortError: aborted %s', async (when) => {
    const controller = new AbortController();
    const stream = new Duplex({ read: () => undefined });
    if (when === 'before') controller.abort(reason);
    const failed = new Promise((resolve) => stream.once('error', resolve));
    abortWith(controller.signal, stream);
    controller.abort(reason);
    expect(await failed).toMatchObject({ name: 'AbortError', cause: reason });
  });
});

import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onInterrupt, REPEAT_MS } from '../../../src/apps/cli/signals.js';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  platform = 'linux';

  exit(code: number): void {
    this.exits.push(code);
  }
}

function setUp(platform = 'linux') {
  const source = new FakeProcess();
  source.platform = platform;
  const clock = { nowMs: 1_000 };
  const handled: string[] = [];
  const dispose = onInterrupt(
    (signal) => handled.push(signal),
    source,
    () => clock.nowMs,
  );
  return { source, clock, handled, dispose };
}

describe('signals', () => {
  it('ask for an orderly end once', () => {
    const { source, handled } = setUp();
    source.emit('SIGINT', 'SIGINT');
    source.emit('SIGINT', 'SIGINT');
    source.emit('SIGTERM', 'SIGTERM');
    expect(handled).toEqual(['SIGINT']);
    expect(source.exits).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('end the process at once when %s comes again later', (signal, code) => {
    const { source, clock, handled } = setUp();
    source.emit('SIGTERM', 'SIGTERM');
    clock.nowMs += REPEAT_MS;
    source.emit(signal, signal);
    expect(handled).toEqual(['SIGTERM']);
    expect(source.exits).toEqual([code]);
  });

  it.each([
    ['SIGBREAK', 149],
    ['SIGHUP', 129],
  ])('are on Windows %s too, which stays what it is elsewhere', (signal, code) => {
    const { source, clock, handled, dispose } = setUp('win32');
    source.emit(signal, signal);
    clock.nowMs += REPEAT_MS;
    source.emit(signal, signal);
    expect([handled, source.exits]).toEqual([[signal], [code]]);
    dispose();
    expect(source.eventNames()).toEqual([]);
    expect(setUp('linux').source.listenerCount(signal)).toBe(0);
  });

  it('are given back', () => {
    const { source, handled, dispose } = setUp();
    dispose();
    source.emit('SIGINT', 'SIGINT');
    expect(handled).toEqual([]);
    expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Member, Roster } from '../../../src/apps/shared/companion.js';
import { Failure } from '../../../src/base/failure.js';
import { patienceMs } from '../../../src/scenario/play/patience.js';

const NEVER = new Promise<never>(() => undefined);

function member(name: string, said: string): Member & { isStopped: boolean } {
  const found = {
    name,
    isStopped: false,
    lastHeard: () => said,
    stop: async () => {
      found.isStopped = true;
    },
  };
  return found;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('XPASS_PATIENCE', '2s');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('a roster', () => {
  it('gives a wait up when its bound is over, and says what was last heard of each process', async () => {
    const roster = new Roster();
    roster.add(member('server', "'listening' 29.0 s ago"));
    roster.add(member('client', 'nothing since its start 12.1 s ago'));
    const waited = roster.within(NEVER, 'client did not report its result', { takesMs: 3_000 });
    const failed = expect(waited).rejects.toThrow(
      new Failure(
        1,
        "client did not report its result within 5 s; last heard: server: 'listening' 29.0 s ago; client: nothing since its start 12.1 s ago",
      ),
    );
    let isOver = false;
    waited.catch(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(4_900);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(700);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves a wait alone that ends in time', async () => {
    const roster = new Roster();
    expect(await roster.within(Promise.resolve(7), 'it did not come')).toBe(7);
    await expect(roster.within(Promise.reject(new Error('wrong')), 'it did not come')).rejects.toThrow('wrong');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('bounds the lack of progress where there is some', async () => {
    let bytes = 0;
    const waited = new Roster().within(NEVER, 'the files did not arrive', { progress: () => bytes });
    let failure: Error | null = null;
    waited.catch((error: Error) => {
      failure = error;
    });
    for (; bytes < 20; bytes++) await vi.advanceTimersByTimeAsync(1_000);
    expect(failure).toBe(null);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(String(failure)).toContain('the files did not arrive and nothing changed for 2 s; last heard: no process');
  });

  it('does not count the time in which this process itself was stopped', async () => {
    const now = performance.now.bind(performance);
    let stoppedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoppedMs);
    const waited = new Roster().within(NEVER, 'it did not come');
    let failure: Error | null = null;
    waited.catch((error: Error) => {
      failure = error;
    });
    stoppedMs = 3_600_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(failure).toBe(null);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(String(failure)).toContain('it did not come within 2 s');
  });

  it('fails the waits under way and those that follow when a process is lost, until all are stopped', async () => {
    const roster = new Roster();
    const server = member('server', 'ended');
    roster.add(server);
    const [first, second] = [roster.within(NEVER, 'one'), roster.unlessLost(NEVER)];
    roster.lose(new Failure(1, 'server ended with SIGKILL'));
    roster.lose(new Failure(3, 'client ended with status 3'));
    await expect(first).rejects.toThrow('server ended with SIGKILL');
    await expect(second).rejects.toThrow('server ended with SIGKILL');
    await expect(roster.within(NEVER, 'three')).rejects.toThrow('server ended with SIGKILL');
    await roster.stop();
    expect([server.isStopped, roster.lastHeard()]).toEqual([true, 'no process']);
    expect(await roster.within(Promise.resolve(4), 'four')).toBe(4);
  });
});

describe('patience', () => {
  it('is twenty seconds unless the environment says otherwise, and names what is wrong with that', () => {
    expect(patienceMs({})).toBe(20_000);
    expect(patienceMs({ XPASS_PATIENCE: '500ms' })).toBe(500);
    expect(() => patienceMs({ XPASS_PATIENCE: 'long' })).toThrow(
      "XPASS_PATIENCE 'long' is not allowed; allowed: a duration",
    );
  });
});

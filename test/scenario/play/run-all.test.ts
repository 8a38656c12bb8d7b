import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import type { PlayAnswer, PlayRequest } from '../../../src/scenario/play/play.js';
import { collectAll, type RunProgress, runAll } from '../../../src/scenario/play/run-all.js';
import type { SimulationThread } from '../../../src/scenario/play/simulation-thread.js';
import type { Scenario } from '../../../src/sim/scenario.js';

/** One small flow, which takes some milliseconds to simulate. */
function scenario(seed: number): Scenario {
  return parseScenario({ seed, topology: { pairs: 1 }, flows: [{ from: 1, to: 2, bytes: '30kB' }], duration: '10ms' });
}

const seeds = (count: number): Scenario[] => Array.from({ length: count }, (_, at) => scenario(at + 1));

/** A thread whose answers the test decides. */
class FakeThread implements SimulationThread {
  static started: FakeThread[] = [];
  static running = 0;
  static most = 0;
  isOver = false;
  private readonly answerTo: (scenario: Scenario) => Promise<PlayAnswer>;

  constructor(answerTo: (scenario: Scenario) => Promise<PlayAnswer>) {
    this.answerTo = answerTo;
    FakeThread.started.push(this);
  }

  async ask({ scenario, progress }: PlayRequest): Promise<PlayAnswer> {
    new Float64Array(progress).set([0.5, 1_500]);
    FakeThread.most = Math.max(FakeThread.most, ++FakeThread.running);
    const answer = await this.answerTo(scenario);
    FakeThread.running--;
    return answer;
  }

  async stop(): Promise<void> {
    this.isOver = true;
  }
}

/** Threads with these answers; `FakeThread.started` has them. */
function faking(answerTo: (scenario: Scenario) => Promise<PlayAnswer>): () => SimulationThread {
  FakeThread.started = [];
  return () => new FakeThread(answerTo);
}

const failure = (isMistake: boolean): PlayAnswer => ({ error: { message: 'no', stack: 'at', isMistake } });

describe('running many scenarios', () => {
  it('gives the results of each in their order, whatever the number of threads', async () => {
    const one = await collectAll(seeds(5), { jobs: 1 });
    const many = await collectAll(seeds(5), { jobs: 3 });
    expect(one.map(({ run }) => run?.result.seed)).toEqual([1, 2, 3, 4, 5]);
    expect(many.map(({ run }) => run)).toEqual(one.map(({ run }) => run));
    expect(one.every(({ wallS }) => wallS > 0)).toBe(true);
  });

  it('uses as many threads as it is told, and stops them', async () => {
    FakeThread.most = 0;
    const start = faking(async () => {
      await Promise.resolve();
      return failure(true);
    });
    await runAll(seeds(6), { jobs: 2, start });
    expect(FakeThread.most).toBe(2);
    expect(FakeThread.started.map(({ isOver }) => isOver)).toEqual([true, true]);
  });

  it('says that a scenario is too large for the memory, and stops all of its thread', async () => {
    const threads: { isStopped: boolean }[] = [];
    const start = (): SimulationThread => {
      const thread = { isStopped: false };
      threads.push(thread);
      return {
        isOver: true,
        ask: () => Promise.reject(Object.assign(new Error('ended'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })),
        stop: async () => {
          thread.isStopped = true;
        },
      };
    };
    const [{ error }] = await collectAll(seeds(1), { start });
    expect(error).toEqual({ message: expect.stringContaining('--max-old-space-size'), stack: '' });
    expect(threads).not.toContainEqual({ isStopped: false });
  });

  it('goes on after a failure, with a new thread where the old one broke', async () => {
    const start = faking(async ({ seed }) => failure(seed !== 2));
    const outcomes = await collectAll(seeds(4), { jobs: 1, start });
    expect(outcomes.map(({ error }) => error?.message)).toEqual(['no', 'no', 'no', 'no']);
    expect(FakeThread.started).toHaveLength(2);
  });

  it('gives up a run whose virtual time stands still, and replaces its thread', async () => {
    vi.useFakeTimers();
    vi.stubEnv('XPASS_PATIENCE', '1s');
    onTestFinished(() => {
      vi.useRealTimers();
      vi.unstubAllEnvs();
    });
    const start = faking(({ seed }) => (seed === 1 ? new Promise(() => undefined) : Promise.resolve(failure(true))));
    const played = collectAll(seeds(2), { jobs: 1, start });
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await played).map(({ error }) => error?.message)).toEqual([
      'the simulation thread did not answer and nothing changed for 15 s; last heard: simulation thread: at 1.500 us of its time',
      'no',
    ]);
    expect(FakeThread.started.map(({ isOver }) => isOver)).toEqual([true, true]);
  });

  it('names a thread that breaks, and replaces it', async () => {
    const start = faking(({ seed }) =>
      seed === 2
        ? Promise.reject(new Error('a simulation thread ended with status 7'))
        : Promise.resolve(failure(true)),
    );
    const outcomes = await collectAll(seeds(3), { jobs: 1, start });
    expect(outcomes.map(({ error }) => error?.message)).toEqual([
      'no',
      'a simulation thread ended with status 7',
      'no',
    ]);
    expect(FakeThread.started).toHaveLength(2);
  });

  it('reports mistakes of a scenario as errors', async () => {
    const wrong = {
      ...scenario(1),
      hosts: [{ ...scenario(1).hosts[0], endpoint: { frameBytes: 1 } }, scenario(1).hosts[1]],
    };
    const [outcome] = await collectAll([wrong]);
    expect(outcome.run).toBeNull();
    expect(outcome.error?.message).toContain('frameBytes is 1');
    expect(outcome.error?.stack).toBe('');
  });

  it('says how far it is', async () => {
    const reports: RunProgress[] = [];
    await runAll(seeds(3), { jobs: 1, onProgress: (progress) => reports.push(progress) });
    expect(reports.map(({ done }) => done)).toEqual([1, 2, 3]);
    expect(reports.map(({ part }) => part)).toEqual([1 / 3, 2 / 3, 1]);
    expect(reports[2]).toEqual({ total: 3, done: 3, failed: 0, part: 1 });
  });

  it('ends at once when it is told to', async () => {
    const abort = new AbortController();
    const seen: number[] = [];
    const onOutcome = ({ index }: { index: number }): void => {
      seen.push(index);
      if (index === 1) abort.abort();
    };
    await runAll(seeds(5), { jobs: 1, onOutcome, signal: abort.signal });
    expect(seen).toEqual([0, 1]);
    await runAll(seeds(5), { onOutcome, signal: abort.signal });
    expect(seen).toEqual([0, 1]);
  });

  it('ends with what the taker of outcomes throws', async () => {
    const full = runAll(seeds(3), { jobs: 2, onOutcome: () => Promise.reject(new Error('disk full')) });
    await expect(full).rejects.toThrow('disk full');
  });
});

import { describe, expect, it } from 'vitest';
import { RunLedger } from '../../../src/scenario/queue/run-ledger.js';

/** Queues all that may be queued, as jobs named by their number; what is in each. */
function feed(ledger: RunLedger, slots = 1): Map<string, number[]> {
  const jobs = ledger.batches(slots).map((indices): [string, number[]] => [`job of ${indices}`, indices]);
  for (const [job, indices] of jobs) ledger.queue(job, indices, 0);
  return new Map(jobs);
}

/** A ledger that has seen a run of a millisecond, with the batches that it makes then. */
function withShortRuns(total: number) {
  const ledger = new RunLedger(total);
  const [first] = feed(ledger).values();
  ledger.answer(first[0], 0.001);
  return { ledger, jobs: feed(ledger) };
}

describe('the ledger of a sweep', () => {
  it('queues two jobs for each run that workers play at a time, at least 4 and at most 512', () => {
    const sizes = [0, 1, 10, 1_000].map((slots) => new RunLedger(10_000).batches(slots).length);
    expect(sizes).toEqual([4, 4, 20, 512]);
    expect(new RunLedger(3).batches(10)).toEqual([[0], [1], [2]]);
  });

  it('puts short runs together, at most 32 and fewer towards the end', () => {
    const { ledger, jobs } = withShortRuns(1_000);
    expect([...jobs.values()].map(({ length }) => length)).toEqual([32]);
    for (let index = 36; index < 990; index++) ledger.answer(index, 0.001);
    const long = new RunLedger(1_000);
    feed(long);
    long.answer(0, 5);
    expect(long.batches(1)).toEqual([[4]]);
    const { jobs: last } = withShortRuns(12);
    expect([...last.values()].map(({ length }) => length)).toEqual([2]);
  });

  it('takes the answer to a run once, whichever job gives it', () => {
    const ledger = new RunLedger(2);
    const [job] = feed(ledger).keys();
    ledger.lost(job);
    feed(ledger);
    expect([ledger.answer(0, 1), ledger.answer(0, 1), ledger.isOver]).toEqual([true, false, false]);
    expect([ledger.answer(1, null), ledger.isOver, ledger.queued]).toEqual([true, true, []]);
  });

  it('has a run that broke tried alone until it was begun three times, by the starts of its jobs', () => {
    const ledger = new RunLedger(1);
    const [job] = feed(ledger).keys();
    expect(ledger.broke(job, 0, 2)).toBe(true);
    expect([...feed(ledger).values()]).toEqual([[0]]);
    expect(ledger.broke(job, 0, 1)).toBe(false);
    expect(ledger.batches(1)).toEqual([]);
  });

  it('queues again what came back, but not what a job says that the run is not in any more', () => {
    const ledger = new RunLedger(4);
    const [job] = feed(ledger).keys();
    ledger.gaveBack(job, [0]);
    expect([...feed(ledger)]).toEqual([['job of 0', [0]]]);
    ledger.gaveBack('an older job', [0]);
    expect(ledger.broke('an older job', 0, 3)).toBe(true);
    expect(ledger.batches(1)).toEqual([]);
  });

  it('finds the run that breaks its workers in a batch: the first without an answer', () => {
    const { ledger, jobs } = withShortRuns(100);
    const [[job, indices]] = jobs;
    ledger.answer(indices[0], 0.001);
    expect(ledger.gaveUp(job)).toBe(indices[1]);
    ledger.answer(indices[1], null);
    expect(ledger.batches(1)).toEqual([[indices.at(-1)]]);
  });

  it('names the jobs of which nothing was heard for long, once each time', () => {
    const ledger = new RunLedger(2);
    const [one, other] = [...feed(ledger).keys()];
    ledger.hear(one, 500, 0.25);
    expect(ledger.partUnderWay).toBe(0.25);
    expect(ledger.quiet(1_001, 1_000)).toEqual([other]);
    expect(ledger.quiet(1_400, 1_000)).toEqual([]);
    expect(ledger.quiet(1_600, 1_000)).toEqual([one]);
  });
});

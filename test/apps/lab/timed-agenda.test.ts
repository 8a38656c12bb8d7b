import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimedAgenda } from '../../../src/apps/lab/timed-agenda.js';

const MS = 1e6;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function lab() {
  const startMs = Date.now();
  const agenda = new TimedAgenda(() => (Date.now() - startMs) * MS);
  const done: string[] = [];
  const note = (name: string) => () => {
    done.push(`${name}@${Date.now() - startMs}`);
  };
  return { agenda, done, note };
}

describe('TimedAgenda', () => {
  it('does things at their times, in whatever order they were added', () => {
    const { agenda, done, note } = lab();
    agenda.add(30 * MS, note('c'));
    agenda.add(10 * MS, note('a'));
    agenda.add(20 * MS, note('b'));
    agenda.add(20 * MS, note('b2'));
    agenda.add(Number.POSITIVE_INFINITY, note('never'));
    vi.advanceTimersByTime(25);
    expect(done).toEqual(['a@10', 'b@20', 'b2@20']);
    vi.advanceTimersByTime(1_000_000);
    expect(done).toEqual(['a@10', 'b@20', 'b2@20', 'c@30']);
  });

  it('does what is due already in the next turn, and what an action adds', () => {
    const { agenda, done, note } = lab();
    vi.advanceTimersByTime(50);
    agenda.add(10 * MS, () => agenda.add(70 * MS, note('later')));
    vi.advanceTimersByTime(100);
    expect(done).toEqual(['later@70']);
  });

  it('waits longer than a timer of the system can', () => {
    const { agenda, done, note } = lab();
    agenda.add(40 * 86_400_000 * MS, note('far'));
    vi.advanceTimersByTime(39 * 86_400_000);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(86_400_000);
    expect(done).toEqual([`far@${40 * 86_400_000}`]);
  });

  it('does nothing after it is cleared', () => {
    const { agenda, done, note } = lab();
    agenda.add(10 * MS, note('a'));
    agenda.clear();
    vi.advanceTimersByTime(100);
    expect(done).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

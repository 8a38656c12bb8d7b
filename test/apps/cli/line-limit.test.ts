import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineLimit, lineKind } from '../../../src/apps/cli/line-limit.js';

const [DEBUG, WARN, FATAL] = [20, 40, 60];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the limit of log lines', () => {
  it('lets some lines of each kind pass in each second', () => {
    const limit = new LineLimit();
    const said: string[] = [];
    const passed = (name: string, level = WARN, lines = 2_000): number =>
      [...Array(lines)].filter(() => limit.passes(name, level, (count) => said.push(`${name} ${count}`))).length;
    expect([passed('a'), passed('b'), passed('a', DEBUG), passed('a', FATAL)]).toEqual([10, 10, 1_000, 2_000]);
    vi.advanceTimersByTime(1_000);
    expect(said).toEqual(['a 1990', 'b 1990', 'a 1000']);
    expect(passed('a', WARN, 10)).toBe(10);
    vi.advanceTimersByTime(5_000);
    expect([said.length, vi.getTimerCount()]).toEqual([3, 0]);
  });

  it('counts kinds beyond its bound as one, so that peers who choose words gain nothing', () => {
    const limit = new LineLimit();
    let passed = 0;
    for (let kind = 0; kind < 10_000; kind++) if (limit.passes(`kind ${kind}`, WARN, () => {})) passed++;
    expect(passed).toBe(64 + 10);
  });

  it('tells kinds by their codes, or else by their messages', () => {
    expect([lineKind(['opened']), lineKind([{ code: 'io' }, 'a']), lineKind([{ flowId: 3 }, 'b'])]).toEqual([
      'opened',
      'code io',
      'b',
    ]);
  });
});

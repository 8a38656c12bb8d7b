import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agenda } from '../../src/sim/agenda.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function play(agenda: Agenda): void {
  while (agenda.size > 0) agenda.runNext();
}

describe('the agenda', () => {
  it('does things in the order of their times, and of their insertion within one time', () => {
    holds(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), 200, (times) => {
      const agenda = new Agenda();
      const done: [number, number][] = [];
      times.forEach((atNs, index) => {
        agenda.at(atNs, (nowNs) => done.push([nowNs, index]));
      });
      play(agenda);
      const expected = times.map((atNs, index): [number, number] => [atNs, index]);
      expect(done).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    });
  });

  it('takes what is planned while it runs', () => {
    const agenda = new Agenda();
    const done: string[] = [];
    agenda.at(5, () => done.push('later'));
    agenda.at(1, (nowNs) => {
      agenda.at(nowNs, () => done.push('at once'));
      agenda.at(5, () => done.push('last'));
    });
    play(agenda);
    expect(done).toEqual(['at once', 'later', 'last']);
  });

  it('waits for nothing when it is empty', () => {
    const agenda = new Agenda();
    expect(agenda.nextNs).toBe(Number.POSITIVE_INFINITY);
    agenda.at(3, () => {});
    expect(agenda.nextNs).toBe(3);
  });
});

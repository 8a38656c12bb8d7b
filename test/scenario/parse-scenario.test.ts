import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { refusal } from './refusal.js';

const parse = (document: object) => parseScenario({ flows: ['pairs'], ...document });
const FINITE = { flows: [{ from: 1, to: 5, bytes: 1500 }] };

describe('a scenario', () => {
  it('needs nothing but flows', () => {
    expect(parse({})).toMatchObject({
      name: 'scenario',
      seed: 1,
      bottlenecks: [],
      faults: [],
      jainWindowsNs: [1e6, 1e7],
      probes: { intervalNs: 0, links: [], maxFlows: 64 },
      payload: 'lengths',
    });
    expect(refusal({ flows: undefined })).toBe('flows is missing; allowed: a list, one item a line, each after a dash');
    expect(refusal({ flows: [] })).toBe('flows is empty; allowed: at least one entry');
  });

  it('ends with its flows where each has an end, and after a time where one has none', () => {
    expect(parse(FINITE)).toMatchObject({ endsWithFlows: true, durationNs: 1e10, warmUpNs: 0 });
    expect(parse({})).toMatchObject({ endsWithFlows: false, durationNs: 1e8, warmUpNs: 33_333_333 });
    expect(parse({ duration: '60ms' })).toMatchObject({ durationNs: 6e7, warmUpNs: 2e7 });
    expect(parse({ flows: [{ from: 1, to: 5, stop: '1ms' }] }).endsWithFlows).toBe(true);
    expect(parse({ flows: [...FINITE.flows, 'pairs'] }).endsWithFlows).toBe(false);
    expect(parse({ ...FINITE, endsWithFlows: false }).endsWithFlows).toBe(false);
    expect(parse({ endsWithFlows: 'true' }).endsWithFlows).toBe(true);
    expect(parse({ ...FINITE, endsWithFlows: 'auto' }).endsWithFlows).toBe(true);
  });

  it('takes the chain of a parking lot for its bottlenecks', () => {
    expect(parse({ topology: { name: 'parking-lot', bottlenecks: 3 } }).bottlenecks).toEqual([
      's1->s2',
      's2->s3',
      's3->s4',
    ]);
    expect(parse({ topology: 'parking-lot', bottlenecks: ['s2->s1'] }).bottlenecks).toEqual(['s2->s1']);
  });

  it('says what is sampled', () => {
    expect(parse({ probes: { interval: '10us', links: ['left->right'], maxFlows: 2 } }).probes).toEqual({
      intervalNs: 10_000,
      links: ['left->right'],
      maxFlows: 2,
    });
  });

  it('is called what its origin says where it has no name', () => {
    expect(parseScenario(FINITE, { name: 'lab' }).name).toBe('lab');
    expect(parseScenario({ ...FINITE, name: 'own' }, { name: 'lab' }).name).toBe('own');
  });

  it.each([
    [{ seed: -1 }, "seed is '-1'; allowed: a whole number from 0 to 4294967295"],
    [{ seed: 1.5 }, "seed is '1.5'"],
    [{ duration: 10 }, "duration is '10'; allowed: a duration from 1us to 1h"],
    [{ duration: '2h' }, "duration is '2h'"],
    [{ warmUp: '100ms' }, 'warmUp is not before the end of the run; allowed: a time below the duration'],
    [{ endsWithFlows: 'perhaps' }, "endsWithFlows is 'perhaps'; allowed: auto, true, false"],
    [{ algorithm: 'reno' }, "algorithm is 'reno'; allowed: "],
    [
      { parameters: { lean: 7 } },
      'parameters.lean cannot be taken: parameter lean is 7; allowed: a number from 0.001 to 0.5',
    ],
    [
      { bottlenecks: ['left-right'] },
      "bottlenecks.0 is 'left-right', and there is no such link; did you mean 'left->right'?",
    ],
    [{ bottlenecks: 'left->right' }, "bottlenecks is 'left->right'; allowed: a list"],
    [{ jainWindows: [] }, 'jainWindows is empty; allowed: at least one window'],
    [{ jainWindows: ['1'] }, "jainWindows.0 is '1'; allowed: a duration"],
    [{ jainWindows: Array(17).fill('1ms') }, 'jainWindows has 17 items; allowed: at most 16'],
    [{ probes: { links: ['x'] } }, "probes.links.0 is 'x', and there is no such link"],
    [{ payload: 'none' }, "payload is 'none'; allowed: lengths, bytes"],
    [{ flow: [] }, "the scenario has the unknown key 'flow'; did you mean 'flows'?"],
    [{ name: 'x'.repeat(3), hosts: {} }, 'hosts is a mapping; allowed: a list'],
  ])('is refused where it cannot be: %j', (document, sentence) => {
    expect(refusal(document)).toContain(sentence);
  });

  it('is refused by the place where it is wrong', () => {
    const places: string[] = [];
    const locate = (path: readonly (string | number)[]): string => {
      places.push(path.join('/'));
      return 'here';
    };
    expect(() => parseScenario({ flows: ['pairs'], hosts: [{ jitter: 'x' }] }, { locate })).toThrow(
      "here: hosts.0.jitter is 'x'",
    );
    expect(() => parseScenario({ flows: ['pairs'], topology: { paris: 2 } }, { locate })).toThrow(
      'here: topology has the unknown key',
    );
    expect(places).toEqual(['hosts/0/jitter', 'topology/paris']);
  });
});

import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { NO_IMPAIRMENT } from '../../src/switch/impairment.js';
import { refusal } from './refusal.js';

const TOPOLOGY = { pairs: 1, core: { loss: '1%', rate: '1gbit' } };
const faultsOf = (...faults: unknown[]) => parseScenario({ topology: TOPOLOGY, flows: ['pairs'], faults }).faults;

describe('the faults of a scenario', () => {
  it('change links, in one direction or both', () => {
    const change = { kind: 'link', atNs: 1e6, port: {}, impairment: {} };
    expect(faultsOf({ at: '1ms', link: 'left->right', loss: '5%', rate: '100mbit', creditQueue: 1 })).toEqual([
      { ...change, link: 'left->right', port: { rateBps: 1e8, creditQueueFrames: 1 }, impairment: { lossRate: 0.05 } },
    ]);
    expect(faultsOf({ at: '1ms', link: ['left-right', 'h1'], down: true })).toEqual([
      { ...change, link: 'left-right', impairment: { down: true } },
      { ...change, link: 'h1', impairment: { down: true } },
    ]);
    expect(faultsOf({ at: '1ms', link: 'h1', up: true })).toEqual([
      { ...change, link: 'h1', impairment: { down: false } },
    ]);
    expect(faultsOf({ at: '1ms', link: 'h1', clear: true, jitter: '1us' })).toEqual([
      { ...change, link: 'h1', impairment: { ...NO_IMPAIRMENT, jitterNs: 1_000 } },
    ]);
  });

  it('end after a while, with what the topology says', () => {
    const faults = faultsOf({ at: '1ms', link: 'left-right', down: true, loss: '50%', rate: '10mbit', for: '2ms' });
    expect(faults).toMatchObject([
      { atNs: 1e6, port: { rateBps: 1e7 }, impairment: { down: true, lossRate: 0.5 } },
      { atNs: 3e6, port: { rateBps: 1e9 }, impairment: { down: false, lossRate: 0.01 } },
    ]);
  });

  it('restart switches, crash hosts, slow readers and let clocks drift', () => {
    expect(
      faultsOf(
        { at: '1ms', restart: ['left', 'right'], for: '5ms' },
        { at: '2ms', crash: 1 },
        { at: '3ms', crash: 'h2', for: '1ms' },
        { at: '4ms', reader: 2, rate: '1mbit', for: '1ms' },
        { at: '6ms', clock: 'all', drift: '100ppm' },
      ),
    ).toEqual([
      { kind: 'switchRestart', atNs: 1e6, switch: 'left', forNs: 5e6 },
      { kind: 'switchRestart', atNs: 1e6, switch: 'right', forNs: 5e6 },
      { kind: 'hostCrash', atNs: 2e6, host: 1, forNs: Number.POSITIVE_INFINITY },
      { kind: 'hostCrash', atNs: 3e6, host: 2, forNs: 1e6 },
      { kind: 'reader', atNs: 4e6, host: 2, rateBps: 1e6 },
      { kind: 'reader', atNs: 5e6, host: 2, rateBps: Number.POSITIVE_INFINITY },
      { kind: 'clock', atNs: 6e6, host: 1, driftPpm: 100 },
      { kind: 'clock', atNs: 6e6, host: 2, driftPpm: 100 },
    ]);
  });

  it('come in the order of their times, those of one time as they are written', () => {
    const faults = faultsOf(
      { at: '2ms', crash: 1 },
      { at: '1ms', link: 'h1', down: true, for: '1ms' },
      { at: '1ms', link: 'h2', down: true },
    );
    expect(faults.map(({ atNs, kind }) => [atNs, kind])).toEqual([
      [1e6, 'link'],
      [1e6, 'link'],
      [2e6, 'hostCrash'],
      [2e6, 'link'],
    ]);
    expect(faults[0]).toMatchObject({ link: 'h1' });
  });

  it.each([
    [{ at: '1ms' }, 'faults.0.kind is missing; allowed: link, restart, crash, reader, clock'],
    [{ link: 'h1', down: true }, 'faults.0.at is missing; allowed: a duration'],
    [{ at: '1ms', link: 'h9', down: true }, "faults.0.link is 'h9', and there is no such link; did you mean"],
    [{ at: '1ms', link: 'h1' }, 'faults.0 changes nothing; allowed: settings of links, up, down, clear'],
    [{ at: '1ms', link: 'h1', up: true, down: true }, 'faults.0.up stands beside down; allowed: one of them'],
    [{ at: '1ms', link: 'h1', down: 'maybe' }, "faults.0.down is 'maybe'; allowed: true, false"],
    [
      { at: '1ms', restart: 'middle' },
      "faults.0.restart is 'middle', and there is no such switch; allowed: left, right",
    ],
    [{ at: '1ms', crash: 9 }, "faults.0.crash names '9', and there is no such host"],
    [{ at: '1ms', reader: 1 }, 'faults.0.rate is missing; allowed: a rate'],
    [{ at: '1ms', clock: 1, drift: 'x' }, "faults.0.drift is 'x'; allowed: parts per million"],
    [{ at: '1ms', clock: 1, drift: 1, for: '1ms' }, "faults.0 has the unknown key 'for'"],
  ])('are refused where they cannot be: %j', (fault, sentence) => {
    expect(refusal({ topology: TOPOLOGY, faults: [fault] })).toContain(sentence);
  });
});

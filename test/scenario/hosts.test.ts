import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/core/config.js';
import { CREDIT_ALGORITHMS } from '../../src/core/credit/registry.js';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { ENDPOINT_CONSTANTS } from '../../src/scenario/setting-shapes.js';
import { refusal } from './refusal.js';

const hostsOf = (document: object) => parseScenario({ flows: ['pairs'], ...document }).hosts;

describe('the hosts of a scenario', () => {
  it('are plain where nothing is said', () => {
    expect(hostsOf({ topology: { pairs: 1 } })).toEqual(
      [1, 2].map((id) => ({ id, endpoint: {}, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 })),
    );
  });

  it('get what their groups say, the later ones over the earlier', () => {
    const hosts = hostsOf({
      algorithm: 'expresspass',
      parameters: { w_max: '1/4' },
      hosts: [
        { jitter: '4%', processing: { delay: '1us' }, endpoint: { queueBound: 'none', ackDelay: '50us' } },
        { hosts: '2-3', parameters: { w_min: 0.02 }, processing: { jitter: '2us' }, clockDrift: '-20ppm' },
        {
          hosts: [3, 'h4'],
          algorithm: 'naive',
          nic: { creditQueue: 4, dataQueue: '3frames' },
          endpoint: { ackDelay: '0' },
        },
      ],
    });
    const common = { jitter: 0.04, queueBoundNs: Number.POSITIVE_INFINITY };
    expect(hosts[0]).toEqual({
      id: 1,
      endpoint: { ...common, ackDelayNs: 50_000, creditAlgorithm: 'expresspass', creditParameters: { w_max: 0.25 } },
      nic: {},
      processing: { delayNs: 1_000, jitterNs: 0 },
      clockDriftPpm: 0,
    });
    expect(hosts[1]).toMatchObject({
      endpoint: { creditAlgorithm: 'expresspass', creditParameters: { w_max: 0.25, w_min: 0.02 } },
      processing: { delayNs: 1_000, jitterNs: 2_000 },
      clockDriftPpm: -20,
    });
    expect(hosts[2]).toMatchObject({ clockDriftPpm: -20, nic: { creditQueueFrames: 4, dataQueueBytes: 3 * 1538 } });
    expect(hosts[2].endpoint).toEqual({ ...common, ackDelayNs: 0, creditAlgorithm: 'naive', creditParameters: {} });
    expect(hosts[3]).toMatchObject({ clockDriftPpm: 0, endpoint: { creditAlgorithm: 'naive' } });
  });

  it('send frames as large as their link takes, unless they say otherwise', () => {
    const hosts = hostsOf({ topology: { frameSize: 8972 }, hosts: [{ hosts: 1, endpoint: { frameSize: 1472 } }] });
    expect(hosts[0].endpoint.frameBytes).toBe(1472);
    expect(hosts[1].endpoint.frameBytes).toBe(8972);
  });

  it('are named by all, ids, ranges and names', () => {
    const chosen = (hosts: unknown): number[] =>
      hostsOf({ hosts: [{ hosts, jitter: 0.5 }] }).flatMap(({ id, endpoint }) => (endpoint.jitter === 0.5 ? [id] : []));
    expect(chosen('all')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(chosen('7-')).toEqual([7, 8]);
    expect(chosen('6-99')).toEqual([6, 7, 8]);
    expect(chosen(['h2', 4, '6-7'])).toEqual([2, 4, 6, 7]);
    expect(chosen('1, 3')).toEqual([1, 3]);
  });

  it('have every constant of every algorithm and endpoint within reach', () => {
    for (const { name, parameters } of CREDIT_ALGORITHMS) {
      for (const { name: constant, kind } of parameters) {
        const max = kind.highest;
        const [host] = hostsOf({ algorithm: name, parameters: { [constant]: max } });
        expect(host.endpoint.creditParameters).toEqual({ [constant]: max });
      }
    }
    for (const { name, field, kind, default: usual } of ENDPOINT_CONSTANTS) {
      const [host] = hostsOf({ hosts: [{ endpoint: { [name]: kind.format(usual) } }] });
      expect(host.endpoint).toEqual({ [field]: usual });
    }
  });

  it('have names of their constants that are those of the code without the unit', () => {
    const names = ENDPOINT_CONSTANTS.map(({ field }) =>
      field.replace(/rameBytes$/, 'rameSize').replace(/(Ns|Bytes)$/, ''),
    );
    expect(ENDPOINT_CONSTANTS.map(({ name }) => name)).toEqual(names);
    const elsewhere = /^(hostId|rateBps|jitter|(credit|window)(Algorithm|Parameters))$/;
    const others = Object.keys(DEFAULT_CONFIG).filter((field) => !elsewhere.test(field));
    expect(ENDPOINT_CONSTANTS.map(({ field }) => field).sort()).toEqual(others.sort());
  });

  it.each([
    [{ hosts: 'h12' }, "hosts.0.hosts names 'h12', and there is no such host; did you mean"],
    [{ hosts: '9-12' }, "hosts.0.hosts names '9-12', and there is no such host"],
    [{ hosts: '' }, 'hosts.0.hosts is empty; allowed: all, ids'],
    [{ hosts: { from: 1 } }, 'hosts.0.hosts is a mapping; allowed: all, ids'],
    [{ jitter: 0.6 }, "hosts.0.jitter is '0.6'; allowed: a part from 0% to 50%"],
    [{ nic: { loss: '1%' } }, "hosts.0.nic has the unknown key 'loss'"],
    [{ endpoint: { ackDelay: '2s' } }, "hosts.0.endpoint.ackDelay is '2s'; allowed: a duration from 0ns to 1s"],
    [
      { endpoint: { frameSize: '9kB', receiveWindow: '65536' }, parameters: { lean: 9 } },
      'hosts.0.parameters.lean cannot be taken: parameter lean is 9',
    ],
    [
      { algorithm: 'naive', parameters: { w_max: 0.5 } },
      "hosts.0.parameters.w_max cannot be taken: credit algorithm naive has no parameter 'w_max'",
    ],
    [{ parameters: 3 }, "hosts.0.parameters is '3'; allowed: a mapping of constants"],
    [{ parameters: { w_max: 'high' } }, "hosts.0.parameters.w_max is 'high'; allowed: a number"],
    [{ clockDrift: 'fast' }, "hosts.0.clockDrift is 'fast'; allowed: parts per million"],
  ])('are refused where they cannot be: %j', (group, sentence) => {
    expect(refusal({ hosts: [group] })).toContain(sentence);
  });
});

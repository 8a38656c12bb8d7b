import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/apps/shared/options.js';
import { TRANSPORT_OPTIONS } from '../../src/apps/shared/transport-options.js';
import { XpassError } from '../../src/base/errors.js';
import type { HostOptions } from '../../src/net/host-options.js';
import { DEFAULT_HOST_PORT, DEFAULT_SWITCH_PORT, hostPlace, hostSettings } from '../../src/net/host-settings.js';

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error instanceof XpassError ? error.code : error;
  }
  return undefined;
}

describe('the settings of a host', () => {
  it('are those of the command line where nothing is given', () => {
    const settings = hostSettings({});
    // Captures are the commands' own.
    const shared = Object.entries(resolveOptions(TRANSPORT_OPTIONS, new Map())).filter(
      ([name]) => !/^(capture|qlog)/.test(name),
    );
    expect(settings).toEqual(Object.fromEntries(shared));
  });

  it.each<[HostOptions, HostOptions, object]>([
    [{ rate: '1gbit' }, { rate: 1e9 }, { rate: 1e9 }],
    [{ frameSize: '8972' }, { frameSize: 8972 }, { frameSize: 8972 }],
    [{ connectTimeout: '500ms' }, { connectTimeout: 500 }, { connectTimeout: 500e6 }],
    [{ idleTimeout: '2s' }, { idleTimeout: 2_000 }, { idleTimeout: 2e9 }],
    [{ queueBound: '2ms' }, { queueBound: 2 }, { queueBound: 2e6 }],
    [{ receiveWindow: '1MiB' }, { receiveWindow: 2 ** 20 }, { receiveWindow: 2 ** 20 }],
    [{ jitter: '0.1' }, { jitter: 0.1 }, { jitter: 0.1 }],
    [{ rate: 'unlimited' }, { rate: Number.POSITIVE_INFINITY }, { rate: Number.POSITIVE_INFINITY }],
    [{ queueBound: 'none' }, { queueBound: Number.POSITIVE_INFINITY }, { queueBound: Number.POSITIVE_INFINITY }],
  ])('are the same as text %j and as number %j', (text, number, settings) => {
    expect(hostSettings(text)).toMatchObject(settings);
    expect(hostSettings(number)).toEqual(hostSettings(text));
  });

  it.each<[HostOptions, string]>([
    [{ rate: 0 }, "rate '0' is not allowed; allowed: "],
    [{ rate: 'fast' }, "rate 'fast' is not allowed; allowed: "],
    [{ frameSize: 100 }, "frameSize '100' is not allowed; allowed: "],
    [{ hostId: 65_535 }, "hostId '65535' is not allowed; allowed: a whole number from 1 to 65534"],
    [{ algorithm: 'bbr' }, "algorithm 'bbr' is not allowed; allowed: steady, leaning, express"],
    [{ set: { w_min: Number.NaN } }, "set.w_min 'NaN' is not allowed; allowed: "],
    [{ maxWeight: 256 }, "maxWeight '256' is not allowed; allowed: "],
    [{ switch: 'a b' }, "switch 'a b' is not allowed; allowed: "],
    [{ connectTimeout: 0 }, "connectTimeout '0' is not allowed; allowed: "],
    [{ jitter: 0.6 }, "jitter '0.6' is not allowed; allowed: "],
  ])('name the option, its value and what is allowed: %j', (options, sentence) => {
    expect(() => hostSettings(options)).toThrow(sentence);
    expect(codeOf(() => hostSettings(options))).toBe('config');
  });

  it('take a switch as text or as an address', () => {
    const at = { host: '192.0.2.1', port: 28_500 };
    expect(hostSettings({ switch: '192.0.2.1' }).switch).toEqual(at);
    expect(hostSettings({ switch: at }).switch).toEqual(at);
  });
});

describe('the place of a host', () => {
  it('is nothing, where it listens, or the only peer', () => {
    expect(hostPlace({})).toEqual({});
    expect(hostPlace({ listen: ':0' })).toEqual({ listen: { host: '127.0.0.1', port: 0 } });
    expect(hostPlace({ peer: 'lab-3' })).toEqual({ peer: { host: 'lab-3', port: 28_400 } });
  });

  it('names the option that makes no sense', () => {
    expect(() => hostPlace({ listen: 'x:70000' })).toThrow("listen 'x:70000' is not allowed; allowed: ");
    expect(() => hostPlace({ peer: 'x:0' })).toThrow("peer 'x:0' is not allowed; allowed: ");
  });
});

describe('default ports', () => {
  it('lie below those that Linux gives to whoever asks for any, and differ', () => {
    for (const port of [DEFAULT_HOST_PORT, DEFAULT_SWITCH_PORT]) {
      // What IANA leaves unassigned there.
      expect(port).toBeGreaterThanOrEqual(28_241);
      expect(port).toBeLessThanOrEqual(28_588);
    }
    expect(DEFAULT_HOST_PORT).not.toBe(DEFAULT_SWITCH_PORT);
  });
});

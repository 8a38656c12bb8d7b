import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { TRANSPORT_OPTIONS } from '../../../src/apps/shared/transport-options.js';
import { DEFAULT_CONFIG, endpointConfig } from '../../../src/core/config.js';

describe('the options of an endpoint', () => {
  it('have the defaults of the core', () => {
    const values = resolveOptions(TRANSPORT_OPTIONS, new Map());
    expect(values).toMatchObject({
      rate: DEFAULT_CONFIG.rateBps,
      set: {},
      jitter: DEFAULT_CONFIG.jitter,
      connectTimeout: DEFAULT_CONFIG.connectTimeoutNs,
      idleTimeout: DEFAULT_CONFIG.idleTimeoutNs,
      receiveWindow: DEFAULT_CONFIG.receiveWindowBytes,
    });
    expect([values.switch, values.hostId, values.frameSize, values.algorithm]).toEqual(new Array(4).fill(undefined));
  });

  it('name the parameters of an algorithm', () => {
    const { set } = resolveOptions(TRANSPORT_OPTIONS, new Map([['set', ['w_max=0.4', 'w_min=0.01']]]));
    expect(set).toEqual({ w_max: 0.4, w_min: 0.01 });
  });

  it.each([
    ['connect-timeout', '0'],
    ['idle-timeout', '1us'],
    ['receive-window', '1KiB'],
    ['jitter', '60%'],
    ['rate', '1bit'],
  ])('do not allow what the core would refuse: --%s %s', (name, text) => {
    expect(() => resolveOptions(TRANSPORT_OPTIONS, new Map([[name, [text]]]))).toThrow(`--${name} '${text}'`);
  });

  it.each([
    ['connect-timeout', '1ms'],
    ['idle-timeout', '1ms'],
    ['receive-window', '64KiB'],
    ['jitter', '50%'],
    ['rate', '1kbit'],
  ])('allow what the core takes at the least: --%s %s', (name, text) => {
    const values = resolveOptions(TRANSPORT_OPTIONS, new Map([[name, [text]]]));
    expect(() =>
      endpointConfig({
        rateBps: values.rate,
        jitter: values.jitter,
        connectTimeoutNs: values.connectTimeout,
        idleTimeoutNs: values.idleTimeout,
        receiveWindowBytes: values.receiveWindow,
      }),
    ).not.toThrow();
  });
});

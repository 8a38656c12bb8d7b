import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { SHARE_OPTIONS, shareOf, TRANSPORT_OPTIONS } from '../../../src/apps/shared/transport-options.js';
import { DEFAULT_CONFIG, endpointConfig } from '../../../src/core/config.js';
import { flowShare } from '../../../src/net/host-options.js';

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

const shareWith = (...given: [string, string][]) =>
  shareOf(resolveOptions(SHARE_OPTIONS, new Map(given.map(([name, text]) => [name, [text]]))));

describe('the options of weight and class', () => {
  it('are left out where nothing is said', () => {
    expect(shareWith()).toEqual({});
  });

  it('are those of an opening', () => {
    expect(shareWith(['weight', '3'], ['class', 'low'])).toEqual({ weight: 3, creditClass: 'low' });
  });

  it('are those of a sender', () => {
    expect(flowShare({})).toEqual({});
    expect(flowShare({ weight: 3, creditClass: 'low' })).toEqual({ weight: 3, class: 'low' });
  });

  it.each([
    ['weight', '0'],
    ['weight', '256'],
    ['weight', '1.5'],
    ['class', 'middle'],
  ])('do not allow --%s %s', (name, text) => {
    expect(() => shareWith([name, text])).toThrow(`--${name} '${text}'`);
  });
});

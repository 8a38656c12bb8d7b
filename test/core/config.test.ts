import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, type EndpointConfig, endpointConfig } from '../../src/core/config.js';
import { refusal as refusalOf } from '../harness/refusal.js';

const refusal = (changes: Partial<EndpointConfig>) => refusalOf(() => endpointConfig(changes));

describe('the configuration of an endpoint', () => {
  it('is the defaults where nothing is said', () => {
    expect(endpointConfig()).toEqual(DEFAULT_CONFIG);
    expect(endpointConfig({ jitter: 0.08 })).toEqual({ ...DEFAULT_CONFIG, jitter: 0.08 });
  });

  it('has the limits of the protocol as defaults', () => {
    expect(DEFAULT_CONFIG).toMatchObject({
      maxFlows: 65_536,
      maxLingering: 4_096,
      maxOutstandingCredits: 16_384,
      receiveWindowBytes: 4_194_304,
      sendBufferBytes: 4_194_304,
      lingerNs: 2e9,
      idleTimeoutNs: 10e9,
      connectTimeoutNs: 5e9,
      ackFrames: 32,
      ackFramesWithHoles: 8,
      frameBytes: 1_472,
    });
  });

  it.each([
    ['jitter', 0.6, 'jitter is 0.6; allowed: a number from 0 to 0.5'],
    ['creditSizeJitterBytes', 5, 'creditSizeJitterBytes is 5; allowed: a whole number from 0 to 4'],
    ['frameBytes', 127, 'frameBytes is 127; allowed: a whole number from 128 to 65507'],
    ['frameBytes', 1_472.5, 'frameBytes is 1472.5; allowed: a whole number from 128 to 65507'],
    ['hostId', 65_535, 'hostId is 65535; allowed: a whole number from 0 to 65534'],
    ['maxFlows', Number.POSITIVE_INFINITY, 'maxFlows is Infinity; allowed: a whole number from 1 to 1048576'],
    ['rateBps', Number.NaN, 'rateBps is NaN; allowed: a number from 1000 up, or Infinity'],
    ['idleTimeoutNs', -1, 'idleTimeoutNs is -1; allowed: a number from 1000000 to 86400000000000'],
  ] as const)('names the field %s, its value %d and what is allowed', (field, value, message) => {
    expect(refusal({ [field]: value })).toBe(message);
  });

  it('needs a receive window of two frames', () => {
    expect(refusal({ receiveWindowBytes: 65_536, frameBytes: 32_768 })).toBe('taken');
    expect(refusal({ receiveWindowBytes: 65_536, frameBytes: 32_769 })).toBe(
      'receiveWindowBytes is 65536; allowed: two frames of 32769 bytes, or more',
    );
  });

  it('takes no more outstanding credits than the 16-bit counter of unused ones can follow', () => {
    expect(refusal({ maxOutstandingCredits: 32_767 })).toBe('taken');
    expect(refusal({ maxOutstandingCredits: 32_768 })).toContain('maxOutstandingCredits is 32768');
  });
});

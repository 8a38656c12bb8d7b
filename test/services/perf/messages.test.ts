import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import type { Message } from '../../../src/services/file/message.js';
import { parseHeader } from '../../../src/services/perf/messages.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

const REQUEST: Message = {
  kind: 'perf',
  role: 'control',
  test: '0123456789abcdef',
  direction: 'forward',
  flows: 4,
  durationNs: 10e9,
  bytes: null,
  omitNs: 0,
  window: '',
  windowParameters: {},
};
const DATA: Message = { kind: 'perf', role: 'data', test: 'a1', index: 3 };

describe('the header of a perf stream', () => {
  it.each([
    REQUEST,
    { ...REQUEST, direction: 'reverse', durationNs: null, bytes: 5 },
    { ...REQUEST, omitNs: 1e9 },
    { ...REQUEST, share: { weight: 3, creditClass: 'low' } },
    { ...REQUEST, window: 'dctcp', windowParameters: {} },
    { ...REQUEST, window: 'expresspass', windowParameters: { w_max: 0.4 } },
    { ...REQUEST, direction: 'both', pace: { rateBps: 1e6, burstBytes: 0 }, lengthBytes: 8_192 },
    { ...REQUEST, direction: 'exchange', lengthBytes: 64 },
    DATA,
  ])('is read: %j', (header) => {
    expect(parseHeader(header)).toEqual(header);
  });

  it('may have fields of a later version', () => {
    expect(parseHeader({ ...DATA, colour: 'blue' })).toEqual(DATA);
  });

  it('has the usual weight and class where it does not name them', () => {
    const parsed = parseHeader({ ...REQUEST, share: { creditClass: 'low' } });
    expect(parsed).toMatchObject({ share: { weight: 1, creditClass: 'low' } });
  });

  it('omits nothing when it does not say so', () => {
    expect(parseHeader({ ...REQUEST, omitNs: undefined })).toEqual(REQUEST);
  });

  it.each([
    [{ ...REQUEST, test: 7 }, 'names no test'],
    [{ ...REQUEST, test: '../x' }, 'names no test'],
    [{ ...REQUEST, role: 'boss' }, 'role'],
    [{ ...REQUEST, direction: 'sideways' }, 'direction'],
    [{ ...REQUEST, flows: 0 }, 'from 1 to 512'],
    [{ ...REQUEST, flows: 513 }, 'from 1 to 512'],
    [{ ...REQUEST, flows: 1.5 }, 'from 1 to 512'],
    [{ ...REQUEST, durationNs: null }, 'exactly one'],
    [{ ...REQUEST, bytes: 1 }, 'exactly one'],
    [{ ...REQUEST, durationNs: 1e15 }, 'exactly one'],
    [{ ...REQUEST, durationNs: null, bytes: 0 }, 'exactly one'],
    [{ ...REQUEST, omitNs: -1 }, 'omitNs'],
    [{ ...REQUEST, durationNs: null, bytes: 5, omitNs: 1 }, 'omitNs'],
    [{ ...REQUEST, direction: 'exchange' }, 'lengthBytes'],
    [{ ...REQUEST, lengthBytes: 0 }, 'lengthBytes'],
    [{ ...REQUEST, pace: { rateBps: 0, burstBytes: 0 } }, 'pace'],
    [{ ...REQUEST, pace: 7 }, 'pace'],
    [{ ...REQUEST, share: 3 }, 'share'],
    [{ ...REQUEST, share: { weight: 0 } }, 'weight'],
    [{ ...REQUEST, share: { weight: 256 } }, 'weight'],
    [{ ...REQUEST, share: { creditClass: 'middle' } }, 'class'],
    [{ ...REQUEST, window: 7 }, 'window'],
    [{ ...REQUEST, windowParameters: { w_max: 'much' } }, 'window'],
    [{ ...REQUEST, direction: 'reverse', window: 'expresspass' }, 'client receives'],
    [{ ...DATA, index: -1 }, 'index'],
    [{ ...DATA, index: 512 }, 'index'],
    [{ ...DATA, index: '0' }, 'index'],
  ])('that makes no sense is a fault: %j', (header, why) => {
    const fault = parseHeader(header) as Fault;
    expect(fault).toBeInstanceOf(Fault);
    expect(fault.code).toBe('badMessage');
    expect(fault.message).toContain(why);
  });

  it('never throws', () => {
    const field = fc.constantFrom('role', 'test', 'direction', 'flows', 'durationNs', 'bytes', 'index');
    const fields = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constantFrom('data', 'control', 'a1')));
    holds(fields, 500, (values) => {
      parseHeader({ kind: 'perf', ...values } as Message);
    });
  });
});

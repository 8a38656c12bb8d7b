import { describe, expect, it } from 'vitest';
import type { NumberKind } from '../../src/base/value-kind.js';
import { impairmentWords, linkFields, linkTextKind, linkWords, writeFields } from '../../src/scenario/link-text.js';
import { NO_IMPAIRMENT } from '../../src/switch/impairment.js';
import { LINK_SETTINGS, linkChanges } from '../../src/switch/link-settings.js';
import { refusal } from '../harness/refusal.js';

/** Values of a setting at its limits, and its default. */
function valuesOf({ kind, default: usual }: (typeof LINK_SETTINGS)[number]): unknown[] {
  const { lowest, highest } = kind as NumberKind;
  return [usual, lowest, highest].filter((value) => kind.accepts(value));
}

describe('settings of a link', () => {
  it.each(LINK_SETTINGS)('are written as the switch has them: $name', (setting) => {
    for (const value of valuesOf(setting)) {
      const fields = { [setting.field]: value };
      const texts = writeFields(LINK_SETTINGS, fields);
      expect(linkTextKind(setting.name).parse(texts[setting.name])).toBe(texts[setting.name]);
      expect(linkFields(texts)).toEqual(fields);
      const { port, impairment } = linkChanges(fields, 'it');
      expect({ ...port, ...impairment }).toEqual(fields);
    }
  });

  it('are read as people write them', () => {
    const written = {
      rate: '100mbit',
      delay: '20us',
      dataQueue: '256KiB',
      ecnThreshold: 'off',
      creditClasses: 'strict',
      loss: '5%',
      frameTypes: 'data, credit',
    };
    expect(linkFields(written)).toEqual({
      rateBps: 1e8,
      delayNs: 20_000,
      dataQueueBytes: 262_144,
      ecnThresholdBytes: Number.POSITIVE_INFINITY,
      creditClassWeight: Number.POSITIVE_INFINITY,
      lossRate: 0.05,
      frameTypes: ['data', 'credit'],
    });
  });

  it('count queues in full frames of the link, wherever its frame size stands', () => {
    expect(linkFields({ ecnThreshold: '20frames' })).toEqual({ ecnThresholdBytes: 20 * 1538 });
    expect(linkFields({ dataQueue: '1 frame' }, 8972)).toEqual({ dataQueueBytes: 8972 + 66 });
    const jumbo = { dataQueue: '1 frame', frameSize: '8972' };
    expect(linkFields(jumbo)).toEqual({ maxFrameBytes: 8972, dataQueueBytes: 8972 + 66 });
  });

  it.each([
    ['rate', '100bps', 'a rate from 1bit up'],
    ['delay', '20', 'a duration from 0ns to 100s'],
    ['loss', '120%', 'a part from 0% to 100%'],
    ['dataQueue', 'many', 'or full frames, such as 20frames'],
    ['dataQueue', '9999999frames', 'or full frames'],
    ['frameTypes', 'data,attach', 'all, or a list of creditRequest, credit, data, ack'],
    ['down', 'yes', 'true, false'],
  ])('are refused with what is allowed: %s %o', (name, text, allowed) => {
    expect(linkTextKind(name).parse(text)).toBeUndefined();
    expect(linkTextKind(name).allowed).toContain(allowed);
  });

  it.each([
    [
      { dataQueueBytes: 2 ** 30 + 1 },
      'dataQueueBytes of it is 1073741825; allowed: a whole number from 0 to 1073741824',
    ],
    [{ creditClassWeight: 0 }, 'creditClassWeight of it is 0; allowed: a number from 0.001 to 1000000, or Infinity'],
    [{ frameTypes: ['attach'] }, 'frameTypes of it is a list; allowed: null, or a list of creditRequest, credit'],
  ])('are checked where code gives them: %o', (fields, sentence) => {
    expect(refusal(() => linkChanges(fields, 'it'))).toContain(sentence);
  });
});

describe('words of ctl', () => {
  it.each([
    ['rate 10mbit', { rateBps: 1e7 }],
    ['rate unlimited delay 5ms', { rateBps: Number.POSITIVE_INFINITY, delayNs: 5e6 }],
    [' loss 5%   duplicate 1% ', { lossRate: 0.05, duplicateRate: 0.01 }],
    ['reorder 1% reorder-delay 2ms', { reorderRate: 0.01, reorderDelayNs: 2e6 }],
    ['down', { down: true }],
    ['up', { down: false }],
    ['frame-types data', { frameTypes: ['data'] }],
    ['clear', { ...NO_IMPAIRMENT }],
    ['clear loss 1%', { ...NO_IMPAIRMENT, lossRate: 0.01 }],
  ])('set %o', (words, fields) => {
    expect(linkWords(words, "link 'h1'")).toEqual(fields);
  });

  it.each([
    ['', "link 'h1' gets no setting; allowed: rate, delay,"],
    ['los 5%', "unknown setting 'los' of link 'h1'; did you mean 'loss'?; allowed: rate, delay,"],
    ['constructor', "unknown setting 'constructor' of link 'h1'"],
    ['rate', "rate of link 'h1' is empty; allowed: a rate"],
    ['rate down', "rate of link 'h1' is 'down'; allowed: a rate"],
    ['data-queue 20frames', "data-queue of link 'h1' is '20frames'; allowed: a size"],
    ['dataQueue 1', "unknown setting 'dataQueue' of link 'h1'; did you mean 'data-queue'?"],
  ])('are refused with what is allowed: %o', (words, sentence) => {
    expect(() => linkWords(words, "link 'h1'")).toThrow(sentence);
  });

  it('say what is in force in words that they take', () => {
    expect(impairmentWords(NO_IMPAIRMENT)).toBe('');
    const words = 'loss 5% reorder 0.1% reorder-delay 2ms extra-delay 1.5ms frame-types data,ack';
    const config = { ...NO_IMPAIRMENT, ...linkWords(words, 'it') };
    expect(impairmentWords(config)).toBe(words);
    expect(impairmentWords({ ...NO_IMPAIRMENT, down: true })).toBe('down');
  });
});

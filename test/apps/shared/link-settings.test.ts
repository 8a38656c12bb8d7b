import { describe, expect, it } from 'vitest';
import {
  impairmentWords,
  linkFields,
  linkWords,
  SETTING_NAMES,
  settingKind,
} from '../../../src/apps/shared/link-settings.js';
import { IMPAIRMENT_FIELDS, PORT_FIELDS, pickImpairments, pickPortSettings } from '../../../src/switch/field-rules.js';
import { NO_IMPAIRMENT } from '../../../src/switch/impairment.js';

const setting = (name: string, text: string) => ({ name, text, label: `${name} of link 'l'` });

/** The least and the most that may be written, as the switch room has to take them. */
const EXTREMES: Readonly<Record<string, readonly string[]>> = {
  rate: ['1bit', 'unlimited'],
  delay: ['0', '100s'],
  frameSize: ['128', '65507'],
  creditQueue: ['1', '65536'],
  creditClasses: ['0.001', '1000000', '3', 'strict'],
  creditBurst: ['92', '1MB'],
  creditMark: ['0', '65536'],
  dataQueue: ['0', '512MiB'],
  ecnThreshold: ['0', '1TiB', 'off'],
  ecnRtt: ['0', '100s', 'off'],
  ecnRamp: ['0', '512MiB', 'off'],
  phantomDrain: ['0', '100%', '0.95', 'off'],
  speculativeQueue: ['0', '512MiB', '6KB'],
  reorderDelay: ['0', '100s'],
  extraDelay: ['0', '100s'],
  jitter: ['0', '100s'],
  down: ['true', 'false'],
  frameTypes: ['all', 'creditRequest,credit,data,ack,creditStop,fin,reset,version'],
};

describe('settings of a link', () => {
  it('have a name for every field that the switch has, and no field twice', () => {
    const fields = SETTING_NAMES.flatMap((name) => {
      const [text] = EXTREMES[name] ?? ['5%'];
      return Object.keys(linkFields([setting(name, text)]));
    });
    expect([...fields].sort()).toEqual([...PORT_FIELDS, ...IMPAIRMENT_FIELDS].sort());
  });

  it.each([...SETTING_NAMES])('mean what the switch allows: %s', (name) => {
    for (const text of EXTREMES[name] ?? ['0', '100%', '0.25']) {
      const fields = linkFields([setting(name, text)]);
      const picked = { ...pickPortSettings(fields, 'it'), ...pickImpairments(fields, 'it') };
      expect(picked, text).toEqual(fields);
      expect(settingKind(name).parse(text)).toBe(text);
    }
  });

  it('are read as people write them', () => {
    const written = [
      setting('rate', '100mbit'),
      setting('delay', '20us'),
      setting('dataQueue', '256KiB'),
      setting('ecnThreshold', 'off'),
      setting('loss', '5%'),
      setting('frameTypes', 'data, credit'),
    ];
    expect(linkFields(written)).toEqual({
      rateBps: 1e8,
      delayNs: 20_000,
      dataQueueBytes: 262_144,
      ecnThresholdBytes: Number.POSITIVE_INFINITY,
      lossRate: 0.05,
      frameTypes: ['data', 'credit'],
    });
  });

  it('count queues in full frames of the link, wherever its frame size stands', () => {
    expect(linkFields([setting('ecnThreshold', '20frames')])).toEqual({ ecnThresholdBytes: 20 * 1538 });
    const jumbo = [setting('dataQueue', '1 frame'), setting('frameSize', '8972')];
    expect(linkFields(jumbo)).toEqual({ maxFrameBytes: 8972, dataQueueBytes: 8972 + 66 });
    expect(settingKind('dataQueue').parse('65frames')).toBe('65frames');
  });

  it('let the later one of two win', () => {
    expect(linkFields([setting('loss', '5%'), setting('loss', '1%')])).toEqual({ lossRate: 0.01 });
  });

  it.each([
    ['rate', '100bps', "rate of link 'l' is '100bps'; allowed: a rate from 1bit up"],
    ['delay', '20', "delay of link 'l' is '20'; allowed: a duration from 0ns to 100s"],
    ['loss', '120%', "loss of link 'l' is '120%'; allowed: a part from 0% to 100%"],
    ['loss', '', "loss of link 'l' is empty; allowed: a part"],
    ['dataQueue', 'many', 'or full frames, such as 20frames'],
    ['dataQueue', '9999999frames', "is '9999999frames'"],
    ['frameTypes', 'data,attach', "is 'data,attach'; allowed: all, or a list of creditRequest, credit, data, ack"],
    ['down', 'yes', "is 'yes'; allowed: true, false"],
  ])('are refused with what is allowed: %s %o', (name, text, sentence) => {
    expect(() => linkFields([setting(name, text)])).toThrow(sentence);
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

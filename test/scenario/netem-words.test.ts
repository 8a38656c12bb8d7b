import { describe, expect, it } from 'vitest';
import { linkWords } from '../../src/scenario/link-text.js';
import { NETEM_HELP, netemChange } from '../../src/scenario/netem-words.js';

const words = (text: string) => linkWords(text, "link 'h1'");

describe('words of tc-netem', () => {
  it.each([
    ['delay 10ms', { delayNs: 10e6 }],
    ['delay 10ms 2ms', { delayNs: 8e6, jitterNs: 4e6 }],
    ['delay 10ms 10ms', { delayNs: 0, jitterNs: 20e6 }],
    ['delay 10ms 2ms loss 1% rate 100mbit', { delayNs: 8e6, jitterNs: 4e6, lossRate: 0.01, rateBps: 1e8 }],
    ['loss random 0.3%', { lossRate: 0.003 }],
    ['duplicate 0.1% corrupt 0.01% reorder 5%', { duplicateRate: 0.001, corruptRate: 0.0001, reorderRate: 0.05 }],
    ['limit 100', { dataQueueBytes: 153_800 }],
    [
      'delay 10ms 2ms loss 1% duplicate 0.1% corrupt 0.01% reorder 5% rate 100mbit limit 100',
      {
        delayNs: 8e6,
        jitterNs: 4e6,
        lossRate: 0.01,
        duplicateRate: 0.001,
        corruptRate: 0.0001,
        reorderRate: 0.05,
        rateBps: 1e8,
        dataQueueBytes: 153_800,
      },
    ],
    ['limit 100 delay 1ms jitter 3ms', { dataQueueBytes: 153_800, delayNs: 1e6, jitterNs: 3e6 }],
  ])('are understood: %s', (text, fields) => {
    expect(words(text)).toEqual(fields);
  });

  it.each([
    [
      'delay 10ms 2ms 25%',
      "the correlation '25%' behind 'delay 10ms 2ms' is not available for link 'h1'; allowed: 'delay",
    ],
    ['delay 10ms 25%', "the correlation '25%' behind 'delay 10ms'"],
    [
      'loss 1% 25%',
      "the correlation '25%' behind 'loss 1%' is not available for link 'h1'; allowed: 'loss 1%' without it",
    ],
    ['duplicate 1% 5 rate 1mbit', "the correlation '5' behind 'duplicate 1%'"],
    ['corrupt 1% .5', "the correlation '.5'"],
    ['reorder 5% 50%', "the correlation '50%'"],
    [
      'delay 10ms 2ms distribution normal',
      "'distribution' of tc-netem is not available for link 'h1'; allowed: delay TIME",
    ],
    ['reorder 5% gap 5', "'gap' of tc-netem"],
    ['slot 1ms', "'slot' of tc-netem"],
    ['loss 1% ecn', "'ecn' of tc-netem is not available for link 'h1'; allowed: ecn-threshold"],
    [
      'loss gemodel 1% 10%',
      "'loss gemodel' of tc-netem is not available for link 'h1'; allowed: loss PART, or burst-enter",
    ],
    ['loss state 1%', "'loss state'"],
    ['loss random', "loss random '' is not available for link 'h1'; allowed: a part"],
    ['delay 1ms 2ms', "jitter '2ms' of delay 1ms is not available for link 'h1'; allowed: a duration from 0ns to 1ms"],
    ['delay 10 2', "delay '10' is not available for link 'h1'; allowed: a duration"],
    ['limit many', "limit 'many'"],
    [
      'limit 999999',
      "limit '999999' is not available for link 'h1'; allowed: a whole number of frames, whose queue is up to 1 GiB",
    ],
  ])('that nothing here answers to are named: %s', (text, sentence) => {
    expect(() => words(text)).toThrow(sentence);
  });

  it('are all in the help, which says nothing of others', () => {
    const values = { TIME: '9ms', JITTER: '2ms', PART: '1%', RATE: '1mbit', COUNT: '7' };
    for (const [netem] of NETEM_HELP) {
      const text = netem
        .replace('[random]', 'random')
        .replace(/[A-Z]+/g, (word) => values[word as keyof typeof values]);
      expect(Object.keys(words(text))).not.toEqual([]);
    }
  });

  it('leave our own settings alone', () => {
    expect(netemChange({ words: ['delay', '5ms', 'loss', '1%'], at: 0, what: 'it' })).toBeUndefined();
    expect(netemChange({ words: ['frame-size', '1472'], at: 0, what: 'it' })).toBeUndefined();
    expect(netemChange({ words: ['constructor'], at: 0, what: 'it' })).toBeUndefined();
  });
});
